//! Loading of configurations from files, presets and overrides.
//!
//! Later layers win: the preset that a file names with `base`, the file, then each override (`--set key=value`).

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::config::attach_check::check_pc;
use crate::config::check::{check_design, check_workload};
use crate::config::design::Design;
use crate::config::error::{ConfigError, Layer, Problem, line_at, locate};
use crate::config::names::suggest;
use crate::config::pc::Pc;
use crate::config::presets::{preset_names, preset_text, profile, profiles};
use crate::config::schema::{Kind, check_ranges};
use crate::config::workload::Workload;

/// Loads a design: the TOML `text` of a file called `name`, or the preset `name` if there is no text; then the overrides.
///
/// # Errors
/// One line: file, line, key, what was given, what is allowed.
pub fn load_design(name: &str, text: Option<&str>, overrides: &[String]) -> Result<Design, ConfigError> {
    let text = match text {
        Some(text) => text,
        None => preset(name).map_err(|what| ConfigError(format!("design {what}")))?,
    };
    let mut table = parse(name, text)?;
    let mut layers = vec![Layer { label: name.to_owned(), text: Some(text), keys: Vec::new() }];
    if let Some(base) = table.remove("base") {
        let wrong = |what: String| locate(&Problem::new("base", what), &layers);
        let base = base.as_str().ok_or_else(|| wrong(format!("got {base}, expected the name of a preset")))?.to_owned();
        let base_text = preset(&base).map_err(|what| wrong(format!("preset {what}")))?;
        let mut merged = parse(&base, base_text)?;
        merge(&mut merged, table);
        table = merged;
        layers.insert(0, Layer { label: base, text: Some(base_text), keys: Vec::new() });
    }
    finish(Kind::Design, table, layers, overrides, check_design)
}

/// Loads a workload: the TOML `text` of a file called `name`, or the profile `name`; then the overrides.
///
/// # Errors
/// As [`load_design`].
pub fn load_workload(name: &str, text: Option<&str>, overrides: &[String]) -> Result<Workload, ConfigError> {
    let table = match text {
        Some(text) => parse(name, text)?,
        None => {
            let listings = profiles();
            let known: Vec<&str> = listings.iter().map(|l| l.name.as_str()).collect();
            let workload = profile(name).ok_or_else(|| {
                ConfigError(format!("workload profile \"{name}\" does not exist; {}", suggest(name, &known)))
            })?;
            Table::try_from(workload).expect("a profile is a table")
        }
    };
    let layers = vec![Layer { label: name.to_owned(), text, keys: Vec::new() }];
    finish(Kind::Workload, table, layers, overrides, check_workload)
}

/// Loads a PC with a fixed-latency drive: the TOML `text` of a file called `name`, then the overrides.
///
/// # Errors
/// As [`load_design`].
pub fn load_pc(name: &str, text: &str, overrides: &[String]) -> Result<Pc, ConfigError> {
    let layers = vec![Layer { label: name.to_owned(), text: Some(text), keys: Vec::new() }];
    finish(Kind::Pc, parse(name, text)?, layers, overrides, check_pc)
}

fn preset(name: &str) -> Result<&'static str, String> {
    preset_text(name).ok_or_else(|| format!("\"{name}\" does not exist; {}", suggest(name, &preset_names())))
}

fn parse(label: &str, text: &str) -> Result<Table, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_at(text, span.start));
        ConfigError(format!("{label}:{line}: {}", error.message().trim().replace('\n', "; ")))
    })
}

/// Replaces settings of `under` by those of `over`, table by table.
fn merge(under: &mut Table, over: Table) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(Value::Table(under)), Value::Table(over)) => merge(under, over),
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
}

fn finish<T: DeserializeOwned + Serialize>(
    kind: Kind,
    mut table: Table,
    mut layers: Vec<Layer>,
    overrides: &[String],
    check: impl Fn(&T) -> Result<(), Problem>,
) -> Result<T, ConfigError> {
    for setting in overrides {
        let label = format!("--set {setting}");
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| ConfigError(format!("{label}: expected KEY=VALUE, for example --set flash.read=10us")))?;
        let key = key.trim();
        set(&mut table, key, literal(value.trim())).map_err(|what| ConfigError(format!("{label}: {key}: {what}")))?;
        forget_origin(&mut table, key);
        layers.push(Layer { label, text: None, keys: vec![key.to_owned()] });
    }
    finite(&Value::Table(table.clone()), "").map_err(|problem| locate(&problem, &layers))?;
    let config: T = serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
        let key = key_of(error.path());
        let what = error.inner().message().trim().to_owned();
        locate(&Problem { key, what: explain(&what) }, &layers)
    })?;
    let json = serde_json::to_value(&config).expect("a configuration is plain data");
    check_ranges(kind, &json).and_then(|()| check(&config)).map_err(|problem| locate(&problem, &layers))?;
    Ok(config)
}

/// Refuses nan and inf, which TOML knows and no key has a use for.
fn finite(value: &Value, path: &str) -> Result<(), Problem> {
    let inner = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Float(number) if !number.is_finite() => {
            Err(Problem::new(path, format!("got {number}, expected a finite number")))
        }
        Value::Table(table) => table.iter().try_for_each(|(key, value)| finite(value, &inner(key))),
        Value::Array(items) => items.iter().enumerate().try_for_each(|(i, item)| finite(item, &inner(&i.to_string()))),
        _ => Ok(()),
    }
}

/// Returns a value as TOML writes it, or else a string: `4` and `true` are a number and a truth value, and `10us` needs
/// no quotes.
fn literal(text: &str) -> Value {
    match toml::from_str::<Table>(&format!("value = {text}")) {
        Ok(mut table) if table.len() == 1 => table.remove("value").expect("the only key"),
        _ => Value::String(text.to_owned()),
    }
}

/// Sets a dotted key, making tables on the way; numbers index lists.
fn set(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    let (first, rest) = key.split_once('.').map_or((key, None), |(first, rest)| (first, Some(rest)));
    if first.is_empty() {
        return Err("got an empty part of a key, expected names joined by dots".to_owned());
    }
    let Some(rest) = rest else {
        table.insert(first.to_owned(), value);
        return Ok(());
    };
    match table.entry(first.to_owned()).or_insert_with(|| Value::Table(Table::new())) {
        Value::Table(inner) => set(inner, rest, value),
        Value::Array(items) => {
            let (index, rest) = rest.split_once('.').ok_or("expected a number and a key after a list")?;
            let count = items.len();
            let item = index.parse::<usize>().ok().and_then(|i| items.get_mut(i));
            match item.and_then(Value::as_table_mut) {
                Some(inner) => set(inner, rest, value),
                None => Err(format!("got entry {index}, expected 0 to {}", count.saturating_sub(1))),
            }
        }
        _ => Err(format!("{first} is a plain value and has no key {rest}")),
    }
}

/// Removes the origin of a profile's value that an override replaces.
fn forget_origin(table: &mut Table, key: &str) {
    let mut parts = key.split('.');
    let (Some("flow"), Some(number), Some("synthetic"), Some(name)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    let flow = table.get_mut("flow").and_then(|flows| flows.get_mut(number.parse::<usize>().ok()?));
    let origin = flow.and_then(|flow| flow.get_mut("synthetic")?.get_mut("origin")?.as_table_mut());
    origin.map(|origin| origin.remove(name));
}

fn key_of(path: &serde_path_to_error::Path) -> String {
    let segments = path.iter().filter_map(|segment| match segment {
        serde_path_to_error::Segment::Map { key } => Some(key.clone()),
        serde_path_to_error::Segment::Seq { index } => Some(index.to_string()),
        _ => None,
    });
    segments.collect::<Vec<_>>().join(".")
}

/// Returns serde's message in a user's words: keys and values instead of fields and variants, no types of Rust, and the nearest
/// name where a name was unknown.
fn explain(message: &str) -> String {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let near = match (message.starts_with("unknown "), names.split_first()) {
        (true, Some((given, known))) => crate::config::names::nearest(given, known.iter().copied()),
        _ => None,
    };
    let said = message
        .replacen("unknown field", "unknown key", 1)
        .replacen("unknown variant", "unknown value", 1)
        .replacen("missing field", "missing key", 1);
    let said = match said.strip_prefix("invalid type: ").or(said.strip_prefix("invalid value: ")) {
        Some(rest) => match rest.split_once(", expected ") {
            Some((given, wanted)) => format!("got {}, expected {}", plain_value(given), plain_type(wanted)),
            None => format!("got {}", plain_value(rest)),
        },
        None => said,
    };
    near.map_or(said.clone(), |near| format!("{said}; did you mean `{near}`?"))
}

/// A value as serde describes it, such as `integer `5``, without the name of its type.
fn plain_value(given: &str) -> String {
    match given.split_once(' ') {
        Some(("integer" | "floating" | "string" | "boolean", rest)) => {
            rest.trim_start_matches("point ").trim_matches('`').to_owned()
        }
        _ => match given {
            "map" => "a table".to_owned(),
            "sequence" => "a list".to_owned(),
            other => other.to_owned(),
        },
    }
}

/// A type as serde describes it, in a user's words.
fn plain_type(wanted: &str) -> String {
    match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0".to_owned(),
        "i8" | "i16" | "i32" | "i64" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(profiles().len(), 19 + 6, "Tables 2 and 3 of the Venice paper");
        for listing in profiles() {
            load_workload(&listing.name, None, &[]).unwrap_or_else(|e| panic!("{}: {e}", listing.name));
        }
    }

    #[test]
    fn what_is_loaded_prints_and_loads_the_same() {
        for name in preset_names() {
            let design = load_design(name, None, &[]).unwrap();
            let text = toml::to_string(&design).unwrap();
            assert_eq!(load_design("again", Some(&text), &[]).unwrap(), design);
        }
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
                "did you mean `read`?",
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
                "my.toml:3: geometry.channels: got 99999999999, expected a whole number",
                "",
            ),
            (
                format!("{BASE}[geometry]\npage = \"3KiB\"\n"),
                "my.toml:3: geometry.page: got \"3KiB\", expected a power of two",
                "32KiB",
            ),
            (
                format!("{BASE}[flash]\nread = [\"1us\", \"2us\"]\n"),
                "my.toml:3: flash.read: got 2 times",
                "kinds of page",
            ),
            (format!("{BASE}[gc]\nthreshold = 0.5\n"), "my.toml:3: gc.threshold: got 0.5", "overprovisioning"),
            (format!("{BASE}[fabric]\nkind = \"buss\"\n"), "my.toml:3: fabric.kind: unknown value `buss`", "`bus`"),
            (
                "base = \"performance\"\n".to_owned(),
                "my.toml:1: base: preset \"performance\" does not exist",
                "performance-optimized",
            ),
            ("x = [1,\n2\n".to_owned(), "my.toml:", ""),
            (String::new(), "my.toml: ", "missing key"),
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
    fn errors_of_overrides_name_them() {
        for (setting, start) in [
            ("flash.erase=2", "--set flash.erase=2: flash.erase: got 2 without a unit"),
            ("flash.nope=2", "--set flash.nope=2: flash.nope: unknown key"),
            ("flash", "--set flash: expected KEY=VALUE"),
            ("name.x=1", "--set name.x=1: name.x: name is a plain value"),
            ("=1", "--set =1: : got an empty part"),
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
            (format!("{synthetic}queue_depth = 1\ninter_arrival = \"1us\"\n"), "w.toml:4: flow.0.synthetic: got both"),
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
            (
                format!("{trace}inter_arrival = \"0us\"\n"),
                "w.toml:6: flow.0.trace.inter_arrival: got 0, expected a time",
            ),
            (format!("{trace}sample = 0\n"), "w.toml:6: flow.0.trace.sample: got 0, expected a share above 0"),
            (format!("{trace}sample = 0.5\nevery = 2\n"), "w.toml:6: flow.0.trace.sample: given beside every"),
            (format!("{trace}every = 0\n"), "w.toml:6: flow.0.trace.every: got 0, expected a number of at least 1"),
            (
                format!("{trace}repeat = 0\n"),
                "w.toml:6: flow.0.trace.repeat: got 0, expected a number from 1 to 1000000",
            ),
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
        assert!(!origin.contains_key("read_share") && origin.contains_key("size"));
        let wrong = load_workload("mds_0", None, &["flow.0.synthetic.origin.sise=fitted".to_owned()]);
        assert!(wrong.unwrap_err().to_string().contains("origin.sise: got a name that is no key"));
    }
}
