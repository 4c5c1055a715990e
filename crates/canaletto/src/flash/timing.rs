use crate::config::design::{Cell, Flash, PageOrder, PageTimes};
use crate::engine::time::Time;
use crate::flash::interface::Operation;

#[derive(Debug, Clone)]
pub struct ArrayTiming {
    kinds: Kinds,
    uniform: [Option<Time>; 3],
    read: Vec<Time>,
    program: Vec<Time>,
    erase: Time,
    has_pseudo_slc: bool,
    pseudo_slc: [Time; 3],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    One,
    Repeating(u32),
    MqsimTlc,
}

impl ArrayTiming {
    pub fn new(flash: &Flash) -> ArrayTiming {
        let bits = flash.cell.bits();
        let times = |times: &PageTimes, extra: Time| -> Vec<Time> {
            match times {
                PageTimes::Same(one) => vec![one.time() + extra; bits as usize],
                PageTimes::PerKind(each) => each.iter().map(|t| t.time() + extra).collect(),
            }
        };
        let read = times(&flash.read, flash.ready_delay.time());
        let program = times(&flash.program, Time::ZERO);
        let same = |times: &[Time]| Some(times[0]).filter(|first| times.iter().all(|time| time == first));
        let (uniform, erase) = ([same(&read), same(&program)], flash.erase.time());
        let kinds = if uniform.contains(&None) { Kinds::new(flash.cell, flash.page_order) } else { Kinds::One };
        let one_bit = &flash.pslc;
        let erase_of_cache = if one_bit.erase.0 > 0 { one_bit.erase.time() } else { erase };
        let pseudo_slc = [one_bit.read.time() + flash.ready_delay.time(), one_bit.program.time(), erase_of_cache];
        ArrayTiming {
            kinds,
            uniform: [uniform[0], uniform[1], Some(erase)],
            read,
            program,
            erase,
            has_pseudo_slc: one_bit.is_on(),
            pseudo_slc,
        }
    }

    #[inline]
    pub fn uniform(&self, operation: Operation) -> Option<Time> {
        self.uniform[operation as usize]
    }

    #[inline]
    pub fn has_pseudo_slc(&self) -> bool {
        self.has_pseudo_slc
    }

    pub fn pseudo_slc(&self, operation: Operation) -> Time {
        self.pseudo_slc[operation as usize]
    }

    pub fn get(&self, operation: Operation, page: u32) -> Time {
        match operation {
            Operation::Read => self.read[self.kinds.of(page)],
            Operation::Program => self.program[self.kinds.of(page)],
            Operation::Erase => self.erase,
        }
    }

    pub fn shortest(&self, operation: Operation) -> Time {
        let shortest = |times: &[Time]| times.iter().copied().min().expect("a cell has pages");
        match operation {
            Operation::Read => shortest(&self.read),
            Operation::Program => shortest(&self.program),
            Operation::Erase => self.erase,
        }
    }

    pub fn mean(&self, operation: Operation) -> Time {
        let mean = |times: &[Time]| Time(times.iter().map(|time| time.0).sum::<u64>() / times.len() as u64);
        match operation {
            Operation::Read => mean(&self.read),
            Operation::Program => mean(&self.program),
            Operation::Erase => self.erase,
        }
    }
}

impl Kinds {
    pub fn new(cell: Cell, order: PageOrder) -> Kinds {
        match (order, cell) {
            (PageOrder::Mqsim, Cell::Tlc) => Kinds::MqsimTlc,
            _ => Kinds::Repeating(cell.bits()),
        }
    }

    /// The lower page is 0.
    pub fn of(self, page: u32) -> usize {
        match self {
            Kinds::One => 0,
            Kinds::Repeating(period) => (page % period) as usize,
            Kinds::MqsimTlc => match page {
                0..=5 => 0,
                6..=7 => 1,
                // Pairs of pages go round the kinds: 8-9 lower, 10-11 middle, 12-13 upper, …
                _ => ((page - 8) >> 1) as usize % 3,
            },
        }
    }
}
