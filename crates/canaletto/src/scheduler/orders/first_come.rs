use super::Order;
use crate::config::design::Scheduler;
use crate::config::own::order::{OrderRule, Turn};

pub struct FirstCome;

impl Order for FirstCome {
    fn new(_: &Scheduler) -> FirstCome {
        FirstCome
    }
}

impl OrderRule for FirstCome {
    fn choose(&mut self, turn: &Turn<'_>) -> Result<u64, String> {
        Ok(turn.ready[0].number)
    }
}
