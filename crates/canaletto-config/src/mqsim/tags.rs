//! Table of tags, and the walk that reads one section of a file against it.

use std::borrow::Cow;

use super::error::{XmlError, quoted, shortened};
use super::ignored::{Ignored, IgnoredKind, TagLines};
use super::values::{as_mqsim, is_whole};
use super::xml::{Element, parse_tree};
use crate::names::closest;

/// The error names what was expected.
type Setter<S> = fn(&mut S, &str) -> Result<(), String>;

enum Role<S> {
    Value(Setter<S>),
    Section,
    NotRead,
}

pub(super) struct Tag<S> {
    pub name: &'static str,
    role: Role<S>,
    required: bool,
    /// Bits that MQSim keeps of its value.
    bits: u32,
    /// Why MQSim ignores it; empty if it does not.
    idle: &'static str,
}

impl<S> Tag<S> {
    const fn new(name: &'static str, role: Role<S>, idle: &'static str) -> Self {
        Tag { name, role, required: false, bits: u64::BITS, idle }
    }
}

pub(super) const fn value<S>(name: &'static str, set: Setter<S>) -> Tag<S> {
    Tag::new(name, Role::Value(set), "")
}

/// MQSim has no default for it (the field is uninitialised memory).
pub(super) const fn required<S>(name: &'static str, set: Setter<S>) -> Tag<S> {
    let mut tag = value(name, set);
    tag.required = true;
    tag
}

/// MQSim keeps `bits` of the value.
pub(super) const fn kept<S>(bits: u32, mut tag: Tag<S>) -> Tag<S> {
    tag.bits = bits;
    tag
}

pub(super) const fn no_effect<S>(name: &'static str, set: Setter<S>, reason: &'static str) -> Tag<S> {
    Tag::new(name, Role::Value(set), reason)
}

pub(super) const fn section<S>(name: &'static str) -> Tag<S> {
    Tag::new(name, Role::Section, "")
}

pub(super) const fn not_read<S>(name: &'static str, reason: &'static str) -> Tag<S> {
    Tag::new(name, Role::NotRead, reason)
}

/// Reason of [`IgnoredKind::Mended`].
const SLIP: &str = "its closing tag is written </<...>; read all the same, as MQSim does";

pub(super) struct FileKind {
    /// Its outermost tag.
    pub root: &'static str,
    /// Description with its article, for messages.
    pub what: &'static str,
}

pub(super) const SSD_CONFIGURATION: FileKind =
    FileKind { root: "Execution_Parameter_Set", what: "an SSD configuration" };
pub(super) const WORKLOAD: FileKind = FileKind { root: "MQSim_IO_Scenarios", what: "a workload definition" };

pub(super) fn open_file(label: &str, xml: &str, kind: &FileKind) -> Result<Element, XmlError> {
    let root = parse_tree(label, xml, kind.root)?;
    if root.name == kind.root {
        return Ok(root);
    }
    let expected = format!("expected {} (<{}>)", kind.what, kind.root);
    let other = [SSD_CONFIGURATION, WORKLOAD].into_iter().find(|other| other.root == root.name);
    let problem = match other {
        Some(other) => format!("this is {}, {expected}: are the two files swapped?", other.what),
        None => expected,
    };
    Err(XmlError::new(label, root.line, &root.name, &problem))
}

pub(super) struct Walk<'a> {
    pub label: &'a str,
    /// Of this kind of file, for misplaced ones.
    pub places: fn() -> Vec<(&'static str, &'static str)>,
    /// Whether unknown tags are ignored.
    pub ignores_unknown: bool,
    pub unknown: Vec<XmlError>,
    pub ignored: Vec<Ignored>,
}

impl<'a> Walk<'a> {
    pub fn new(label: &'a str, places: fn() -> Vec<(&'static str, &'static str)>, ignores_unknown: bool) -> Self {
        Walk { label, places, ignores_unknown, unknown: Vec::new(), ignored: Vec::new() }
    }

    /// `known`: tags of the section.
    pub fn meets_unknown(&mut self, element: &Element, section: &Element, known: &[&str]) {
        if self.ignores_unknown {
            let reason = format!("unknown in <{}>, ignored as MQSim does", section.name);
            self.ignore(element.line, shortened(&element.name).into(), IgnoredKind::Unknown, reason.into());
        } else {
            self.unknown.push(self.unknown(element, section, known));
        }
    }

    pub fn all_known(&self) -> Result<(), XmlError> {
        let Some((first, others)) = self.unknown.split_first() else { return Ok(()) };
        let mut error = first.clone();
        for other in others {
            error.problem += &format!("; line {}: <{}>: {}", other.line, other.tag, other.problem);
        }
        error.problem += " (--ignore-unknown goes on without them, as MQSim does)";
        Err(error)
    }

    /// Reads `section` into `target`. Returns which tags were there and where.
    pub fn section<S>(
        &mut self,
        section: &Element,
        tables: &[&[Tag<S>]],
        target: &mut S,
    ) -> Result<TagLines, XmlError> {
        if section.text_line != 0 {
            let problem = format!("got {}, expected tags", quoted(&section.text));
            return Err(self.error(section.text_line, &section.name, &problem));
        }
        let mut seen = TagLines::default();
        for element in &section.children {
            let Some(tag) = find(tables, &element.name) else {
                self.meets_unknown(element, section, &names(tables));
                continue;
            };
            if let Some(first) = seen.line_of(tag.name) {
                let problem = format!("given twice, first on line {first}, expected it once");
                return Err(self.error(element.line, tag.name, &problem));
            }
            seen.0.push((tag.name, element.line));
            self.read(element, tag, target)?;
        }
        let missing = tables.iter().copied().flatten().find(|tag| tag.required && seen.line_of(tag.name).is_none());
        match missing {
            None => Ok(seen),
            Some(tag) => {
                self.all_known()?;
                Err(self.missing(section, tag.name, "MQSim has no default for it"))
            }
        }
    }

    fn read<S>(&mut self, element: &Element, tag: &Tag<S>, target: &mut S) -> Result<(), XmlError> {
        let Role::Value(set) = tag.role else {
            if let Role::NotRead = tag.role {
                self.ignore(element.line, tag.name.into(), IgnoredKind::NotRead, tag.idle.into());
            }
            return Ok(());
        };
        if let Some(inner) = element.children.first() {
            let problem = format!("got the tag <{}> in it, expected a value", shortened(&inner.name));
            return Err(self.error(inner.line, tag.name, &problem));
        }
        let text = element.text.trim();
        if let Err(expected) = set(target, text) {
            let read = as_mqsim(text, &expected, tag.bits).filter(|read| set(target, read).is_ok());
            let Some(read) = read else {
                let problem = format!("got {}, expected {expected}", quoted(text));
                return Err(self.error(element.line, tag.name, &problem));
            };
            if !is_whole(text, &read) {
                let reason = format!("got {}, of which MQSim reads {read}", quoted(text));
                self.ignore(element.line, tag.name.into(), IgnoredKind::ReadAs, reason.into());
            }
        }
        if element.has_attributes {
            let reason = "its attributes are not read";
            self.ignore(element.line, tag.name.into(), IgnoredKind::NotRead, reason.into());
        }
        if element.slip_line != 0 {
            self.ignore(element.slip_line, tag.name.into(), IgnoredKind::Mended, SLIP.into());
        }
        if !tag.idle.is_empty() {
            self.ignore(element.line, tag.name.into(), IgnoredKind::NoEffect, tag.idle.into());
        }
        Ok(())
    }

    pub fn ignore(&mut self, line: u32, tag: Cow<'static, str>, kind: IgnoredKind, reason: Cow<'static, str>) {
        self.ignored.push(Ignored { line, tag, kind, reason });
    }

    pub fn error(&self, line: u32, tag: &str, problem: &str) -> XmlError {
        XmlError::new(self.label, line, tag, problem)
    }

    pub fn missing(&self, section: &Element, tag: &str, why: &str) -> XmlError {
        self.error(section.line, &section.name, &format!("<{tag}> is missing: {why}"))
    }

    /// A tag that belongs elsewhere or nowhere.
    pub fn unknown(&self, element: &Element, section: &Element, known: &[&str]) -> XmlError {
        let elsewhere = (self.places)().into_iter().find(|(name, _)| *name == element.name);
        let advice = match (elsewhere, closest(&element.name, known.iter().copied())) {
            (Some((_, place)), _) => format!("it belongs in <{place}>"),
            (None, Some((_, name))) => format!("the nearest known one is <{name}>"),
            (None, None) => "no tags are known there".to_string(),
        };
        let problem = format!("unknown tag in <{}>: {advice}", section.name);
        self.error(element.line, &element.name, &problem)
    }
}

fn find<'t, S>(tables: &[&'t [Tag<S>]], name: &str) -> Option<&'t Tag<S>> {
    tables.iter().copied().flatten().find(|tag| tag.name == name)
}

pub(super) fn names<S>(tables: &[&[Tag<S>]]) -> Vec<&'static str> {
    tables.iter().copied().flatten().map(|tag| tag.name).collect()
}
