//! The checker's part for the data cache, which never reads the cache's books.

use std::collections::HashMap;

use canaletto::host::request::{Kind, Request};

use super::shadow::{Sectors, members};

type Written = ((u64, u32), u64);

#[derive(Default)]
pub struct ShadowCache {
    survives_power_loss: bool,
    held: HashMap<u64, (u64, Sectors)>,
    setting_out: HashMap<u64, (u64, Sectors)>,
    /// Newest version of each sector that was ever programmed.
    durable: HashMap<(u64, u32), u64>,
    pub trims: HashMap<u64, u64>,
    completed: HashMap<u16, Vec<Written>>,
    flushes: HashMap<u32, Vec<Written>>,
    /// Versions that must survive a loss of power: flushed, forced, or never cached.
    pub safe: HashMap<(u64, u32), u64>,
    pub hits: u64,
}

impl ShadowCache {
    pub fn new(survives_power_loss: bool) -> ShadowCache {
        ShadowCache { survives_power_loss, ..ShadowCache::default() }
    }

    pub fn put(&mut self, lpa: u64, sectors: u64, version: u64) {
        let (valid, content) = self.held.entry(lpa).or_insert((0, [0; 64]));
        *valid |= sectors;
        members(sectors).for_each(|s| content[s as usize] = version);
    }

    pub fn fill(&mut self, lpa: u64, sectors: u64, from: &Sectors) -> Result<(), String> {
        let (valid, content) = self.held.entry(lpa).or_insert((0, [0; 64]));
        let twice = *valid & sectors;
        *valid |= sectors;
        members(sectors).for_each(|s| content[s as usize] = from[s as usize]);
        if twice == 0 { Ok(()) } else { Err(format!("page {lpa}: sectors {twice:x} were filled over newer ones")) }
    }

    pub fn find(&mut self, lpa: u64, sectors: u64) -> Option<Sectors> {
        self.hits += u64::from(sectors.count_ones());
        self.held.get(&lpa).filter(|(valid, _)| sectors & !valid == 0).map(|(_, content)| *content)
    }

    pub fn version(&self, lpa: u64, sector: u32) -> Option<u64> {
        self.held.get(&lpa).filter(|(valid, _)| valid & (1 << sector) != 0).map(|(_, content)| content[sector as usize])
    }

    pub fn set_out(&mut self, lpa: u64, sectors: u64) -> Result<(), String> {
        let Some(content) = self.find(lpa, sectors) else {
            return Err(format!("page {lpa}: sectors {sectors:x} set out without being there"));
        };
        match self.setting_out.insert(lpa, (sectors, content)) {
            None => Ok(()),
            Some(_) => Err(format!("page {lpa} set out twice at a time")),
        }
    }

    pub fn land(&mut self, lpa: u64, sectors: u64) -> Sectors {
        let (out, content) = self.setting_out.remove(&lpa).expect("a page that set out");
        assert_eq!(out, sectors);
        content
    }

    pub fn programmed(&mut self, lpa: u64, sectors: u64, content: &Sectors) {
        for s in members(sectors) {
            let newest = self.durable.entry((lpa, s)).or_default();
            *newest = content[s as usize].max(*newest);
        }
    }

    pub fn trim(&mut self, lpa: u64, version: u64) {
        self.trims.insert(lpa, version);
    }

    pub fn trim_cached(&mut self, lpa: u64, stays: bool) {
        let version = self.trims[&lpa];
        if stays {
            self.held.insert(lpa, (u64::MAX, [version; 64]));
        } else {
            self.held.remove(&lpa);
        }
    }

    /// The zone of a page is emptied.
    pub fn forget(&mut self, lpa: u64) {
        self.held.remove(&lpa);
    }

    /// Nothing would be lost if the cache dropped it now.
    fn is_safe(&self, &((lpa, sector), version): &Written) -> bool {
        version <= self.durable.get(&(lpa, sector)).copied().unwrap_or(0)
            || version <= self.trims.get(&lpa).copied().unwrap_or(0)
    }

    pub fn drop_page(&mut self, lpa: u64) -> Result<(), String> {
        let Some((valid, content)) = self.held.remove(&lpa) else { return Ok(()) };
        match members(valid).find(|&s| !self.is_safe(&((lpa, s), content[s as usize]))) {
            None => Ok(()),
            Some(s) => Err(format!("page {lpa} sector {s}: version {} was lost from the cache", content[s as usize])),
        }
    }

    pub fn arrived(&mut self, request: &Request) {
        if request.kind == Kind::Flush && !self.survives_power_loss {
            let mut completed = self.completed.remove(&request.flow).unwrap_or_default();
            completed.sort_unstable_by(|a, b| b.cmp(a));
            completed.dedup_by_key(|(sector, _)| *sector);
            self.flushes.insert(request.number, completed.clone());
            self.completed.insert(request.flow, completed);
        }
    }

    pub fn ended(&mut self, request: &Request, written: &[(u64, u64, u64)], cached: bool) -> Result<(), String> {
        let sectors = |&(lpa, sectors, version): &(u64, u64, u64)| members(sectors).map(move |s| ((lpa, s), version));
        let written: Vec<Written> = written.iter().flat_map(sectors).collect();
        let must_be_safe: Vec<Written> = match request.kind {
            _ if self.survives_power_loss => written.clone(),
            Kind::Flush => self.flushes.remove(&request.number).expect("a flush that arrived"),
            Kind::Write if request.fua || !cached => written.clone(),
            _ => Vec::new(),
        };
        for &(sector, version) in &must_be_safe {
            let safe = self.safe.entry(sector).or_default();
            *safe = version.max(*safe);
        }
        if self.survives_power_loss {
            return Ok(());
        }
        self.completed.entry(request.flow).or_default().extend(&written);
        match must_be_safe.iter().find(|written| !self.is_safe(written)) {
            None => Ok(()),
            Some(lost) => Err(format!("request {} ended, but {lost:?} is not on flash", request.number)),
        }
    }
}
