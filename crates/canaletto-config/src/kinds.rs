//! Fabrics, GC policies and orders of transactions that a design chooses by name. A new one is a line here and a file
//! in the engine, which makes its own types of the same lists.

use crate::named::named;

/// Calls a macro with every fabric. A line has kind, type and name of its facts in `fabric/`, links, signalling, name
/// in designs, and a sentence with its source.
///
/// In the order of lists; others are compared with the first.
#[macro_export]
macro_rules! fabric_list {
    ($with:ident $($given:tt)*) => {
        $with! {
            ($($given)*)
            Bus { bus::Bus, FACTS, Buses, Cycles, "bus", "One shared bus for each channel (the conventional drive)." }
            Sca {
                sca::Sca, FACTS, Buses, Separate, "sca",
                "The bus with separate command and address pins: commands cross while data do (JESD230G)."
            }
            Packetized {
                packetized::Packetized, FACTS, Buses, Packets, "packetized",
                "Shared buses of twice the width that carry packets (pSSD, Networked SSD §IV)."
            }
            Omnibus {
                omnibus::Omnibus, WHOLE, Buses, Packets, "omnibus",
                "A row and a column bus for each chip, each of which can carry its packets (pnSSD, Networked SSD §V)."
            }
            OmnibusSplit {
                omnibus::Omnibus, SPLIT, Buses, Packets, "omnibus-split",
                "The buses of `omnibus`, with each page split in two halves that take whatever bus is free (Networked SSD §V-C)."
            }
            Mesh {
                mesh::Mesh, WIDE, Routers, Network, "mesh",
                "A mesh of buffered routers that forwards packets, X first, then Y (NoSSD; Venice §3.2)."
            }
            Mesh2bit {
                mesh::Mesh, NARROW, Routers, Network, "mesh-2bit",
                "The mesh with links of two data pins instead of eight (Networked SSD Table III, \"pin-constraint\")."
            }
            Venice {
                venice::Venice, FACTS, Routers, Circuit, "venice",
                "A mesh in which scouts reserve a conflict-free circuit for each transfer (Venice §4)."
            }
            ScheduledMesh {
                scheduled_mesh::ScheduledMesh, FACTS, Routers, Circuit, "scheduled-mesh",
                "A mesh in which a central arbiter grants a circuit for each transfer, without scouts (no paper; routers and links \
                 of Venice §4.1)."
            }
            Clusters {
                clusters::Clusters, FACTS, Buses, Packets, "clusters",
                "Clusters of chips behind switches that hang on the trunks of several controllers each, with a central arbiter (no \
                 paper)."
            }
            DaisyChain {
                daisy_chain::DaisyChain, FACTS, Buses, Packets, "daisy-chain",
                "Chips that pass packets on to the next chip and back, over links each way (bridge chips, Kioxia)."
            }
            Ring {
                ring::Ring, FACTS, Buses, Packets, "ring",
                "Chips that pass packets on around a ring, from the controller and back to it (HLNAND, Schuetz et al. 2007)."
            }
            Custom {
                custom::Custom, FACTS, Routers, Circuit, "custom",
                "User-defined links and ways, in Python or Rust. By default any shortest free way of Venice's mesh, at once."
            }
            Ideal {
                ideal::Ideal, FACTS, Buses, Cycles, "ideal",
                "A separate bus for each chip: no path conflicts (Venice §3.1)."
            }
        }
    };
}

/// Calls a macro with every GC policy. A line has the policy, its file in `ftl/reclaim/gc/policy/`, its name in
/// designs, and a sentence with its source.
///
/// The first is the default.
#[macro_export]
macro_rules! policy_list {
    ($with:ident $($given:tt)*) => {
        $with! {
            ($($given)*)
            Greedy { greedy, "greedy", "The one with the fewest valid pages." }
            DChoices {
                d_choices, "d-choices",
                "The best of `choices` drawn at random (randomised greedy, d-choices: Van Houdt 2013; Li et al. 2013)."
            }
            Random { random, "random", "One drawn at random." }
            RandomPlus {
                random_plus, "random-plus",
                "One drawn at random among those with at least `min_invalid_share` invalid pages."
            }
            Fifo { fifo, "fifo", "The one filled longest ago." }
            CostBenefit {
                cost_benefit, "cost-benefit",
                "The one with the largest age × (1 - u) / 2u, where u is its share of valid pages and its age the number of pages \
                 written in its plane since it last changed (Kawaguchi, Nishioka and Motoda 1995)."
            }
            Custom {
                custom, "custom",
                "The one that a user-defined rule names, in Python or Rust. Without a rule, the one with the fewest valid pages."
            }
        }
    };
}

/// Calls a macro with every rule that orders transactions. A line has the rule, its file in `scheduler/orders/`, its
/// name in designs, and a sentence with its source.
#[macro_export]
macro_rules! order_list {
    ($with:ident $($given:tt)*) => {
        $with! {
            ($($given)*)
            FirstCome { first_come, "first-come", "Order of arrival, whatever waits, without priorities." }
        }
    };
}

/// Interconnect between the chips of a fabric.
#[derive(PartialEq)]
enum Joined {
    /// Buses, with or without switches between them.
    Buses,
    /// Routers with links between neighbours (`fabric.network`).
    Routers,
}

/// Form in which commands come to chips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signalling {
    /// Cycles of dedicated control signals. The wires can be held for the array's turnarounds (`fabric.turnarounds`).
    Cycles,
    /// Cycles, over a circuit that stands while an unmodified chip takes its time between two of them.
    Circuit,
    /// Packets, which a controller in the chip turns into cycles. It is asked for data and for status.
    Packets,
    /// Packets on separate pins, which the chip turns into cycles. It is asked for data and for status.
    Separate,
    /// Packets of a network, whose interface in the chip sends data and status by itself.
    Network,
}

macro_rules! fabric_kinds {
    (
        ()
        $($Kind:ident {
            $module:ident::$Fabric:ident, $facts:ident, $joined:ident, $signalling:ident, $name:literal, $sentence:literal
        })+
    ) => {
        named! {
            /// Interconnects that can be chosen.
            FabricKind { $($Kind => $name, $sentence;)+ }
        }

        impl FabricKind {
            /// Whether it is a network of routers with links between neighbours (`fabric.network`).
            pub fn is_network(self) -> bool {
                Joined::Routers == match self { $(FabricKind::$Kind => Joined::$joined,)+ }
            }

            /// Whether its chips pass packets on (`fabric.chain`).
            pub fn is_chain(self) -> bool {
                matches!(self, FabricKind::DaisyChain | FabricKind::Ring)
            }

            /// Form in which commands come to its chips.
            pub fn signalling(self) -> Signalling {
                match self { $(FabricKind::$Kind => Signalling::$signalling,)+ }
            }
        }
    };
}
fabric_list! { fabric_kinds }

macro_rules! victim_policies {
    (() $($Policy:ident { $module:ident, $name:literal, $sentence:literal })+) => {
        named! {
            /// Which block of a plane garbage collection takes next. Only full blocks without a program on its way are candidates.
            VictimPolicy { $($Policy => $name, $sentence;)+ }
        }
    };
}
policy_list! { victim_policies }

impl Default for VictimPolicy {
    fn default() -> VictimPolicy {
        <VictimPolicy as crate::named::Named>::ALL[0]
    }
}

macro_rules! orders {
    (() $($Order:ident { $module:ident, $name:literal, $sentence:literal })+) => {
        named! {
            /// Order of the transactions of a LUN.
            Policy {
                OutOfOrder => "out-of-order",
                    "Order of arrival, where the first transaction that can be issued goes first; reads before writes before erases.";
                Flin => "flin",
                    "FLIN (Tavakkol et al., ISCA 2018), which is fair among flows. Flows of low intensity go first, the flow with the \
                     largest slowdown is moved forward, and reads and writes take turns in proportion to their waiting times.";
                Custom => "custom",
                    "That of a user-defined rule, in Python or Rust, which is asked for each command. Without a rule, order of \
                     arrival, whatever waits.";
                $($Order => $name, $sentence;)+
            }
        }
    };
}
order_list! { orders }

impl Policy {
    /// Whether a rule names the transaction that goes next.
    pub fn is_rule(self) -> bool {
        !matches!(self, Policy::OutOfOrder | Policy::Flin)
    }
}

impl Default for Policy {
    fn default() -> Policy {
        <Policy as crate::named::Named>::ALL[0]
    }
}
