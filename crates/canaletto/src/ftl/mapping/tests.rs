use super::*;
use crate::config::workload::Priority;
use crate::config::{load_design, load_workload};
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Blocks;
use crate::ftl::maintenance::bad_blocks::BadBlocks;
use crate::host::request::RequestId;
use crate::scheduler::transaction::{Transaction, TransactionId, Transactions};

struct Drive {
    mapping: Mapping,
    blocks: Blocks,
    transactions: Transactions,
}

impl Drive {
    fn new(entries: u32, overrides: &[&str]) -> Drive {
        let capacity = format!("mapping.cache_capacity={}B", 8 * entries);
        let all: Vec<String> = [&[capacity.as_str()], overrides].concat().into_iter().map(str::to_owned).collect();
        let design = load_design("performance-optimized", None, &all).unwrap_or_else(|e| panic!("{e}"));
        let limits = Limits::new(&design, &load_workload("hm_0", None, &[]).unwrap()).unwrap();
        let bad = BadBlocks { seed: 1, factory: 0.0, most: 0 };
        Drive {
            mapping: Mapping::new(&design, &limits, MappingTable::new(limits.mapped_pages)),
            blocks: Blocks::new(&limits.layout, 1, 1, false, bad),
            transactions: Transactions::new(),
        }
    }

    fn look_up(&mut self, lpa: u64) -> (TransactionId, LookUp) {
        let read = Transaction::of_request(Operation::Read, RequestId(0), Priority::High, lpa, 1, Time::ZERO);
        let id = self.transactions.insert(read);
        (id, self.mapping.look_up(&self.blocks, &mut self.transactions, id))
    }

    fn act(&mut self) -> Act {
        let act = self.mapping.next_act().expect("something is to be done");
        assert_eq!(self.mapping.next_act(), None);
        act
    }

    fn end_read(&mut self, page: &Stored) -> Vec<TransactionId> {
        let mut next = self.mapping.read_ends(&self.blocks, &mut self.transactions, page.lpa).unwrap();
        let mut waited = Vec::new();
        while next.is_some() {
            waited.push(next);
            next = self.transactions[next].next;
        }
        assert_eq!(self.mapping.waiters_have_gone(page.lpa), Some(0));
        waited
    }

    fn read(&mut self, lpa: u64) {
        assert_eq!(self.look_up(lpa).1, LookUp::Waits);
        let Act::Read { page, .. } = self.act() else { panic!("a read") };
        self.end_read(&page);
    }
}

#[test]
fn one_read_serves_all_who_wait_for_its_page() {
    let mut drive = Drive::new(8, &["mapping.initial_table=on-flash"]);
    let (first, found) = drive.look_up(3);
    assert_eq!(found, LookUp::Waits);
    let Act::Read { page, waiting, .. } = drive.act() else { panic!("a read") };
    assert!(waiting == first && drive.mapping.holds(page.lpa) && drive.mapping.is_found(page.lpa));
    let (second, found) = drive.look_up(3);
    assert_eq!(found, LookUp::Waits);
    assert_eq!(drive.mapping.next_act(), None, "its page is being read already");
    assert!(drive.mapping.is_awaited(3, &drive.transactions) && !drive.mapping.is_at_rest(4));
    assert_eq!(drive.end_read(&page), [first, second]);
    assert_eq!(drive.look_up(3).1, LookUp::Hit);
    assert!(drive.mapping.is_at_rest(4));
}

#[test]
fn a_changed_entry_is_written_when_it_leaves() {
    let mut drive = Drive::new(1, &["mapping.initial_table=on-flash"]);
    drive.read(3);
    drive.mapping.set(3, Entry::At(Ppa { plane: PlaneId(0), block: 0, page: 0 }));
    drive.mapping.changed(3);
    assert!(!drive.mapping.begin_due(), "the entry is in the cache");
    // Another entry takes its place.
    let other = drive.mapping.end_of_piece(3).unwrap();
    assert_eq!(drive.look_up(other).1, LookUp::Waits);
    let acts = [drive.mapping.next_act().unwrap(), drive.act()];
    let [Act::Read { page: read, .. }, Act::Write { page: written, merges: true }] = acts else { panic!("{acts:?}") };
    assert_eq!((written.number, read.number, drive.mapping.writes_in_flight()), (0, 1, 1));
    let (third, found) = drive.look_up(0);
    assert_eq!(found, LookUp::NoRoom);
    assert_eq!(drive.mapping.seat_next(&drive.blocks, &mut drive.transactions, 0), None);
    drive.end_read(&read);
    let seated = drive.mapping.seat_next(&drive.blocks, &mut drive.transactions, 0);
    assert_eq!(seated, Some((third, LookUp::Waits)));
    assert_eq!(drive.mapping.next_act(), None, "its translation page is being written");
    drive.mapping.write_is_over();
    drive.mapping.write_ends(written.lpa);
    assert!(matches!(drive.act(), Act::Read { page, .. } if page == written));
}

#[test]
fn collection_pays_for_the_translation_pages_that_it_changes() {
    let mut drive = Drive::new(1, &["mapping.initial_table=on-flash"]);
    drive.mapping.moved(7, PlaneId(2));
    drive.mapping.victim_is_empty(PlaneId(2), 1);
    assert!(!drive.mapping.begin_postponed(), "one page is not enough");
    drive.mapping.victim_is_empty(PlaneId(2), 1);
    assert!(drive.mapping.begin_postponed());
    assert!(matches!(drive.act(), Act::Write { merges: true, .. }));
    assert!(!drive.mapping.begin_postponed());
}

#[test]
fn a_table_in_dram_wants_nothing() {
    let mut drive = Drive::new(0, &[]);
    drive.mapping.changed(3);
    assert!(drive.mapping.is_ideal() && drive.mapping.report().is_none());
    assert!(!drive.mapping.begin_due() && drive.mapping.next_act().is_none());
}
