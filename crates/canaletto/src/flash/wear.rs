//! What has happened to each block's cells, for models that depend on it.
//!
//! Kept apart from the translation layer's view of blocks, and only while a model needs it: memory grows with the blocks
//! that are touched.

use crate::flash::address::{Layout, PlaneId, Ppa};

/// One block's history.
#[derive(Clone, Default)]
struct Block {
    /// For each page how often its data were copied without correction, the last copy included; empty until there is one.
    copies: Vec<u32>,
}

/// The history of every touched block.
pub struct Wear {
    /// By plane and block; empty if nothing needs it.
    planes: Vec<Vec<Block>>,
    pages_per_block: u32,
}

impl Wear {
    /// A fresh array, whose history is kept if `is_on`.
    pub fn new(layout: &Layout, is_on: bool) -> Wear {
        let planes = if is_on { layout.planes() as usize } else { 0 };
        Wear { planes: vec![Vec::new(); planes], pages_per_block: layout.pages_per_block }
    }

    /// Whether history is kept.
    pub fn is_on(&self) -> bool {
        !self.planes.is_empty()
    }

    fn block(&self, plane: PlaneId, block: u32) -> Option<&Block> {
        self.planes.get(plane.index())?.get(block as usize)
    }

    fn block_mut(&mut self, plane: PlaneId, block: u32) -> Option<&mut Block> {
        let blocks = self.planes.get_mut(plane.index())?;
        if blocks.len() <= block as usize {
            blocks.resize(block as usize + 1, Block::default());
        }
        blocks.get_mut(block as usize)
    }

    /// How often the data of a page were copied since they last passed the controller.
    pub fn copies(&self, at: Ppa) -> u32 {
        let block = self.block(at.plane, at.block);
        block.and_then(|b| b.copies.get(at.page as usize)).copied().unwrap_or(0)
    }

    /// A page was copied without passing the controller.
    pub fn copied(&mut self, from: Ppa, to: Ppa) {
        let (copies, pages) = (self.copies(from) + 1, self.pages_per_block as usize);
        if let Some(block) = self.block_mut(to.plane, to.block) {
            block.copies.resize(pages, 0);
            block.copies[to.page as usize] = copies;
        }
    }

    /// A block is erased.
    pub fn erased(&mut self, plane: PlaneId, block: u32) {
        if let Some(block) = self.block_mut(plane, block) {
            block.copies.clear();
        }
    }
}
