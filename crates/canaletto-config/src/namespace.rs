//! Namespaces, which divide a drive.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::address::Layout;
use crate::check::{Checked, check_design, refuse_with, require};
use crate::design::{Design, MappingScheme};
use crate::error::Problem;
use crate::units::Size;
use crate::zns::{Zns, ZoneShape};

/// Kind of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NamespaceKind {
    /// Blocks that may be written in any order. All writes take reclaim unit handle 0, if the drive has handles.
    #[default]
    Conventional,
    /// Zones of `zns`. Each namespace has its own limits of open and active zones.
    Zoned,
    /// Conventional, with writes that name a reclaim unit handle of `fdp`.
    Placed,
}

impl NamespaceKind {
    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            NamespaceKind::Conventional => "conventional",
            NamespaceKind::Zoned => "zoned",
            NamespaceKind::Placed => "placed",
        }
    }
}

/// Namespace. Zones take whole blocks of the planes; the other namespaces share the blocks that are left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Namespace {
    /// Name by which flows choose it.
    pub name: String,
    /// Kind of namespace.
    #[serde(default)]
    pub kind: NamespaceKind,
    /// Size. `"0B"` is everything that the other namespaces leave.
    #[serde(default = "rest")]
    pub size: Size,
}

fn rest() -> Size {
    Size(0)
}

/// Part of the drive that a namespace takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Kind.
    pub kind: NamespaceKind,
    /// Among the addresses of all namespaces: zones are first.
    pub first: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Design {
    /// Whether a namespace has zones.
    pub fn has_zones(&self) -> bool {
        self.zns.zone_size.0 > 0
    }

    /// In bytes; 0 is everything that is left. A drive without a table of namespaces has one.
    pub fn zoned_sizes(&self) -> Vec<u64> {
        let zoned = self.namespace.iter().filter(|namespace| namespace.kind == NamespaceKind::Zoned);
        let sizes: Vec<u64> = zoned.map(|namespace| namespace.size.0).collect();
        if self.namespace.is_empty() && self.has_zones() { vec![0] } else { sizes }
    }

    /// Whether other namespaces share the drive with zones.
    pub fn mixes_zones(&self) -> bool {
        self.has_zones() && self.namespace.iter().any(|namespace| namespace.kind != NamespaceKind::Zoned)
    }

    /// The design of the blocks that zones leave.
    pub fn without_zones(&self) -> Cow<'_, Design> {
        let Some(shape) = ZoneShape::of(self, &self.layout()).filter(|_| self.mixes_zones()) else {
            return Cow::Borrowed(self);
        };
        let mut design = self.clone();
        design.geometry.blocks_per_plane = shape.first_block;
        design.zns = Zns::default();
        design.namespace.retain(|namespace| namespace.kind != NamespaceKind::Zoned);
        Cow::Owned(design)
    }

    /// In the order of the table. Namespaces without zones share `visible` bytes.
    ///
    /// # Errors
    /// Sizes that do not fit.
    pub fn extents(&self, layout: &Layout, visible: u64) -> Result<Vec<Extent>, Problem> {
        let shape = ZoneShape::of(self, layout);
        let zoned = shape.as_ref().map_or(0, |shape| u64::from(shape.zones) * shape.size);
        let sum = |zones: bool| -> u64 {
            let those = self.namespace.iter().filter(|namespace| (namespace.kind == NamespaceKind::Zoned) == zones);
            those.map(|namespace| namespace.size.0).sum()
        };
        let others = sum(false);
        // Whole units of data, so that no two namespaces share one.
        let unit = self.mapping_unit().max(layout.flash_page_bytes());
        let (mut at, mut zones_at) = (zoned.next_multiple_of(unit), 0);
        let mut extents = Vec::new();
        for (i, namespace) in self.namespace.iter().enumerate() {
            let is_zoned = namespace.kind == NamespaceKind::Zoned;
            let (next, all, of_kind) =
                if is_zoned { (&mut zones_at, zoned, sum(true)) } else { (&mut at, visible, others) };
            let bytes = match namespace.size.0 {
                0 => all.saturating_sub(of_kind) / unit * unit,
                bytes => bytes,
            };
            if bytes == 0 || of_kind > all {
                let key = format!("namespace.{i}.size");
                let what =
                    format!("got \"{}\", which with the others does not fit the {all} B there are", namespace.size);
                return Err(Problem::new(&key, what));
            }
            extents.push(Extent { kind: namespace.kind, first: *next, bytes });
            *next += bytes;
        }
        Ok(extents)
    }
}

pub(crate) fn check(design: &Design) -> Checked {
    let all = &design.namespace;
    if all.is_empty() {
        return Ok(());
    }
    for (i, namespace) in all.iter().enumerate() {
        let key = |name: &str| format!("namespace.{i}.{name}");
        let (name, kind) = (&namespace.name, namespace.kind);
        require(!name.is_empty() && all[..i].iter().all(|other| other.name != *name), &key("name"), || {
            format!("got {name:?}, expected a name that no other namespace has")
        })?;
        require(name.parse::<u32>().is_err(), &key("name"), || {
            format!("got {name:?}, expected a name that is no number: numbers count namespaces")
        })?;
        require(kind != NamespaceKind::Zoned || design.has_zones(), &key("kind"), || {
            "got \"zoned\", which needs zns.zone_size".to_owned()
        })?;
        require(kind != NamespaceKind::Placed || design.fdp.is_on(), &key("kind"), || {
            "got \"placed\", which needs fdp.handles".to_owned()
        })?;
        let unit = if kind == NamespaceKind::Zoned { design.zns.zone_size.0 } else { design.whole_unit() };
        require(namespace.size.0 % unit.max(1) == 0, &key("size"), || {
            format!("got \"{}\", expected a multiple of {unit} B", namespace.size)
        })?;
        let is_rest = |other: &Namespace| {
            other.size.0 == 0 && (other.kind == NamespaceKind::Zoned) == (kind == NamespaceKind::Zoned)
        };
        require(namespace.size.0 > 0 || !all[..i].iter().any(is_rest), &key("size"), || {
            "got \"0B\", expected a size: another namespace takes what is left".to_owned()
        })?;
        let is_alone = namespace.size.0 > 0 || kind != NamespaceKind::Zoned || !design.mixes_zones();
        require(is_alone, &key("size"), || {
            "got \"0B\", expected a size of zones next to namespaces without zones".to_owned()
        })?;
    }
    let has = |kind| all.iter().any(|namespace| namespace.kind == kind);
    let needs = |key: &str, kind: NamespaceKind, is_set: bool| {
        require(!is_set || has(kind), key, || format!("needs a namespace of kind \"{}\"", kind.name()))
    };
    needs("zns.zone_size", NamespaceKind::Zoned, design.has_zones())?;
    needs("fdp.handles", NamespaceKind::Placed, design.fdp.is_on())?;
    refuse_with("namespace".to_owned())(
        design.ftl.mapping == MappingScheme::Page,
        "ftl.mapping",
        &format!("\"{}\"", design.ftl.mapping.name()),
        "namespaces share the planes; expected \"page\"",
    )?;
    check_rest(design)
}

/// Zones must leave a design that can be simulated.
fn check_rest(design: &Design) -> Checked {
    if let Some(shape) = ZoneShape::of(design, &design.layout()) {
        let (wanted, there) = (design.zoned_sizes().iter().sum::<u64>() / shape.size, u64::from(shape.zones));
        require(wanted <= there, "namespace", || {
            format!("got {wanted} zones of {}, of which the drive has room for {there}", Size(shape.size))
        })?;
    }
    if !design.mixes_zones() {
        return Ok(());
    }
    let rest = design.without_zones();
    let blocks = rest.geometry.blocks_per_plane;
    let refused = |problem: &str| {
        let what = format!("zones leave {blocks} blocks of each plane for the other namespaces: {problem}");
        Problem::new("namespace", what)
    };
    if blocks < 4 {
        return Err(refused("expected at least 4"));
    }
    check_design(&rest).map_err(|problem| refused(&format!("{}: {}", problem.key, problem.what)))
}

impl Design {
    fn whole_unit(&self) -> u64 {
        self.mapping_unit().max(self.geometry.page.0)
    }
}
