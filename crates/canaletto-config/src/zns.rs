//! Keys of a zoned namespace.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::address::Layout;
use crate::cache::{Destage, Sharing};
use crate::check::{Checked, refuse_with, require};
use crate::design::{Design, MapUpdate, MappingScheme, Parity, PreconditionKind, Protocol, Superblock};
use crate::units::Size;

/// Largest distance from the first zone's beginning to the last one's end.
const MOST_BYTES: u64 = 1 << 48;

/// Part of the array over which a zone is striped. Consecutive zones take different parts, other channels first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Stripe {
    /// Number of dies; 0 is all dies of the drive. A multiple of `channels`.
    #[schemars(range(min = 0, max = 4_194_304))]
    pub dies: u32,
    /// Number of channels on which these dies are; 0 is as many as possible.
    #[schemars(range(min = 0, max = 256))]
    pub channels: u32,
    /// Number of planes of each die; 0 is all planes, which are then programmed together.
    #[schemars(range(min = 0, max = 16))]
    pub planes: u32,
}

/// Zoned namespace (NVM Express Zoned Namespace Command Set 1.1). The host writes each zone in order and resets it as a
/// whole; the drive neither maps pages nor collects garbage. The zone's blocks are a superblock with its own frontier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Zns {
    /// Distance between the first addresses of two zones. `"0B"` is a conventional namespace.
    pub zone_size: Size,
    /// Writable part of a zone (zone capacity). `"0B"` is what one block of each plane of the stripe holds, at most
    /// `zone_size`.
    pub zone_capacity: Size,
    /// Largest number of open zones; 0 is no limit.
    pub max_open: u32,
    /// Largest number of active zones, which are open or closed; 0 is no limit.
    pub max_active: u32,
    /// Largest append (ZASL). `"0B"` is no limit.
    pub append_limit: Size,
    /// Size of the zone random write area (ZRWA): distance from the write pointer within which the host may write in any
    /// order and again. `"0B"` is none.
    pub random_write_area: Size,
    /// Flash pages of each plane that one program command writes: 3 for one-shot programming of TLC. The program takes
    /// `flash.program` for each of them.
    #[schemars(range(min = 1, max = 16))]
    pub pages_per_program: u32,
    /// Part of the array over which a zone is striped.
    pub stripe: Stripe,
}

impl Default for Zns {
    fn default() -> Self {
        Zns {
            zone_size: Size(0),
            zone_capacity: Size(0),
            max_open: 14,
            max_active: 14,
            append_limit: Size(0),
            random_write_area: Size(0),
            pages_per_program: 1,
            stripe: Stripe::default(),
        }
    }
}

/// Zones of a drive, and their blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoneShape {
    /// Number of zones.
    pub zones: u32,
    /// First block of each plane that is theirs. Blocks before hold the data of other namespaces.
    pub first_block: u32,
    /// Bytes between the first addresses of two zones.
    pub size: u64,
    /// Writable bytes of a zone.
    pub capacity: u64,
    /// Channels of a zone.
    pub channels: u32,
    /// Dies of a zone.
    pub dies: u32,
    /// Planes of each of these dies.
    pub planes: u32,
    /// Blocks of each of these planes.
    pub blocks: u32,
    /// Zones that have separate planes.
    pub groups: u32,
    /// Flash pages of each plane that are programmed together.
    pub pages_per_program: u32,
}

impl ZoneShape {
    /// Returns the shape of a design's zones, with the layout of its array; none for a conventional drive.
    pub fn of(design: &Design, layout: &Layout) -> Option<ZoneShape> {
        let zns = &design.zns;
        let size = zns.zone_size.0;
        if size == 0 {
            return None;
        }
        let all_dies = layout.channels * layout.chips_per_channel * layout.dies_per_chip;
        let or = |value: u32, all: u32| if value == 0 { all } else { value };
        let (dies, planes) = (or(zns.stripe.dies, all_dies), or(zns.stripe.planes, layout.planes_per_die));
        let channels = or(zns.stripe.channels, layout.channels.min(dies));
        let superblock = u64::from(dies) * u64::from(planes) * u64::from(layout.pages_per_block) * layout.page_bytes();
        let capacity = match zns.zone_capacity.0 {
            0 => size.min(superblock),
            capacity => capacity,
        };
        let blocks = capacity.div_ceil(superblock).min(u64::from(u32::MAX)) as u32;
        let groups = (layout.planes() / (dies * planes).max(1)).max(1);
        let usable = (f64::from(layout.blocks_per_plane) * (1.0 - design.ftl.overprovisioning)) as u32;
        let all = usable.checked_div(blocks).unwrap_or(0).saturating_mul(groups);
        let sizes = design.zoned_sizes();
        let wanted = sizes.iter().sum::<u64>() / size;
        let zones = if sizes.contains(&0) { all } else { wanted.min(u64::from(all)) as u32 };
        let taken = zones.div_ceil(groups).saturating_mul(blocks);
        let first_block = if design.mixes_zones() { layout.blocks_per_plane.saturating_sub(taken) } else { 0 };
        let pages_per_program = zns.pages_per_program;
        Some(ZoneShape {
            zones,
            first_block,
            size,
            capacity,
            channels,
            dies,
            planes,
            blocks,
            groups,
            pages_per_program,
        })
    }

    /// Returns the bytes that a zone's dies program at a time, one die after the other.
    pub fn row_bytes(&self, layout: &Layout) -> u64 {
        u64::from(self.planes * self.pages_per_program) * layout.flash_page_bytes()
    }
}

/// Checks that zones fit the array, and the keys that they exclude.
pub fn check(design: &Design) -> Checked {
    let layout = design.layout();
    let Some(shape) = ZoneShape::of(design, &layout) else { return Ok(()) };
    check_stripe(&shape, &layout)?;
    check_sizes(design, &shape, &layout)?;
    check_others(design)?;
    check_buffer(design, &shape, &layout)
}

fn check_stripe(shape: &ZoneShape, layout: &Layout) -> Checked {
    let per_channel = layout.chips_per_channel * layout.dies_per_chip;
    let all = per_channel * layout.channels;
    let ZoneShape { channels, dies, planes, .. } = *shape;
    let divides = |part: u32, whole: u32| part <= whole && whole % part == 0;
    require(divides(channels, layout.channels), "zns.stripe.channels", || {
        format!("got {channels}, expected a divisor of the drive's {} channels", layout.channels)
    })?;
    require(dies % channels == 0 && divides(dies / channels, per_channel), "zns.stripe.dies", || {
        format!(
            "got {dies}, expected {channels} (zns.stripe.channels) times a divisor of the {per_channel} dies of a channel, at \
             most {all}"
        )
    })?;
    require(divides(planes, layout.planes_per_die), "zns.stripe.planes", || {
        format!("got {planes}, expected a divisor of the {} planes of a die", layout.planes_per_die)
    })
}

fn check_sizes(design: &Design, shape: &ZoneShape, layout: &Layout) -> Checked {
    let (zns, pages) = (&design.zns, design.geometry.pages_per_block);
    let together = zns.pages_per_program;
    require((1..=16).contains(&together) && pages % together == 0, "zns.pages_per_program", || {
        format!("got {together}, expected a divisor of the {pages} pages of a block, 1 to 16")
    })?;
    let (unit, row) = (layout.page_bytes(), shape.row_bytes(layout));
    require(shape.size % unit == 0, "zns.zone_size", || {
        format!("got \"{}\", expected a multiple of a page or mapping unit ({unit} B)", zns.zone_size)
    })?;
    require(shape.capacity % row == 0 && shape.capacity <= shape.size, "zns.zone_capacity", || {
        format!(
            "got {} B, expected at most zns.zone_size and a multiple of {row} B, which {} planes of a die program together",
            shape.capacity, shape.planes
        )
    })?;
    require(shape.zones > 0, "zns.zone_size", || {
        format!(
            "got zones of {} blocks in each plane, expected at most the {} of the geometry less ftl.overprovisioning",
            shape.blocks, layout.blocks_per_plane
        )
    })?;
    require(u64::from(shape.zones).saturating_mul(shape.size) <= MOST_BYTES, "zns.zone_size", || {
        format!(
            "got \"{}\" for each of {} zones, expected at most {} in all",
            zns.zone_size,
            shape.zones,
            Size(MOST_BYTES)
        )
    })?;
    require(zns.append_limit.0 % 512 == 0, "zns.append_limit", || {
        format!("got \"{}\", expected a multiple of 512 B", zns.append_limit)
    })?;
    let area = zns.random_write_area.0;
    require(area % unit == 0 && area < shape.capacity, "zns.random_write_area", || {
        format!("got \"{}\", expected a multiple of {unit} B below the capacity of a zone", zns.random_write_area)
    })?;
    require(zns.max_active == 0 || zns.max_open != 0 && zns.max_open <= zns.max_active, "zns.max_open", || {
        format!("got {}, expected 1 to zns.max_active ({}), as open zones are active", zns.max_open, zns.max_active)
    })
}

fn check_others(design: &Design) -> Checked {
    let refuse = refuse_with("zns.zone_size".to_owned());
    let (ftl, failures) = (&design.ftl, &design.flash.failures);
    refuse(
        ftl.mapping == MappingScheme::Page && design.pages_per_unit() == 1,
        "ftl.mapping",
        &format!("\"{}\"", ftl.mapping.name()),
        "zones have fixed places; expected \"page\", with ftl.mapping_unit of at most a page",
    )?;
    let is_alone = !design.mixes_zones();
    let is_plain = !is_alone || ftl.superblock == Superblock::None && ftl.parity == Parity::None;
    refuse(
        is_plain,
        "ftl.superblock",
        &format!("\"{}\"", ftl.superblock.name()),
        "zones have their own superblocks; expected \"none\" without parity",
    )?;
    refuse(!design.flash.pslc.is_on(), "flash.pslc", "a cache", "zones are programmed in native mode; expected none")?;
    refuse(
        !design.mapping.is_cached(),
        "mapping.cache_capacity",
        "a cached table",
        "a zone needs one entry; expected \"0B\"",
    )?;
    refuse(!design.refresh.is_on(), "refresh", "limits", "nothing moves data of zones; expected none")?;
    refuse(
        failures.factory_bad == 0.0 && failures.lost_die.is_none() && failures.lost_channel.is_none(),
        "flash.failures",
        "lost or bad parts",
        "zones have fixed blocks; expected failing programs and erases at most",
    )?;
    refuse(
        ftl.map_update == MapUpdate::ProgramEnd,
        "ftl.map_update",
        "\"issue\"",
        "a zone's pages have their places beforehand; expected \"program-end\"",
    )?;
    refuse(
        !is_alone || design.precondition.kind != PreconditionKind::Replay,
        "precondition.kind",
        "\"replay\"",
        "full zones are known without writing them; expected \"steady\" or \"none\"",
    )?;
    refuse(
        design.host.protocol == Protocol::Nvme,
        "host.protocol",
        "\"sata\"",
        "zones are NVM Express's; expected \"nvme\"",
    )
}

/// Checks the write buffer: a zone's row is programmed once it is complete, and is acknowledged before.
fn check_buffer(design: &Design, shape: &ZoneShape, layout: &Layout) -> Checked {
    let cache = &design.cache;
    require(cache.power_loss_protection, "cache.power_loss_protection", || {
        "got false, expected true with zns.zone_size: what a zone's incomplete row holds cannot be flushed".to_owned()
    })?;
    let is_buffer = !cache.mode.reads()
        && cache.mode.writes()
        && cache.destage == Destage::Watermarks
        && cache.sharing == Sharing::Shared;
    require(is_buffer, "cache.mode", || {
        "expected a write buffer with zns.zone_size: cache.mode = \"write\", cache.destage = \"watermarks\", cache.sharing = \
         \"shared\""
            .to_owned()
    })?;
    let active = match design.zns.max_active {
        0 => shape.zones,
        active => active.saturating_mul(design.zoned_sizes().len() as u32).min(shape.zones),
    };
    let each = shape.row_bytes(layout) + design.zns.random_write_area.0;
    let least = (u64::from(active) + 1) * each;
    require(cache.capacity.0 >= least, "cache.capacity", || {
        format!(
            "got \"{}\", expected at least {least} B: {each} B for each active zone, and as much in flight",
            cache.capacity
        )
    })
}
