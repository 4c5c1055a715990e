use crate::engine::memory::make_room;

/// The ring's places are a power of two, or none.
pub struct Fifo<T> {
    places: Vec<T>,
    first: usize,
    count: usize,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Fifo { places: Vec::new(), first: 0, count: 0 }
    }
}

impl<T: Copy> Fifo<T> {
    pub fn new() -> Self {
        Fifo::default()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    #[inline(always)]
    pub fn push(&mut self, item: T) {
        if self.count == self.places.len() {
            self.grow(item);
        }
        let place = self.place(self.count);
        self.places[place] = item;
        self.count += 1;
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<T> {
        let item = *self.first()?;
        self.first = self.place(1);
        self.count -= 1;
        Some(item)
    }

    /// Of a ring with items.
    #[inline(always)]
    pub fn take_first(&mut self) -> T {
        let item = self.places[self.first];
        self.first = self.place(1);
        self.count -= 1;
        item
    }

    #[inline(always)]
    pub fn first(&self) -> Option<&T> {
        if self.count > 0 { Some(&self.places[self.first]) } else { None }
    }

    #[inline(always)]
    pub fn get(&self, number: usize) -> Option<&T> {
        if number < self.count { Some(&self.places[self.place(number)]) } else { None }
    }

    pub fn remove(&mut self, number: usize) -> T {
        let item = self.places[self.place(number)];
        for number in number..self.count - 1 {
            let (to, from) = (self.place(number), self.place(number + 1));
            self.places[to] = self.places[from];
        }
        self.count -= 1;
        item
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.count).map(|number| &self.places[self.place(number)])
    }

    #[inline(always)]
    fn place(&self, number: usize) -> usize {
        (self.first + number) & (self.places.len() - 1)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, filling: T) {
        self.places.rotate_left(self.first);
        self.first = 0;
        let more = (2 * self.places.len()).max(4);
        make_room(&mut self.places, more - self.count);
        self.places.resize(more, filling);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn items_come_in_their_order(steps in prop::collection::vec(any::<Option<(u16, bool)>>(), 0..200)) {
            let (mut fifo, mut model) = (Fifo::new(), VecDeque::new());
            for step in steps {
                match step {
                    Some((item, true)) if item % 3 == 0 && !model.is_empty() => {
                        let number = usize::from(item) % model.len();
                        prop_assert_eq!(Some(fifo.remove(number)), model.remove(number));
                    }
                    Some((item, _)) => {
                        fifo.push(item);
                        model.push_back(item);
                    }
                    None => prop_assert_eq!(fifo.pop(), model.pop_front()),
                }
                prop_assert_eq!((fifo.len(), fifo.is_empty()), (model.len(), model.is_empty()));
                prop_assert!((0..=model.len()).all(|number| fifo.get(number) == model.get(number)));
                prop_assert!(fifo.iter().eq(&model));
            }
        }
    }
}
