use crate::engine::rarely::rarely;
use crate::engine::time::Time;
use crate::host::request::{Kind, Request};
use crate::measure::blame::{Account, Ledger};
use crate::measure::records::{Records, Row};
use crate::measure::report::Tally;

pub struct Statistics {
    tallies: Vec<Tally>,
    records: Option<Records>,
    has_handles: bool,
    warmup: u64,
    generated: u64,
    completed: u64,
    first_arrival: Option<Time>,
    last_arrival: Time,
}

impl Statistics {
    pub fn new(flows: usize, has_handles: bool, warmup: u64, records: bool) -> Statistics {
        Statistics {
            tallies: vec![Tally::default(); flows],
            records: records.then(Records::default),
            has_handles,
            warmup,
            generated: 0,
            completed: 0,
            first_arrival: None,
            last_arrival: Time::ZERO,
        }
    }

    #[inline(always)]
    pub fn count_arrival(&mut self, flow: u16, arrival: Time) {
        self.generated += 1;
        self.first_arrival.get_or_insert(arrival);
        self.last_arrival = arrival;
        self.tallies[usize::from(flow)].generated += 1;
    }

    #[inline]
    pub fn is_warm(&self) -> bool {
        self.completed >= self.warmup
    }

    #[inline]
    pub fn count_page(&mut self, flow: u16, path_conflict: bool, lost: Time) {
        if self.is_warm() {
            self.tallies[usize::from(flow)].count_page(path_conflict, lost);
        }
    }

    #[inline(always)]
    pub fn count_request(
        &mut self,
        request: &Request,
        account: &impl Account,
        root_causes: Option<&impl Account>,
        now: Time,
    ) {
        let closes = |account: Ledger| account.total() == now - request.arrival;
        debug_assert!(closes(Ledger::of(account)), "the accounts of a request do not close");
        debug_assert!(
            root_causes.is_none_or(|account| closes(Ledger::of(account))),
            "the root causes of a request do not add up"
        );
        self.completed += 1;
        let tally = &mut self.tallies[usize::from(request.flow)];
        tally.completed += 1;
        if self.completed <= self.warmup {
            if self.is_warm() {
                self.tallies.iter_mut().for_each(|tally| tally.warm_since = now);
            }
            return;
        }
        tally.count(request, account, root_causes, now);
        if rarely(self.records.is_some()) {
            self.record(request, &Ledger::of(account), root_causes.map(|causes| Ledger::of(causes)).as_ref(), now);
        }
    }

    #[inline(never)]
    fn record(&mut self, request: &Request, account: &Ledger, root_causes: Option<&Ledger>, now: Time) {
        let Some(records) = &mut self.records else { return };
        if let Some(root_causes) = root_causes {
            records.push_root_causes(root_causes);
        }
        let names_handle = self.has_handles && matches!(request.kind, Kind::Write | Kind::Update);
        records.push(&Row {
            request: request.number,
            flow: request.flow,
            kind: request.kind,
            status: request.status,
            lba: request.lba,
            sectors: request.sectors,
            edges: request.edges,
            handle: if names_handle { request.stream } else { 0 },
            arrival: request.arrival,
            enqueue: request.enqueue,
            complete: now,
            path_conflict: request.path_conflict,
            ledger: account,
        });
    }

    pub fn generated(&self) -> u64 {
        self.generated
    }

    pub fn completed(&self) -> u64 {
        self.completed
    }

    pub fn first_arrival(&self) -> Option<Time> {
        self.first_arrival
    }

    pub fn last_arrival(&self) -> Time {
        self.last_arrival
    }

    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    pub fn take_rows(&mut self, count: usize) -> Option<Records> {
        self.records.as_mut().filter(|records| records.len() >= count).map(std::mem::take)
    }

    pub fn rows(&mut self) -> &mut Records {
        self.records.as_mut().expect("rows were asked for")
    }

    pub fn take_records(&mut self) -> Option<Records> {
        self.records.take()
    }
}
