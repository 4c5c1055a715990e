//! Which switch and inner bus a chip is on, and which trunks a switch hangs on.
//!
//! ```text
//! 8 controllers, 8 switches, 3 trunks each       a switch's own trunk, then one to the right, then one two further:
//! switch 0: 0 1 3    switch 4: 4 5 7             any two switches share one trunk at the most
//! switch 1: 1 2 4    switch 5: 5 6 0
//! ```

use crate::config::design::{Clusters as Keys, Fabric as FabricConfig};
use crate::fabric::failing::{Failed, Parts, without};
use crate::fabric::wires::Place;
use crate::flash::address::{ChipId, Layout};
use crate::typed_id;

typed_id!(SwitchId);
typed_id!(TrunkId);
typed_id!(BusId);

#[derive(Clone, Copy)]
pub struct Ways {
    pub switch: SwitchId,
    pub bus: BusId,
}

pub struct Tree {
    columns: u32,
    chips_per_bus: u32,
    places: Vec<Ways>,
    first_chips: Vec<u32>,
    first_of_switches: Vec<u32>,
    trunks: Vec<Vec<TrunkId>>,
    switches: Vec<Vec<SwitchId>>,
}

/// Short, and any two switches share few trunks.
pub fn offsets(trunks: u32, controllers: u32) -> Vec<u32> {
    let shared = |offsets: &[u32]| {
        let mut counts = vec![0u32; controllers as usize];
        for a in offsets {
            for b in offsets {
                counts[((a + controllers - b) % controllers) as usize] += 1;
            }
        }
        counts.iter().skip(1).copied().max().unwrap_or(0)
    };
    let mut offsets = vec![0];
    while (offsets.len() as u32) < trunks {
        let next = (1..controllers).filter(|next| !offsets.contains(next)).min_by_key(|&next| {
            let more = [offsets.as_slice(), &[next]].concat();
            (shared(&more), next)
        });
        offsets.extend(next);
    }
    offsets
}

pub fn parts(config: &FabricConfig, rows: u32, columns: u32) -> Parts {
    let tree = Tree::of_array(&config.clusters, rows, columns);
    Parts { controllers: rows, buses: tree.buses(), switches: tree.switches(), ..Parts::default() }
}

pub fn cut_off(config: &FabricConfig, rows: u32, columns: u32, failed: &Failed) -> Vec<ChipId> {
    let tree = Tree::of_array(&config.clusters, rows, columns);
    without(rows * columns, |chip| {
        let Ways { switch, bus } = tree.of(ChipId(chip));
        let has_trunk = tree.trunks(switch).iter().any(|trunk| !failed.controllers.contains(&trunk.0));
        has_trunk && !failed.switches.contains(&switch.0) && !failed.buses.contains(&bus.0)
    })
}

impl Tree {
    pub fn new(keys: &Keys, layout: &Layout) -> Tree {
        Tree::of_array(keys, layout.channels, layout.chips_per_channel)
    }

    fn of_array(keys: &Keys, controllers: u32, columns: u32) -> Tree {
        let chips = controllers * columns;
        let (per_switch, per_bus) = (keys.chips_per_switch, keys.chips_per_bus());
        let count = chips.div_ceil(per_switch);
        let offsets = offsets(keys.trunks(controllers), controllers);
        let mut tree = Tree {
            columns,
            chips_per_bus: per_bus,
            places: Vec::new(),
            first_chips: Vec::new(),
            first_of_switches: (0..count).map(|switch| switch * per_switch).collect(),
            trunks: Vec::new(),
            switches: vec![Vec::new(); controllers as usize],
        };
        for chip in 0..chips {
            if chip % per_switch % per_bus == 0 {
                tree.first_chips.push(chip);
            }
            let bus = BusId(tree.first_chips.len() as u32 - 1);
            tree.places.push(Ways { switch: SwitchId(chip / per_switch), bus });
        }
        for switch in 0..count {
            let own = (u64::from(switch) * u64::from(controllers) / u64::from(count)) as u32;
            let trunks: Vec<_> = offsets.iter().map(|offset| TrunkId((own + offset) % controllers)).collect();
            trunks.iter().for_each(|trunk| tree.switches[trunk.index()].push(SwitchId(switch)));
            tree.trunks.push(trunks);
        }
        tree
    }

    pub fn chips(&self) -> u32 {
        self.places.len() as u32
    }

    pub fn switches(&self) -> u32 {
        self.trunks.len() as u32
    }

    pub fn controllers(&self) -> u32 {
        self.switches.len() as u32
    }

    pub fn buses(&self) -> u32 {
        self.first_chips.len() as u32
    }

    pub fn of(&self, chip: ChipId) -> Ways {
        self.places[chip.index()]
    }

    pub fn trunks(&self, switch: SwitchId) -> &[TrunkId] {
        &self.trunks[switch.index()]
    }

    pub fn on_trunk(&self, trunk: TrunkId) -> &[SwitchId] {
        &self.switches[trunk.index()]
    }

    fn place(&self, chip: u32) -> Place {
        ((chip / self.columns) as i32, (chip % self.columns) as i32)
    }

    pub fn ends_of_bus(&self, bus: BusId) -> (Place, Place) {
        let first = self.first_chips[bus.index()];
        let switch = self.places[first as usize].switch;
        let next = self.first_of_switches.get(switch.index() + 1).copied().unwrap_or(self.chips());
        (self.place(first), self.place((first + self.chips_per_bus).min(next) - 1))
    }

    pub fn place_of_switch(&self, switch: SwitchId) -> Place {
        self.place(self.first_of_switches[switch.index()])
    }

    pub fn within(&self, bus: BusId) -> (SwitchId, u32) {
        let first = self.first_chips[bus.index()];
        let switch = self.places[first as usize].switch;
        (switch, (first - self.first_of_switches[switch.index()]) / self.chips_per_bus)
    }
}
