//! Types and macros made of the list of fabrics: [`FabricKind`](super::FabricKind), [`AnyFabric`](super::AnyFabric) and
//! `with_fabric!`.

/// Makes the enum that configurations choose from, `AnyFabric` and `with_fabric!` of a list of fabrics. A line has the kind, the type
/// that implements [`Fabric`](super::Fabric), and the name of its [`Facts`](super::facts::Facts) in the same file.
/// The `$` in front stands for itself in the macro that is made.
macro_rules! fabrics {
    ($d:tt $($Kind:ident: $module:ident::$Fabric:ident, $facts:ident;)+) => {
        $crate::config::named::named! {
            /// Interconnects that can be chosen.
            FabricKind { $($Kind => $crate::fabric::$module::$facts,)+ }
        }

        impl FabricKind {
            /// Facts that it states about itself.
            pub fn facts(self) -> &'static $crate::fabric::facts::Facts {
                match self { $(FabricKind::$Kind => &$crate::fabric::$module::$facts,)+ }
            }
        }

        /// Facts of every fabric, in the order of the list.
        pub fn facts() -> Vec<$crate::fabric::facts::Facts> {
            vec![$($crate::fabric::$module::$facts,)+]
        }

        /// Evaluates an expression with a type name standing for the fabric of a kind.
        macro_rules! with_fabric {
            ($d kind:expr, $d F:ident => $d body:expr) => {
                match $d kind {
                    $($crate::fabric::FabricKind::$Kind => {
                        type $d F = $crate::fabric::$module::$Fabric;
                        $d body
                    })+
                }
            };
        }
        pub(crate) use with_fabric;

        $crate::fabric::any::any_fabric! { $d $($Kind: $module::$Fabric,)+ }
    };
}
pub(super) use fabrics;
