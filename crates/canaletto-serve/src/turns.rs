//! Turns of connections: clients' requests wait in a line for each connection, and lines take turns.

use std::collections::VecDeque;

/// Requests that wait, by their places, connection by connection.
#[derive(Default)]
pub struct Turns {
    /// Lines that are not empty, the one whose turn it is first, each with its connection's number.
    lines: VecDeque<(u64, VecDeque<usize>)>,
}

impl Turns {
    /// A connection without a line has the last turn.
    pub fn add(&mut self, connection: u64, place: usize) {
        match self.lines.iter_mut().find(|(number, _)| *number == connection) {
            Some((_, line)) => line.push_back(place),
            None => self.lines.push_back((connection, VecDeque::from([place]))),
        }
    }

    pub fn first(&self) -> Option<usize> {
        self.lines.front().and_then(|(_, line)| line.front().copied())
    }

    /// The turn passes to the next connection. `is_done`: the request waits no more.
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

    /// One connection's requests go in the order in which they came, a long one by as many turns as it takes.
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

    /// A client that asks for little waits for one turn of each other client, however much these ask for.
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
