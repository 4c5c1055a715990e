//! Rules between in-place writing and other keys.

use crate::check::{Checked, refuse_with, require, spelt};
use crate::design::{Addressing, Design, MapUpdate, MappingScheme, PreconditionKind, Superblock, WritePlacement};
use crate::medium::Suspendable;

pub(super) fn check(design: &Design) -> Checked {
    if design.ftl.mapping == MappingScheme::InPlace {
        return check_rest(design);
    }
    require(design.flash.addressing == Addressing::Page, "flash.addressing", || {
        format!(
            "got \"byte\", expected \"page\" with ftl.mapping = \"{}\": a page that must be erased first is programmed as \
             a whole",
            design.ftl.mapping.name()
        )
    })
}

fn check_rest(design: &Design) -> Checked {
    let (ftl, flash) = (&design.ftl, &design.flash);
    let refuse = refuse_with("ftl.mapping = \"in-place\"".to_owned());
    refuse(
        ftl.write_placement == WritePlacement::Static,
        "ftl.write_placement",
        &spelt(ftl.write_placement),
        "every page has its plane; expected \"static\"",
    )?;
    refuse(
        ftl.map_update == MapUpdate::ProgramEnd,
        "ftl.map_update",
        "\"issue\"",
        "there is no map to update; expected \"program-end\"",
    )?;
    refuse(
        !design.mapping.is_cached(),
        "mapping.cache_capacity",
        &format!("\"{}\"", design.mapping.cache_capacity),
        "there is no table to cache; expected \"0B\"",
    )?;
    refuse(
        design.precondition.kind == PreconditionKind::None,
        "precondition.kind",
        "another value",
        "a used drive is like a fresh one; expected \"none\"",
    )?;
    refuse(
        design.wear.endurance == 0,
        "wear.endurance",
        &design.wear.endurance.to_string(),
        "it counts erases; expected 0",
    )?;
    let failures = &flash.failures;
    refuse(
        failures.program + failures.erase + failures.factory_bad == 0.0,
        "flash.failures",
        "bad blocks",
        "no block is retired; expected none",
    )?;
    refuse(
        !flash.errors.are_possible(),
        "flash.errors",
        "factors",
        "they grow with erases and the age of a block; expected none",
    )?;
    refuse(!design.refresh.is_on(), "refresh", "limits", "they count since the last erase; expected none")?;
    refuse(
        flash.suspend.operations == Suspendable::None,
        "flash.suspend.operations",
        "another value",
        "a read would find its page half programmed; expected \"none\"",
    )?;
    refuse(
        ftl.superblock == Superblock::None,
        "ftl.superblock",
        &format!("\"{}\"", ftl.superblock.name()),
        "no blocks are opened; expected \"none\"",
    )
}
