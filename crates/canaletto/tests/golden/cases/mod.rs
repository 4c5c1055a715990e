mod caches;
mod collection;
mod drawn;
mod fabrics;
mod hosts;
mod keys;
mod mappings;
mod media;
mod mqsim;
mod presets;
mod sharing;
mod timelines;
mod traffic;

use crate::case::Case;

type Group = (&'static str, fn() -> Vec<Case>);

pub fn all() -> Vec<Case> {
    let groups: [Group; 13] = [
        ("keys", keys::cases),
        ("presets", presets::cases),
        ("fabrics", fabrics::cases),
        ("collection", collection::cases),
        ("caches", caches::cases),
        ("mappings", mappings::cases),
        ("hosts", hosts::cases),
        ("sharing", sharing::cases),
        ("media", media::cases),
        ("traffic", traffic::cases),
        ("timelines", timelines::cases),
        ("mqsim", mqsim::cases),
        ("drawn", drawn::cases),
    ];
    groups.into_iter().flat_map(|(group, cases)| cases().into_iter().map(move |case| case.within(group))).collect()
}

fn flow(keys: &str) -> String {
    format!("name = \"one\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\n{}\n", keys.replace("; ", "\n"))
}

fn flows(top: &str, each: &[(&str, &str)]) -> String {
    let flow = |(number, (keys, synthetic)): (usize, &(&str, &str))| {
        let (keys, synthetic) = (keys.replace("; ", "\n"), synthetic.replace("; ", "\n"));
        format!("[[flow]]\nname = \"{number}\"\n{keys}\n[flow.synthetic]\n{synthetic}\n")
    };
    format!("name = \"several\"\n{top}\n{}", each.iter().enumerate().map(flow).collect::<String>())
}

const READS: &str = "requests = 500; read_share = 1.0; size = \"4KiB\"; queue_depth = 16";
const LARGE_READS: &str = "requests = 300; read_share = 1.0; size = \"16KiB\"; queue_depth = 32";
const MIXED: &str = "requests = 1200; read_share = 0.5; size = \"4KiB\"; queue_depth = 16";
/// More than the small drive holds: it collects.
const WRITES: &str = "requests = 2500; read_share = 0.0; size = \"4KiB\"; queue_depth = 16";
const LARGE_MIXED: &str = "requests = 600; read_share = 0.6; size = \"16KiB\"; queue_depth = 16";
const PARTIAL: &str = "requests = 900; read_share = 0.4; size = \"1536B\"; alignment = \"512B\"; queue_depth = 16";
const OPEN: &str = "requests = 500; read_share = 0.6; size = \"8KiB\"; inter_arrival = \"25us\"";
const EVERYTHING: &str = "requests = 1200; read_share = 0.4; size = \"4KiB\"; queue_depth = 16; trim_share = 0.05; \
                          flush_share = 0.03; fua_share = 0.1; write_zeroes_share = 0.05";

const SQUARE: &[&str] = &["geometry.channels=4", "geometry.chips_per_channel=4"];

fn with<'a>(under: &[&'a str], over: &[&'a str]) -> Vec<&'a str> {
    [under, over].concat()
}
