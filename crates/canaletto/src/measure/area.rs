//! Area: links, routers and on-die logic against the channels of a conventional SSD.

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::area::Footprint;
use crate::config::energy::RouterSource;
use crate::fabric::facts::Interconnect;
use crate::measure::synthesis;

/// Data wires of a link to which `link_vs_channel` applies, and of the channel it is compared with.
const REFERENCE_BITS: f64 = 8.0;

/// Area of an interconnect. None where a figure does not apply.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct Area {
    /// Number of links between routers.
    pub links: Option<u32>,
    /// Area of all links over the area of the conventional SSD's channels.
    pub link_area_vs_channels: Option<f64>,
    /// Board area of a router over that of a flash chip.
    pub router_board_share: Option<f64>,
    /// Area that a controller on the die adds to a flash chip, over that of the chip.
    pub on_die_share: Option<f64>,
}

impl Area {
    /// The area of an interconnect that stands in for `channels` conventional channels.
    pub fn of(interconnect: &Interconnect, channels: u32, keys: &Footprint) -> Area {
        let &Interconnect { links, link_bits, routers_on_board, on_die_controllers } = interconnect;
        let linked = links > 0;
        let all_links = f64::from(links) * keys.link_vs_channel * f64::from(link_bits) / REFERENCE_BITS;
        Area {
            links: linked.then_some(links),
            link_area_vs_channels: (linked && channels > 0).then(|| all_links / f64::from(channels)),
            router_board_share: if routers_on_board { router_board_share(keys) } else { None },
            on_die_share: on_die_controllers.then_some(keys.on_die_controller),
        }
    }
}

fn router_board_share(keys: &Footprint) -> Option<f64> {
    let logic = match keys.router {
        RouterSource::Paper => keys.router_logic,
        RouterSource::Synthesised => synthesis::CIRCUIT_AREA,
    };
    let router = logic.0 as f64 + f64::from(keys.router_pads) * keys.router_pad.0 as f64;
    (keys.flash_chip.0 > 0).then(|| router / keys.flash_chip.0 as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::units;
    use crate::fabric::FabricKind;
    use crate::fabric::facts::neighbours;
    use proptest::prelude::*;

    fn close(a: Option<f64>, b: f64, tolerance: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() <= tolerance)
    }

    fn of(kind: FabricKind, (rows, columns): (u32, u32), keys: &Footprint) -> Area {
        Area::of(&(kind.facts().interconnect)(rows, columns), rows, keys)
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
        let none = Area { links: None, link_area_vs_channels: None, router_board_share: None, on_die_share: None };
        assert_eq!(of(FabricKind::Bus, (8, 8), &keys), none);
        assert_eq!(of(FabricKind::Packetized, (8, 8), &keys), Area { on_die_share: Some(0.2), ..none });
        let json = serde_json::to_string(&none).unwrap();
        assert!(json.contains("\"links\":null"), "{json}");
    }

    #[test]
    fn nothing_is_infinite() {
        let keys = Footprint { flash_chip: units::Area(0), ..Footprint::default() };
        let area = Area::of(&(FabricKind::Venice.facts().interconnect)(8, 8), 0, &keys);
        assert_eq!((area.link_area_vs_channels, area.router_board_share), (None, None));
        assert_eq!(of(FabricKind::Venice, (1, 1), &keys).links, None);
    }

    proptest! {
        /// Links counted one by one, in arrays of any shape; turning the array does not matter.
        #[test]
        fn links_of_any_shape(rows in 1u32..40, columns in 1u32..40) {
            let east = (0..rows).flat_map(|_| 1..columns).count();
            let south = (0..columns).flat_map(|_| 1..rows).count();
            prop_assert_eq!(neighbours(rows, columns) as usize, east + south);
            prop_assert_eq!(neighbours(rows, columns), neighbours(columns, rows));
        }
    }
}
