use crate::config::design::{Design, Superblock};
use crate::config::workload::{Flow, HotPlace};
use crate::fabric::lines::worst_line;
use crate::flash::address::{ChipId, Layout, SECTOR};
use crate::ftl::placement::{Placement, Positions};
use crate::limits::FlowRange;

/// By places in a round of pages over all planes of a flow.
#[derive(Debug, Clone)]
pub struct HotPages {
    pub turns: Vec<u32>,
    pub round: u32,
    pub page_sectors: u64,
    pub first_sector: u64,
}

impl HotPages {
    pub fn of(design: &Design, layout: &Layout, flow: &Flow, range: &FlowRange) -> Result<Option<HotPages>, String> {
        let Some(synthetic) = &flow.synthetic else { return Ok(None) };
        let Some(spot) = &synthetic.hot_spot else { return Ok(None) };
        let refuse = |what: String| Err(format!("flow {:?}: hot_spot{what}", flow.name));
        if !matches!(design.ftl.superblock, Superblock::None | Superblock::Die | Superblock::Chip) {
            let name = design.ftl.superblock.name();
            return refuse(format!(
                ": got ftl.superblock = \"{name}\", whose stripes decide the chip of a page; expected \"chip\" at most"
            ));
        }
        let placement = Placement::new(layout, design.ftl.allocation, &range.positions);
        let (name, chips) = chips(design, layout, &range.positions, spot.at);
        let is_hot = |plane| chips.contains(&layout.chip_of_plane(plane));
        let turns: Vec<u32> =
            (0..).zip(placement.planes()).filter(|(_, plane)| is_hot(**plane)).map(|(n, _)| n).collect();
        let pages = HotPages {
            turns,
            round: placement.planes().len() as u32,
            page_sectors: u64::from(layout.sectors_per_page) << layout.flash_shift,
            first_sector: range.first_sector,
        };
        if pages.turns.is_empty() {
            return refuse(format!(
                ".at: got {name}, expected a place where the flow has pages: see its channels and chips"
            ));
        }
        if spot.share < pages.even_share() {
            return refuse(format!(
                ".share: got {}, expected at least {}, the share of {name} in the flow's planes",
                spot.share,
                pages.even_share()
            ));
        }
        let page = pages.page_sectors * SECTOR;
        if page % synthetic.alignment().0 != 0 {
            return refuse(format!(
                ": got alignment = \"{}\", expected a part of a page ({page} B), one of which is in the hot spot and the next \
                 elsewhere",
                synthetic.alignment()
            ));
        }
        let (set, least) = (synthetic.used_sectors(range.sectors), pages.round_sectors());
        if set * SECTOR < least * SECTOR + synthetic.largest_bytes() {
            return refuse(format!(
                ": got a working set of {} B, expected a page of each of the flow's {} planes and a request: {} B at least",
                set * SECTOR,
                pages.round,
                least * SECTOR + synthetic.largest_bytes()
            ));
        }
        Ok(Some(pages))
    }

    pub fn even_share(&self) -> f64 {
        self.turns.len() as f64 / f64::from(self.round)
    }

    pub fn round_sectors(&self) -> u64 {
        u64::from(self.round) * self.page_sectors
    }
}

fn chips(design: &Design, layout: &Layout, positions: &Positions, at: HotPlace) -> (String, Vec<ChipId>) {
    let channel = positions.channels[0];
    let chip = |chip: &u32| layout.chip_of_plane(layout.plane(channel, *chip, 0, 0));
    match at {
        HotPlace::Channel => (format!("channel {channel}"), positions.chips.iter().map(chip).collect()),
        HotPlace::Chip => (format!("chip {}", positions.chips[0]), vec![chip(&positions.chips[0])]),
        HotPlace::WorstLine => {
            let line = worst_line(&design.fabric, layout);
            (line.name, line.chips)
        }
    }
}
