//! Loading of configurations.
//!
//! Later layers win: the preset that a file names with `base`, the file, then each setting (`--set key=value`). All
//! mistakes are reported together.

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::attach_check::check_pc;
use crate::check::{Checked, check_design, check_workload};
use crate::design::Design;
use crate::error::{ConfigError, Layer, Problem, is_within, line_at, locate, place_of};
use crate::names::suggest;
use crate::numbers;
use crate::pc::Pc;
use crate::presets::{preset_names, preset_text, profile, profiles};
use crate::reader::read;
use crate::schema::{self, Kind, check_ranges};
use crate::setting::Setting;
use crate::without_effect;
use crate::wording::{explain, of_toml};
use crate::workload::Workload;
use crate::writer::write_table;

const BUS_RATE: &str = "fabric.link_rate";
const LINKS_RATE: &str = "fabric.network.link_rate";

const MANY: usize = 20;

/// Loads a design: the TOML `text` of a file called `name`, or the preset `name` without text; then the settings, each
/// as `key=value`.
///
/// # Errors
/// A line for each mistake: file, line, key, what was given, what is allowed.
pub fn load_design(name: &str, text: Option<&str>, settings: &[String]) -> Result<Design, ConfigError> {
    load_design_with(name, text, settings, |_| Ok(()))
}

/// [`load_design`] with a further check.
///
/// # Errors
/// As [`load_design`].
pub fn load_design_with(
    name: &str,
    text: Option<&str>,
    settings: &[String],
    further: fn(&Design) -> Checked,
) -> Result<Design, ConfigError> {
    let mut sources = design_sources(name, text, plain(settings)?)?;
    let design: Design = sources.read(|design| check_design(design).and_then(|()| further(design)))?;
    Ok(design.spelt_out())
}

/// A design as it is stated, without [`Design::spelt_out`], and notes on keys without effect.
///
/// # Errors
/// As [`load_design`].
pub fn resolve_design_with(
    name: &str,
    text: Option<&str>,
    settings: &[Setting],
    further: fn(&Design) -> Checked,
) -> Result<(Design, Vec<String>), ConfigError> {
    let mut sources = design_sources(name, text, settings.to_vec())?;
    let design: Design = sources.read(|design| check_design(design).and_then(|()| further(design)))?;
    let without = |keys: &[&str]| sources.without(keys).map(Design::spelt_out);
    let mut given = sources.given();
    // A file states the links' rate for whichever fabric the design is compared on, or both rates; a setting is for this one.
    let states_links = leaves(&sources.over, "").iter().any(|key| key == LINKS_RATE);
    let for_others = |key: &str| key == LINKS_RATE || key == BUS_RATE && states_links;
    given.retain(|key| !for_others(key) || sources.settings.iter().any(|setting| setting.key == *key));
    let mut notes = without_effect::notes(&design, &given, without);
    notes.sort_by_key(|note| place_of(note, &sources.layers));
    let notes = notes.into_iter().map(|note| locate(&note, &sources.layers).0).collect();
    Ok((design, notes))
}

fn design_sources<'a>(name: &str, text: Option<&'a str>, settings: Vec<Setting>) -> Result<Sources<'a>, ConfigError> {
    let mut sources = Sources::new(Kind::Design);
    match text {
        Some(text) => sources.file(name, text)?,
        None => {
            let text = preset(name).map_err(|what| ConfigError(format!("design {what}")))?;
            sources.under(name, text)?;
        }
    }
    sources.set(settings);
    Ok(sources)
}

/// Loads a workload: the TOML `text` of a file called `name`, or the profile `name`; then the settings. Keys of an only
/// flow need no `flow.0.synthetic.` before them.
///
/// # Errors
/// As [`load_design`].
pub fn load_workload(name: &str, text: Option<&str>, settings: &[String]) -> Result<Workload, ConfigError> {
    Ok(resolve_workload(name, text, &plain(settings)?)?.spelt_out())
}

/// A workload as it is stated, without [`Workload::spelt_out`].
///
/// # Errors
/// As [`load_design`].
pub fn resolve_workload(name: &str, text: Option<&str>, settings: &[Setting]) -> Result<Workload, ConfigError> {
    workload_sources(name, text, settings.to_vec())?.read(check_workload)
}

fn workload_sources<'a>(name: &str, text: Option<&'a str>, settings: Vec<Setting>) -> Result<Sources<'a>, ConfigError> {
    let mut sources = Sources::new(Kind::Workload);
    match text {
        Some(text) => sources.file(name, text)?,
        None => {
            let listings = profiles();
            let known: Vec<&str> = listings.iter().map(|l| l.name.as_str()).collect();
            let workload = profile(name).ok_or_else(|| {
                ConfigError(format!("workload profile \"{name}\" does not exist; {}", suggest(name, &known)))
            })?;
            sources.table = write_table(&workload).expect("a profile is a table");
            sources.layers.push(Layer { label: name.to_owned(), text: None, key: None });
        }
    }
    sources.set(settings);
    Ok(sources)
}

/// A problem of a design or a workload in words, with the place where its key was set; none if it was not.
pub fn located(
    kind: Kind,
    name: &str,
    text: Option<&str>,
    settings: &[Setting],
    problem: &Problem,
) -> Option<ConfigError> {
    let sources = match kind {
        Kind::Design => design_sources(name, text, settings.to_vec()),
        _ => workload_sources(name, text, settings.to_vec()),
    };
    let layers = sources.ok()?.layers;
    place_of(problem, &layers).map(|_| locate(problem, &layers))
}

/// Loads a PC with a fixed-latency drive: the TOML `text` of a file called `name`, then the settings.
///
/// # Errors
/// As [`load_design`].
pub fn load_pc(name: &str, text: &str, settings: &[String]) -> Result<Pc, ConfigError> {
    let mut sources = Sources::new(Kind::Pc);
    sources.file(name, text)?;
    sources.set(plain(settings)?);
    sources.read(check_pc)
}

fn plain(settings: &[String]) -> Result<Vec<Setting>, ConfigError> {
    settings.iter().map(|text| Setting::parse(text, "", text).map_err(ConfigError)).collect()
}

fn preset(name: &str) -> Result<&'static str, String> {
    preset_text(name).ok_or_else(|| format!("\"{name}\" does not exist; {}", suggest(name, &preset_names())))
}

fn parse(label: &str, text: &str) -> Result<Table, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_at(text, span.start));
        ConfigError(format!("{label}:{line}: {}", of_toml(error.message())))
    })
}

struct Sources<'a> {
    kind: Kind,
    table: Table,
    under: Table,
    over: Table,
    layers: Vec<Layer<'a>>,
    settings: Vec<Setting>,
    problems: Vec<Problem>,
}

impl<'a> Sources<'a> {
    fn new(kind: Kind) -> Sources<'a> {
        let (table, under, over) = Default::default();
        Sources { kind, table, under, over, layers: Vec::new(), settings: Vec::new(), problems: Vec::new() }
    }

    fn under(&mut self, label: &str, text: &'a str) -> Result<(), ConfigError> {
        self.under = parse(label, text)?;
        self.table = self.under.clone();
        self.layers.push(Layer { label: label.to_owned(), text: Some(text), key: None });
        Ok(())
    }

    fn file(&mut self, label: &str, text: &'a str) -> Result<(), ConfigError> {
        let mut table = parse(label, text)?;
        let layer = Layer { label: label.to_owned(), text: Some(text), key: None };
        let base = if self.kind == Kind::Design { table.remove("base") } else { None };
        if let Some(base) = base {
            let wrong = |what: String| locate(&Problem::new("base", what), std::slice::from_ref(&layer));
            let base = base.as_str().ok_or_else(|| wrong(format!("got {base}, expected the name of a preset")))?;
            self.under(base, preset(base).map_err(|what| wrong(format!("preset {what}")))?)?;
        }
        merge(&mut self.table, table.clone());
        self.over = table;
        self.layers.push(layer);
        Ok(())
    }

    fn set(&mut self, settings: Vec<Setting>) {
        for mut setting in settings {
            let completed = if self.kind == Kind::Workload { setting.complete(&self.table) } else { Ok(()) };
            if let Err(what) = completed.and_then(|()| setting.apply(&mut self.table)) {
                self.problems.push(Problem::new(&setting.key, what));
            }
            self.layers.push(Layer {
                label: setting.label.clone(),
                text: None,
                key: Some((setting.key.clone(), setting.known_as.clone())),
            });
            self.settings.push(setting);
        }
    }

    fn given(&self) -> Vec<String> {
        let mut keys = leaves(&self.over, "");
        for setting in &self.settings {
            if !keys.contains(&setting.key) {
                keys.push(setting.key.clone());
            }
        }
        keys
    }

    fn read<T: DeserializeOwned + Serialize>(
        &mut self,
        check: impl Fn(&T) -> Result<(), Problem>,
    ) -> Result<T, ConfigError> {
        let mut table = Value::Table(self.table.clone());
        numbers::understand(schema::of(self.kind), &mut table);
        finite(&table, "", &mut self.problems);
        for problem in &self.problems {
            restore(&mut table, &self.under, &problem.key);
        }
        let config = self.deserialize(&mut table);
        if let Some(config) = &config {
            let json = serde_json::to_value(config).expect("a configuration is plain data");
            let wrong = check_ranges(self.kind, &json);
            for problem in &wrong {
                restore(&mut table, &self.under, &problem.key);
            }
            self.problems.extend(wrong);
            let is_whole = !self.problems.iter().any(|problem| problem.what.starts_with("missing key"));
            if is_whole && (!self.problems.is_empty() || check(config).is_err()) {
                self.check(table, check);
            }
        }
        match (config, self.problems.is_empty()) {
            (Some(config), true) => Ok(config),
            _ => Err(self.mistakes()),
        }
    }

    /// Notes every value that cannot be read, restores the value under it, and tries again. A missing key is taken from
    /// an example.
    fn deserialize<T: DeserializeOwned>(&mut self, table: &mut Value) -> Option<T> {
        while self.problems.len() < MANY {
            let error = match read(table) {
                Ok(config) => return Some(config),
                Err(error) => error,
            };
            let key = error.key();
            let what = explain(self.kind, &key, error.message());
            match what.strip_prefix("missing key `").and_then(|rest| rest.strip_suffix('`')) {
                Some(name) => {
                    let missing = schema::join(&key, name);
                    // One that was taken away has been told of.
                    if !self.problems.iter().any(|problem| problem.key == missing) {
                        self.problems.push(Problem::new(&key, &what));
                    }
                    if !supply(table, &missing, self.kind) {
                        return None;
                    }
                }
                None => {
                    self.problems.push(Problem::new(&key, what));
                    if !restore(table, &self.under, &key) {
                        return None;
                    }
                }
            }
        }
        None
    }

    /// Notes what breaks a rule, and restores the value under it, so that others show. A rule about a key with its own
    /// mistake is not applied.
    fn check<T: DeserializeOwned>(&mut self, mut table: Value, check: impl Fn(&T) -> Result<(), Problem>) {
        let given = self.given();
        let is_given = |key: &str| given.iter().any(|given| is_within(key, given));
        let mut seen: Vec<String> = Vec::new();
        while self.problems.len() < MANY {
            let Ok(config) = read::<T>(&table) else { return };
            let Err(problem) = check(&config) else { return };
            let key = problem.key.clone();
            let is_doubtful = || {
                let mut others = self.problems.iter().map(|other| &other.key).chain(&seen);
                others.any(|other| problem.what.contains(other.rsplit('.').next().unwrap_or(other)))
            };
            if !self.problems.iter().any(|other| other.key == key) && !is_doubtful() {
                self.problems.push(problem);
            }
            if seen.contains(&key) || !is_given(&key) || !restore(&mut table, &self.under, &key) {
                return;
            }
            seen.push(key);
        }
    }

    fn mistakes(&mut self) -> ConfigError {
        let layers = &self.layers;
        self.problems.sort_by_key(|problem| place_of(problem, layers).unwrap_or((usize::MAX, 0)));
        let lines: Vec<String> = self.problems.iter().map(|problem| locate(problem, layers).0).collect();
        ConfigError(lines.join("\n"))
    }

    fn without<T: DeserializeOwned>(&self, keys: &[&str]) -> Option<T> {
        let mut table = Value::Table(self.table.clone());
        numbers::understand(schema::of(self.kind), &mut table);
        for key in keys {
            restore(&mut table, &self.under, key);
        }
        read(&table).ok()
    }
}

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

/// Or removes the key if nothing stands under it. Returns whether there was such a key.
fn restore(table: &mut Value, under: &Table, key: &str) -> bool {
    let (mut place, mut below) = (table, Some(under));
    let mut names = key.split('.').peekable();
    while let Some(name) = names.next() {
        let next = match place {
            Value::Table(inner) if names.peek().is_none() => {
                return match below.and_then(|below| below.get(name)) {
                    Some(value) if inner.get(name) != Some(value) => inner.insert(name.to_owned(), value.clone()),
                    _ => inner.remove(name),
                }
                .is_some();
            }
            Value::Table(inner) => inner.get_mut(name),
            Value::Array(items) => name.parse().ok().and_then(|index: usize| items.get_mut(index)),
            // The key names something inside a plain value.
            _ => None,
        };
        let Some(next) = next else { return false };
        place = next;
        below = below.and_then(|below| below.get(name)).and_then(Value::as_table);
    }
    false
}

/// From a preset or a profile. Returns whether they have it.
fn supply(table: &mut Value, key: &str, kind: Kind) -> bool {
    let example = match kind {
        Kind::Design => {
            preset_names().first().and_then(|name| preset_text(name)).and_then(|text| toml::from_str(text).ok())
        }
        Kind::Workload => {
            profiles().first().and_then(|first| profile(&first.name)).and_then(|workload| write_table(&workload).ok())
        }
        Kind::Pc => None,
    };
    let example = example.map(Value::Table);
    let mut found = example.as_ref();
    for name in key.split('.') {
        found = match found {
            Some(Value::Array(items)) => items.first(),
            Some(Value::Table(inner)) => inner.get(name),
            _ => None,
        };
    }
    let (parent, name) = key.rsplit_once('.').unwrap_or(("", key));
    let mut place = Some(table);
    for name in parent.split('.').filter(|name| !name.is_empty()) {
        place = match place {
            Some(Value::Array(items)) => name.parse().ok().and_then(|index: usize| items.get_mut(index)),
            Some(Value::Table(inner)) => inner.get_mut(name),
            _ => None,
        };
    }
    match (place, found) {
        (Some(Value::Table(inner)), Some(value)) => inner.insert(name.to_owned(), value.clone()).is_none(),
        _ => false,
    }
}

fn leaves(table: &Table, path: &str) -> Vec<String> {
    let keys = table.iter().flat_map(|(name, value)| {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match value {
            Value::Table(inner) => leaves(inner, &path),
            _ => vec![path],
        }
    });
    keys.collect()
}

/// TOML allows nan and inf; no key does.
fn finite(value: &Value, path: &str, problems: &mut Vec<Problem>) {
    let inner = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Float(number) if !number.is_finite() => {
            problems.push(Problem::new(path, format!("got {number}, expected a finite number")));
        }
        Value::Table(table) => table.iter().for_each(|(key, value)| finite(value, &inner(key), problems)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| finite(item, &inner(&i.to_string()), problems));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
