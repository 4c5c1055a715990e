use crate::engine::index::Index;
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy)]
struct Neighbours {
    previous: TransactionId,
    next: TransactionId,
}

pub struct Rings {
    first: Index,
    /// Stale for transactions in no ring.
    neighbours: Vec<Neighbours>,
}

impl Rings {
    pub fn new() -> Rings {
        Rings { first: Index::new(), neighbours: Vec::new() }
    }

    pub fn first(&self, key: u64) -> Option<TransactionId> {
        self.first.get(key).map(TransactionId)
    }

    pub fn push(&mut self, key: u64, id: TransactionId) {
        let alone = Neighbours { previous: id, next: id };
        if self.neighbours.len() <= id.index() {
            self.neighbours.resize(id.index() + 1, alone);
        }
        self.neighbours[id.index()] = alone;
        let Some(first) = self.first(key) else {
            self.first.insert(key, id.0);
            return;
        };
        let last = std::mem::replace(&mut self.neighbours[first.index()].previous, id);
        self.neighbours[last.index()].next = id;
        self.neighbours[id.index()] = Neighbours { previous: last, next: first };
    }

    /// It is the last of its ring.
    pub fn make_first(&mut self, key: u64, id: TransactionId) {
        self.first.insert(key, id.0);
    }

    pub fn remove(&mut self, key: u64, id: TransactionId) {
        let Neighbours { previous, next } = self.neighbours[id.index()];
        if next == id {
            return self.first.remove(key);
        }
        self.neighbours[previous.index()].next = next;
        self.neighbours[next.index()].previous = previous;
        if self.first(key) == Some(id) {
            self.first.insert(key, next.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn rings_behave_like_lists(steps in prop::collection::vec((0u64..3, 0u32..20, any::<bool>()), 1..200)) {
            let mut rings = Rings::new();
            let mut lists: [VecDeque<u32>; 3] = Default::default();
            for (key, id, at_the_end) in steps {
                let of = lists.iter().position(|list| list.contains(&id));
                match of {
                    Some(of) => {
                        rings.remove(of as u64, TransactionId(id));
                        lists[of].retain(|&other| other != id);
                    }
                    None if at_the_end => {
                        rings.push(key, TransactionId(id));
                        lists[key as usize].push_back(id);
                    }
                    None => {
                        rings.push(key, TransactionId(id));
                        rings.make_first(key, TransactionId(id));
                        lists[key as usize].push_front(id);
                    }
                }
                for (key, list) in (0..).zip(&lists) {
                    prop_assert_eq!(rings.first(key), list.front().copied().map(TransactionId));
                }
            }
        }
    }
}
