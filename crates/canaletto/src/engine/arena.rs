use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use crate::engine::memory::{expect, make_room};

/// Freed places are reused, newest first.
pub struct Slab<I, T> {
    items: Vec<T>,
    free: Vec<u32>,
    id: PhantomData<I>,
}

/// A quarter of a kilobyte each, of one level of caches' megabyte.
pub const CACHED: usize = 4096;

impl<I: From<u32> + Into<u32>, T> Slab<I, T> {
    pub fn new() -> Self {
        Slab { items: Vec::new(), free: Vec::new(), id: PhantomData }
    }

    #[inline(always)]
    pub fn insert(&mut self, item: T) -> I {
        match self.free.pop() {
            Some(place) => {
                self.items[place as usize] = item;
                I::from(place)
            }
            None => I::from(self.add(item)),
        }
    }

    /// [`Slab::insert`] field by field, without a copy of what is made there.
    #[inline(always)]
    pub fn insert_fields(&mut self, item: T) -> I
    where
        T: Copy,
    {
        let place = match self.free.pop() {
            Some(place) => place,
            None => self.add(item),
        };
        self.items[place as usize] = item;
        I::from(place)
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, item: T) -> u32 {
        make_room(&mut self.items, 1);
        self.items.push(item);
        self.items.len() as u32 - 1
    }

    /// Its content stays readable until the place is reused.
    #[inline(always)]
    pub fn remove(&mut self, id: I) {
        let place = id.into();
        debug_assert!(!self.free.contains(&place), "freed twice");
        self.free.push(place);
    }

    /// A prefetch. A few thousand items lie in the caches anyhow.
    #[inline(always)]
    pub fn expect(&self, id: I) {
        if self.items.len() > CACHED {
            self.items.get(id.into() as usize).into_iter().for_each(expect);
        }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<I: From<u32> + Into<u32>, T> Default for Slab<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Into<u32>, T> Index<I> for Slab<I, T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.items[id.into() as usize]
    }
}

impl<I: Into<u32>, T> IndexMut<I> for Slab<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.into() as usize]
    }
}
