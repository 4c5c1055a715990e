use super::*;
use crate::writer::write_text;
use proptest::prelude::*;

fn message(text: &str, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    load_design("my.toml", Some(text), &overrides).unwrap_err().to_string()
}

const BASE: &str = "base = \"performance-optimized\"\n";

#[test]
fn every_preset_and_profile_loads() {
    for name in preset_names() {
        load_design(name, None, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    assert_eq!(profiles().len(), 19 + 6 + 6 + 8, "Tables 2 and 3 of the Venice paper, small reads, logs and caches");
    for listing in profiles() {
        load_workload(&listing.name, None, &[]).unwrap_or_else(|e| panic!("{}: {e}", listing.name));
    }
}

#[test]
fn what_is_loaded_prints_and_loads_the_same() {
    for name in preset_names() {
        let design = load_design(name, None, &[]).unwrap();
        let text = write_text(&design).unwrap();
        assert_eq!(load_design("again", Some(&text), &[]).unwrap(), design);
    }
}

#[test]
fn links_follow_the_bus() {
    let rates = |name: &str, settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        let fabric = load_design(name, None, &settings).unwrap().fabric;
        (fabric.link_rate.0 / 1_000_000, fabric.network.link_rate.unwrap().0 / 1_000_000)
    };
    let (faster, link) = ("fabric.link_rate=2GB/s", "fabric.network.link_rate=3GB/s");
    assert_eq!(rates("pcie5-tlc", &[]), (2400, 2400));
    assert_eq!(rates("pcie5-tlc", &[faster]), (2000, 2000));
    assert_eq!(rates("pcie5-tlc", &[link, faster]), (2000, 3000));
    assert_eq!(rates("performance-optimized", &[faster]), (2000, 1000), "Venice, Table 1");
    let published = ["performance-optimized", "cost-optimized"];
    for name in preset_names() {
        let (bus, network) = rates(name, &[]);
        assert_eq!(network, if published.contains(&name) { 1000 } else { bus }, "{name}");
    }
}

#[test]
fn addresses_are_aligned_to_the_smallest_request() {
    let aligned = |keys: &str| {
        let keys = format!("requests = 1\nread_share = 0.5\nqueue_depth = 1\n{keys}");
        let text = format!("name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\n{keys}\n");
        load_workload("w.toml", Some(&text), &[]).unwrap().flow[0].synthetic.clone().unwrap().alignment.unwrap().0
    };
    for (keys, expected) in [
        ("size = \"16KiB\"", 16384),
        ("size = \"512B\"", 512),
        ("size = \"12KiB\"", 12288),
        ("size = \"16KiB\"\nalignment = \"4KiB\"", 4096),
        ("size = \"10KiB\"\nsize_unit = \"4KiB\"", 8192),
        (
            "sizes = [{ size = \"8KiB\", share = 1 }, { size = \"64KiB\", share = 1 }, { size = \"4KiB\", share = 0 }]",
            8192,
        ),
        ("size = \"64KiB\"\nwrite_sizes = [{ size = \"8KiB\", share = 1 }]", 8192),
        ("size = \"16KiB\"\nsize_deviation = \"4KiB\"", 4096),
        ("size = \"16KiB\"\nhot_spot = { at = \"channel\", share = 0.5 }", 4096),
        ("size = \"16KiB\"\nchannel_skew = { share = 0.5, channels = 8 }", 4096),
    ] {
        assert_eq!(aligned(keys), expected, "{keys}");
    }
    assert!(profiles().iter().all(|listing| {
        load_workload(&listing.name, None, &[])
            .is_ok_and(|w| w.flow.iter().all(|flow| flow.synthetic.as_ref().unwrap().alignment.is_some()))
    }));
}

#[test]
fn a_file_builds_on_a_preset_and_overrides_win() {
    let text = format!("{BASE}name = \"mine\"\n[flash]\nread = \"5us\"\n");
    let design =
        load_design("my.toml", Some(&text), &["flash.erase=2ms".into(), "geometry.channels=4".into()]).unwrap();
    assert_eq!(design.name, "mine");
    assert_eq!(design.geometry.channels, 4);
    assert_eq!(design.geometry.chips_per_channel, 8);
}

#[test]
fn errors_name_file_line_key_given_and_allowed() {
    let cases = [
        (
            format!("{BASE}[flash]\nraed = \"5us\"\n"),
            "my.toml:3: flash.raed: unknown key `raed`, expected one of",
            "did you mean `flash.read`?",
        ),
        (format!("{BASE}[flash]\nread = 5\n"), "my.toml:3: flash.read", "without a unit"),
        (
            format!("{BASE}[flash]\nerase = \"5 parsecs\"\n"),
            "my.toml:3: flash.erase: got \"5 parsecs\", expected a time with its unit",
            "75us",
        ),
        (
            format!("{BASE}\n[geometry]\nchannels = 0\n"),
            "my.toml:4: geometry.channels: got 0, expected a number from 1 to 256",
            "",
        ),
        (format!("{BASE}[geometry]\nchannels = -1\n"), "my.toml:3: geometry.channels", "-1"),
        (
            format!("{BASE}[geometry]\nchannels = \"eight\"\n"),
            "my.toml:3: geometry.channels: got \"eight\", expected a whole number of at least 0",
            "",
        ),
        (
            format!("{BASE}[geometry]\nchannels = 99999999999\n"),
            "my.toml:3: geometry.channels: got 99999999999, expected a whole number from 0 to 4294967295",
            "",
        ),
        (
            format!("{BASE}[geometry]\npage = \"3KiB\"\n"),
            "my.toml:3: geometry.page: got \"3KiB\", expected a power of two",
            "32KiB",
        ),
        (format!("{BASE}[flash]\nread = [\"1us\", \"2us\"]\n"), "my.toml:3: flash.read: got 2 times", "kinds of page"),
        (format!("{BASE}[gc]\nthreshold = 0.5\n"), "my.toml:3: gc.threshold: got 0.5", "overprovisioning"),
        (format!("{BASE}[geometry]\nblocks_per_plane = 4\n"), "my.toml: ftl.min_spare_blocks: got 4", "4 blocks"),
        (format!("{BASE}[fabric]\nkind = \"buss\"\n"), "my.toml:3: fabric.kind: unknown value `buss`", "`bus`"),
        (
            "base = \"performance\"\n".to_owned(),
            "my.toml:1: base: preset \"performance\" does not exist",
            "performance-optimized",
        ),
        ("x = [1,\n2\n".to_owned(), "my.toml:", ""),
    ];
    let nan = format!("{BASE}[ftl]\noverprovisioning = nan\n");
    assert!(message(&nan, &[]).starts_with("my.toml:3: ftl.overprovisioning: got NaN, expected a finite number"));
    for (text, start, also) in cases {
        let message = message(&text, &[]);
        assert!(message.starts_with(start) && message.contains(also), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn a_preset_is_named_behind_the_file_that_builds_on_it() {
    let file = |label: &str, text| Layer { label: label.into(), text: Some(text), key: None };
    let layers = [file("preset", "[gc]\nthreshold = 0.5\n"), file("my.toml", "[gc]\npreemptible = true\n")];
    let said = |key| locate(&Problem::new(key, "got it"), &layers).to_string();
    assert_eq!(said("gc.threshold"), "my.toml, base preset:2: gc.threshold: got it");
    assert_eq!(said("gc.preemptible"), "my.toml:2: gc.preemptible: got it");
    assert_eq!(said("gc.policy"), "my.toml: gc.policy: got it");
}

#[test]
fn all_mistakes_are_told_in_the_order_of_the_file() {
    let text = format!(
        "{BASE}[geometry]\nchannels = 0\npage = 4096\n[flash]\nraed = \"5us\"\nerase = nan\n[fabric]\nkind = \"buss\"\n"
    );
    let message = message(&text, &["gc.threshold=lots"]);
    let lines: Vec<&str> = message.lines().collect();
    let starts = [
        "my.toml:3: geometry.channels: got 0, expected a number from 1 to 256",
        "my.toml:4: geometry.page: got 4096 without a unit",
        "my.toml:6: flash.raed: unknown key `raed`",
        "my.toml:7: flash.erase: got NaN",
        "my.toml:9: fabric.kind: unknown value `buss`",
        "gc.threshold=lots: gc.threshold: got \"lots\", expected a number",
    ];
    assert_eq!(lines.len(), starts.len(), "{message}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
}

#[test]
fn a_mistake_in_a_needed_key_hides_no_other() {
    let text = "name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\nrequests = \"few\"\nread_share = 2\n";
    let message = load_workload("w.toml", Some(text), &[]).unwrap_err().to_string();
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[0], "w.toml:5: flow.0.synthetic.requests: got \"few\", expected a whole number of at least 0");
    assert!(lines[1].starts_with("w.toml:6: flow.0.synthetic.read_share: got 2.0") && lines.len() == 2, "{message}");
}

#[test]
fn all_missing_keys_are_told() {
    let text = "name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\nsize = \"4\"\n[[flow]]\n[flow.synthetic]\nrequests = 9\n";
    let message = load_workload("w.toml", Some(text), &[]).unwrap_err().to_string();
    for part in [
        "missing key `requests`",
        "missing key `read_share`",
        "flow.1: missing key `name`",
        "got \"4\", expected a size",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert_eq!(message.lines().count(), 5, "{message}");
    let empty = load_design("my.toml", Some(""), &[]).unwrap_err().to_string();
    assert!(empty.lines().count() > 3 && empty.lines().all(|line| line.contains("missing key")), "{empty}");
}

#[test]
fn rules_between_keys_are_told_with_other_mistakes() {
    // A name, a unit, a range and three rules, in any combination.
    let mistakes = [
        ("flash", "raed = \"5us\"", "flash.raed: unknown key"),
        ("flash", "erase = \"5 parsecs\"", "flash.erase: got"),
        ("geometry", "channels = 0", "geometry.channels: got 0"),
        ("geometry", "page = \"3KiB\"", "geometry.page: got \"3KiB\""),
        ("cache", "low_watermark = 0.9", "cache.low_watermark: got 0.9"),
        ("refresh", "scan_interval = \"0s\"", "refresh.scan_interval: got 0"),
        ("scheduler.flin", "epoch = \"0s\"", "scheduler.flin.epoch: got 0"),
    ];
    for chosen in 1u32..1 << mistakes.len() {
        let made = mistakes.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, mistake)| mistake);
        let (mut text, mut wanted, mut last) = (BASE.to_owned(), Vec::new(), "");
        for (table, line, says) in made {
            if *table != last {
                text += &format!("[{table}]\n");
            }
            last = table;
            text += &format!("{line}\n");
            wanted.push(*says);
        }
        let message = message(&text, &[]);
        assert_eq!(message.lines().count(), wanted.len(), "{text}{message}");
        for says in wanted {
            assert!(message.contains(says), "{text}{message}");
        }
    }
}

#[test]
fn a_rule_that_names_a_mistaken_key_waits_for_it() {
    let text = format!("{BASE}[gc]\nthreshold = 0.5\nhard_threshold = 0.04\n");
    let message = message(&text, &[]);
    assert!(message.starts_with("my.toml:3: gc.threshold: got 0.5") && message.lines().count() == 1, "{message}");
}

#[test]
fn keys_of_other_programs_find_ours() {
    for (given, meant) in [
        ("geometry.planes", "geometry.planes_per_die"),
        ("geometry.dies", "geometry.dies_per_chip"),
        ("geometry.chips", "geometry.chips_per_channel"),
        ("geometry.ways", "geometry.chips_per_channel"),
        ("geometry.blocks", "geometry.blocks_per_plane"),
        ("geometry.pages", "geometry.pages_per_block"),
        ("geometry.page_size", "geometry.page"),
        ("geometry.num_channels", "geometry.channels"),
        ("flash.interface_rate", "fabric.link_rate"),
        ("flash.read_latency", "flash.read"),
        ("flash.channels", "geometry.channels"),
        ("flash.erase_time", "flash.erase"),
        ("fabric.link_speed", "fabric.link_rate"),
        ("ftl.op", "ftl.overprovisioning"),
        ("gc.gc_threshold", "gc.threshold"),
        ("cache.size", "cache.capacity"),
        ("planes", "geometry.planes_per_die"),
    ] {
        let message = message(BASE, &[&format!("{given}=4")]);
        assert!(message.ends_with(&format!("did you mean `{meant}`?")), "{given}: {message}");
    }
    for (setting, problem) in [("a.b.c=1", "a: unknown key `a`"), ("flash.b.c=1", "flash.b: unknown key `b`")] {
        let message = message(BASE, &["gc.choices=4", setting]);
        assert!(message.starts_with(&format!("{setting}: {problem}")), "{message}");
    }
    let message = message(BASE, &["flash.qqqqqqq=4"]);
    assert!(!message.contains("did you mean"), "{message}");
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let text = format!("{BASE}[gc]\nthreshold = \"3%\"\n[geometry]\nblocks_per_plane = 1e3\n");
    let settings = ["geometry.channels=1_6".to_owned(), "ftl.overprovisioning=1.2e1 %".to_owned()];
    let design = load_design("my.toml", Some(&text), &settings).unwrap();
    assert_eq!((design.gc.threshold, design.geometry.blocks_per_plane, design.geometry.channels), (0.03, 1000, 16));
    assert_eq!(design.ftl.overprovisioning, 0.12);
    let workload = load_workload("hm_0", None, &["requests=1e5".into(), "read_share=0.1%".into()]).unwrap();
    let made = workload.flow[0].synthetic.as_ref().unwrap();
    assert_eq!((made.requests, made.read_share), (100_000, 0.001));
    for (setting, says) in [
        ("geometry.channels=1.5", "got 1.5, expected a whole number"),
        ("geometry.channels=50%", "got \"50%\", expected a whole number"),
        ("gc.threshold=%", "got \"%\", expected a number"),
        ("gc.threshold=inf", "got inf, expected a finite number"),
        ("gc.threshold=infinity", "got \"infinity\", expected a number"),
    ] {
        let message = message(BASE, &[setting]);
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn whole_numbers_have_64_bits() {
    for number in ["9223372036854775808", "18446744073709551616", "-9223372036854775809", "-99999999999999999999"] {
        let message = message(&format!("{BASE}[geometry]\nchannels = {number}\n"), &[]);
        assert!(
            message.starts_with("my.toml:3: got a whole number out of range, expected one from -9223"),
            "{message}"
        );
    }
}

#[test]
fn values_have_the_shape_that_is_asked_for() {
    for (given, shown) in [
        ("1", "1"),
        ("true", "true"),
        ("1979-05-27", "1979-05-27"),
        ("[]", "a list"),
        ("[\"off\"]", "a list"),
        ("{}", "a table"),
        ("{ off = 1 }", "a table"),
    ] {
        let message = message(&format!("{BASE}[cache]\nmode = {given}\n"), &[]);
        let expected =
            format!("my.toml:3: cache.mode: got {shown}, expected one of `off`, `write`, `read`, `read-write`");
        assert_eq!(message, expected);
    }
    for (text, key) in [("[flash]\nsuspend = [1]\n", "flash.suspend"), ("\nflash = []\n", "flash")] {
        let message = message(&format!("{BASE}{text}"), &[]);
        assert_eq!(message, format!("my.toml:3: {key}: got a list, expected a table"));
    }
    let workload = "[[flow]]\npriority = 3\n[flow.synthetic]\nrequests = 1\nread_share = 1\n";
    let error = load_workload("w.toml", Some(workload), &[]).unwrap_err().to_string();
    assert!(error.contains("\nw.toml:2: flow.0.priority: got 3, expected one of `"), "{error}");
}

#[test]
fn keys_of_the_only_flow_are_reached_directly() {
    let set = |keys: &[&str]| {
        let settings: Vec<Setting> =
            keys.iter().map(|k| Setting::parse(&format!("--set workload.{k}"), "workload.", k).unwrap()).collect();
        resolve_workload("hm_0", None, &settings).map_err(|error| error.to_string())
    };
    let flow = set(&["read_share=0.25", "priority=low", "flow.0.synthetic.alignment=8KiB", "name=mine"]).unwrap();
    let made = flow.flow[0].synthetic.as_ref().unwrap();
    assert_eq!((made.read_share, made.alignment().0, flow.name.as_str()), (0.25, 8192, "mine"));
    assert_eq!(flow.flow[0].priority, crate::workload::Priority::Low);
    assert!(!made.origin.contains_key("read_share"));
    for (key, says) in [
        (
            "raed_share=1",
            "--set workload.raed_share=1: workload.raed_share: unknown key; did you mean `workload.read_share`?",
        ),
        ("read_share=2", "--set workload.read_share=2: workload.read_share: got 2.0, expected a number from 0 to 1"),
        ("channel_skew.shar=2", "--set workload.channel_skew.shar=2: workload.channel_skew.shar: unknown key `shar`"),
        ("qqqq=1", "--set workload.qqqq=1: workload.qqqq: unknown key; expected one of "),
    ] {
        let message = set(&[key]).unwrap_err();
        assert!(message.starts_with(says), "{message}");
    }
    let message = load_workload("mix1", None, &["read_share=0".into()]).unwrap_err().to_string();
    assert!(message.contains("unknown key; this workload has 2 flows: expected flow.N"), "{message}");
}

#[test]
fn a_key_of_another_table_is_found() {
    let message = message(BASE, &["channels=4"]);
    assert!(message.starts_with("channels=4: channels: unknown key `channels`"), "{message}");
    assert!(message.ends_with("did you mean `geometry.channels`?"), "{message}");
}

#[test]
fn a_rate_of_buses_is_noted_where_links_state_theirs() {
    let notes = |text: &str, settings: &[&str]| {
        let settings: Vec<Setting> = settings.iter().map(|s| Setting::parse(s, "", s).unwrap()).collect();
        resolve_design_with("my.toml", Some(text), &settings, |_| Ok(())).unwrap().1
    };
    let of = |base: &str, fabric: &str| format!("base = \"{base}\"\n[fabric]\nkind = \"{fabric}\"\n");
    let rate = "fabric.link_rate=2GB/s";
    for fabric in ["mesh", "mesh-2bit", "venice", "scheduled-mesh"] {
        let found = notes(&of("performance-optimized", fabric), &[rate]);
        assert!(found[0].starts_with("fabric.link_rate=2GB/s: fabric.link_rate: has no effect"), "{fabric}: {found:?}");
        assert_eq!(notes(&of("pcie5-tlc", fabric), &[rate]), [""; 0], "{fabric}: its links follow the bus");
        assert_eq!(notes(&of("pcie5-tlc", fabric), &[rate, "fabric.network.link_rate=1GB/s"]).len(), 1, "{fabric}");
    }
    assert_eq!(notes(&of("performance-optimized", "bus"), &[rate]), [""; 0]);
    // A file may change the preset's buses in vain, or state both rates for whichever fabric it is compared on.
    let file = of("performance-optimized", "mesh") + "link_rate = \"2GB/s\"\n";
    assert!(notes(&file, &[])[0].starts_with("my.toml:4: fabric.link_rate: has no effect"));
    assert_eq!(notes(&(file + "[fabric.network]\nlink_rate = \"1GB/s\"\n"), &[]), [""; 0]);
}

#[test]
fn keys_without_effect_are_noted() {
    let notes = |text: &str, settings: &[&str]| {
        let settings: Vec<Setting> = settings.iter().map(|s| Setting::parse(s, "", s).unwrap()).collect();
        resolve_design_with("my.toml", Some(text), &settings, |_| Ok(())).unwrap().1
    };
    let text = format!("{BASE}[fabric.venice]\nretry = \"immediate\"\n[cache]\nhigh_watermark = 0.9\n");
    let found = notes(&text, &["gc.choices=4"]);
    assert_eq!(
        found,
        [
            "my.toml:3: fabric.venice.retry: has no effect: it needs fabric.kind = \"venice\"",
            "my.toml:5: cache.high_watermark: has no effect: it needs a data cache: cache.capacity above 0",
            "gc.choices=4: gc.choices: has no effect: it needs gc.policy = \"d-choices\"",
        ]
    );
    assert_eq!(notes(&text, &["cache.high_watermark=0.8"]).len(), 2, "a key in a file and in a setting is noted once");
    assert_eq!(notes(&text, &["fabric.kind=venice", "cache.capacity=1MiB"]), [""; 0]);
    // A default that the file states is no mistake.
    assert_eq!(notes(BASE, &["cache.high_watermark=0.5", "gc.choices=10"]), [""; 0]);
    for name in preset_names() {
        let spelt_out = write_text(&load_design(name, None, &[]).unwrap()).unwrap();
        assert_eq!(notes(&spelt_out, &[]), [""; 0], "{name}");
    }
}

#[test]
fn errors_of_overrides_name_them() {
    for (setting, start) in [
        ("flash.erase=2", "flash.erase=2: flash.erase: got 2 without a unit"),
        ("flash.nope=2", "flash.nope=2: flash.nope: unknown key"),
        ("flash", "flash: expected KEY=VALUE"),
        ("name.x=1", "name.x=1: name.x: name is a plain value"),
        ("=1", "=1: got an empty part"),
    ] {
        let message = message(BASE, &[setting]);
        assert!(message.starts_with(start), "{message}");
    }
}

#[test]
fn unknown_presets_and_profiles_name_the_nearest() {
    let message = load_design("cost-optimised", None, &[]).unwrap_err().to_string();
    assert!(message.contains("did you mean \"cost-optimized\"?"), "{message}");
    let message = load_workload("hm0", None, &[]).unwrap_err().to_string();
    assert!(message.contains("did you mean \"hm_0\"?"), "{message}");
}

#[test]
fn rules_between_workload_keys() {
    let flow = |body: &str| format!("name = \"w\"\n[[flow]]\nname = \"a\"\n{body}");
    let trace = "[flow.trace]\nfile = \"t\"\n";
    let synthetic = "[flow.synthetic]\nrequests = 10\nread_share = 1.0\nsize = \"4KiB\"\n";
    for (body, start) in [
        (String::new(), "w.toml:2: flow.0: got neither synthetic nor trace"),
        (synthetic.to_owned(), "w.toml:4: flow.0.synthetic: got neither queue_depth"),
        (
            format!("{synthetic}inter_arrival = \"1us\"\narrivals = \"fixed\"\nburstiness = 2.0\n"),
            "w.toml:10: flow.0.synthetic.burstiness: got 2 with arrivals = \"fixed\"",
        ),
        (
            format!("{synthetic}queue_depth = 1\narrivals = \"fixed\"\n"),
            "w.toml:9: flow.0.synthetic.arrivals: needs inter_arrival",
        ),
        (format!("{synthetic}queue_depth = 1\nhot_share = 0.1\n"), "w.toml:9: flow.0.synthetic.hot_share: needs"),
        (
            format!("{synthetic}queue_depth = 1\nalignment = \"100B\"\n"),
            "w.toml:9: flow.0.synthetic.alignment: got \"100B\"",
        ),
        (format!("channels = [0]\n{synthetic}queue_depth = 1\n"), "w.toml:4: flow.0.channels: needs partitioned"),
        (format!("{trace}{synthetic}queue_depth = 1\n"), "w.toml:2: flow.0: got both synthetic and trace"),
        (format!("{trace}speed = 0\n"), "w.toml:6: flow.0.trace.speed: got 0.0, expected a number from 0.000001"),
        (format!("{trace}speed = -1.0\n"), "w.toml:6: flow.0.trace.speed: got -1.0, expected a number from"),
        (format!("{trace}speed = nan\n"), "w.toml:6: flow.0.trace.speed: got NaN, expected a finite number"),
        (
            format!("{trace}queue_depth = 1\ninter_arrival = \"1us\"\n"),
            "w.toml:4: flow.0.trace: got both queue_depth (closed loop) and inter_arrival (open loop), expected one",
        ),
        (
            format!("{trace}speed = 2\nas_fast_as_possible = true\n"),
            "w.toml:4: flow.0.trace: got both as_fast_as_possible (no times) and speed (open loop), expected one",
        ),
        (format!("{trace}inter_arrival = \"0us\"\n"), "w.toml:6: flow.0.trace.inter_arrival: got 0, expected a time"),
        (format!("{trace}sample = 0\n"), "w.toml:6: flow.0.trace.sample: got 0, expected a share above 0"),
        (format!("{trace}sample = 0.5\nevery = 2\n"), "w.toml:6: flow.0.trace.sample: given together with every"),
        (format!("{trace}every = 0\n"), "w.toml:6: flow.0.trace.every: got 0, expected a number of at least 1"),
        (format!("{trace}repeat = 0\n"), "w.toml:6: flow.0.trace.repeat: got 0, expected a number from 1 to 1000000"),
        (format!("{trace}until = \"0s\"\n"), "w.toml:6: flow.0.trace.until: got 0, expected a time above 0"),
        (
            format!("{trace}after = \"2min\"\nuntil = \"90s\"\n"),
            "w.toml:6: flow.0.trace.after: got \"2min\" with until = \"1.5min\", expected an earlier time",
        ),
        (format!("{trace}offset = \"100B\"\n"), "w.toml:6: flow.0.trace.offset: got \"100B\", expected a multiple"),
        (
            format!("{trace}region_size = \"0B\"\n"),
            "w.toml:6: flow.0.trace.region_size: got \"0B\", expected a multiple of 512 B above",
        ),
        ("[flow.mix]\ntrace = []\n".to_owned(), "w.toml:5: flow.0.mix.trace: got an empty list"),
        (
            "[[flow.mix.trace]]\nfile = \"t\"\nqueue_depth = 4\n".to_owned(),
            "w.toml:6: flow.0.mix.trace.0.queue_depth: given for one trace of a mix",
        ),
    ] {
        let message = load_workload("w.toml", Some(&flow(&body)), &[]).unwrap_err().to_string();
        assert!(message.starts_with(start), "{message}");
    }
    let closed = flow(&format!("{synthetic}queue_depth = 1\n"));
    let scaled = load_workload("w.toml", Some(&closed), &["inter_arrival=5us".to_owned()]);
    let message = scaled.unwrap_err().to_string();
    assert!(message.contains("inter_arrival: got \"5us\", which scales the times of open-loop flows"), "{message}");
}

proptest! {
    #[test]
    fn no_text_panics(text in "[ -~\n]{0,200}", setting in "[ -~]{0,40}") {
        let _ = load_design("x", Some(&text), std::slice::from_ref(&setting));
        let _ = load_design("performance-optimized", None, std::slice::from_ref(&setting));
        let _ = load_workload("x", Some(&text), &[setting]);
    }
}

#[test]
fn what_is_set_is_no_longer_published() {
    let workload = load_workload("mds_0", None, &["flow.0.synthetic.read_share=0.5".to_owned()]).unwrap();
    let origin = &workload.flow[0].synthetic.as_ref().unwrap().origin;
    assert!(!origin.contains_key("read_share") && origin.contains_key("inter_arrival"));
    let wrong = load_workload("mds_0", None, &["flow.0.synthetic.origin.sise=fitted".to_owned()]);
    assert!(wrong.unwrap_err().to_string().contains("origin.sise: got a name that is no key"));
}
