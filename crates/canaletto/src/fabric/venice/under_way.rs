use crate::engine::time::Time;
use crate::fabric::venice::scout::Scout;

pub struct UnderWay {
    scouts: Vec<Scout>,
    next: usize,
}

impl UnderWay {
    pub fn new() -> UnderWay {
        UnderWay { scouts: Vec::new(), next: 0 }
    }

    #[inline]
    pub fn next_arrival(&self) -> Time {
        self.scouts.get(self.next).map_or(Time::MAX, |scout| scout.due)
    }

    #[inline]
    pub fn arriving_before(&mut self, until: Time) -> Option<&mut Scout> {
        self.scouts.get_mut(self.next).filter(|scout| scout.due < until)
    }

    pub fn next_mut(&mut self) -> &mut Scout {
        &mut self.scouts[self.next]
    }

    pub fn put_lowest_number_first(&mut self) {
        let Some(due) = self.scouts.get(self.next).map(|scout| scout.due) else { return };
        for after in 1..self.scouts.len() {
            let place = (self.next + after) % self.scouts.len();
            if self.scouts[place].due != due {
                return;
            }
            if self.scouts[place].packet.controller < self.scouts[self.next].packet.controller {
                self.scouts.swap(place, self.next);
            }
        }
    }

    pub fn arriving_at(&self, time: Time) -> impl Iterator<Item = &Scout> {
        self.scouts.iter().filter(move |scout| scout.due == time)
    }

    pub fn searching(&self) -> impl Iterator<Item = &Scout> {
        self.scouts.iter().filter(|scout| !scout.tears_down)
    }

    #[inline(always)]
    pub fn line(&mut self) -> (&mut [Scout], &mut usize) {
        (&mut self.scouts, &mut self.next)
    }

    pub fn send(&mut self, scout: Scout) {
        if self.next == 0 {
            return self.scouts.push(scout);
        }
        self.scouts.insert(self.next, scout);
        self.hopped();
    }

    #[inline]
    pub fn hopped(&mut self) {
        self.next += 1;
        if self.next == self.scouts.len() {
            self.next = 0;
        }
    }

    pub fn end(&mut self) -> Scout {
        let scout = self.scouts.remove(self.next);
        if self.next == self.scouts.len() {
            self.next = 0;
        }
        scout
    }

    #[cfg(test)]
    pub fn held_links(&self) -> u32 {
        self.scouts.iter().map(|scout| scout.links).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::venice::grid::RouterId;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn scouts_arrive_in_the_order_in_which_they_left(actions in prop::collection::vec((0u8..4, 0u64..9), 0..100)) {
            let hop = Time::from_ns(3);
            let (mut ring, mut line) = (UnderWay::new(), VecDeque::<(Time, u32)>::new());
            let mut now = Time::ZERO;
            for (id, (action, later)) in (0..).zip(actions) {
                let until = now + Time::from_ns(later);
                let mut left = 3 * u32::from(action);
                let mut ends = move || {
                    left = left.wrapping_sub(1);
                    left == 0
                };
                let mut end = ends;
                let (mut arrived, mut ended) = (Vec::new(), None);
                while let Some(scout) = ring.arriving_before(until).filter(|_| ended.is_none()) {
                    arrived.push((scout.due, scout.packet.controller));
                    scout.due += hop;
                    if end() { ended = Some(ring.end().packet.controller) } else { ring.hopped() }
                }
                let (mut expected, mut last) = (Vec::new(), None);
                while let Some(&(due, scout)) = line.front().filter(|next| last.is_none() && next.0 < until) {
                    line.pop_front();
                    expected.push((due, scout));
                    if ends() { last = Some(scout) } else { line.push_back((due + hop, scout)) }
                }
                prop_assert_eq!(arrived, expected);
                prop_assert_eq!(ended, last);
                prop_assert_eq!(ring.next_arrival(), line.front().map_or(Time::MAX, |next| next.0));
                now = until.min(ring.next_arrival());
                line.push_back((now + hop, id));
                ring.send(Scout::new(id, RouterId(0), now + hop));
            }
        }
    }
}
