use super::{WORKLOAD, device_with, workload_error, workload_with};

#[test]
fn a_bad_value_names_file_line_tag_given_and_allowed() {
    assert_eq!(
        device_with("Count>16<", "Count>eight<"),
        "ssdconfig.xml:12: <Flash_Channel_Count>: got \"eight\", expected an integer from 1 to 65535"
    );
}

#[test]
fn bad_values_of_every_type() {
    let cases = [
        ("Count>16<", "Count><", "got \"\", expected an integer from 1 to 65535"),
        ("Count>16<", "Count>0<", "got \"0\", expected an integer from 1 to 65535"),
        ("Count>16<", "Count>-1<", "got \"-1\", expected an integer"),
        ("Count>16<", "Count>16abc<", "got \"16abc\", expected an integer"),
        ("Count>16<", "Count>99999999999999999999999<", "expected an integer from 1 to 65535"),
        ("Bandwidth>2.00000<", "Bandwidth>inf<", "expected a number from 0.001 to 1000"),
        ("Bandwidth>2.00000<", "Bandwidth>NaN<", "expected a number from 0.001 to 1000"),
        ("Bandwidth>2.00000<", "Bandwidth>2 GB/s<", "got \"2 GB/s\", expected a number"),
        (">TRUE<", "><", "got \"\", expected true or false"),
        ("Count>16<", "Count>0.5<", "got \"0.5\", expected an integer from 1 to 65535"),
        (">sata<", ">SCSI<", "got \"SCSI\", expected NVME or SATA"),
        (">TLC<", ">QLC<", "got \"QLC\", expected SLC, MLC or TLC"),
        (">pdWC<", ">CWDD<", "expected the letters C, W, D and P once each, such as CWDP"),
        (">pdWC<", ">CWDPP<", "expected the letters C, W, D and P once each, such as CWDP"),
        (">16384<", ">1000<", "got \"1000\", expected a multiple of 512 from 512 to 1048576"),
        (">16384<", "><Seed/><", "got the tag <Seed> in it, expected a value"),
    ];
    for (from, to, said) in cases {
        let error = device_with(from, to);
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn bad_values_of_a_flow() {
    let list = "expected ids from 0 to 65534 between commas, such as 0,1,2";
    let cases = [
        (">3, 1,0,2<", ">,<", 7, list),
        (">3, 1,0,2<", "><", 7, list),
        (">3, 1,0,2<", ">0-3<", 7, list),
        (">3, 1,0,2<", ">65535<", 7, list),
        ("Working_Set_Percentage>100<", "Working_Set_Percentage>0<", 12, "expected an integer from 1 to 100"),
        ("Read_Percentage>70<", "Read_Percentage>101<", 14, "expected an integer from 0 to 100"),
        (">traces/a &amp; b&#46;trace<", "> <", 33, "got \"\", expected some text"),
    ];
    for (from, to, line, said) in cases {
        let error = workload_with(from, to);
        assert!(error.starts_with(&format!("workload.xml:{line}: <")), "{error}");
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn an_unknown_tag_gets_the_nearest_known_one() {
    assert_eq!(
        device_with("<Seed>321</Seed>", "<Flash_Chanel_Count>8</Flash_Chanel_Count>"),
        "ssdconfig.xml:8: <Flash_Chanel_Count>: unknown tag in <Device_Parameter_Set>: \
         the nearest known one is <Flash_Channel_Count> (--ignore-unknown goes on without them, as MQSim does)"
    );
    let error = workload_with("<Seed>798</Seed>", "<seed>798</seed>");
    assert!(error.contains("the nearest known one is <Seed>"), "{error}");
    let error = workload_with("<IO_Flow_Parameter_Set_Synthetic>", "<IO_Flow_Parameter_Set_Synth>");
    assert!(error.contains("line 4"), "the closing tag is met first: {error}");
    let error = workload_error("<MQSim_IO_Scenarios><IO_Scenarios/></MQSim_IO_Scenarios>");
    assert!(error.contains("the nearest known one is <IO_Scenario>"), "{error}");
}

#[test]
fn all_unknown_tags_are_named_at_once() {
    let error = device_with("<Seed>321</Seed>", "<Sead>1</Sead>\n<Page_Capacity>1</Page_Capacity>\n<Zzz/>");
    assert_eq!(
        error,
        "ssdconfig.xml:8: <Sead>: unknown tag in <Device_Parameter_Set>: the nearest known one is <Seed>; \
         line 9: <Page_Capacity>: unknown tag in <Device_Parameter_Set>: it belongs in <Flash_Parameter_Set>; \
         line 10: <Zzz>: unknown tag in <Device_Parameter_Set>: the nearest known one is <Seed> \
         (--ignore-unknown goes on without them, as MQSim does)"
    );
    let error = workload_with("<Seed>798</Seed>", "<Sead>1</Sead><Prioritee>1</Prioritee>");
    assert!(error.contains("<Sead>") && error.contains("<Prioritee>"), "{error}");
}

#[test]
fn a_misplaced_tag_is_sent_home() {
    let error = device_with("<Seed>321</Seed>", "<Page_Capacity>4096</Page_Capacity>");
    assert!(error.contains("it belongs in <Flash_Parameter_Set>"), "{error}");
    let error = workload_with("<Relay_Count>1</Relay_Count>", "<Seed>1</Seed>");
    assert!(error.contains("it belongs in <IO_Flow_Parameter_Set_Synthetic>"), "{error}");
}

#[test]
fn a_tag_or_a_set_given_twice_is_refused() {
    assert_eq!(
        device_with("<Seed>321</Seed>", "<Seed>1</Seed>\n<Seed>1</Seed>"),
        "ssdconfig.xml:9: <Seed>: given twice, first on line 8, expected it once"
    );
    let error = device_with("<Host_Parameter_Set>", "<Host_Parameter_Set/>\n<Host_Parameter_Set>");
    assert!(error.starts_with("ssdconfig.xml:4: <Host_Parameter_Set>: given twice"), "{error}");
}

#[test]
fn a_flow_needs_the_tags_that_matter() {
    let gone = [
        ("<Priority_Class>HIGH</Priority_Class>", "MQSim has no default for it"),
        ("<Seed>798</Seed>", "MQSim has no default for it"),
        ("<Address_Alignment_Unit>16</Address_Alignment_Unit>", "needed with aligned addresses"),
        ("<Average_No_of_Reqs_in_Queue>16</Average_No_of_Reqs_in_Queue>", "needed with QUEUE_DEPTH"),
        ("<Stop_Time>10000000000</Stop_Time>", "needed with no <Stop_Time>"),
    ];
    for (tag, why) in gone {
        let error = workload_with(tag, "");
        assert!(error.starts_with("workload.xml:4: <IO_Flow_Parameter_Set_Synthetic>: <"), "{error}");
        assert!(error.ends_with(&format!("is missing: {why}")), "{error}");
    }
    let error = workload_with("<Percentage_To_Be_Executed>50</Percentage_To_Be_Executed>", "");
    assert!(error.ends_with("<Percentage_To_Be_Executed> is missing: needed with a <Relay_Count> of 1"), "{error}");
    let error = workload_with(">RANDOM_UNIFORM<", ">random_hotcold<");
    assert!(error.ends_with("<Percentage_of_Hot_Region> is missing: needed with RANDOM_HOTCOLD"), "{error}");
    let error = workload_with(">FIXED<", ">NORMAL<");
    assert!(error.ends_with("<Variance_Request_Size> is missing: needed with NORMAL"), "{error}");
    let error = workload_with(">QUEUE_DEPTH<", ">BANDWIDTH<");
    assert!(error.ends_with("<Bandwidth> is missing: needed with BANDWIDTH"), "{error}");
}

#[test]
fn contradictory_flows_are_refused() {
    let error = workload_with("Queue>16<", "Queue>0<");
    assert!(
        error.ends_with(":21: <Average_No_of_Reqs_in_Queue>: got 0, expected at least 1 with QUEUE_DEPTH"),
        "{error}"
    );
    let error = workload_with(
        "<Stop_Time>10000000000</Stop_Time>",
        "<Total_Requests_To_Generate>0</Total_Requests_To_Generate>",
    );
    assert!(
        error.ends_with(":23: <Total_Requests_To_Generate>: got 0 and no <Stop_Time>, expected one of the two"),
        "{error}"
    );
    let slow = WORKLOAD
        .replace(">QUEUE_DEPTH<", ">BANDWIDTH<")
        .replace("<Intensity>anything</Intensity>", "<Bandwidth>4095</Bandwidth>");
    let error = workload_error(&slow);
    assert!(
        error.ends_with(":22: <Bandwidth>: got 4095, expected at least 4096 bytes/s, one average request per second"),
        "{error}"
    );
    let all_hot = WORKLOAD
        .replace(">RANDOM_UNIFORM<", ">RANDOM_HOTCOLD<")
        .replace("<Seed>", "<Percentage_of_Hot_Region>100</Percentage_of_Hot_Region><Seed>");
    let error = workload_error(&all_hot);
    assert!(
        error.ends_with(":20: <Percentage_of_Hot_Region>: got 100, expected 0 to 99: nothing would be cold"),
        "{error}"
    );
}

#[test]
fn a_workload_needs_scenarios_and_flows() {
    assert_eq!(
        workload_error("<MQSim_IO_Scenarios/>"),
        "workload.xml:1: <MQSim_IO_Scenarios>: nothing in it, expected at least one <IO_Scenario>"
    );
    assert_eq!(
        workload_error("<MQSim_IO_Scenarios>\n<IO_Scenario>\n</IO_Scenario></MQSim_IO_Scenarios>"),
        "workload.xml:2: <IO_Scenario>: nothing in it, expected at least one \
         <IO_Flow_Parameter_Set_Synthetic> or <IO_Flow_Parameter_Set_Trace_Based>"
    );
}
