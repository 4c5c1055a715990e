use std::rc::Rc;

use super::Check;
use crate::fabric::trace::WireUse;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Transfers};
use crate::measure::wire_check::recording::{Entry, Fact};

pub struct Spans {
    known: Rc<Known>,
}

impl Spans {
    pub fn new(known: &Rc<Known>) -> Spans {
        Spans { known: known.clone() }
    }
}

impl Check for Spans {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        let Fact::Wire(cycles) = &entry.fact else { return };
        let shape = &self.known.shape;
        if cycles.until <= cycles.from {
            let what = format!("{:?} cycles that end at {}", cycles.what, ns(cycles.until));
            found.add(Rule::Span, cycles.from, shape.name(cycles.wire), what, "an end after the beginning");
        }
        if cycles.wire as usize >= shape.wires.len() {
            let expected = format!("one of the {} wires of the design", shape.wires.len());
            found.add(Rule::Span, cycles.from, shape.name(cycles.wire), "cycles on no wire".into(), expected);
        }
        if !matches!(cycles.what, WireUse::Command | WireUse::Data) {
            return;
        }
        match transfers.of(cycles) {
            Some(open) if cycles.from >= open.began => {}
            Some(open) => {
                let expected = format!("none before its transfer begins at {}", ns(open.began));
                let what = format!("{:?} cycles of transfer {}", cycles.what, cycles.transfer);
                found.add(Rule::Span, cycles.from, shape.name(cycles.wire), what, expected);
            }
            None => {
                let what = format!("{:?} cycles of transfer {}", cycles.what, cycles.transfer);
                found.add(Rule::Span, cycles.from, shape.name(cycles.wire), what, "a transfer that is under way");
            }
        }
    }
}
