use super::super::*;
use super::{DEVICE, WORKLOAD, device_error, device_with, workload_error, workload_with};

#[test]
fn line_numbers_hold_with_every_line_ending() {
    for ending in ["\r\n", "\r"] {
        let text = DEVICE.replace("Count>16<", "Count>eight<").replace('\n', ending);
        assert!(device_error(&text).starts_with("ssdconfig.xml:12: "), "{ending:?}");
    }
}

#[test]
fn swapped_files_are_recognised() {
    assert_eq!(
        device_error(WORKLOAD),
        "ssdconfig.xml:2: <MQSim_IO_Scenarios>: this is a workload definition, expected an SSD configuration \
         (<Execution_Parameter_Set>): are the two files swapped?"
    );
    assert!(workload_error(DEVICE).contains("this is an SSD configuration, expected a workload definition"));
    assert_eq!(
        device_error("\n<MQSim_Results/>"),
        "ssdconfig.xml:2: <MQSim_Results>: expected an SSD configuration (<Execution_Parameter_Set>)"
    );
}

#[test]
fn empty_and_huge_files_are_refused() {
    for empty in ["", " \r\n ", "\u{feff}"] {
        let said = "ssdconfig.xml:1: the file is empty, expected <Execution_Parameter_Set>";
        assert_eq!(device_error(empty), said);
    }
    let error = device_error("<!-- only a comment -->");
    assert_eq!(error, "ssdconfig.xml:1: no tag in the file, expected <Execution_Parameter_Set>");
    let error = device_error(&" ".repeat(xml::MAX_BYTES + 1));
    assert_eq!(error, "ssdconfig.xml:1: the file has 4194305 bytes, expected at most 4194304");
}

#[test]
fn doctypes_and_entities_are_refused() {
    let bomb = "<!DOCTYPE x [\n<!ENTITY a \"aaaa\">\n<!ENTITY b \"&a;&a;&a;\">\n]>\n";
    let error = device_error(&format!(
        "\n{bomb}{}",
        DEVICE.trim_start_matches("<?xml version=\"1.0\" encoding=\"us-ascii\"?>")
    ));
    assert_eq!(error, "ssdconfig.xml:2: a DOCTYPE is refused, expected none");
    let error = device_with(">321<", ">&a;<");
    let said = "ssdconfig.xml:8: <Seed>: got the entity \"&a;\", expected only &lt;";
    assert!(error.starts_with(said), "{error}");
    for wrong in ["&#0;", "&#x110000;", "&#xD800;", "&#;", "&;"] {
        let error = device_with(">321<", &format!(">{wrong}<"));
        assert!(error.starts_with("ssdconfig.xml:8: <Seed>: got the entity"), "{error}");
    }
    let error = device_with(">321<", ">3 & 4<");
    assert!(error.starts_with("ssdconfig.xml:8: <Seed>: this is not well-formed XML"), "{error}");
}

#[test]
fn rubbish_inside_a_tag_is_refused() {
    assert_eq!(
        device_with("<Seed>", "<Seed none>"),
        "ssdconfig.xml:8: <Seed>: got \"none\" inside the tag, expected nothing"
    );
}

#[test]
fn malformed_xml_is_refused_on_its_line() {
    let cases = [
        ("</Seed>", "", 18, "<Seed>: got </Device_Parameter_Set>, expected </Seed> (opened on line 8)"),
        ("</Seed>", "</Sead>", 8, "<Seed>: got </Sead>, expected </Seed> (opened on line 8)"),
        ("</Execution_Parameter_Set>", "", 2, "<Execution_Parameter_Set>: opened here and never closed"),
        (
            "</Execution_Parameter_Set>",
            "</Execution_Parameter_Set",
            19,
            "this is not well-formed XML: syntax error: tag not closed",
        ),
        (
            "</Execution_Parameter_Set>",
            "</Execution_Parameter_Set>\n</Seed>",
            20,
            "got </Seed>, expected no closing tag here",
        ),
        (
            "</Execution_Parameter_Set>",
            "</Execution_Parameter_Set>\n<a/>",
            20,
            "<a>: a second outermost tag, expected one",
        ),
        ("</Execution_Parameter_Set>", "</Execution_Parameter_Set>\n\nx", 21, "got \"x\" outside of all tags"),
        (
            "<Seed>",
            "\n\nstray\n<Seed>",
            10,
            "<Device_Parameter_Set>: got \"stray\" between the tags, expected only tags",
        ),
        ("<Seed>", "< ><Seed>", 8, "got the tag <>, expected a name in it"),
        ("<Seed>", "<?xml version=\"1.0\"?><Seed>", 8, "a second <?xml ...?>, expected it on top only"),
        ("<Seed>", "<!-- open <Seed>", 8, "this is not well-formed XML: syntax error: comment not closed"),
    ];
    for (from, to, line, said) in cases {
        let error = device_with(from, to);
        assert!(error.starts_with(&format!("ssdconfig.xml:{line}: ")), "{error}");
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn text_in_a_set_without_tags_is_refused() {
    let error = device_error(
        "<Execution_Parameter_Set><Host_Parameter_Set>\n4 lanes</Host_Parameter_Set></Execution_Parameter_Set>",
    );
    assert_eq!(error, "ssdconfig.xml:2: <Host_Parameter_Set>: got \"4 lanes\", expected tags");
}

#[test]
fn deep_nesting_is_refused() {
    let error = device_error(&format!("{}\n{}", "<a>".repeat(8), "<a>".repeat(100_000)));
    assert_eq!(error, "ssdconfig.xml:2: <a>: nested too deep, expected at most 8 tags in each other");
}

#[test]
fn a_merge_conflict_is_recognised() {
    let error = workload_with("<Seed>", "<<<<<<< HEAD\n<Seed>");
    assert!(error.starts_with("workload.xml:20: "), "{error}");
    assert!(error.ends_with("a merge conflict left in the file"), "{error}");
}

#[test]
fn errors_stay_on_one_short_line() {
    let text = DEVICE.replace(">321<", &format!(">a\nb\u{2028}{}<", "x".repeat(10_000)));
    let error = parse_device("a\nb.xml", &text).unwrap_err().to_string();
    assert!(error.starts_with("a\\nb.xml:8: <Seed>: got \"a\\nb\\u{2028}xxx"), "{error}");
    assert!(error.lines().count() == 1 && error.len() < 200, "{error}");
    let error = device_with("<Seed>", &format!("<{}/><Seed>", "long".repeat(10_000)));
    assert!(error.len() < 250, "{error}");
}
