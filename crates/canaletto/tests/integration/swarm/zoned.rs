//! Random commands to zones of random drives, alone or next to a conventional namespace, and losses of power.

use std::collections::BTreeMap;
use std::fmt;

use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::config::{load_design, load_workload};
use canaletto::host::request::Kind;
use canaletto::limits::Limits;
use canaletto::workload::replay::Record;
use canaletto::{Outcome, RunOptions, TraceInput, run};
use proptest::prelude::*;

use super::designs::{BASE, designs};
use super::newer::newer;
use super::power::lose;
use super::seeds::comparable;
use super::shadow::{Shadow, check_outcome, watch_traces};
use super::workloads::workloads;
use super::zone_model::ZoneModel;
use crate::common::recovery::recover;
use crate::common::script::input;

/// Parts of a drive by which zones are made, each a number that is reduced to what the geometry has.
#[derive(Debug, Clone)]
struct Shape {
    channels: u32,
    dies: u32,
    planes: u32,
    superblocks: u64,
    missing_rows: u64,
    extra_pages: u64,
    area_pages: u64,
    append_pages: u64,
    /// Flash pages of a plane that are programmed together.
    together: u32,
    /// Without limits if zero.
    open: u32,
    active: u32,
    spare_rows: u64,
    is_mixed: bool,
}

pub struct ZonedCase {
    overrides: Vec<String>,
    beside: String,
    in_zones: u64,
    is_mixed: bool,
    depth: u32,
    commands: Vec<(u32, u32, u32)>,
    power: f64,
}

impl fmt::Debug for ZonedCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "power is lost after {} of {} commands, {} outstanding, of:",
            self.power,
            self.commands.len(),
            self.depth
        )?;
        writeln!(f, "canaletto run {BASE}")?;
        self.overrides.iter().try_for_each(|setting| writeln!(f, "  --set {setting}"))?;
        if self.is_mixed { writeln!(f, "next to:\n{}", self.beside) } else { Ok(()) }
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let part = (0u32..4, 0u32..4, 0u32..3, (1u64..3, 0u32..3), prop::sample::select(vec![0u64, 0, 1]), 0u64..3);
    let limits = (prop::sample::select(vec![0u64, 0, 0, 1, 3, 9]), 0u64..9, 0u32..4, 0u32..3, 0u64..4, prop::bool::ANY);
    (part, limits).prop_map(
        |(
            (channels, dies, planes, (superblocks, together), missing_rows, extra_pages),
            (area_pages, append_pages, open, active, spare_rows, is_mixed),
        )| Shape {
            channels,
            dies,
            planes,
            superblocks,
            missing_rows,
            extra_pages,
            area_pages,
            append_pages,
            together,
            open,
            active,
            spare_rows,
            is_mixed,
        },
    )
}

pub fn zoned_cases() -> impl Strategy<Value = ZonedCase> {
    let commands = prop::collection::vec((0u32..100, 0u32..1000, 0u32..1000), 1..400);
    let depth = prop::sample::select(vec![1u32, 2, 8, 40]);
    (designs(newer()), shapes(), workloads(vec![0.0, 0.1]), (depth, commands), 0.0f64..1.0).prop_map(
        |(overrides, shape, beside, (depth, commands), power)| {
            let (overrides, in_zones) = zoned(overrides, &shape);
            ZonedCase { overrides, in_zones, is_mixed: shape.is_mixed, beside, depth, commands, power }
        },
    )
}

fn plain(overrides: Vec<String>) -> BTreeMap<String, String> {
    const EXCLUDED: [&str; 10] = [
        "gc.pacing",
        "mapping.",
        "refresh.",
        "flash.pslc.",
        "flash.failures.lost",
        "flash.failures.factory_bad",
        "ftl.hybrid.",
        "ftl.parity",
        "ftl.superblock",
        "flash.addressing",
    ];
    let mut keys: BTreeMap<String, String> = overrides
        .into_iter()
        .map(|setting| {
            setting.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).expect("a setting")
        })
        .filter(|(key, _)| !EXCLUDED.iter().any(|excluded| key.starts_with(excluded)))
        .collect();
    let mut set = |key: &str, value: &dyn fmt::Display| drop(keys.insert(key.to_owned(), value.to_string()));
    set("ftl.mapping", &"page");
    set("ftl.map_update", &"program-end");
    set("host.protocol", &"nvme");
    set("cache.power_loss_protection", &true);
    set("cache.mode", &"write");
    set("cache.destage", &"watermarks");
    set("cache.sharing", &"shared");
    set("precondition.kind", &"none");
    set("precondition.occupancy", &1.0);
    set("wear.endurance", &0);
    keys
}

fn zoned(overrides: Vec<String>, shape: &Shape) -> (Vec<String>, u64) {
    let mut keys = plain(overrides);
    let number = |keys: &BTreeMap<String, String>, key: &str| -> u64 { keys[key].parse().expect("a number") };
    let geometry =
        ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane", "pages_per_block"];
    let [channels, chips, dies, planes, blocks, pages] = geometry.map(|key| number(&keys, &format!("geometry.{key}")));
    // The other namespace needs spare blocks.
    let blocks = if shape.is_mixed { blocks + 12 } else { blocks };
    let page: u64 = match &*keys["geometry.page"] {
        "512B" => 512,
        "4KiB" => 4096,
        _ => 16384,
    };
    let unit = keys["ftl.mapping_unit"].trim_end_matches('B').parse::<u64>().map_or(page, |unit| unit.min(page));
    let part = |wanted: u32, whole: u64| (1..=whole).filter(|n| whole % n == 0).nth(wanted as usize).unwrap_or(whole);
    let on_channels = part(shape.channels, channels);
    let on_dies = on_channels * part(shape.dies, chips * dies);
    let on_planes = part(shape.planes, planes);
    let together = part(shape.together, pages);
    let row = on_planes * page * together;
    let superblocks = shape.superblocks.min(blocks / 2);
    let rows = superblocks * on_dies * pages / together;
    let capacity = row * (rows - shape.missing_rows.min(rows - 1));
    let size = capacity + shape.extra_pages * unit;
    let area = (shape.area_pages * unit).min(capacity - unit);
    let groups = channels * chips * dies * planes / (on_dies * on_planes);
    let spare: f64 = keys["ftl.overprovisioning"].parse().expect("a share");
    let all = (blocks as f64 * (1.0 - spare)) as u64 / superblocks * groups;
    let zones = if shape.is_mixed { (blocks / 2 / superblocks * groups).min(8).min(all) } else { all };
    // A zone that fails takes none of them any more, when the model does not hear of it.
    let mut parts =
        keys.range("fabric.failures.".to_owned()..).take_while(|(key, _)| key.starts_with("fabric.failures."));
    let fails = ["program", "erase"].iter().any(|what| keys[&format!("flash.failures.{what}")] != "0")
        || parts.any(|(key, count)| !key.ends_with(".placement") && count.parse().is_ok_and(|count: u32| count > 0));
    let open = if fails { 0 } else { shape.open };
    let active = if open == 0 { 0 } else { open + shape.active };
    let in_buffer = if active == 0 { zones } else { u64::from(active).min(zones) };
    let fixed: Vec<(&str, String)> = vec![
        ("geometry.blocks_per_plane", blocks.to_string()),
        ("ftl.mapping_unit", format!("{unit}B")),
        ("zns.stripe.channels", on_channels.to_string()),
        ("zns.stripe.dies", on_dies.to_string()),
        ("zns.stripe.planes", on_planes.to_string()),
        ("zns.zone_size", format!("{size}B")),
        ("zns.zone_capacity", format!("{capacity}B")),
        ("zns.random_write_area", format!("{area}B")),
        ("zns.pages_per_program", together.to_string()),
        ("zns.append_limit", format!("{}B", shape.append_pages * unit)),
        ("zns.max_open", open.to_string()),
        ("zns.max_active", active.to_string()),
        ("cache.capacity", format!("{}B", (in_buffer + 1) * (row + area) + shape.spare_rows * row)),
    ];
    keys.extend(fixed.into_iter().map(|(key, value)| (key.to_owned(), value)));
    let in_zones = zones * size;
    (keys.into_iter().map(|(key, value)| format!("{key}={value}")).collect(), in_zones)
}

impl ZonedCase {
    /// None where such zones, or the other namespaces, do not fit.
    fn load(&self) -> Result<(Design, Workload), String> {
        let size = self.in_zones;
        let table = match self.is_mixed {
            true => format!(
                "[[namespace]]\nname = \"data\"\n[[namespace]]\nname = \"log\"\nkind = \"zoned\"\nsize = \"{size}B\"\n"
            ),
            false => String::new(),
        };
        let text = format!("base = \"{BASE}\"\nname = \"zoned\"\n{table}");
        let design = load_design("zoned.toml", Some(&text), &self.overrides).map_err(|e| e.to_string())?;
        let namespace = if self.is_mixed { "namespace = \"log\"\n" } else { "" };
        let flow = format!(
            "[[flow]]\nname = \"zones\"\n{namespace}[flow.trace]\nfile = \"script\"\nqueue_depth = {}\n",
            self.depth
        );
        let beside =
            if self.is_mixed { self.beside.replace("partitioned = true", "") } else { "name = \"zoned\"\n".to_owned() };
        let workload = load_workload("workload.toml", Some(&(beside + &flow)), &[]).map_err(|e| e.to_string())?;
        Limits::new(&design, &workload)?;
        Ok((design, workload))
    }

    /// Addresses are those that a host takes which sends one command after the other.
    fn script(&self, design: &Design) -> Vec<Record> {
        let mut model = ZoneModel::of(design);
        let (size, capacity, per_page) = model.sizes();
        let used = model.zones().min(8) as u32;
        let make = |(i, &(what, a, b)): (usize, &(u32, u32, u32))| {
            let zone = (a % used) as usize;
            let (start, pointer) = (zone as u64 * size, model.pointer(zone));
            let sectors = u64::from(1 + b % 40) * if what % 7 == 0 { 1 } else { per_page };
            let anywhere = u64::from(a * 1000 + b) % size;
            let (kind, at, sectors) = match what {
                0..25 => (Kind::Append, 0, sectors),
                25..50 => (Kind::Write, pointer.min(size - 1), sectors.min((capacity - pointer).max(1))),
                50..54 => (Kind::Write, anywhere, sectors),
                54..80 => (Kind::Read, anywhere, sectors.min(size)),
                80..83 => (Kind::Open, 0, 0),
                83..86 => (Kind::Close, 0, 0),
                86..90 => (Kind::Finish, 0, 0),
                90..97 => (Kind::Reset, 0, 0),
                97 => (Kind::Reset, 1, 0),
                98 => (Kind::Append, 1, sectors),
                _ => (Kind::Flush, 0, 0),
            };
            // A request must end on the drive.
            let at = at.min(size - 1);
            let left = size * model.zones() as u64 - start - at;
            let sectors = sectors.min(left);
            if kind != Kind::Flush {
                model.expect(kind, start + at, sectors, false);
            }
            let (offset_bytes, bytes) = ((start + at) * 512, sectors * 512);
            Record {
                arrival_ns: i as u64 * 1000,
                device: 0,
                offset_bytes,
                bytes,
                kind,
                fua: b % 9 == 0 && kind == Kind::Write,
                zeroes: false,
                handle: None,
            }
        };
        self.commands.iter().enumerate().map(make).collect()
    }

    fn traces(&self, design: &Design, workload: &Workload) -> Vec<Option<TraceInput>> {
        let flows = workload.flow.len();
        let script = input(self.script(design));
        (1..flows).map(|_| None).chain([Some(script)]).collect()
    }

    /// Returns the shadow of the run, and how many sectors had to be there after a loss of power.
    pub fn run(&self) -> Result<Option<(Outcome, Shadow, u64)>, String> {
        let (design, workload) = match self.load() {
            Ok(loaded) => loaded,
            Err(refused) => {
                if std::env::var("WHY").is_ok() {
                    eprintln!("REFUSED {refused}");
                }
                return Err(refused);
            }
        };
        let options = RunOptions { check_wires: true, ..RunOptions::default() };
        let unwatched = match run(&design, &workload, self.traces(&design, &workload), &options, &mut |_| true) {
            Err(refused) if refused.to_string().contains("have room for; expected a lower") => return Ok(None),
            ran => ran.unwrap_or_else(|error| panic!("{error}")),
        };
        let watch = |event| {
            let zones = Some(ZoneModel::of(&design));
            watch_traces(&design, &workload, self.traces(&design, &workload), zones, event)
        };
        let (outcome, shadow) = watch(None);
        check_outcome(&outcome, &shadow);
        let model = shadow.zones.as_ref().expect("a model");
        assert_eq!(model.problems, Vec::<String>::new());
        let report = outcome.report.flash.zones.as_ref().expect("zones");
        assert_eq!(comparable(&unwatched), comparable(&outcome), "two runs differ");
        assert_eq!((report.resets, report.refused.values().sum()), (model.resets, model.refused));
        if !model.may_fail() {
            for (name, count) in model.states() {
                assert_eq!(report.states.get(name).copied().unwrap_or(0), count, "{name}: {report:?}");
            }
            assert_eq!(report.implicit_closes, model.closed_by_drive);
        }
        let promised = self.lose_power(&design, &shadow, &watch);
        Ok(Some((outcome, shadow, promised)))
    }

    fn lose_power(&self, design: &Design, shadow: &Shadow, watch: &dyn Fn(Option<u64>) -> (Outcome, Shadow)) -> u64 {
        let event = 1 + (self.power * shadow.events() as f64) as u64;
        let (_, shadow) = watch(Some(event));
        let promised = lose(design, &shadow, event);
        let (image, model) = (shadow.recorder.image(true), shadow.zones.as_ref().expect("a model"));
        let version = |lpa: u64, at| shadow.held(at).map(|(_, content)| (lpa, content.into_iter().max().unwrap_or(0)));
        let on_flash = recover(&image).into_iter().filter_map(|(lpa, at)| version(lpa, at));
        let mut pages: BTreeMap<u64, u64> = on_flash.collect();
        for (&lpa, &sectors) in &image.saved {
            let newest = (0..64).filter(|s| sectors & (1 << s) != 0).filter_map(|s| shadow.cache.version(lpa, s)).max();
            pages.entry(lpa).or_insert(newest.unwrap_or(0));
        }
        let pages: Vec<(u64, u64)> = pages.into_iter().filter(|(lpa, _)| model.has_page(*lpa)).collect();
        assert_eq!(model.recovered(&pages), None, "power lost at event {event}");
        promised
    }
}
