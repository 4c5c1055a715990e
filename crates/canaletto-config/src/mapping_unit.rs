//! Sizes that follow from `ftl.mapping_unit`, and rules between it and other keys.

use crate::address::{Layout, SECTOR};
use crate::check::{Checked, require};
use crate::design::{Design, MapUpdate, MappingScheme, Scope, WritePlacement};

/// In bytes: about an erase block. Beyond it, block mapping is the better model.
const LARGEST: u64 = 1 << 20;

impl Design {
    /// Data per mapping entry, in bytes.
    pub fn mapping_unit(&self) -> u64 {
        if self.ftl.mapping_unit.0 == 0 { self.geometry.page.0 } else { self.ftl.mapping_unit.0 }
    }

    /// Mapping units per page of flash; at least 1.
    pub fn units_per_page(&self) -> u32 {
        (self.geometry.page.0 / self.mapping_unit()).max(1) as u32
    }

    /// Flash pages per mapping unit; at least 1.
    pub fn pages_per_unit(&self) -> u32 {
        (self.mapping_unit() / self.geometry.page.0).max(1) as u32
    }

    /// Size of a page of the data cache, in bytes: a mapping unit, at most a page of flash.
    pub fn cached_page(&self) -> u64 {
        self.mapping_unit().min(self.geometry.page.0)
    }

    /// The array as the FTL addresses it.
    pub fn layout(&self) -> Layout {
        let layout = Layout::new(&self.geometry, self.flash.die_interleaving).divided(self.units_per_page());
        layout.numbered(self.ftl.numbering)
    }
}

pub(super) fn check(design: &Design) -> Checked {
    let (key, unit) = ("ftl.mapping_unit", design.ftl.mapping_unit);
    require(unit.0 == 0 || unit.0.is_power_of_two() && (SECTOR..=LARGEST).contains(&unit.0), key, || {
        format!("got \"{unit}\", expected \"0B\" (a page of flash) or a power of two from \"512B\" to \"1MiB\"")
    })?;
    if design.mapping_unit() == design.geometry.page.0 {
        return Ok(());
    }
    require(design.ftl.write_placement != WritePlacement::Operands, key, || {
        format!("got \"{unit}\", expected \"0B\" with ftl.write_placement = \"operands\": an operand is a page")
    })?;
    require(design.ftl.mapping == MappingScheme::Page, key, || {
        let name = design.ftl.mapping.name();
        format!("got \"{unit}\", expected \"0B\" with ftl.mapping = \"{name}\", which knows whole pages only")
    })?;
    if design.units_per_page() > 1 { check_finer(design) } else { Ok(()) }
}

fn check_finer(design: &Design) -> Checked {
    let (key, unit) = ("ftl.mapping_unit", design.ftl.mapping_unit);
    let units = u64::from(design.geometry.pages_per_block) * u64::from(design.units_per_page());
    require(units <= 65_536, key, || {
        format!("got \"{unit}\" ({units} units a block), expected at most 65536 units a block")
    })?;
    require(design.ftl.map_update == MapUpdate::ProgramEnd, key, || {
        format!(
            "got \"{unit}\", less than a page, expected \"0B\" with ftl.map_update = \"issue\": units would get their places \
             in a page before it is known which are programmed together"
        )
    })?;
    require(design.gc.scope == Scope::Plane, key, || {
        format!(
            "got \"{unit}\", less than a page, expected \"0B\" with gc.scope = \"{}\": copies that come to a plane one by one \
             would each fill a page of flash",
            design.gc.scope.name()
        )
    })
}
