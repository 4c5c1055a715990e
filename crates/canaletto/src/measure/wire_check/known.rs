use crate::config::design::{Design, FabricKind, HoldPath, PageTimes};
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::flash::address::ChipId;
use crate::flash::interface::Operation;
use crate::measure::probe::{Carries, Load};
use crate::measure::wire_check::lengths::Lengths;
use crate::measure::wire_check::recording::Cycles;
use crate::measure::wire_check::shape::Shape;

pub struct Known {
    pub kind: FabricKind,
    pub shape: Shape,
    pub lengths: Lengths,
    pub design: Design,
    pub luns_per_chip: u32,
    pub planes_per_lun: u32,
}

impl Known {
    pub fn new(design: &Design) -> Known {
        let geometry = &design.geometry;
        let luns_per_chip = if design.flash.die_interleaving { geometry.dies_per_chip } else { 1 };
        Known {
            kind: design.fabric.kind,
            shape: Shape::new(design),
            lengths: Lengths::new(design),
            luns_per_chip,
            planes_per_lun: geometry.planes_per_die * geometry.dies_per_chip / luns_per_chip,
            design: design.clone(),
        }
    }

    pub fn splits_late(&self) -> bool {
        self.kind == FabricKind::Omnibus && self.design.fabric.omnibus.late_split.0 > 0
    }

    /// Commands and data of a transfer may take several wires.
    pub fn takes_several_wires(&self) -> bool {
        let in_parts = self.kind == FabricKind::Clusters && self.design.fabric.clusters.chunk.0 > 0;
        in_parts || self.splits_late() || matches!(self.kind, FabricKind::OmnibusSplit | FabricKind::Sca)
    }

    /// Its path is one that an earlier transfer has taken.
    pub fn is_on_held_path(&self, load: &Load) -> bool {
        self.design.fabric.holds() != HoldPath::Never && matches!(load.carries, Carries::Data | Carries::Control)
    }

    pub fn chip_name(&self, chip: ChipId) -> String {
        let (row, column) = self.shape.place(chip.0);
        format!("chip {row},{column}")
    }

    pub fn luns(&self) -> usize {
        (self.shape.rows * self.shape.columns * self.luns_per_chip) as usize
    }

    pub fn will_be_cut_off(&self, lun: u32) -> bool {
        self.shape.cut_off.contains(&ChipId(lun / self.luns_per_chip))
    }

    pub fn lun_name(&self, lun: u32) -> String {
        let (row, column) = self.shape.place(lun / self.luns_per_chip);
        format!("chip {row},{column} LUN {}", lun % self.luns_per_chip)
    }

    pub fn planes(&self, lun: u32, mask: u64) -> impl Iterator<Item = usize> + use<> {
        let first = (lun * self.planes_per_lun) as usize;
        (0..self.planes_per_lun as usize).filter(move |plane| mask >> plane & 1 == 1).map(move |plane| first + plane)
    }

    pub fn plane_name(&self, plane: usize) -> String {
        let (lun, plane) = (plane as u32 / self.planes_per_lun, plane as u32 % self.planes_per_lun);
        format!("{} plane {plane}", self.lun_name(lun))
    }

    /// Shortest and longest: pages of several kinds may differ.
    pub fn array_times(&self, operation: Operation) -> (Time, Time) {
        let (flash, pslc) = (&self.design.flash, &self.design.flash.pslc);
        let listed = |times: &PageTimes| match times {
            PageTimes::Same(one) => vec![one.time()],
            PageTimes::PerKind(each) => each.iter().map(|time| time.time()).collect(),
        };
        let (mut each, with_one_bit, more) = match operation {
            Operation::Read => (listed(&flash.read), pslc.read, flash.ready_delay.time()),
            Operation::Program => (listed(&flash.program), pslc.program, Time::ZERO),
            Operation::Erase => (vec![flash.erase.time()], pslc.erase, Time::ZERO),
        };
        if operation == Operation::Read && self.design.compute.array.longer.0 > 0 {
            let longer: Vec<_> = each.iter().map(|&time| time + self.design.compute.array.longer.time()).collect();
            each.extend(longer);
        }
        if operation == Operation::Program && self.design.has_zones() {
            let together: Vec<_> =
                each.iter().map(|&time| time * u64::from(self.design.zns.pages_per_program)).collect();
            each.extend(together);
        }
        // An erase time of 0 stands for the native cell's.
        if pslc.is_on() && with_one_bit.0 > 0 {
            each.push(with_one_bit.time());
        }
        (each.iter().copied().min().unwrap_or_default() + more, each.iter().copied().max().unwrap_or_default() + more)
    }
}

#[derive(Debug, Clone)]
pub struct Open {
    pub transfer: u32,
    pub load: Load,
    pub began: Time,
    /// All of its wires, in order of time.
    pub cycles: Vec<Cycles>,
}

impl Open {
    pub fn crossed(&self) -> impl Iterator<Item = &Cycles> {
        self.cycles.iter().filter(|cycles| matches!(cycles.what, WireUse::Command | WireUse::Data))
    }
}

#[derive(Default)]
pub struct Transfers(Vec<Option<Open>>);

impl Transfers {
    pub fn on(&self, path: PathId) -> Option<&Open> {
        self.0.get(path.index())?.as_ref()
    }

    pub fn get(&self, path: PathId, transfer: u32) -> Option<&Open> {
        self.on(path).filter(|open| open.transfer == transfer)
    }

    pub fn of(&self, cycles: &Cycles) -> Option<&Open> {
        self.get(cycles.path, cycles.transfer)
    }

    pub fn cross(&mut self, cycles: Cycles) {
        let open = self.0.get_mut(cycles.path.index()).and_then(Option::as_mut);
        if let Some(open) = open.filter(|open| open.transfer == cycles.transfer) {
            open.cycles.push(cycles);
        }
    }

    pub fn take(&mut self, path: PathId, transfer: u32) -> Option<Open> {
        self.0.get_mut(path.index())?.take_if(|open| open.transfer == transfer)
    }

    pub fn all(&self) -> impl Iterator<Item = (PathId, &Open)> {
        (0..).map(PathId).zip(&self.0).filter_map(|(path, open)| Some((path, open.as_ref()?)))
    }

    pub fn place(&mut self, path: PathId) -> &mut Option<Open> {
        if self.0.len() <= path.index() {
            self.0.resize(path.index() + 1, None);
        }
        &mut self.0[path.index()]
    }
}
