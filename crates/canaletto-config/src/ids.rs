//! Typed ids.

/// Declares a `u32` newtype that indexes one kind of thing, with `NONE` for "no such thing".
#[macro_export]
macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// No such thing.
            pub const NONE: $name = $name(u32::MAX);

            /// Whether this is an id at all.
            #[inline]
            pub fn is_some(self) -> bool {
                self != Self::NONE
            }

            /// The id as an index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<u32> for $name {
            #[inline]
            fn from(id: u32) -> Self {
                $name(id)
            }
        }

        impl From<$name> for u32 {
            #[inline]
            fn from(id: $name) -> u32 {
                id.0
            }
        }
    };
}
