//! Area: links, routers and on-die logic against the channels of a conventional SSD.

use serde::Serialize;

use crate::JsonSchema;
use crate::config::area::Footprint;
use crate::config::energy::RouterSource;
use crate::fabric::facts::Interconnect;
use crate::measure::synthesis;

const REFERENCE_BITS: f64 = 8.0;

/// Area of an 8-bit link between neighbouring routers, as a share of an 8-bit channel's (Venice Table 4, by ORION 3.0).
const LINK_VS_CHANNEL: f64 = 0.04;

/// I/O pads of a router, five ports of eight data pins (Venice §6.6), without strobes and grants.
const ROUTER_PADS: u32 = 40;

/// Board area of one I/O pad with its safety distance, in um2. Derived from Venice §6.6: 8 mm2 per router, of which the
/// logic is negligible, over 40 pads. (Pads of 0.2 mm, 0.2 mm apart and around, in six rows of seven make 7.8 mm2.)
const PAD_UM2: f64 = 200_000.0;

/// Area of a flash chip, in um2 (Venice §6.6: 100 mm2).
const FLASH_CHIP_UM2: f64 = 100e6;

/// Area of an interconnect. None where a figure does not apply.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct Area {
    /// Number of links between routers.
    pub links: Option<u32>,
    /// Area of all links over the area of the conventional SSD's channels.
    pub link_area_vs_channels: Option<f64>,
    /// Board area of a router over a flash chip's.
    pub router_board_share: Option<f64>,
    /// Area that a controller on the die adds to a flash chip, over the chip's area.
    pub on_die_share: Option<f64>,
    /// Number of switches between buses. Only of fabrics with switches, like their pads and board area.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switches: Option<u32>,
    /// Pads of a switch: data and strobes of its buses, chip enables, grants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_pads: Option<u32>,
    /// Board area of a switch over a flash chip's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_board_share: Option<f64>,
    /// Pins of all controllers on the side of the chips: data and strobes of their buses or links, grants. Of fabrics with
    /// switches or a central arbiter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_pins: Option<u32>,
    /// Pads of a router that a central arbiter sets: data and strobes of its ports, grants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub router_pads: Option<u32>,
    /// Area of a central arbiter in the chip of the controllers, in um2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arbiter_um2: Option<f64>,
}

impl Area {
    /// The area of an interconnect instead of `channels` conventional channels.
    pub fn of(interconnect: &Interconnect, channels: u32, keys: &Footprint) -> Area {
        let &Interconnect {
            links,
            link_bits,
            routers_on_board,
            on_die_controllers,
            switches,
            arbiter,
            controller_pins,
        } = interconnect;
        // Data and strobes of a bus.
        let bus = |bits: u32| bits + keys.strobe_pins;
        let pads = switches.map(|each| each.buses * bus(each.bus_bits) + each.other_pads);
        let router_pads = arbiter.map(|by| ROUTER_PADS + by.router_ports * keys.strobe_pins + by.grant_pads);
        let on_board = router_pads.unwrap_or(ROUTER_PADS);
        let linked = links > 0;
        let all_links = f64::from(links) * LINK_VS_CHANNEL * f64::from(link_bits) / REFERENCE_BITS;
        Area {
            links: linked.then_some(links),
            link_area_vs_channels: (linked && channels > 0).then(|| all_links / f64::from(channels)),
            router_board_share: routers_on_board.then(|| board_share(keys, on_board)),
            on_die_share: on_die_controllers.then_some(keys.on_die_controller),
            switches: switches.map(|each| each.count),
            switch_pads: pads,
            switch_board_share: pads.map(|pads| board_share(keys, pads)),
            controller_pins: controller_pins.map(|pins| pins.buses * bus(pins.bus_bits) + pins.others),
            router_pads,
            arbiter_um2: arbiter.map(|by| f64::from(by.cells) * keys.arbiter_cell().0 as f64),
        }
    }
}

fn board_share(keys: &Footprint, pads: u32) -> f64 {
    let logic = match keys.router {
        RouterSource::Paper => keys.router_logic,
        RouterSource::Synthesised => synthesis::CIRCUIT_AREA,
    };
    (logic.0 as f64 + f64::from(pads) * PAD_UM2) / FLASH_CHIP_UM2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::Fabric;
    use crate::config::units::Rate;
    use crate::fabric::FabricKind;
    use crate::fabric::facts::neighbours;
    use crate::fabric::facts_of;
    use proptest::prelude::*;

    fn close(a: Option<f64>, b: f64, tolerance: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() <= tolerance)
    }

    fn of(kind: FabricKind, (rows, columns): (u32, u32), keys: &Footprint) -> Area {
        Area::of(&parts(kind, rows, columns), rows, keys)
    }

    fn parts(kind: FabricKind, rows: u32, columns: u32) -> Interconnect {
        (facts_of(kind).interconnect)(&Fabric::new(kind, Rate(1_200_000_000)), rows, columns)
    }

    /// Venice Table 4 and §6.6: 112 links, 44 % less area than eight channels, a router 8 % of a flash chip.
    #[test]
    fn venice_table_4() {
        let keys = Footprint::default();
        let area = of(FabricKind::Venice, (8, 8), &keys);
        assert_eq!(area.links, Some(112));
        assert!(close(area.link_area_vs_channels, 1.0 - 0.44, 1e-12), "{area:?}");
        assert!(close(area.router_board_share, 0.08, 1e-5), "{area:?}");
        assert_eq!(area.on_die_share, None);
    }

    /// NoSSD's links have two directions; two-bit ones take a quarter; its routers are in the chips.
    #[test]
    fn network_on_ssd() {
        let keys = Footprint::default();
        let wide = of(FabricKind::Mesh, (8, 8), &keys);
        assert_eq!((wide.links, wide.router_board_share), (Some(224), None));
        assert!(close(wide.link_area_vs_channels, 1.12, 1e-12));
        let narrow = of(FabricKind::Mesh2bit, (8, 8), &keys);
        assert!(close(narrow.link_area_vs_channels, 0.28, 1e-12));
    }

    #[test]
    fn buses_have_no_links() {
        let keys = Footprint::default();
        let none = Area {
            links: None,
            link_area_vs_channels: None,
            router_board_share: None,
            on_die_share: None,
            switches: None,
            switch_pads: None,
            switch_board_share: None,
            controller_pins: None,
            router_pads: None,
            arbiter_um2: None,
        };
        assert_eq!(of(FabricKind::Bus, (8, 8), &keys), none);
        assert_eq!(of(FabricKind::Packetized, (8, 8), &keys), Area { on_die_share: Some(0.2), ..none });
        let json = serde_json::to_string(&none).unwrap();
        assert!(json.contains("\"links\":null"), "{json}");
    }

    /// Four trunks and four inner buses of 16 data pins and four strobes, eight chip enables, three pins of grants.
    #[test]
    fn pins_of_clusters() {
        let keys = Footprint::default();
        let area = of(FabricKind::Clusters, (8, 8), &keys);
        assert_eq!((area.switches, area.switch_pads), (Some(8), Some(8 * 20 + 8 + 3)));
        assert_eq!(area.controller_pins, Some(8 * 20 + 8 * 3));
        assert!(close(area.switch_board_share, 0.342, 1e-4), "{area:?}");
        let small = of(FabricKind::Clusters, (2, 9), &keys);
        assert_eq!((small.switches, small.switch_pads), (Some(3), Some(6 * 20 + 8 + 3)));
        assert_eq!(small.controller_pins, Some(2 * 20 + 3 * 3));
        let json = serde_json::to_string(&of(FabricKind::Bus, (8, 8), &keys)).unwrap();
        assert!(!json.contains("switch") && !json.contains("pins"), "{json}");
    }

    /// Five ports of eight data pins and four strobes, three pins of grants. A tenth of a router for each of 64.
    #[test]
    fn pins_of_a_scheduled_mesh() {
        let keys = Footprint::default();
        let area = of(FabricKind::ScheduledMesh, (8, 8), &keys);
        let venice = of(FabricKind::Venice, (8, 8), &keys);
        assert_eq!((area.links, area.link_area_vs_channels), (venice.links, venice.link_area_vs_channels));
        assert_eq!((area.router_pads, area.controller_pins), (Some(5 * 12 + 3), Some(8 * 12 + 8 * 3)));
        assert!(close(area.router_board_share, 0.126, 1e-4), "{area:?}");
        assert!(close(area.arbiter_um2, 64.0 * 61.0, 1e-9), "{area:?}");
        assert_eq!((venice.router_pads, venice.controller_pins, venice.arbiter_um2), (None, None, None));
    }

    #[test]
    fn nothing_is_infinite() {
        let keys = Footprint::default();
        assert_eq!(Area::of(&parts(FabricKind::Venice, 8, 8), 0, &keys).link_area_vs_channels, None);
        assert_eq!(of(FabricKind::Venice, (1, 1), &keys).links, None);
    }

    proptest! {
        #[test]
        fn links_of_any_shape(rows in 1u32..40, columns in 1u32..40) {
            let east = (0..rows).flat_map(|_| 1..columns).count();
            let south = (0..columns).flat_map(|_| 1..rows).count();
            prop_assert_eq!(neighbours(rows, columns) as usize, east + south);
            prop_assert_eq!(neighbours(rows, columns), neighbours(columns, rows));
        }
    }
}
