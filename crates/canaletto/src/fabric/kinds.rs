//! Items made of the list of fabrics in `config/kinds.rs`.

/// The `$` in front stands for itself in the macros that are made.
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

        #[allow(clippy::large_enum_variant, reason = "a run has one")]
        pub enum AnyFabric {
            $(#[doc = concat!("[`FabricKind::", stringify!($Kind), "`].")] $Kind($module::$Fabric),)+
        }

        #[derive(Clone, Copy, Debug)]
        pub enum AnyEvent {
            $(#[doc = concat!("Of [`FabricKind::", stringify!($Kind), "`].")] $Kind(<$module::$Fabric as Fabric>::Event),)+
        }

        impl AnyFabric {
            fn of(config: &FabricConfig, layout: &Layout) -> AnyFabric {
                match config.kind { $(FabricKind::$Kind => AnyFabric::$Kind(Fabric::new(config, layout)),)+ }
            }

            #[inline(always)]
            fn handle_inside(&mut self, event: AnyEvent, now: Time, later: &mut impl FnMut(Time, AnyEvent)) -> FabricOutcome {
                match (self, event) {
                    $((AnyFabric::$Kind(fabric), AnyEvent::$Kind(event)) => {
                        fabric.handle(event, now, &mut |time, event| later(time, AnyEvent::$Kind(event)))
                    })+
                    _ => unreachable!("a fabric's events are its own"),
                }
            }
        }

        macro_rules! inside {
            ($d any:expr, $d fabric:ident => $d body:expr) => {
                match $d any { $(AnyFabric::$Kind($d fabric) => $d body,)+ }
            };
            ($d any:expr, $d fabric:ident, $d later:ident => $d body:expr) => {
                match $d any {
                    $(AnyFabric::$Kind($d fabric) => {
                        let $d later = &mut |time, event| $d later(time, AnyEvent::$Kind(event));
                        $d body
                    })+
                }
            };
        }
        use inside;
    };
}
pub(super) use fabrics;
