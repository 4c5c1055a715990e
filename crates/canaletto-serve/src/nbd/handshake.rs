//! Fixed newstyle negotiation (section "Fixed newstyle negotiation").
//!
//! The number and length of options are bounded.

use std::io::{self, Read, Write};

use super::request::take;
use super::{Export, LONGEST, SECTOR, reply};

const INIT_PASSWD: u64 = u64::from_be_bytes(*b"NBDMAGIC");
const OPTION: u64 = u64::from_be_bytes(*b"IHAVEOPT");
const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;

// Sections "Handshake flags" and "Client flags", which have the same values.
const FIXED_NEWSTYLE: u16 = 1 << 0;
const NO_ZEROES: u16 = 1 << 1;

// Section "Transmission flags".
const HAS_FLAGS: u16 = 1 << 0;
const SEND_FLUSH: u16 = 1 << 2;
const SEND_FUA: u16 = 1 << 3;
const SEND_TRIM: u16 = 1 << 5;
const SEND_WRITE_ZEROES: u16 = 1 << 6;
const SEND_DF: u16 = 1 << 7;
const CAN_MULTI_CONN: u16 = 1 << 8;

// Section "Option types".
const EXPORT_NAME: u32 = 1;
const ABORT: u32 = 2;
const LIST: u32 = 3;
const INFO: u32 = 6;
const GO: u32 = 7;
const STRUCTURED_REPLY: u32 = 8;
const LIST_META_CONTEXT: u32 = 9;
const SET_META_CONTEXT: u32 = 10;

// Section "Option reply types".
const ACK: u32 = 1;
const SERVER: u32 = 2;
const INFO_REPLY: u32 = 3;
const META_CONTEXT: u32 = 4;
const ERR_UNSUP: u32 = (1 << 31) + 1;
const ERR_INVALID: u32 = (1 << 31) + 3;
const ERR_UNKNOWN: u32 = (1 << 31) + 6;

// `NBD_INFO_…` of the replies to `NBD_OPT_INFO` and `NBD_OPT_GO`.
const INFO_EXPORT: u16 = 0;
const INFO_NAME: u16 = 1;
const INFO_DESCRIPTION: u16 = 2;
const INFO_BLOCK_SIZE: u16 = 3;

/// Which parts hold data (section "The `base:` metadata namespace").
const ALLOCATION: &[u8] = b"base:allocation";

const MOST_OPTIONS: usize = 64;

/// A name of 4096 bytes, the longest string, and the rest of an option.
const LONGEST_OPTION: u32 = 8192;

/// Agreement of client and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed {
    /// Whether reads are answered with structured replies.
    pub structured: bool,
    /// The client may ask which parts of the drive hold data.
    pub allocation: bool,
}

/// None if the client goes without beginning.
///
/// # Errors
/// A client that breaks the protocol, and whatever the connection reports.
pub fn negotiate(stream: &mut (impl Read + Write), export: &Export) -> io::Result<Option<Agreed>> {
    let flags = greet(stream)?;
    let mut agreed = Agreed { structured: false, allocation: false };
    for _ in 0..MOST_OPTIONS {
        if u64::from_be_bytes(read(stream)?) != OPTION {
            return Err(broken("no option"));
        }
        let option = u32::from_be_bytes(read(stream)?);
        let length = u32::from_be_bytes(read(stream)?);
        if length > LONGEST_OPTION {
            return Err(broken("an option that is too long"));
        }
        let mut data = vec![0; length as usize];
        stream.read_exact(&mut data)?;
        let mut replies = Replies { option, out: Vec::new() };
        match option {
            EXPORT_NAME => {
                if !export.is_named(&data) {
                    return Err(broken("an unknown export"));
                }
                let zeroes = if flags & u32::from(NO_ZEROES) == 0 { 124 } else { 0 };
                stream.write_all(&export.begin(agreed, zeroes))?;
                return Ok(Some(agreed));
            }
            ABORT => {
                replies.add(ACK, &[]);
                // The client may have gone already.
                let _ = stream.write_all(&replies.out);
                return Ok(None);
            }
            LIST if data.is_empty() => {
                let name = export.name.as_bytes();
                replies.add(SERVER, &[&(name.len() as u32).to_be_bytes()[..], name].concat());
                replies.add(ACK, &[]);
            }
            STRUCTURED_REPLY if data.is_empty() => {
                agreed.structured = true;
                replies.add(ACK, &[]);
            }
            INFO | GO => match asked_for(&data) {
                None => replies.add(ERR_INVALID, b"not a name and a list of requests"),
                Some((name, _)) if !export.is_named(name) => replies.add(ERR_UNKNOWN, b"no such export"),
                Some((_, wanted)) => {
                    replies.describe(export, agreed, wanted);
                    replies.add(ACK, &[]);
                    stream.write_all(&replies.out)?;
                    if option == GO {
                        return Ok(Some(agreed));
                    }
                    continue;
                }
            },
            LIST_META_CONTEXT => {
                replies.tell_contexts(export, agreed, &data);
            }
            SET_META_CONTEXT => agreed.allocation = replies.tell_contexts(export, agreed, &data),
            LIST | STRUCTURED_REPLY => replies.add(ERR_INVALID, b"this option has no data"),
            _ => replies.add(ERR_UNSUP, b"unknown option"),
        }
        stream.write_all(&replies.out)?;
    }
    Err(broken("too many options"))
}

fn greet(stream: &mut (impl Read + Write)) -> io::Result<u32> {
    let mut hello = Vec::new();
    hello.extend(INIT_PASSWD.to_be_bytes());
    hello.extend(OPTION.to_be_bytes());
    hello.extend((FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes());
    stream.write_all(&hello)?;
    let flags = u32::from_be_bytes(read(stream)?);
    match flags & !u32::from(FIXED_NEWSTYLE | NO_ZEROES) {
        0 => Ok(flags),
        _ => Err(broken("unknown client flags")),
    }
}

fn asked_for(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, rest) = text(data)?;
    let (count, wanted) = rest.split_first_chunk()?;
    (wanted.len() == 2 * usize::from(u16::from_be_bytes(*count))).then_some((name, wanted))
}

fn queries(data: &[u8]) -> Option<(&[u8], Vec<&[u8]>)> {
    let (name, rest) = text(data)?;
    let (count, mut rest) = rest.split_first_chunk()?;
    let mut queries = Vec::new();
    for _ in 0..u32::from_be_bytes(*count) {
        let (query, after) = text(rest)?;
        queries.push(query);
        rest = after;
    }
    rest.is_empty().then_some((name, queries))
}

fn text(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = data.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

struct Replies {
    option: u32,
    out: Vec<u8>,
}

impl Replies {
    fn add(&mut self, kind: u32, data: &[u8]) {
        self.out.extend(OPTION_REPLY.to_be_bytes());
        self.out.extend(self.option.to_be_bytes());
        self.out.extend(kind.to_be_bytes());
        self.out.extend((data.len() as u32).to_be_bytes());
        self.out.extend(data);
    }

    /// Whether [`ALLOCATION`] was asked for.
    fn tell_contexts(&mut self, export: &Export, agreed: Agreed, data: &[u8]) -> bool {
        let Some((name, queries)) = queries(data) else {
            self.add(ERR_INVALID, b"not a name and a list of queries");
            return false;
        };
        if !agreed.structured {
            self.add(ERR_INVALID, b"structured replies have to be asked for first");
            return false;
        }
        if !export.is_named(name) {
            self.add(ERR_UNKNOWN, b"no such export");
            return false;
        }
        let lists = self.option == LIST_META_CONTEXT;
        let asked = queries.iter().any(|&query| query == ALLOCATION || (lists && query == b"base:"));
        let is_there = asked || (lists && queries.is_empty());
        if is_there {
            self.add(META_CONTEXT, &[&reply::ALLOCATION.to_be_bytes()[..], ALLOCATION].concat());
        }
        self.add(ACK, &[]);
        is_there
    }

    /// Size, and block sizes, since other requests are refused.
    fn describe(&mut self, export: &Export, agreed: Agreed, wanted: &[u8]) {
        let size = [&INFO_EXPORT.to_be_bytes()[..], &export.begin(agreed, 0)].concat();
        self.add(INFO_REPLY, &size);
        let sizes = [SECTOR as u32, export.preferred, LONGEST].map(u32::to_be_bytes).concat();
        self.add(INFO_REPLY, &[&INFO_BLOCK_SIZE.to_be_bytes()[..], &sizes].concat());
        for kind in wanted.chunks_exact(2) {
            let kind = u16::from_be_bytes(take(&mut &*kind));
            let text = match kind {
                INFO_NAME => &export.name,
                INFO_DESCRIPTION => &export.description,
                _ => continue,
            };
            self.add(INFO_REPLY, &[&kind.to_be_bytes()[..], text.as_bytes()].concat());
        }
    }
}

impl Export {
    fn is_named(&self, name: &[u8]) -> bool {
        name.is_empty() || name == self.name.as_bytes()
    }

    fn begin(&self, agreed: Agreed, zeroes: usize) -> Vec<u8> {
        // One store and one drive serve all connections, so that a flush of one holds for all.
        let always = HAS_FLAGS | SEND_FLUSH | SEND_FUA | SEND_TRIM | SEND_WRITE_ZEROES | CAN_MULTI_CONN;
        let flags = if agreed.structured { always | SEND_DF } else { always };
        let mut out = Vec::new();
        out.extend(self.bytes.to_be_bytes());
        out.extend(flags.to_be_bytes());
        out.resize(out.len() + zeroes, 0);
        out
    }
}

fn read<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests;
