//! Paths held from a command to its data (`fabric.hold_path`).

use crate::fabric::PathId;
use crate::flash::address::LunId;
use crate::flash::array::MAX_PLANES;
use crate::scheduler::transaction::TransactionId;

pub struct HeldPaths {
    luns: Vec<Lun>,
}

#[derive(Clone, Copy)]
struct Lun {
    holding: bool,
    path: Option<PathId>,
    /// Read together and yet to cross, the next one last.
    pages: [TransactionId; MAX_PLANES],
    length: u8,
}

impl HeldPaths {
    pub fn new(are_held: bool, luns: u32) -> HeldPaths {
        let none = Lun { holding: false, path: None, pages: [TransactionId::NONE; MAX_PLANES], length: 0 };
        HeldPaths { luns: if are_held { vec![none; luns as usize] } else { Vec::new() } }
    }

    pub fn hold(&mut self, lun: LunId, path: PathId) {
        let lun = &mut self.luns[lun.index()];
        lun.holding = true;
        lun.path = Some(path);
    }

    #[inline]
    pub fn is_holding(&self, lun: LunId) -> bool {
        self.luns.get(lun.index()).is_some_and(|lun| lun.holding)
    }

    #[inline(always)]
    pub fn let_go(&mut self, lun: LunId) -> bool {
        self.luns.get_mut(lun.index()).is_some_and(|lun| std::mem::take(&mut lun.holding))
    }

    #[inline(always)]
    pub fn take(&mut self, lun: LunId) -> Option<PathId> {
        self.luns.get_mut(lun.index())?.path.take()
    }

    pub fn add_page(&mut self, lun: LunId, page: TransactionId) {
        let lun = &mut self.luns[lun.index()];
        let length = lun.length as usize;
        lun.pages.copy_within(0..length, 1);
        lun.pages[0] = page;
        lun.length += 1;
    }

    #[inline(always)]
    pub fn next_page(&mut self, lun: LunId) -> Option<TransactionId> {
        let lun = self.luns.get_mut(lun.index())?;
        if lun.length == 0 {
            return None;
        }
        lun.length -= 1;
        Some(lun.pages[lun.length as usize])
    }
}
