//! Host writes and copies that wait for each other, so that pages are earned as they are spent.

use crate::config::design::Pacing as Rule;

pub struct Pacing {
    rule: Rule,
    /// Pages by which either side may be ahead: a flash page of each plane.
    lead: i64,
    balance: i64,
    /// Victim under collection, if it reclaims pages.
    victim: Option<Victim>,
}

struct Victim {
    to_copy: u64,
    reclaims: u64,
    copied: u64,
    earned: u64,
}

impl Pacing {
    pub fn new(rule: Rule, lead: u32) -> Option<Pacing> {
        (rule != Rule::None).then(|| Pacing { rule, lead: i64::from(lead), balance: 0, victim: None })
    }

    pub fn begins(&mut self, to_copy: u32, reclaims: u32) {
        let (to_copy, reclaims) = (u64::from(to_copy), u64::from(reclaims));
        self.victim = (reclaims > 0).then_some(Victim { to_copy, reclaims, copied: 0, earned: 0 });
    }

    /// Each copy earns the pages that the victim reclaims, divided by its valid pages.
    pub fn copied(&mut self) {
        if let Some(victim) = &mut self.victim {
            victim.copied += 1;
            let earned = victim.reclaims * victim.copied / victim.to_copy.max(1);
            self.earn_up_to(earned);
        }
    }

    /// Pages overwritten meanwhile count as copied.
    pub fn all_copied(&mut self) {
        self.earn_up_to(u64::MAX);
    }

    fn earn_up_to(&mut self, earned: u64) {
        if let Some(victim) = &mut self.victim {
            let earned = earned.min(victim.reclaims);
            self.balance += (earned - victim.earned.min(earned)) as i64;
            victim.earned = victim.earned.max(earned);
        }
    }

    /// With enough free blocks (`at_rest`) nobody waits, and the account starts anew.
    pub fn ends(&mut self, at_rest: bool) {
        self.victim = None;
        if at_rest {
            self.balance = 0;
        }
    }

    pub fn left(&self) -> Option<usize> {
        self.victim.as_ref().map(|_| (self.balance + self.lead).max(0) as usize)
    }

    pub fn spend(&mut self) -> bool {
        let counts = self.victim.is_some();
        self.balance -= i64::from(counts);
        counts && self.rule == Rule::Both && self.balance + 1 == self.lead
    }

    pub fn holds_copies(&self) -> bool {
        self.rule == Rule::Both && self.victim.is_some() && self.balance >= self.lead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With v pages to copy and r reclaimed, k copies admit k r / v host pages and the lead.
    #[test]
    fn copies_admit_writes_in_proportion() {
        let mut pacing = Pacing::new(Rule::Writes, 8).unwrap();
        pacing.begins(30, 10);
        for copies in 0..=30 {
            assert_eq!(pacing.left(), Some(copies / 3 + 8));
            assert!(!pacing.holds_copies());
            pacing.copied();
        }
        (0..18).for_each(|_| assert!(!pacing.spend()));
        assert_eq!(pacing.left(), Some(0));
        // Back to back, what is owed stays owed.
        pacing.ends(false);
        pacing.begins(1, 1);
        assert_eq!(pacing.left(), Some(0));
        pacing.all_copied();
        assert_eq!(pacing.left(), Some(1));
        pacing.ends(true);
        assert_eq!(pacing.left(), None);
        pacing.begins(1, 1);
        assert_eq!(pacing.left(), Some(8));
    }

    #[test]
    fn copies_wait_once_they_are_ahead() {
        let mut pacing = Pacing::new(Rule::Both, 2).unwrap();
        pacing.begins(4, 4);
        pacing.copied();
        assert!(!pacing.holds_copies());
        pacing.copied();
        assert!(pacing.holds_copies());
        assert!(pacing.spend());
        assert!(!pacing.holds_copies() && !pacing.spend());
    }

    #[test]
    fn nobody_waits_for_what_earns_nothing() {
        assert!(Pacing::new(Rule::None, 8).is_none());
        let mut pacing = Pacing::new(Rule::Both, 2).unwrap();
        pacing.begins(9, 0);
        assert!(pacing.left().is_none() && !pacing.holds_copies() && !pacing.spend());
        pacing.copied();
        pacing.begins(0, 5);
        pacing.all_copied();
        assert_eq!(pacing.left(), Some(7));
    }
}
