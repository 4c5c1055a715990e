use crate::engine::in_flight::PageWork;
use crate::engine::rarely::rarely;
use crate::engine::time::Time;
use crate::flash::FlashBackend;
use crate::flash::address::Ppa;
use crate::flash::outer_code::Failed;
use crate::flash::wear::Wear;
use crate::measure::probe::Probe;
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::transaction::{Flag, Outer, Transaction, TransactionId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decoded {
    Legible,
    ReadAgain,
    Lost,
}

impl FlashBackend {
    #[inline(always)]
    pub fn draw_read_failure<P: Probe>(&mut self, first: TransactionId, work: &mut PageWork<P>) {
        if self.may_fail() {
            self.draw_failure(first, work);
        }
    }

    #[inline(never)]
    fn draw_failure<P: Probe>(&mut self, first: TransactionId, work: &mut PageWork<P>) {
        let (mut group, mut drawn) = (FlashPageGroup::of(first), None);
        while let Some(id) = group.next(&work.transactions) {
            let (plane, rare) = (work.transactions[id].ppa.plane, work.rare(id));
            if self.failures.is_lost(plane) {
                work.transactions[id].set(Flag::ReadFailed, true);
            } else if rare.attempt == 0 && rare.outer == Outer::Unread {
                let failures = &mut self.failures;
                let failed = *drawn.get_or_insert_with(|| failures.read_fails(plane));
                work.transactions[id].set(Flag::ReadFailed, failed);
            }
        }
    }

    #[cold]
    pub fn lose_register<P: Probe>(&self, first: TransactionId, work: &mut PageWork<P>) {
        let mut group = FlashPageGroup::of(first);
        while let Some(id) = group.next(&work.transactions) {
            work.transactions[id].set(Flag::ReadFailed, true);
        }
    }

    #[inline(always)]
    pub fn crossed<P: Probe>(&self, first: TransactionId, work: &PageWork<P>) -> u64 {
        match rarely(self.outer_code.is_some()) {
            true => self.sectors_crossed(first, work),
            false => 0,
        }
    }

    fn sectors_crossed<P: Probe>(&self, first: TransactionId, work: &PageWork<P>) -> u64 {
        let (mut group, mut crossed) = (FlashPageGroup::of(first), 0);
        while let Some(id) = group.next(&work.transactions) {
            crossed |= self.sectors_in_flash_page(&work.transactions[id]);
        }
        crossed
    }

    fn sectors_in_flash_page(&self, t: &Transaction) -> u64 {
        t.sectors << (t.ppa.page % self.layout.pages_per_flash_page() * self.layout.sectors_per_page)
    }

    #[inline(always)]
    pub fn decode<P: Probe>(
        &mut self,
        id: TransactionId,
        crossed: u64,
        history: (&Wear, impl Fn(Ppa) -> u32),
        work: &mut PageWork<P>,
        now: Time,
    ) -> Decoded {
        match self.may_fail() {
            true => self.decode_fallible(id, crossed, history, work, now),
            false => Decoded::Legible,
        }
    }

    #[inline(never)]
    fn decode_fallible<P: Probe>(
        &mut self,
        id: TransactionId,
        crossed: u64,
        (wear, copies): (&Wear, impl Fn(Ppa) -> u32),
        work: &mut PageWork<P>,
        now: Time,
    ) -> Decoded {
        let (t, attempt) = (&work.transactions[id], u32::from(work.rare(id).attempt));
        let at = (t.ppa, t.is(Flag::PseudoSlc));
        let bits = self.reliability.as_ref();
        let rate = bits.map_or(0.0, |bits| bits.rate_of_copy(at, copies(t.ppa), attempt, wear, now));
        match self.outer_code.is_some() {
            true => self.decode_in_layers(id, crossed, rate, work),
            false => self.decode_at_once(id, rate, work),
        }
    }

    fn decode_at_once<P: Probe>(&mut self, id: TransactionId, rate: f64, work: &PageWork<P>) -> Decoded {
        let t = &work.transactions[id];
        let fails = self.reliability.as_mut().is_some_and(|bits| bits.fails(rate, u64::from(t.bytes)));
        self.fate(fails || t.is(Flag::ReadFailed), u32::from(work.rare(id).attempt))
    }

    /// Whether the chip that received a page finds errors in it. The page has the errors of its last read, too.
    pub fn finds_errors(&mut self, t: &Transaction, copies: u32, wear: &Wear, now: Time) -> bool {
        self.reliability.as_mut().is_some_and(|bits| {
            let rate = bits.rate_of_copy((t.ppa, t.is(Flag::PseudoSlc)), copies, 0, wear, now);
            bits.is_detected(rate, u64::from(t.bytes))
        })
    }

    fn decode_in_layers<P: Probe>(
        &mut self,
        id: TransactionId,
        crossed: u64,
        rate: f64,
        work: &mut PageWork<P>,
    ) -> Decoded {
        let own = self.sectors_in_flash_page(&work.transactions[id]);
        let t = work.transactions[id];
        let read_failed = t.is(Flag::ReadFailed);
        let attempt = u32::from(work.rare(id).attempt);
        let bits = self.reliability.as_ref();
        let code = self.outer_code.as_mut().expect("there is an outer code");
        if !matches!(work.rare(id).outer, Outer::Decoded(_)) {
            let inner_failure = bits.map_or(0.0, |bits| bits.failure(rate, 1));
            work.rare_mut(id).outer = match code.needed(own, crossed, inner_failure, read_failed) {
                Failed { complete: 0, partial: 0 } => return Decoded::Legible,
                Failed { complete, partial: 0 } => Outer::Decoded(complete),
                Failed { partial, .. } => Outer::Wanted(partial),
            };
            work.rare_mut(id).asked = t.bytes;
        }
        match work.rare(id).outer {
            Outer::Decoded(words) => {
                let fails = read_failed || code.fails(words.into(), rate);
                self.fate(fails, attempt)
            }
            _ => Decoded::ReadAgain,
        }
    }

    fn fate(&self, illegible: bool, attempt: u32) -> Decoded {
        let retries = self.reliability.as_ref().map_or(0, |bits| bits.retries);
        match illegible {
            false => Decoded::Legible,
            true if attempt < retries => Decoded::ReadAgain,
            true => Decoded::Lost,
        }
    }

    /// The outer codewords around its data, or with other voltages.
    pub fn reads_again<P: Probe>(&mut self, id: TransactionId, work: &mut PageWork<P>) {
        let outer = work.rare(id).outer;
        if let (Some(code), Outer::Wanted(words) | Outer::Decoded(words)) = (&mut self.outer_code, outer) {
            work.transactions[id].bytes = u32::from(words) * code.bytes();
            code.reads += 1;
        }
        match outer {
            Outer::Wanted(words) => work.rare_mut(id).outer = Outer::Decoded(words),
            Outer::Unread | Outer::Decoded(_) => {
                work.rare_mut(id).attempt += 1;
                self.read_retries += 1;
            }
        }
    }
}
