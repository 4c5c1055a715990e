//! Against the obvious model.

use super::*;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    Push(u64),
    PushSingle(usize, u64),
    Reserve,
    PushReserved(u64),
    Pop,
}

struct Both {
    queue: EventQueue<usize>,
    model: Vec<(u64, usize)>,
    slots: [Option<usize>; SLOTS],
    reserved: Option<usize>,
    now: u64,
}

impl Both {
    fn new() -> Both {
        Both { queue: EventQueue::new(), model: Vec::new(), slots: [None; SLOTS], reserved: None, now: 0 }
    }

    fn step(&mut self, step: Step, number: usize) {
        match step {
            Step::PushSingle(slot, delay) if self.slots[slot].is_none() => {
                self.model.push((self.now + delay, number));
                self.slots[slot] = Some(number);
                self.queue.push_single(slot, Time(self.now + delay));
            }
            Step::Push(delay) | Step::PushSingle(_, delay) => {
                self.model.push((self.now + delay, number));
                self.queue.push(Time(self.now + delay), number);
            }
            Step::Reserve => {
                self.queue.reserve();
                self.reserved = Some(number);
            }
            Step::PushReserved(delay) => {
                if let Some(place) = self.reserved.take() {
                    self.model.push((self.now + delay, place));
                    self.queue.push_reserved(Time(self.now + delay), place);
                }
            }
            Step::Pop => self.pop(),
        }
    }

    fn pop(&mut self) {
        let first = self.model.iter().copied().min();
        assert_eq!(self.queue.is_empty(), first.is_none());
        assert_eq!(self.queue.next_time().0, first.map_or(u64::MAX, |first| first.0));
        let slots = self.slots;
        let number = |due| match due {
            Due::Single(slot) => slots[slot].expect("the slot has an event"),
            Due::Event(number) => number,
        };
        assert_eq!(self.queue.pop().map(|(time, due)| (time.0, number(due))), first);
        self.model.retain(|pending| Some(*pending) != first);
        self.now = first.map_or(self.now, |(time, _)| time);
        self.slots
            .iter_mut()
            .filter(|slot| slot.is_some() && **slot == first.map(|first| first.1))
            .for_each(|slot| *slot = None);
    }

    fn run(mut self, steps: &[Step]) {
        steps.iter().enumerate().for_each(|(number, step)| self.step(*step, number));
        steps.iter().for_each(|_| self.pop());
        assert!(self.queue.is_empty());
    }
}

fn steps(delays: impl Strategy<Value = u64> + Clone + 'static) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => delays.clone().prop_map(Step::Push),
        2 => (0..SLOTS, delays.clone()).prop_map(|(slot, delay)| Step::PushSingle(slot, delay)),
        1 => Just(Step::Reserve),
        1 => delays.prop_map(Step::PushReserved),
        4 => Just(Step::Pop),
    ];
    prop::collection::vec(step, 0..600)
}

proptest! {
    #[test]
    fn any_delays(steps in steps(0u64..50)) {
        Both::new().run(&steps);
    }

    #[test]
    fn delays_of_some_kinds(steps in steps(prop::sample::select(vec![0, 3, 4, 10, 40, 100, 1000]))) {
        Both::new().run(&steps);
    }

    #[test]
    fn falling_delays(first in prop::collection::vec(0u64..5000, 0..300), steps in steps(0u64..5000)) {
        let mut first = first;
        first.sort_unstable();
        let first = first.into_iter().rev().map(Step::Push);
        Both::new().run(&first.chain(steps).collect::<Vec<_>>());
    }
}

#[test]
fn as_many_kinds_as_lanes_need_no_list() {
    let mut queue = EventQueue::new();
    let delays = [7, 50, 333, 1000];
    for step in 0..1000 {
        queue.push(Time(queue.now().0 + delays[step * 7 % delays.len()]), step);
        if step > 100 {
            queue.pop();
        }
        assert!(queue.list.first().0 == NEVER);
    }
}

/// Sums of times go round the end of the clock.
#[test]
fn what_lies_beyond_the_clock_happens_last() {
    let late = Time::LATEST;
    let mut queue = EventQueue::new();
    queue.push(late, 0);
    assert_eq!(queue.pop(), Some((late, Due::Event(0))));
    queue.push(late + late, 1);
    queue.push_single(0, late + Time(late.0 + 5));
    queue.push(late + Time(3), 3);
    queue.push(Time(u64::MAX), 4);
    let order = std::iter::from_fn(|| queue.pop()).map(|(time, event)| (time > late, event));
    let expected = [Due::Event(3), Due::Event(1), Due::Single(0), Due::Event(4)];
    assert_eq!(order.collect::<Vec<_>>(), expected.map(|due| (true, due)));
}
