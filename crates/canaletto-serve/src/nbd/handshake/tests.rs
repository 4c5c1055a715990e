use std::io::Cursor;
use std::slice;

use proptest::prelude::*;

use super::*;

struct Scripted {
    said: Cursor<Vec<u8>>,
    heard: Vec<u8>,
}

impl Read for Scripted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.said.read(into)
    }
}

impl Write for Scripted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.heard.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn export() -> Export {
    Export { name: "drive".to_owned(), description: "a drive".to_owned(), bytes: 1 << 30, preferred: 4096 }
}

fn option(option: u32, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_be_bytes();
    [&OPTION.to_be_bytes()[..], &option.to_be_bytes(), &length, data].concat()
}

fn go(name: &str, wanted: &[u16]) -> Vec<u8> {
    let wanted_bytes: Vec<u8> = wanted.iter().flat_map(|kind| kind.to_be_bytes()).collect();
    let count = (wanted.len() as u16).to_be_bytes();
    [&(name.len() as u32).to_be_bytes()[..], name.as_bytes(), &count, &wanted_bytes].concat()
}

fn contexts(name: &str, queries: &[&str]) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u32).to_be_bytes()[..], text.as_bytes()].concat();
    let count = (queries.len() as u32).to_be_bytes();
    [text(name), count.to_vec(), queries.iter().map(|&query| text(query)).collect::<Vec<_>>().concat()].concat()
}

fn talk(flags: u32, options: &[Vec<u8>]) -> (io::Result<Option<Agreed>>, Vec<u8>) {
    let said = [flags.to_be_bytes().to_vec(), options.concat()].concat();
    let mut stream = Scripted { said: Cursor::new(said), heard: Vec::new() };
    let ended = negotiate(&mut stream, &export());
    (ended, stream.heard.split_off(18))
}

fn kinds(mut heard: &[u8]) -> Vec<u32> {
    let mut kinds = Vec::new();
    while !heard.is_empty() {
        assert_eq!(u64::from_be_bytes(take(&mut heard)), OPTION_REPLY);
        let _: [u8; 4] = take(&mut heard);
        kinds.push(u32::from_be_bytes(take(&mut heard)));
        let length = u32::from_be_bytes(take(&mut heard)) as usize;
        heard = &heard[length..];
    }
    kinds
}

#[test]
fn a_client_begins_with_go() {
    let (ended, heard) =
        talk(3, &[option(STRUCTURED_REPLY, &[]), option(GO, &go("", &[INFO_NAME, INFO_DESCRIPTION, 77]))]);
    assert_eq!(ended.unwrap(), Some(Agreed { structured: true, allocation: false }));
    assert_eq!(kinds(&heard), [ACK, INFO_REPLY, INFO_REPLY, INFO_REPLY, INFO_REPLY, ACK]);
}

#[test]
fn an_old_client_begins_with_a_name() {
    for (flags, length) in [(0, 134), (3, 10)] {
        let (ended, heard) = talk(flags, &[option(EXPORT_NAME, b"drive")]);
        assert_eq!(ended.unwrap(), Some(Agreed { structured: false, allocation: false }));
        assert_eq!((&heard[..8], heard.len()), (&(1u64 << 30).to_be_bytes()[..], length));
    }
}

#[test]
fn a_client_may_ask_which_parts_hold_data() {
    let (structured, begin) = (option(STRUCTURED_REPLY, &[]), option(GO, &go("", &[])));
    let agreed = |asked: &[Vec<u8>]| {
        let options = [slice::from_ref(&structured), asked, slice::from_ref(&begin)].concat();
        let (ended, heard) = talk(3, &options);
        let kinds = kinds(&heard);
        (ended.unwrap().unwrap().allocation, kinds[1..kinds.len() - 3].to_vec())
    };
    let set = |name: &str, queries: &[&str]| option(SET_META_CONTEXT, &contexts(name, queries));
    let list = |queries: &[&str]| option(LIST_META_CONTEXT, &contexts("drive", queries));
    let (base, other) = ("base:allocation", "qemu:dirty-bitmap:x");
    assert_eq!(agreed(&[set("", &[base])]), (true, vec![META_CONTEXT, ACK]));
    assert_eq!(agreed(&[set("drive", &[other, base])]), (true, vec![META_CONTEXT, ACK]));
    assert_eq!(agreed(&[set("", &[other, "base:", "nothing"])]), (false, vec![ACK]));
    assert_eq!(agreed(&[set("", &[base]), set("", &[])]), (false, vec![META_CONTEXT, ACK, ACK]), "the last one counts");
    assert_eq!(agreed(&[set("another", &[base])]), (false, vec![ERR_UNKNOWN]));
    assert_eq!(agreed(&[list(&[]), list(&["base:"])]), (false, vec![META_CONTEXT, ACK, META_CONTEXT, ACK]));
    assert_eq!(agreed(&[list(&[other])]), (false, vec![ACK]));
    for damaged in [&contexts("", &[base])[1..], &[contexts("", &[base]), vec![0]].concat(), &[0xff; 8]] {
        assert_eq!(agreed(&[option(SET_META_CONTEXT, damaged)]), (false, vec![ERR_INVALID]));
    }
    let (ended, heard) = talk(3, &[set("", &[base]), begin.clone()]);
    assert!(!ended.unwrap().unwrap().allocation, "there are no structured replies to tell it in");
    assert_eq!(kinds(&heard)[0], ERR_INVALID);
}

#[test]
fn options_that_cannot_be_had_are_answered_and_others_go_on() {
    let options = [
        option(5, &[]),
        option(LIST, b"x"),
        option(LIST, &[]),
        option(INFO, &go("another", &[])),
        option(INFO, &go("drive", &[])),
        option(GO, b"\0\0\0\x09x\0\0"),
        option(GO, &[&go("", &[])[..], b"x"].concat()),
        option(ABORT, &[]),
    ];
    let (ended, heard) = talk(1, &options);
    assert_eq!(ended.unwrap(), None);
    let expected =
        [ERR_UNSUP, ERR_INVALID, SERVER, ACK, ERR_UNKNOWN, INFO_REPLY, INFO_REPLY, ACK, ERR_INVALID, ERR_INVALID, ACK];
    assert_eq!(kinds(&heard), expected);
}

#[test]
fn clients_that_do_not_keep_to_the_protocol_are_cut_off() {
    let long = [&OPTION.to_be_bytes()[..], &GO.to_be_bytes(), &u32::MAX.to_be_bytes()].concat();
    let many = vec![option(99, &[]); MOST_OPTIONS];
    for (flags, options, why) in [
        (4, vec![], "unknown client flags"),
        (3, vec![b"GET / HTTP/1.1\r\n\r\n".to_vec()], "no option"),
        (3, vec![long], "an option that is too long"),
        (3, many, "too many options"),
        (3, vec![option(EXPORT_NAME, b"another")], "an unknown export"),
        (3, vec![option(GO, b"")[..12].to_vec()], "failed to fill whole buffer"),
    ] {
        assert_eq!(talk(flags, &options).0.unwrap_err().to_string(), why);
    }
}

fn any_option() -> impl Strategy<Value = Vec<u8>> {
    let data = prop_oneof![
        Just(Vec::new()),
        prop::collection::vec(any::<u8>(), 0..40),
        ("(drive|)", prop::collection::vec(0u16..5, 0..4)).prop_map(|(name, wanted)| go(&name, &wanted)),
        ("(drive|)", prop::collection::vec("(base:|base:allocation|x)", 0..4))
            .prop_map(|(name, queries)| contexts(&name, &queries.iter().map(String::as_str).collect::<Vec<_>>())),
    ];
    let cut = prop_oneof![9 => Just(usize::MAX), 1 => 0usize..40];
    (0u32..12, data, cut).prop_map(|(kind, data, cut)| {
        let whole = option(kind, &data);
        whole[..cut.min(whole.len())].to_vec()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::fuzz_cases()))]

    #[test]
    fn nothing_that_a_client_says_breaks_the_negotiation(
        flags in prop_oneof![9 => 0u32..4, 1 => any::<u32>()],
        options in prop::collection::vec(any_option(), 0..80),
    ) {
        let (ended, heard) = talk(flags, &options);
        if ended.is_ok() {
            prop_assert!(heard.len() < 80 * 200);
        }
    }
}
