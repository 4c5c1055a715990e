//! A new one is one file here and one line of `order_list!` (`canaletto-config/src/kinds.rs`).

pub mod first_come;

use crate::config::design::{Policy, Scheduler};
use crate::config::own::order::OrderRule;

pub trait Order: OrderRule + Sized + 'static {
    fn new(config: &Scheduler) -> Self;
}

macro_rules! orders {
    (() $($Order:ident { $module:ident, $name:literal, $sentence:literal })+) => {
        pub fn rule(config: &Scheduler) -> Option<Box<dyn OrderRule>> {
            match config.policy {
                Policy::OutOfOrder | Policy::Flin => None,
                Policy::Custom => config.rule.as_ref().map(|own| own.begin()),
                $(Policy::$Order => Some(Box::new(<$module::$Order as Order>::new(config))),)+
            }
        }
    };
}
canaletto_config::order_list! { orders }
