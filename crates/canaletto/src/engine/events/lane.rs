//! Events in the order in which they were added.

use super::{Entry, Key};

/// Events in a ring that grows with their number. Its places are a power of two, or none.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Lane<E> {
    places: Vec<Entry<E>>,
    first: usize,
    count: usize,
}

impl<E: Copy> Lane<E> {
    /// An empty lane.
    pub fn new() -> Self {
        Lane { places: Vec::new(), first: 0, count: 0 }
    }

    /// Whether there is no event.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds an event behind all others.
    #[inline]
    pub fn push(&mut self, key: Key, event: E) {
        if self.count == self.places.len() {
            return self.push_growing(key, event);
        }
        let place = self.place(self.count);
        self.places[place] = Entry { key, event };
        self.count += 1;
    }

    /// Takes the first event of a lane that is not empty, and returns the key of the next one, [`Key::NEVER`] if there is none.
    #[inline]
    pub fn pop(&mut self) -> (E, Key) {
        let event = self.places[self.first].event;
        self.first = self.place(1);
        self.count -= 1;
        (event, if self.count > 0 { self.places[self.first].key } else { Key::NEVER })
    }

    fn place(&self, number: usize) -> usize {
        (self.first + number) & (self.places.len() - 1)
    }

    #[cold]
    #[inline(never)]
    fn push_growing(&mut self, key: Key, event: E) {
        self.places.rotate_left(self.first);
        self.first = 0;
        let more = (2 * self.places.len()).max(4);
        self.places.resize(more, Entry { key, event });
        self.count += 1;
    }
}
