use super::*;
use crate::config::load_design;
use crate::config::workload::Priority;
use crate::flash::address::{PlaneId, Ppa};
use crate::host::request::RequestId;

const UNIT: LunId = LunId(0);
const READ: Time = Time::from_us(60);
const PROGRAM: Time = Time::from_us(600);
const EPOCH: Time = Time::from_us(10_000);

struct Queue {
    flin: Flin,
    transactions: Transactions,
    luns: u32,
    order: Vec<TransactionId>,
}

impl Queue {
    fn new(config: Config, flows: usize) -> Queue {
        let design = load_design("cost-optimized", None, &["geometry.page=16KiB".to_owned()]).unwrap();
        let layout = Layout::new(&design.geometry, true);
        let flin = Flin::new(&config, &layout, flows);
        Queue { flin, transactions: Transactions::new(), luns: layout.luns(), order: Vec::new() }
    }

    fn transaction(&mut self, flow: u16, operation: Operation) -> TransactionId {
        let page = Ppa::unbound(PlaneId(0));
        let t = match flow {
            u16::MAX => Transaction::of_gc(operation, 0, page, 1, Time::ZERO),
            _ => Transaction::of_request(operation, RequestId::NONE, Priority::High, 0, 1, Time::ZERO),
        };
        self.transactions.insert(Transaction { flow, ..t })
    }

    fn comes(&mut self, flow: u16, operation: Operation, now: Time) -> TransactionId {
        let id = self.transaction(flow, operation);
        let service = if operation == Operation::Read { READ } else { PROGRAM };
        let head = self.order.first().copied().unwrap_or(TransactionId::NONE);
        let arrival = Arrival { now, began: now, service, busy: Time::ZERO };
        let before = self.flin.place(UNIT, id, head, &arrival, &self.transactions);
        let place = self.order.iter().position(|&other| other == before).map_or(0, |place| place + 1);
        self.order.insert(place, id);
        self.link();
        id
    }

    fn link(&mut self) {
        for (place, &id) in self.order.iter().enumerate() {
            self.transactions[id].next = self.order.get(place + 1).copied().unwrap_or(TransactionId::NONE);
        }
    }

    fn goes(&mut self) {
        let id = self.order.remove(0);
        self.issue(id);
    }

    fn issue(&mut self, id: TransactionId) {
        self.flin.issued(UNIT, &self.transactions[id]);
    }

    fn flows(&self) -> Vec<u16> {
        self.order.iter().map(|&id| self.transactions[id].flow).collect()
    }
}

fn pages(count: u64, luns: u32) -> crate::config::units::Size {
    crate::config::units::Size(count * 16384 * u64::from(luns))
}

#[test]
fn flows_of_low_intensity_go_first() {
    let mut queue = Queue::new(Config::default(), 2);
    queue.flin.thresholds = [pages(3, queue.luns).0, 0];
    for flow in [0, 0, 0, 1, 1] {
        queue.comes(flow, Operation::Read, Time::ZERO);
        queue.goes();
    }
    for flow in [0, 0, 0, 1, 1, 0] {
        queue.comes(flow, Operation::Read, EPOCH);
    }
    assert_eq!(queue.flows(), [1, 1, 0, 0, 0, 0]);
    // In reads, but never in writes.
    queue.order.clear();
    queue.comes(0, Operation::Read, EPOCH * 3);
    assert!(queue.flin.tickets[queue.order[0].index()].is_low);
    queue.comes(0, Operation::Program, EPOCH * 3);
    assert!(!queue.flin.tickets[queue.order[1].index()].is_low);
}

#[test]
fn a_read_is_moved_to_where_it_is_fair() {
    let mut queue = Queue::new(Config { fairness_threshold: 0.0, ..Config::default() }, 2);
    for _ in 0..10 {
        queue.comes(0, Operation::Read, Time::ZERO);
    }
    queue.comes(1, Operation::Read, Time::ZERO);
    assert_eq!(queue.flows(), [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    queue.comes(1, Operation::Read, Time::ZERO);
    let place = queue.flows().iter().rposition(|&flow| flow == 1).unwrap();
    assert!((2..5).contains(&place), "its own first read would take as long alone: {:?}", queue.flows());
}

#[test]
fn who_is_worst_off_goes_to_the_front_and_is_not_overtaken() {
    let mut queue = Queue::new(Config { fairness_threshold: 0.5, ..Config::default() }, 3);
    for _ in 0..5 {
        queue.comes(0, Operation::Read, Time::ZERO);
    }
    let moved = queue.comes(1, Operation::Read, Time::ZERO);
    assert_eq!(queue.flows(), [1, 0, 0, 0, 0, 0]);
    assert!(queue.flin.tickets[moved.index()].is_tagged);
    queue.comes(2, Operation::Read, Time::ZERO);
    assert_eq!(queue.flows(), [1, 2, 0, 0, 0, 0, 0], "worst off too, but what is tagged is in front");
    // At a sixth nobody is moved to the front.
    let mut queue = Queue::new(Config { fairness_threshold: 0.1, ..Config::default() }, 3);
    for flow in [0, 0, 0, 0, 0, 1] {
        queue.comes(flow, Operation::Read, Time::ZERO);
    }
    assert_eq!(queue.flows(), [0, 1, 0, 0, 0, 0]);
    assert!(!queue.flin.tickets.iter().any(|ticket| ticket.is_tagged));
}

/// After 600²/60 µs a write has waited as long as a new read will for it.
#[test]
fn reads_and_writes_take_turns_by_their_service() {
    let mut queue = Queue::new(Config::default(), 2);
    let write = queue.comes(0, Operation::Program, Time::ZERO);
    queue.order.clear();
    for (after, reads_first) in [(1, true), (5939, true), (5941, false), (50_000, false)] {
        let now = Time::from_us(after);
        let read = queue.comes(1, Operation::Read, now);
        queue.order.clear();
        assert_eq!(queue.flin.reads_first(read, write, &Owed::default(), now), reads_first, "after {after} us");
        let owed = Owed { steps: 10, erase: None };
        assert_eq!(queue.flin.reads_first(read, write, &owed, now), after < 6000 || reads_first, "after {after} us");
    }
}

/// Flow 0 wrote three of four programs: of eight pages it owes six, flow 1 two.
#[test]
fn writes_owe_collection_what_their_flow_has_written() {
    let mut queue = Queue::new(Config::default(), 2);
    for flow in [0, 0, 0, 1] {
        queue.comes(flow, Operation::Program, Time::ZERO);
        queue.goes();
    }
    let arrival = Arrival { now: Time::ZERO, began: Time::ZERO, service: READ, busy: Time::ZERO };
    let moves: Vec<_> = (0..8).map(|_| queue.transaction(u16::MAX, Operation::Read)).collect();
    for &id in &moves {
        queue.flin.note(UNIT, id, &queue.transactions[id], false, &arrival);
    }
    assert_eq!(queue.flin.owed(UNIT, 0), 12);
    queue.issue(moves[0]);
    assert_eq!(queue.flin.owed(UNIT, 0), 11);
    // Seven pages are left, of whose 14 steps flow 1, with one of five programs, owes a fifth.
    queue.comes(0, Operation::Program, Time::ZERO);
    queue.goes();
    assert_eq!(queue.flin.owed(UNIT, 1), 3);
    let erase = queue.transaction(u16::MAX, Operation::Erase);
    queue.flin.note(UNIT, erase, &queue.transactions[erase], false, &arrival);
    queue.issue(erase);
    assert_eq!(queue.flin.owed(UNIT, 1), 2, "what was said goes on");
    queue.comes(1, Operation::Program, Time::ZERO);
    queue.goes();
    assert_eq!((queue.flin.owed(UNIT, 0), queue.flin.collections[0].programs), (0, 1));
}
