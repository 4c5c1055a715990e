//! User-defined rules that choose the block to collect.

use crate::address::PlaneId;

/// Blocks of a plane that can be collected, in columns. They are full, no program is in flight, and each has a flash
/// page to reclaim. They may be superblocks.
#[derive(Debug, Default)]
pub struct Victims {
    /// Or the first plane of a superblock's group. None for the plane that is written before the run, to find the
    /// drive's state.
    pub plane: Option<PlaneId>,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Numbers of the blocks, rising.
    pub blocks: Vec<u32>,
    /// Pages that collecting does not reclaim.
    pub valid: Vec<u32>,
    /// Pages written in the plane since a page of each last changed.
    pub age: Vec<u64>,
    /// Pages written in the plane or group since each was opened.
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
    /// Number of the block to collect. There is at least one.
    ///
    /// # Errors
    /// A reason that ends the run.
    fn choose(&mut self, victims: &Victims) -> Result<u32, String>;
}
