//! User-defined rules that choose the block to collect.

use crate::address::PlaneId;

/// Blocks of a plane that can be collected, in columns: whatever has the same place belongs to the same block. They are full, none of
/// their programs is in flight, and each has a flash page to be reclaimed. Where superblocks are used, blocks are these.
#[derive(Debug, Default)]
pub struct Victims {
    /// The plane, or the first of a group whose superblocks these are. None for the plane that is written to find the state that a drive
    /// settles in, before the run.
    pub plane: Option<PlaneId>,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Numbers of the blocks, rising.
    pub blocks: Vec<u32>,
    /// Pages of each that collecting it does not reclaim: valid ones.
    pub valid: Vec<u32>,
    /// Pages written in the plane since a page of each last changed.
    pub age: Vec<u64>,
    /// Pages written in the plane, or in all planes of the group, since each was opened.
    pub since_opened: Vec<u64>,
    /// Times that each was erased.
    pub erases: Vec<u32>,
}

impl Victims {
    /// Begins the columns of a plane.
    pub fn begin(&mut self, plane: Option<PlaneId>, pages_per_block: u32) {
        (self.plane, self.pages_per_block) = (plane, pages_per_block);
        self.blocks.clear();
        self.valid.clear();
        self.age.clear();
        self.since_opened.clear();
        self.erases.clear();
    }

    /// Adds a block.
    pub fn push(&mut self, block: u32, valid: u32, age: u64, since_opened: u64, erases: u32) {
        self.blocks.push(block);
        self.valid.push(valid);
        self.age.push(age);
        self.since_opened.push(since_opened);
        self.erases.push(erases);
    }

    /// Place of a block in the columns.
    pub fn place(&self, block: u32) -> Option<usize> {
        self.blocks.binary_search(&block).ok()
    }

    /// Allowed answers, for messages.
    pub fn allowed(&self) -> String {
        let listed: Vec<String> = self.blocks.iter().take(8).map(u32::to_string).collect();
        let more = if self.blocks.len() > listed.len() { ", …" } else { "" };
        match self.blocks.len() {
            1 => format!("expected block {}, the only one that is full and has a page to reclaim", listed[0]),
            count => format!(
                "expected one of the {count} blocks that are full and have a page to reclaim: {}{more}",
                listed.join(", ")
            ),
        }
    }

    /// The plane, for messages.
    pub fn name(&self) -> String {
        self.plane.map_or("the plane that is written before the run".to_owned(), |plane| format!("plane {}", plane.0))
    }
}

/// Chooses victims, during one run.
pub trait VictimRule: Send {
    /// The block of `victims` to collect next, by its number. There is one at least.
    ///
    /// # Errors
    /// A reason why it cannot choose. The run ends with that text.
    fn choose(&mut self, victims: &Victims) -> Result<u32, String>;
}
