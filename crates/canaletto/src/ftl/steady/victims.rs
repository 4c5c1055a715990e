use std::collections::VecDeque;

use crate::engine::random::Stream;

#[derive(Clone, Copy)]
pub struct View<'a> {
    pub valid: &'a [u32],
    pub filled: &'a [u64],
    pub opened: &'a [u64],
    pub changed: &'a [u64],
    pub erases: &'a [u32],
    pub now: u64,
    pub pages: u32,
}

impl View<'_> {
    pub fn valid(&self, block: u32) -> u32 {
        self.valid[block as usize]
    }
}

/// Among full blocks in no order, which it may rearrange: the victim's place.
type Choice = Box<dyn Fn(&mut [u32], View, &mut Stream) -> usize>;

pub struct VictimPool(Order);

enum Order {
    ByValidPages(Buckets),
    ByFilling(VecDeque<u32>),
    None(Vec<u32>, Choice),
}

impl VictimPool {
    pub fn by_valid_pages(blocks: u32, pages: u32) -> VictimPool {
        VictimPool(Order::ByValidPages(Buckets::new(blocks, pages)))
    }

    /// The one filled first that has an invalid page.
    pub fn in_order_of_filling() -> VictimPool {
        VictimPool(Order::ByFilling(VecDeque::new()))
    }

    pub fn unordered(choice: impl Fn(&mut [u32], View, &mut Stream) -> usize + 'static) -> VictimPool {
        VictimPool(Order::None(Vec::new(), Box::new(choice)))
    }

    pub fn add(&mut self, block: u32, valid: u32) {
        match &mut self.0 {
            Order::ByValidPages(buckets) => buckets.insert(block, valid),
            Order::ByFilling(queue) => queue.push_back(block),
            Order::None(full, _) => full.push(block),
        }
    }

    /// `valid` are left.
    pub fn lost_one(&mut self, block: u32, valid: u32) {
        if let Order::ByValidPages(buckets) = &mut self.0 {
            buckets.remove(block, valid + 1);
            buckets.insert(block, valid);
        }
    }

    /// # Panics
    /// If no full block has an invalid page.
    pub fn take(&mut self, view: View, random: &mut Stream) -> u32 {
        match &mut self.0 {
            Order::ByValidPages(buckets) => buckets.take(random),
            Order::ByFilling(queue) => {
                // They are looked at again next time.
                let place = queue.iter().position(|&block| view.valid(block) < view.pages);
                queue.remove(place.expect("a full block with an invalid page")).expect("just found")
            }
            Order::None(full, choice) => {
                let place = choice(full, view, random);
                full.swap_remove(place)
            }
        }
    }
}

/// By valid pages.
struct Buckets {
    lists: Vec<Vec<u32>>,
    place: Vec<u32>,
    lowest: usize,
}

impl Buckets {
    fn new(blocks: u32, pages: u32) -> Buckets {
        Buckets { lists: vec![Vec::new(); pages as usize + 1], place: vec![0; blocks as usize], lowest: pages as usize }
    }

    fn insert(&mut self, block: u32, valid: u32) {
        let list = &mut self.lists[valid as usize];
        self.place[block as usize] = list.len() as u32;
        list.push(block);
        self.lowest = self.lowest.min(valid as usize);
    }

    fn remove(&mut self, block: u32, valid: u32) {
        let (list, place) = (&mut self.lists[valid as usize], self.place[block as usize]);
        list.swap_remove(place as usize);
        if let Some(&moved) = list.get(place as usize) {
            self.place[moved as usize] = place;
        }
    }

    /// An order among them would prefer old or young ones, which matters to hot data.
    fn take(&mut self, random: &mut Stream) -> u32 {
        while self.lists[self.lowest].is_empty() {
            self.lowest += 1;
        }
        assert!(self.lowest < self.lists.len() - 1, "no full block has an invalid page");
        let list = &self.lists[self.lowest];
        let block = list[random.integer(0, list.len() as u64 - 1) as usize];
        self.remove(block, self.lowest as u32);
        block
    }
}
