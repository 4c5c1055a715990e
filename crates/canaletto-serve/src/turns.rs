//! Clients' requests wait in a line per connection, and lines take turns.

use std::collections::VecDeque;

#[derive(Default)]
pub struct Turns {
    /// Lines that are not empty, with their connection's number; the next turn is in front.
    lines: VecDeque<(u64, VecDeque<usize>)>,
}

impl Turns {
    /// A new line has the last turn.
    pub fn add(&mut self, connection: u64, place: usize) {
        match self.lines.iter_mut().find(|(number, _)| *number == connection) {
            Some((_, line)) => line.push_back(place),
            None => self.lines.push_back((connection, VecDeque::from([place]))),
        }
    }

    pub fn first(&self) -> Option<usize> {
        self.lines.front().and_then(|(_, line)| line.front().copied())
    }

    /// `is_done`: the request waits no more.
    pub fn pass(&mut self, is_done: bool) {
        let Some((connection, mut line)) = self.lines.pop_front() else { return };
        if is_done {
            line.pop_front();
        }
        if !line.is_empty() {
            self.lines.push_back((connection, line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_connection_keeps_its_order() {
        let mut turns = Turns::default();
        turns.add(7, 0);
        turns.add(7, 1);
        turns.pass(false);
        assert_eq!(turns.first(), Some(0));
        turns.pass(true);
        assert_eq!(turns.first(), Some(1));
        turns.pass(true);
        assert_eq!(turns.first(), None);
    }

    #[test]
    fn connections_take_turns() {
        let mut turns = Turns::default();
        (0..100).for_each(|place| turns.add(place as u64 % 2, place));
        turns.add(9, 1000);
        let mut served = Vec::new();
        while let Some(place) = turns.first().filter(|_| served.len() < 4) {
            served.push(place);
            turns.pass(true);
        }
        assert_eq!(served, [0, 1, 1000, 2]);
    }
}
