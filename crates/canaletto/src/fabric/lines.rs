//! Lines of a fabric: chips that share a way to the controllers, such as those of a bus.

use crate::config::design::Fabric as FabricConfig;
use crate::flash::address::{ChipId, Layout};

/// Chips that share a way to the controllers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Name, which is that of its bus if it has one.
    pub name: String,
    /// Its chips.
    pub chips: Vec<ChipId>,
    /// Number of transfers between these chips and the controllers that wires carry at a time.
    pub ways: u32,
}

impl Line {
    /// Returns the rows of an array, each with its ways by number.
    pub fn rows(name: &str, rows: u32, columns: u32, ways: impl Fn(u32) -> u32) -> Vec<Line> {
        let chips = |row| (row * columns..(row + 1) * columns).map(ChipId).collect();
        (0..rows).map(|row| Line { name: format!("{name} {row}"), chips: chips(row), ways: ways(row) }).collect()
    }

    /// Returns the columns of an array, so many adjacent ones a line, each with its ways by number.
    pub fn columns(rows: u32, columns: u32, each: u32, ways: impl Fn(u32) -> u32) -> Vec<Line> {
        let line = |number: u32| {
            let (first, end) = (number * each, (number * each + each).min(columns));
            let chips = (0..rows).flat_map(|row| (first..end).map(move |column| ChipId(row * columns + column)));
            let name =
                if end - first == 1 { format!("column {first}") } else { format!("columns {first}-{}", end - 1) };
            Line { name, chips: chips.collect(), ways: ways(number) }
        };
        (0..columns.div_ceil(each)).map(line).collect()
    }
}

/// Returns the fabric's worst line: that with the fewest ways, the first among equals, in the order in which the fabric states
/// them.
pub fn worst_line(config: &FabricConfig, layout: &Layout) -> Line {
    let lines = (config.kind.facts().lines)(config, layout.channels, layout.chips_per_channel);
    lines.into_iter().min_by_key(|line| line.ways).expect("every fabric has lines")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::design::{ControllerEdge, FabricKind, MeshController, VeniceController};
    use crate::config::named::Named;
    use crate::fabric::tests::{array, of};

    /// Name, first and last chip, and ways.
    fn worst(config: &FabricConfig, rows: u32, columns: u32) -> (String, u32, u32, u32) {
        let Line { name, chips, ways } = worst_line(config, &array(rows, columns));
        (name, chips[0].0, chips[chips.len() - 1].0, ways)
    }

    #[test]
    fn adjacent_columns_share_a_line_and_the_last_may_be_alone() {
        let lines = Line::columns(2, 5, 2, |number| number + 1);
        let found: Vec<_> = lines.iter().map(|line| (line.name.as_str(), line.ways, line.chips.clone())).collect();
        let chips = |numbers: &[u32]| numbers.iter().map(|&chip| ChipId(chip)).collect::<Vec<_>>();
        let expected = [
            ("columns 0-1", 1, chips(&[0, 1, 5, 6])),
            ("columns 2-3", 2, chips(&[2, 3, 7, 8])),
            ("column 4", 3, chips(&[4, 9])),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn worst_lines_are_what_they_are_by_hand() {
        let row = |name: &str, columns: u32, ways| (name.to_owned(), 0, columns - 1, ways);
        for kind in [FabricKind::Bus, FabricKind::Sca, FabricKind::Packetized] {
            assert_eq!(worst(&of(kind), 8, 8), row("channel 0", 8, 1), "{kind:?}");
        }
        // A row's bus and eight column buses; four that join four columns each.
        assert_eq!(worst(&of(FabricKind::Omnibus), 8, 8), row("channel 0", 8, 9));
        assert_eq!(worst(&of(FabricKind::Omnibus), 4, 16), row("channel 0", 16, 5));
        // A row and two columns, where a column has eight rows.
        assert_eq!(worst(&of(FabricKind::Omnibus), 8, 2), row("channel 0", 2, 3));
        assert_eq!(worst(&of(FabricKind::Mesh), 8, 8), row("row 0", 8, 1));
        // A switch of eight chips on four trunks; with two trunks two.
        assert_eq!(worst(&of(FabricKind::Clusters), 8, 8), row("switch 0", 8, 4));
        assert_eq!(worst(&of(FabricKind::Clusters), 2, 8), row("switch 0", 8, 2));
        // Nine wires, but eight controllers; a row at the edge of a long array has five.
        assert_eq!(worst(&of(FabricKind::Venice), 8, 8), row("row 0", 8, 8));
        assert_eq!(worst(&of(FabricKind::Venice), 16, 4), row("row 0", 4, 5));

        let mut mesh = of(FabricKind::Mesh);
        mesh.mesh.controller = MeshController::LeastLoaded;
        mesh.network.controllers = ControllerEdge::Alternating;
        assert_eq!(worst(&mesh, 8, 8), row("row 0", 8, 2));
        let mut venice = of(FabricKind::Venice);
        venice.venice.controller = VeniceController::OwnRow;
        assert_eq!(worst(&venice, 8, 8), row("row 0", 8, 1));
    }

    #[test]
    fn every_chip_is_in_a_line() {
        for (kind, (rows, columns)) in
            FabricKind::ALL.iter().flat_map(|kind| [(kind, (3, 5)), (kind, (5, 2)), (kind, (1, 1))])
        {
            let lines = (kind.facts().lines)(&of(*kind), rows, columns);
            let chips: BTreeSet<u32> = lines.iter().flat_map(|line| &line.chips).map(|chip| chip.0).collect();
            assert_eq!(chips, (0..rows * columns).collect(), "{kind:?}");
            assert!(lines.iter().all(|line| line.ways > 0 && !line.chips.is_empty()), "{kind:?}");
        }
    }
}
