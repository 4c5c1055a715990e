//! Made of the list in `config/kinds.rs`.

macro_rules! policies {
    (() $($Policy:ident { $module:ident, $name:literal, $sentence:literal })+) => {
        $(pub use $module::$Policy;)+

        #[derive(Debug, Clone, PartialEq)]
        pub enum Policy {
            $(#[doc = concat!("See `", stringify!($module), ".rs`.")] $Policy($Policy),)+
        }

        impl Policy {
            pub fn new(config: &Gc) -> Policy {
                match config.policy { $(VictimPolicy::$Policy => Policy::$Policy(GcPolicy::new(config)),)+ }
            }

            pub fn has_rule(&self) -> bool {
                matches!(self, Policy::Custom(custom) if custom.has_rule())
            }

            pub fn choose(&self, blocks: &Candidates, rng: &mut Stream) -> Option<u32> {
                match self { $(Policy::$Policy(policy) => policy.choose(blocks, rng),)+ }
            }

            pub fn steady_state(&self, load: f64, pages: u32) -> Option<Distribution> {
                match self { $(Policy::$Policy(policy) => policy.steady_state(load, pages),)+ }
            }

            pub fn victims(&self, blocks: u32, pages: u32) -> VictimPool {
                match self { $(Policy::$Policy(policy) => policy.victims(blocks, pages),)+ }
            }
        }

        $(impl From<$Policy> for Policy {
            fn from(policy: $Policy) -> Policy {
                Policy::$Policy(policy)
            }
        })+
    };
}
pub(super) use policies;
