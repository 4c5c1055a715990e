use super::super::*;
use super::{DEVICE, WORKLOAD};

#[test]
fn a_configuration_is_read_over_mqsims_defaults() {
    let parsed = parse_device("d", DEVICE).unwrap();
    assert_eq!(parsed.host.pcie_lane_gb_s, 2.0);
    assert_eq!(parsed.host.pcie_lanes, 4, "absent: MQSim's default");
    assert!(parsed.host.response_time_logging);
    assert_eq!(parsed.device.seed, 321);
    assert_eq!(parsed.device.host_interface, HostInterface::Sata);
    assert_eq!(parsed.device.plane_allocation.to_string(), "PDWC");
    assert_eq!(parsed.device.plane_allocation.0[0], Axis::Plane);
    assert_eq!(parsed.device.channels, 16);
    assert_eq!(parsed.device.gc_threshold, 0.1, "after the inner set");
    assert_eq!(parsed.flash.technology, FlashTechnology::Tlc);
    assert_eq!(parsed.flash.page_bytes, 16_384);
    assert_eq!(parsed.flash.erase_ns, 3_800_000);
}

#[test]
fn an_empty_set_is_all_defaults() {
    let parsed = parse_device("d", "<Execution_Parameter_Set/>").unwrap();
    assert_eq!(parsed, DeviceXml::default());
}

#[test]
fn tags_without_effect_are_reported_with_their_lines() {
    let parsed = parse_device("d", DEVICE).unwrap();
    let notes: Vec<_> = parsed.ignored.iter().map(|i| (i.line, &*i.tag, i.kind)).collect();
    assert_eq!(
        notes,
        [
            (5, "Enable_ResponseTime_Logging", IgnoredKind::NoEffect),
            (11, "Preferred_suspend_erase_time_for_read", IgnoredKind::NotRead),
        ]
    );
    assert_eq!(
        parsed.ignored[0].to_string(),
        "line 5: <Enable_ResponseTime_Logging>: it only adds a log file to the results"
    );
}

#[test]
fn every_tag_knows_its_line_after_parsing() {
    let parsed = parse_device("d", DEVICE).unwrap();
    assert_eq!(parsed.lines.line_of("Flash_Channel_Count"), Some(12));
    assert_eq!(parsed.lines.line_of("Page_Capacity"), Some(15));
    assert_eq!(parsed.lines.line_of("CMT_Capacity"), None);
    let scenarios = parse_workload("w", WORKLOAD).unwrap();
    assert_eq!(scenarios[0].flows[1].lines.line_of("Channel_IDs"), Some(28));
}

#[test]
fn a_workload_is_read() {
    let scenarios = parse_workload("w", WORKLOAD).unwrap();
    assert_eq!(scenarios.len(), 1);
    assert_eq!((scenarios[0].line, scenarios[0].flows.len()), (3, 2));
    let flow = &scenarios[0].flows[0];
    assert_eq!((flow.line, flow.priority, flow.caching), (4, Priority::High, CachingMode::TurnedOff));
    assert_eq!(flow.channels, [0, 1, 2, 3], "sorted as MQSim's set of ids");
    assert_eq!((&flow.chips[..], &flow.dies[..], &flow.planes[..]), (&[0, 1][..], &[0][..], &[1, 4][..]));
    assert_eq!(flow.initial_occupancy_percent, 70);
    let FlowKind::Synthetic(drawn) = &flow.kind else {
        panic!("synthetic");
    };
    assert!(drawn.aligned);
    assert_eq!((drawn.alignment_sectors, drawn.mean_sectors, drawn.variance_sectors), (16, 8, 0));
    assert_eq!((drawn.requests_in_flight, drawn.stop_time_ns), (16, 10_000_000_000));
    assert_eq!((drawn.bandwidth_b_s, drawn.total_requests), (0, 0));
}

#[test]
fn every_tag_of_a_synthetic_flow_reaches_its_own_field() {
    let text = WORKLOAD
        .replace("QUEUE_DEPTH", "BANDWIDTH")
        .replace("RANDOM_UNIFORM", "RANDOM_HOTCOLD")
        .replace("FIXED", "NORMAL")
        .replace("Working_Set_Percentage>100", "Working_Set_Percentage>11")
        .replace(
            "<Stop_Time>",
            "<Total_Requests_To_Generate>12</Total_Requests_To_Generate><Bandwidth>13000</Bandwidth>
            <Variance_Request_Size>14</Variance_Request_Size><Percentage_of_Hot_Region>15</Percentage_of_Hot_Region>
            <Stop_Time>",
        );
    let scenarios = parse_workload("w", &text).unwrap();
    let expected = SyntheticXml {
        working_set_percent: 11,
        generator: Generator::Bandwidth,
        read_percent: 70,
        addresses: AddressDistribution::RandomHotCold,
        hot_region_percent: 15,
        aligned: true,
        alignment_sectors: 16,
        sizes: SizeDistribution::Normal,
        mean_sectors: 8,
        variance_sectors: 14,
        seed: 798,
        requests_in_flight: 16,
        bandwidth_b_s: 13_000,
        stop_time_ns: 10_000_000_000,
        total_requests: 12,
    };
    assert_eq!(scenarios[0].flows[0].kind, FlowKind::Synthetic(expected));
}

#[test]
fn a_trace_flow_is_read() {
    let scenarios = parse_workload("w", WORKLOAD).unwrap();
    let flow = &scenarios[0].flows[1];
    let expected = TraceXml {
        path: "traces/a & b.trace".into(),
        execute_percent: 50,
        replay_count: 1,
        time_unit: TimeUnit::Microsecond,
    };
    assert_eq!(flow.kind, FlowKind::Trace(expected));
    assert_eq!(flow.priority, Priority::Low);
}

#[test]
fn a_scenario_reports_what_it_ignores() {
    let scenarios = parse_workload("w", WORKLOAD).unwrap();
    let notes: Vec<_> = scenarios[0].ignored.iter().map(|i| (i.line, &*i.tag, i.kind)).collect();
    assert_eq!(
        notes,
        [
            (16, "Generated_Aligned_Addresses", IgnoredKind::Mended),
            (22, "Intensity", IgnoredKind::NotRead),
            (36, "Time_Unit", IgnoredKind::NoEffect),
        ]
    );
}

#[test]
fn each_scenario_has_its_own_notes() {
    let two = WORKLOAD.replace("</MQSim_IO_Scenarios>", "");
    let second = &WORKLOAD[WORKLOAD.find("\t<IO_Scenario>").unwrap()..];
    let scenarios = parse_workload("w", &(two + second)).unwrap();
    assert_eq!(scenarios.len(), 2);
    assert_eq!(scenarios[1].ignored.len(), 3);
    assert!(scenarios[1].ignored.iter().all(|i| i.line > scenarios[1].line));
}

#[test]
fn every_line_ending_and_a_byte_order_mark_are_understood() {
    let lf = parse_device("d", DEVICE).unwrap();
    for ending in ["\r\n", "\r"] {
        let text = format!("\u{feff}{}", DEVICE.replace('\n', ending));
        assert_eq!(parse_device("d", &text).unwrap(), lf);
    }
}

#[test]
fn comments_and_cdata_are_plain_xml() {
    let text = "<!-- a\nb --><Execution_Parameter_Set><!-- c --><Device_Parameter_Set>
        <Seed><!-- d --> 1<![CDATA[2 ]]></Seed><!-- e -->\n</Device_Parameter_Set></Execution_Parameter_Set><!-- f -->";
    let parsed = parse_device("d", text).unwrap();
    assert_eq!(parsed.device.seed, 12);
    assert_eq!(parsed.lines.line_of("Seed"), Some(3));
}

#[test]
fn structs_serialise_with_mqsims_words() {
    let json = serde_json::to_value(parse_device("d", DEVICE).unwrap()).unwrap();
    assert_eq!(json["device"]["host_interface"], "SATA");
    assert_eq!(json["device"]["plane_allocation"], "PDWC");
    let json = serde_json::to_value(parse_workload("w", WORKLOAD).unwrap()).unwrap();
    assert_eq!(json[0]["flows"][1]["kind"]["kind"], "trace");
    assert_eq!(json[0]["flows"][1]["kind"]["time_unit"], "MICROSECOND");
}

#[test]
fn every_row_of_the_tables_sets_a_field_of_its_own() {
    // Each tag alone, with a value that is not the default, changes the serialised struct in exactly one place.
    let plain = serde_json::to_value(DeviceXml::default()).unwrap();
    let mut fields = std::collections::BTreeSet::new();
    for (tag, place) in super::super::device_tags::places() {
        if tag.ends_with("_Set") || tag == "Preferred_suspend_erase_time_for_read" {
            continue;
        }
        let changed = other_value(tag, place);
        let one_value = |set: &str| matches!(set, "Memory_Type" | "Flash_Comm_Protocol");
        let differing = differing_fields(&plain, &changed);
        assert_eq!(differing.len(), usize::from(!one_value(tag)), "{tag}: {differing:?}");
        assert!(differing.into_iter().all(|field| fields.insert(field)), "{tag} shares its field");
    }
    let sets = ["host", "device", "flash"].iter();
    let all: usize = sets.map(|set| plain[set].as_object().unwrap().len()).sum();
    assert_eq!(fields.len(), all - 2, "two have a single value, every other field has its tag");
}

fn other_value(tag: &str, place: &str) -> serde_json::Value {
    let tried = [
        "512",
        "7",
        "0.5",
        "true",
        "false",
        "SATA",
        "SIMPLE",
        "EQUAL_PARTITIONING",
        "HYBRID",
        "WCDP",
        "FLIN",
        "FIFO",
        "SLC",
        "PROGRAM",
        "FLASH",
        "NVDDR2",
    ];
    let plain = DeviceXml::default();
    let parsed: Vec<DeviceXml> = tried
        .iter()
        .filter_map(|value| {
            let inner = format!("<{place}><{tag}>{value}</{tag}></{place}>");
            let inner = match place {
                "Flash_Parameter_Set" => {
                    format!("<Device_Parameter_Set>{inner}</Device_Parameter_Set>")
                }
                _ => inner,
            };
            parse_device("d", &format!("<Execution_Parameter_Set>{inner}</Execution_Parameter_Set>")).ok()
        })
        .collect();
    let same = |p: &DeviceXml| (&p.host, &p.device, &p.flash) == (&plain.host, &plain.device, &plain.flash);
    let chosen = parsed.iter().find(|p| !same(p)).or(parsed.first());
    serde_json::to_value(chosen.unwrap_or_else(|| panic!("{tag}: no value fits"))).unwrap()
}

fn differing_fields(a: &serde_json::Value, b: &serde_json::Value) -> Vec<String> {
    ["host", "device", "flash"]
        .iter()
        .flat_map(|set| {
            let fields = a[set].as_object().unwrap().keys();
            fields
                .filter(move |field| a[set][field.as_str()] != b[set][field.as_str()])
                .map(move |field| format!("{set}.{field}"))
        })
        .collect()
}
