use proptest::prelude::*;

use super::super::*;
use super::{DEVICE, WORKLOAD};

fn survives(text: &str) {
    let errors = [parse_device("f", text).err(), parse_workload("f", text).err()];
    for error in errors.into_iter().flatten() {
        let ends = text.chars().filter(|c| matches!(c, '\n' | '\r')).count();
        assert!(error.line >= 1 && error.line as usize <= ends + 1, "{error}");
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }
}

const PIECES: &[&str] = &[
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<?xml",
    "<!DOCTYPE ",
    "&",
    "&amp;",
    "&#",
    ";",
    "\"",
    "'",
    "=",
    "\n",
    "\r",
    "\0",
    "\u{feff}",
    "é",
    "0",
    "-1",
    "18446744073709551616",
    "1e999",
    ",",
    "Seed",
    "<Seed>",
    "</Seed>",
    "</<Seed>",
    "<IO_Scenario>",
    "</IO_Scenario>",
    "<Host_Parameter_Set/>",
    "<<<<<<<",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        survives(&text);
    }

    #[test]
    fn any_sequence_of_pieces(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        survives(&pieces.concat());
    }

    #[test]
    fn any_mutation_of_a_valid_file(
        file in prop::sample::select(&[DEVICE, WORKLOAD][..]),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..30, prop::sample::select(PIECES)), 1..6),
    ) {
        let mut text: Vec<char> = file.chars().collect();
        for (at, length, piece) in cuts {
            let start = at.index(text.len() + 1);
            let end = (start + length).min(text.len());
            text.splice(start..end, piece.chars());
        }
        survives(&text.into_iter().collect::<String>());
    }

    #[test]
    fn any_value_in_any_tag(index in any::<prop::sample::Index>(), value in "[^<&]{0,20}") {
        let lines: Vec<&str> = DEVICE.lines().chain(WORKLOAD.lines()).filter(|l| l.contains("</")).collect();
        let line = lines[index.index(lines.len())];
        let Some((opening, closing)) = line.split_once('>').zip(line.rsplit_once("</")) else {
            return Ok(());
        };
        let changed = format!("{}>{value}</{}", opening.0, closing.1);
        survives(&DEVICE.replace(line, &changed));
        survives(&WORKLOAD.replace(line, &changed));
    }

    #[test]
    fn a_truncated_file_is_always_refused(index in any::<prop::sample::Index>()) {
        for file in [DEVICE, WORKLOAD] {
            let text = &file[..index.index(file.trim_end().len())];
            survives(text);
            prop_assert!(parse_device("f", text).is_err());
            prop_assert!(parse_workload("f", text).is_err());
        }
    }
}
