//! Blueprints: the links of a fabric, and the plan that chooses ways over them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use crate::own::values::Place;
use crate::own::values::{PathId, Transfer};
use crate::time::Time;

/// A transfer that waits for a way.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// Names it until its path is given back.
    pub path: PathId,
    /// Command and data that are to cross.
    pub transfer: Transfer,
    /// Since when it waits.
    pub since: Time,
}

/// State of a fabric at the moment of a decision.
#[derive(Debug)]
pub struct View<'a> {
    /// The moment.
    pub now: Time,
    /// In the order of arrival. At most one per chip, whose port serves one transfer at a time.
    pub waiting: &'a [Asked],
    /// At the end of the list, since the last decision.
    pub arrived: usize,
    /// Since the last decision.
    pub freed: &'a [u32],
    /// Whether a transfer has the link.
    pub taken: &'a [bool],
}

/// Ways that a plan has granted.
#[derive(Debug, Default)]
pub struct Grants {
    links: Vec<u32>,
    /// Each with the end of its links.
    ends: Vec<(PathId, usize)>,
}

impl Grants {
    /// Grants a way: links in their order from the controller to the chip.
    pub fn grant(&mut self, path: PathId, links: impl IntoIterator<Item = u32>) {
        self.links.extend(links);
        self.ends.push((path, self.links.len()));
    }

    /// Each transfer with its way.
    pub fn iter(&self) -> impl Iterator<Item = (PathId, &[u32])> {
        let begins = std::iter::once(0).chain(self.ends.iter().map(|&(_, end)| end));
        begins.zip(&self.ends).map(|(begin, &(path, end))| (path, &self.links[begin..end]))
    }

    /// Forgets them all.
    pub fn clear(&mut self) {
        self.links.clear();
        self.ends.clear();
    }
}

/// Chooses ways during one run.
pub trait Plan: Send {
    /// Asked when a transfer has come or links have become free, if any controller has a free link. A transfer that
    /// gets no way is also in the next view.
    ///
    /// # Errors
    /// A reason that ends the run.
    fn decide(&mut self, view: &View<'_>, grants: &mut Grants) -> Result<(), String>;
}

/// Makes a plan for each run.
pub trait Plans: Debug + Send + Sync {
    /// A plan without transfers.
    fn begin(&self) -> Box<dyn Plan>;
}

/// Links, and a planner of ways over them. Copies share both.
///
/// A link joins two places, or more as a bus; it carries one transfer at a time, either way. Chips are at (row,
/// column), controllers where [`places_of_controllers`] says; any other place is a switch or router.
#[derive(Debug, Clone)]
pub struct Blueprint {
    /// Name of the fabric, for messages.
    pub name: String,
    /// Places that each link joins.
    pub links: Arc<Vec<Vec<Place>>>,
    /// Maker of the plans of ways.
    pub plans: Arc<dyn Plans>,
}

impl PartialEq for Blueprint {
    fn eq(&self, other: &Blueprint) -> bool {
        Arc::ptr_eq(&self.plans, &other.plans) && self.links == other.links
    }
}

impl Eq for Blueprint {}

// A design is only read during a run, and so are the makers of plans in it: none is left half changed by a run that is unwound.
impl UnwindSafe for Blueprint {}
impl RefUnwindSafe for Blueprint {}

impl Blueprint {
    /// Checks that links lead to every chip of an array.
    ///
    /// # Errors
    /// A link that joins nothing, or a chip that no controller reaches.
    pub fn check(&self, rows: u32, columns: u32, controllers: &[Place]) -> Result<(), String> {
        if let Some(number) = self.links.iter().position(|ends| ends.iter().collect::<BTreeSet<_>>().len() < 2) {
            return Err(format!("link {number} joins {:?}, expected two places or more", self.links[number]));
        }
        let mut at: BTreeMap<Place, Vec<&Vec<Place>>> = BTreeMap::new();
        for ends in self.links.iter() {
            ends.iter().for_each(|&end| at.entry(end).or_default().push(ends));
        }
        let mut reached: BTreeSet<Place> = controllers.iter().copied().collect();
        let mut next = controllers.to_vec();
        while let Some(place) = next.pop() {
            // Links are followed once.
            for ends in at.remove(&place).unwrap_or_default() {
                next.extend(ends.iter().filter(|&&end| reached.insert(end)));
            }
        }
        let mut chips = (0..rows as i32).flat_map(|row| (0..columns as i32).map(move |column| (row, column)));
        match chips.find(|chip| !reached.contains(chip)) {
            Some((row, column)) => Err(format!("no link leads from a controller to chip {row},{column}")),
            None => Ok(()),
        }
    }
}
