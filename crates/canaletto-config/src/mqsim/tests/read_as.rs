use super::super::{
    AddressDistribution, DeviceXml, FlowKind, Generator, IgnoredKind, ScenarioXml, parse_device, parse_workload,
    read_device, read_workload, rounded_rate,
};
use super::{DEVICE, WORKLOAD};

fn device(from: &str, to: &str) -> (DeviceXml, Vec<String>) {
    assert!(DEVICE.contains(from), "{from}");
    let parsed = parse_device("d", &DEVICE.replacen(from, to, 1)).unwrap_or_else(|error| panic!("{error}"));
    let warnings = parsed.ignored.iter().filter(|tag| tag.is_warning()).map(ToString::to_string).collect();
    (parsed, warnings)
}

fn workload(pieces: &[(&str, &str)]) -> ScenarioXml {
    let text = pieces.iter().fold(WORKLOAD.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    });
    parse_workload("w", &text).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

#[test]
fn fractions_are_cut_off() {
    for (given, read, warns) in [("16.0", 16, false), ("16.", 16, false), ("16.9", 16, true), ("16e3", 16, true)] {
        let (parsed, warnings) = device("Count>16<", &format!("Count>{given}<"));
        assert_eq!(parsed.device.channels, read, "{given}");
        let said = format!("line 12: <Flash_Channel_Count>: got \"{given}\", of which MQSim reads {read}");
        assert_eq!(warnings, if warns { vec![said] } else { vec![] });
    }
}

#[test]
fn queues_keep_16_bits_and_caches_32() {
    let tags = |depth: u64, fetched: u64, cache: u64| {
        format!(
            "<IO_Queue_Depth>{depth}</IO_Queue_Depth><Queue_Fetch_Size>{fetched}</Queue_Fetch_Size>\
             <Data_Cache_Capacity>{cache}</Data_Cache_Capacity><Seed>321</Seed>"
        )
    };
    let (parsed, warnings) = device("<Seed>321</Seed>", &tags(65_540, 65_537, (1 << 32) + 8192));
    assert_eq!((parsed.device.io_queue_depth, parsed.device.queue_fetch_size), (4, 1));
    assert_eq!(parsed.device.data_cache_bytes, 8192);
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(device("<Seed>321</Seed>", &tags(65_535, 512, 8192)).1.is_empty());
}

#[test]
fn any_flag_but_false_is_true() {
    for given in ["1", "0", "yes", "True "] {
        let (parsed, warnings) = device(">TRUE<", &format!(">{given}<"));
        assert!(parsed.host.response_time_logging);
        assert_eq!(warnings.len(), usize::from(given.trim() != "True"), "{given}: {warnings:?}");
    }
    assert!(!device(">TRUE<", ">FALSE<").0.host.response_time_logging);
}

#[test]
fn ids_are_a_set() {
    for given in ["3,1,0,2,", "0,1,2,3,3", "0,,1,2,3", " 0 , 1 , 2 , 3 , "] {
        assert_eq!(workload(&[(">3, 1,0,2<", &format!(">{given}<"))]).flows[0].channels, [0, 1, 2, 3], "{given}");
    }
}

#[test]
fn intensity_stands_for_an_absent_bandwidth() {
    let open = [(">QUEUE_DEPTH<", ">ARRIVAL_RATE<"), (">anything<", ">4096000<")];
    let scenario = workload(&open);
    let FlowKind::Synthetic(flow) = &scenario.flows[0].kind else { panic!("synthetic") };
    assert_eq!((flow.generator, flow.bandwidth_b_s), (Generator::Bandwidth, 4_096_000));
    let notes: Vec<_> = scenario.ignored.iter().filter(|tag| tag.tag == "Intensity").map(|tag| tag.kind).collect();
    assert_eq!(notes, [IgnoredKind::ReadAs]);
    let both = [open[0], open[1], ("<Intensity>", "<Bandwidth>8192000</Bandwidth><Intensity>")];
    let scenario = workload(&both);
    let FlowKind::Synthetic(flow) = &scenario.flows[0].kind else { panic!("synthetic") };
    assert_eq!(flow.bandwidth_b_s, 8_192_000);
}

#[test]
fn words_of_the_first_versions_are_known() {
    let scenario = workload(&[(">RANDOM_UNIFORM<", ">uniform_random<")]);
    let FlowKind::Synthetic(flow) = &scenario.flows[0].kind else { panic!("synthetic") };
    assert_eq!(flow.addresses, AddressDistribution::RandomUniform);
}

#[test]
fn attributes_are_not_read() {
    let (parsed, warnings) = device("<Seed>321<", "<Seed unit=\"none\">321<");
    assert_eq!((parsed.device.seed, warnings.len()), (321, 0));
    assert!(parsed.ignored.iter().any(|tag| tag.tag == "Seed" && tag.kind == IgnoredKind::NotRead));
}

#[test]
fn unknown_tags_can_be_ignored() {
    let text = DEVICE.replace("<Seed>", "<Init_Bad_Block_Ratio>4</Init_Bad_Block_Ratio>\n<Seed>");
    let parsed = read_device("d", &text, true).unwrap();
    let unknown: Vec<_> = parsed.ignored.iter().filter(|tag| tag.is_warning()).collect();
    assert_eq!((unknown.len(), unknown[0].line, unknown[0].kind), (1, 8, IgnoredKind::Unknown));
    assert_eq!(parsed.device, parse_device("d", DEVICE).unwrap().device);
    let text = WORKLOAD
        .replace("</IO_Scenario>", "<IO_Flow_Parameter_Set_Other><A/></IO_Flow_Parameter_Set_Other></IO_Scenario>")
        .replace("<Seed>", "<Sead/><Seed>");
    let scenarios = read_workload("w", &text, true).unwrap();
    assert_eq!((scenarios.len(), scenarios[0].flows.len()), (1, 2));
    assert_eq!(scenarios[0].ignored.iter().filter(|tag| tag.is_warning()).count(), 2);
}

#[test]
fn a_rate_that_becomes_another_one_is_reported() {
    let note = |rate: u32| {
        let tag = format!("<Channel_Transfer_Rate>{rate}</Channel_Transfer_Rate><Seed>");
        rounded_rate(&parse_device("d", &DEVICE.replace("<Seed>", &tag)).unwrap()).map(|note| note.to_string())
    };
    assert_eq!([200, 333, 500, 1000].map(note), [const { None }; 4]);
    let fast = note(1200).unwrap();
    assert!(fast.starts_with("line 8: <Channel_Transfer_Rate>: ") && fast.contains("transfers take no time"), "{fast}");
    assert!(fast.contains("1200 MT/s") && fast.contains("beat_time"), "{fast}");
    assert!(note(600).unwrap().contains("1000 MT/s are simulated"), "{:?}", note(600));
}
