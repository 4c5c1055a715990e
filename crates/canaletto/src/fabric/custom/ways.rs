use std::collections::BTreeMap;

use crate::config::own::fabric::{Grants, View};
use crate::fabric::wires::Place;

type Node = u32;

#[derive(Clone, Copy, Default)]
struct Found {
    search: u32,
    link: u32,
    from: Node,
}

pub struct Ways {
    links: Vec<Vec<Node>>,
    at: Vec<Vec<u32>>,
    chips: u32,
    controllers: u32,
    own: Vec<u32>,
    found: Vec<Found>,
    search: u32,
    next: Vec<Node>,
}

impl Ways {
    pub fn new(links: &[Vec<Place>], chips: &[Place], controllers: &[Place]) -> Ways {
        let mut numbers = BTreeMap::new();
        let mut number = |place: Place| {
            let next = numbers.len() as Node;
            *numbers.entry(place).or_insert(next)
        };
        for &place in chips.iter().chain(controllers) {
            number(place);
        }
        let links: Vec<Vec<Node>> = links.iter().map(|ends| ends.iter().map(|&end| number(end)).collect()).collect();
        let mut at = vec![Vec::new(); numbers.len()];
        for (link, ends) in (0..).zip(&links) {
            ends.iter().for_each(|&end| at[end as usize].push(link));
        }
        let found = vec![Found::default(); at.len()];
        let (chips, controllers) = (chips.len() as u32, controllers.len() as u32);
        let mut ways = Ways { links, at, chips, controllers, own: Vec::new(), found, search: 0, next: Vec::new() };
        ways.own = (0..ways.links.len() as u32).filter(|&link| ways.controllers_of(link).next().is_some()).collect();
        ways
    }

    fn controller(&self, node: Node) -> Option<u32> {
        node.checked_sub(self.chips).filter(|&controller| controller < self.controllers)
    }

    pub fn controllers_of(&self, link: u32) -> impl Iterator<Item = u32> {
        self.links[link as usize].iter().filter_map(|&node| self.controller(node))
    }

    pub fn has_router(&self, chip: u32) -> bool {
        self.at[chip as usize].len() > 1
    }

    pub fn routers(&self) -> u32 {
        let joins = |node: &u32| self.controller(*node).is_none() && self.at[*node as usize].len() > 1;
        (0..self.at.len() as u32).filter(joins).count() as u32
    }

    /// Returns the controller.
    pub fn check(&self, links: &[u32], chip: u32) -> Result<u32, String> {
        let Some(controller) = links.first().and_then(|&first| self.controllers_of(first).next()) else {
            return Err("its first link has no controller".into());
        };
        let reached =
            |link: u32, node: &Node| self.links[link as usize].contains(node) && self.controller(*node).is_none();
        for pair in links.windows(2) {
            if !self.links[pair[0] as usize].iter().any(|node| reached(pair[1], node) && reached(pair[0], node)) {
                return Err(format!("links {} and {} do not meet", pair[0], pair[1]));
            }
        }
        match links.last().is_some_and(|last| self.links[*last as usize].contains(&chip)) {
            true => Ok(controller),
            false => Err("its last link does not reach the chip".into()),
        }
    }

    /// First come first served, from the nearest controller.
    pub fn grant_shortest(&mut self, view: &View<'_>, taken: &mut Vec<bool>, grants: &mut Grants) {
        taken.clear();
        taken.extend_from_slice(view.taken);
        for asked in view.waiting {
            if !self.has_free_controller(taken) {
                return;
            }
            if let Some(controller) = self.search(asked.transfer.chip.0, taken) {
                let way = self.back_from(controller, asked.transfer.chip.0);
                way.clone().for_each(|link| taken[link as usize] = true);
                grants.grant(asked.path, way);
            }
        }
    }

    pub fn has_free_controller(&self, taken: &[bool]) -> bool {
        self.own.iter().any(|&link| !taken[link as usize])
    }

    pub fn own_links(&self) -> usize {
        self.own.len()
    }

    fn search(&mut self, chip: u32, taken: &[bool]) -> Option<Node> {
        self.search += 1;
        self.found[chip as usize].search = self.search;
        self.next.clear();
        self.next.push(chip);
        let mut place = 0;
        while let Some(&node) = self.next.get(place) {
            place += 1;
            if self.controller(node).is_some() {
                return Some(node);
            }
            for &link in self.at[node as usize].iter().filter(|&&link| !taken[link as usize]) {
                for &end in &self.links[link as usize] {
                    if self.found[end as usize].search != self.search {
                        self.found[end as usize] = Found { search: self.search, link, from: node };
                        self.next.push(end);
                    }
                }
            }
        }
        None
    }

    fn back_from(&self, controller: Node, chip: Node) -> impl Iterator<Item = u32> + Clone + '_ {
        let step = move |node: Node| Some(node).filter(|&node| node != chip).map(|node| self.found[node as usize]);
        std::iter::successors(step(controller), move |found| step(found.from)).map(|found| found.link)
    }
}
