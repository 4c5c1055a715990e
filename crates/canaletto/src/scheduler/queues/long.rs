//! Long queues of reads, indexed.
//!
//! Planes of a die are read together if they use pages of one number, and reads of one flash page are one read. Among
//! thousands of waiting reads the next that fits stands far back. So a queue in which many were looked at in vain is
//! indexed until it is empty.

use super::rings::Rings;
use super::{Queues, Readiness, Transactions, USER_READ};
use crate::config::design::MultiPlane;
use crate::flash::address::{Layout, LunId, PlaneId, Ppa};
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::scheduler::classes::CLASSES;
use crate::scheduler::transaction::{Flag, TransactionId};

pub(super) const LONG: u32 = 256;

#[derive(Clone, Copy)]
struct Place {
    previous: TransactionId,
    number: i64,
}

pub(super) struct LongQueues {
    layout: Layout,
    /// By transaction; others are stale.
    places: Vec<Place>,
    /// In one plane, where planes go together by page number.
    of_number: Option<Rings>,
    /// If it holds several pages.
    of_flash_page: Option<Rings>,
}

impl LongQueues {
    /// None if no read can go with another.
    pub fn new(layout: &Layout, planes_go_by_number: bool) -> Option<LongQueues> {
        let of_number = planes_go_by_number.then(Rings::new);
        let of_flash_page = (layout.pages_per_flash_page() > 1).then(Rings::new);
        let is_needed = of_number.is_some() || of_flash_page.is_some();
        is_needed.then(|| LongQueues { layout: layout.clone(), places: Vec::new(), of_number, of_flash_page })
    }

    /// Out of the way of short queues.
    #[cold]
    #[inline(never)]
    pub fn note(
        long: &mut Option<LongQueues>,
        list: usize,
        tail: TransactionId,
        id: TransactionId,
        transactions: &Transactions,
    ) {
        if let Some(long) = long {
            long.push(list - USER_READ, tail, id, transactions);
        }
    }

    /// Behind `tail`.
    pub fn push(&mut self, class: usize, tail: TransactionId, id: TransactionId, transactions: &Transactions) {
        let number = if tail.is_some() { self.places[tail.index()].number + 1 } else { 0 };
        let place = Place { previous: tail, number };
        if self.places.len() <= id.index() {
            self.places.resize(id.index() + 1, place);
        }
        self.places[id.index()] = place;
        self.each_ring(class, transactions[id].ppa, |rings, key| rings.push(key, id));
    }

    /// Before `head`.
    pub fn push_first(&mut self, class: usize, head: TransactionId, id: TransactionId, transactions: &Transactions) {
        self.push(class, TransactionId::NONE, id, transactions);
        self.places[id.index()].number = self.places[head.index()].number - 1;
        self.places[head.index()].previous = id;
        self.each_ring(class, transactions[id].ppa, |rings, key| rings.make_first(key, id));
    }

    fn remove(&mut self, class: usize, id: TransactionId, transactions: &Transactions) -> TransactionId {
        let (previous, next) = (self.places[id.index()].previous, transactions[id].next);
        if next.is_some() {
            self.places[next.index()].previous = previous;
        }
        self.each_ring(class, transactions[id].ppa, |rings, key| rings.remove(key, id));
        previous
    }

    /// With its place.
    fn of_number(&self, class: usize, plane: PlaneId, page: u32) -> Option<(i64, TransactionId)> {
        let first = self.of_number.as_ref()?.first(self.number_key(class, plane, page))?;
        Some((self.places[first.index()].number, first))
    }

    fn of_flash_page(&self, class: usize, at: Ppa) -> Option<TransactionId> {
        self.of_flash_page.as_ref()?.first(self.flash_page_key(class, at))
    }

    fn each_ring(&mut self, class: usize, at: Ppa, act: impl Fn(&mut Rings, u64)) {
        let of_number = self.number_key(class, at.plane, self.layout.flash_page(at));
        let of_flash_page = self.flash_page_key(class, at);
        self.of_number.iter_mut().for_each(|rings| act(rings, of_number));
        self.of_flash_page.iter_mut().for_each(|rings| act(rings, of_flash_page));
    }

    fn number_key(&self, class: usize, plane: PlaneId, page: u32) -> u64 {
        let queue = u64::from(plane.0) * CLASSES as u64 + class as u64;
        queue * u64::from(self.layout.pages_per_block) + u64::from(page)
    }

    fn flash_page_key(&self, class: usize, at: Ppa) -> u64 {
        self.layout.flash_page_number(at) * CLASSES as u64 + class as u64
    }
}

impl Queues {
    #[cold]
    pub(super) fn index(&mut self, id: LunId, list: usize, transactions: &Transactions) {
        let (lun, Some(long)) = (&mut self.luns[id.index()], &mut self.long) else {
            return;
        };
        let (mut previous, mut at) = (TransactionId::NONE, lun.lists[list].head);
        if at.is_some() {
            lun.indexed |= 1 << list;
        }
        while at.is_some() {
            long.push(list - USER_READ, previous, at, transactions);
            (previous, at) = (at, transactions[at].next);
        }
    }

    #[inline(never)]
    pub(super) fn form_indexed(
        &mut self,
        id: LunId,
        list: usize,
        mut open: u64,
        transactions: &mut Transactions,
        readiness: &impl Readiness,
    ) -> Option<Command> {
        let mut at = self.luns[id.index()].lists[list].head;
        let head_page = readiness.page(&transactions[at]);
        let mut command = Command::new(Operation::Read);
        while at.is_some() && open != 0 {
            let t = &transactions[at];
            let (next, plane, own_page) = (t.next, readiness.plane(t), readiness.page(t));
            if open & 1 << plane != 0 {
                open &= self.die_masks[plane as usize] & !(1 << plane);
                command.push(at);
                let first_plane = t.ppa.plane.0 - plane;
                self.take(id, list, at, transactions);
                if self.alone[Operation::Read as usize] {
                    break;
                }
                if self.same_page {
                    let page = if self.multi_plane == MultiPlane::HeadPage { head_page } else { own_page };
                    self.take_of_number(id, list, (first_plane, open), page, &mut command, transactions);
                    break;
                }
            }
            at = next;
        }
        for &first in command.transactions() {
            self.join_indexed(id, list, first, transactions);
        }
        (!command.is_empty()).then_some(command)
    }

    fn take_of_number(
        &mut self,
        id: LunId,
        list: usize,
        (first_plane, mut open): (u32, u64),
        page: u32,
        command: &mut Command,
        transactions: &mut Transactions,
    ) {
        let (mut found, mut count) = ([(0, TransactionId::NONE); Command::MOST], 0);
        while open != 0 {
            let plane = PlaneId(first_plane + open.trailing_zeros());
            if let Some(oldest) = self.long.as_ref().and_then(|long| long.of_number(list - USER_READ, plane, page)) {
                found[count] = oldest;
                count += 1;
            }
            open &= open - 1;
        }
        found[..count].sort_unstable();
        for &(_, at) in &found[..count] {
            command.push(at);
            self.take(id, list, at, transactions);
        }
    }

    fn join_indexed(&mut self, id: LunId, list: usize, first: TransactionId, transactions: &mut Transactions) {
        if self.pages_per_flash_page == 1 {
            return;
        }
        let (page, mut last) = (transactions[first].ppa, first);
        self.waiting_reads.remove(page);
        while let Some(at) = self.long.as_ref().and_then(|long| long.of_flash_page(list - USER_READ, page)) {
            // A unit that computes takes whole registers.
            if transactions[at].is(Flag::Computes) != transactions[first].is(Flag::Computes) {
                break;
            }
            self.take(id, list, at, transactions);
            self.waiting_reads.remove(page);
            transactions[last].next_in_flash_page = at;
            last = at;
        }
    }

    pub(super) fn take(&mut self, id: LunId, list: usize, at: TransactionId, transactions: &mut Transactions) {
        if let Some(long) = &mut self.long {
            let previous = long.remove(list - USER_READ, at, transactions);
            self.luns[id.index()].unlink(list, previous, at, transactions);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FreePlanes, IssueContext, Served};
    use super::*;
    use crate::config::load_design;
    use crate::config::workload::Priority;
    use crate::engine::time::Time;
    use crate::host::request::RequestId;
    use crate::scheduler::transaction::Transaction;
    use proptest::prelude::*;

    struct Ready(Layout);

    impl Readiness for Ready {
        fn ready(&self, _: &Transaction) -> bool {
            true
        }
        fn waits_for_planes(&self, _: &Transaction, _: u64) -> bool {
            false
        }
        fn page(&self, t: &Transaction) -> u32 {
            self.0.flash_page(t.ppa)
        }
        fn is_pseudo_slc(&self, _: &Transaction) -> bool {
            false
        }
        fn plane(&self, t: &Transaction) -> u32 {
            self.0.plane_in_lun(t.ppa.plane)
        }
        fn keeps_order(&self, _: &Transaction) -> bool {
            false
        }
        fn shares(&self, first: &Transaction, other: &Transaction) -> bool {
            self.0.share_flash_page(first.ppa, other.ppa)
        }
    }

    struct Drive {
        queues: Queues,
        transactions: Transactions,
        ready: Ready,
    }

    impl Drive {
        fn new(settings: &[&str]) -> Drive {
            let settings: Vec<_> = settings.iter().map(|&setting| setting.to_owned()).collect();
            let design = load_design("performance-optimized", None, &settings).unwrap();
            let layout = design.layout();
            let queues = Queues::new(&layout, &design, &[Priority::High]);
            Drive { queues, transactions: Transactions::new(), ready: Ready(layout) }
        }

        fn queue(&mut self, (plane, block, page): (u32, u32, u32), first: bool) {
            let (high, read) = (Priority::High, Operation::Read);
            let mut t = Transaction::of_request(read, RequestId::NONE, high, 0, 1, Time::ZERO);
            t.ppa = Ppa { plane: PlaneId(plane), block, page };
            self.queues.will_wait(&t);
            let id = self.transactions.insert(t);
            match first {
                true => self.queues.push_first(LunId(0), id, &mut self.transactions),
                false => self.queues.push(LunId(0), id, &mut self.transactions),
            }
        }

        fn index(&mut self) {
            let list = USER_READ + Priority::High as usize;
            if self.queues.luns[0].indexed == 0 {
                self.queues.index(LunId(0), list, &self.transactions);
            }
        }

        fn next(&mut self, planes: u64) -> Vec<TransactionId> {
            let free = FreePlanes::all(planes);
            let look = IssueContext { served: Served::All, free, gc_urgent: false, now: Time::ZERO };
            let command = self.queues.next_command(LunId(0), &look, &mut self.transactions, &self.ready);
            let mut reads = vec![];
            for &first in command.iter().flat_map(Command::transactions) {
                let mut at = first;
                while at.is_some() {
                    reads.push(at);
                    at = std::mem::replace(&mut self.transactions[at].next_in_flash_page, TransactionId::NONE);
                }
            }
            reads.iter().for_each(|&read| self.transactions.remove(read));
            reads
        }
    }

    const DRIVES: [&[&str]; 6] = [
        &["geometry.planes_per_die=4"],
        &["geometry.planes_per_die=4", "flash.multi_plane=head-page"],
        &["geometry.planes_per_die=4", "ftl.mapping_unit=1KiB"],
        &["geometry.planes_per_die=4", "ftl.mapping_unit=1KiB", "flash.multi_plane=any-page"],
        &["geometry.planes_per_die=2", "geometry.dies_per_chip=2", "ftl.mapping_unit=1KiB", "flash.multi_plane=off"],
        &["geometry.planes_per_die=4", "ftl.mapping_unit=2KiB", "flash.independent_plane_reads=true"],
    ];

    proptest! {
        #[test]
        fn an_index_changes_no_command(
            drive in 0..DRIVES.len(),
            steps in prop::collection::vec((0u32..6, (0u32..4, 0u32..2, 0u32..6), 0u64..16), 1..300),
        ) {
            let (mut plain, mut indexed) = (Drive::new(DRIVES[drive]), Drive::new(DRIVES[drive]));
            for (step, at, planes) in steps {
                match step {
                    0..=2 => [&mut plain, &mut indexed].map(|drive| drive.queue(at, step == 2)),
                    3..=4 => {
                        prop_assert_eq!(plain.next(planes), indexed.next(planes));
                        continue;
                    }
                    _ => [(); 2],
                };
                indexed.index();
            }
        }
    }
}
