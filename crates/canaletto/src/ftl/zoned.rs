//! Pages of zones on their way to flash, and blocks that are erased.

use super::{Ftl, Outcome};
use crate::cache::Destage;
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::frontier::Frontier;
use crate::ftl::reclaim::Way;
use crate::ftl::zones::Zones;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Transaction, TransactionId};

impl Ftl {
    /// The zones, if the drive has such.
    #[inline(always)]
    pub fn zones(&mut self) -> Option<&mut Zones> {
        if let Way::Zoned(zoned) = &mut self.way { Some(&mut zoned.0) } else { None }
    }

    /// Sends a page of a zone to its place: what the write buffer had of it, or padding.
    pub fn send_zone_page<P: Probe>(&mut self, work: &mut PageWork<P>, destage: &Destage, now: Time) {
        let &Destage { lpa, sectors, flow, .. } = destage;
        let (priority, bytes) = (self.spaces[usize::from(flow)].priority, self.layout.page_bytes() as u32);
        let Some(zones) = self.zones() else { return };
        let ppa = zones.place(lpa);
        zones.program_begins(ppa);
        zones.counts.padding += u64::from(sectors == 0);
        let page = Transaction::of_destage(flow, priority, Frontier::User(0), lpa, sectors, now);
        let id = work.new_page(Transaction { ppa, bytes, ..page });
        self.send_data_out(id);
    }

    /// A program has come to its chip: it is queued with the rest of its row.
    pub fn queue_row<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let lpa = work.transactions[id].lpa;
        let Some(zones) = self.zones() else { return };
        for id in zones.comes(lpa, id) {
            work.charge_page(id, Cause::Cache, now);
            self.tell(Outcome::Issue(id));
        }
    }

    /// Erases blocks of a zone.
    pub fn erase_zone<P: Probe>(&mut self, work: &mut PageWork<P>, blocks: &[Ppa], now: Time) {
        for &at in blocks {
            let id = work.new_page(Transaction::of_gc(Operation::Erase, 0, at, 0, now));
            self.issue(work, id);
        }
    }

    /// Jobs of zones are looked after before the next event.
    pub fn zone_changed(&mut self) {
        self.changed.push(PlaneId(0));
    }

    /// Forgets which planes have changed: zones are looked after instead.
    pub fn clear_changed(&mut self) {
        self.changed.clear();
    }
}
