//! Items made from the list of fabrics in `config/kinds.rs`: [`facts_of`](super::facts_of),
//! [`AnyFabric`](super::AnyFabric) and `with_fabric!`.

/// Makes `facts_of`, `AnyFabric` and `with_fabric!`. The `$` in front stands for itself in the macro that is made.
macro_rules! fabrics {
    (
        ($d:tt)
        $($Kind:ident {
            $module:ident::$Fabric:ident, $facts:ident, $joined:ident, $signalling:ident, $name:literal, $sentence:literal
        })+
    ) => {
        pub fn facts_of(kind: FabricKind) -> &'static $crate::fabric::facts::Facts {
            match kind { $(FabricKind::$Kind => &$crate::fabric::$module::$facts,)+ }
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
