use crate::flash::address::PlaneId;

#[derive(Debug, Clone, Default)]
pub struct PlaneSet {
    has: Vec<bool>,
}

impl PlaneSet {
    pub fn add(&mut self, planes: &[PlaneId]) {
        let least = planes.iter().map(|plane| plane.index() + 1).max().unwrap_or(0);
        self.has.resize(self.has.len().max(least), false);
        planes.iter().for_each(|plane| self.has[plane.index()] = true);
    }

    #[inline]
    pub fn has(&self, plane: PlaneId) -> bool {
        self.has.get(plane.index()).is_some_and(|&has| has)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.has.is_empty()
    }

    pub fn planes(&self) -> impl Iterator<Item = PlaneId> + '_ {
        (0..).map(PlaneId).zip(&self.has).filter(|(_, has)| **has).map(|(plane, _)| plane)
    }
}
