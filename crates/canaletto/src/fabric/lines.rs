use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
use crate::fabric::facts_of;
use crate::flash::address::{ChipId, Layout};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub name: String,
    pub chips: Vec<ChipId>,
    pub ways: u32,
}

impl Line {
    pub fn rows(name: &str, rows: u32, columns: u32, ways: impl Fn(u32) -> u32) -> Vec<Line> {
        let chips = |row| (row * columns..(row + 1) * columns).map(ChipId).collect();
        (0..rows).map(|row| Line { name: format!("{name} {row}"), chips: chips(row), ways: ways(row) }).collect()
    }

    pub fn columns(rows: u32, columns: u32, lines: u32, ways: impl Fn(u32) -> u32) -> Vec<Line> {
        let line = |number: u32| {
            let joined = joined_columns(number, lines, columns);
            let chips = (0..rows).flat_map(|row| joined.clone().map(move |column| ChipId(row * columns + column)));
            Line { name: name_of_columns(&joined), chips: chips.collect(), ways: ways(number) }
        };
        (0..lines).map(line).collect()
    }
}

pub fn line_of_column(column: u32, lines: u32, columns: u32) -> u32 {
    column * lines / columns
}

pub fn joined_columns(line: u32, lines: u32, columns: u32) -> Range<u32> {
    (line * columns).div_ceil(lines)..((line + 1) * columns).div_ceil(lines)
}

pub fn name_of_columns(joined: &Range<u32>) -> String {
    match joined.len() {
        1 => format!("column {}", joined.start),
        _ => format!("columns {}-{}", joined.start, joined.end - 1),
    }
}

/// The first among equals.
pub fn worst_line(config: &FabricConfig, layout: &Layout) -> Line {
    let lines = (facts_of(config.kind).lines)(config, layout.channels, layout.chips_per_channel);
    lines.into_iter().min_by_key(|line| line.ways).expect("every fabric has lines")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::design::{ControllerEdge, FabricKind, MeshController, VeniceController};
    use crate::config::named::Named;
    use crate::fabric::tests::{array, of};

    fn worst(config: &FabricConfig, rows: u32, columns: u32) -> (String, u32, u32, u32) {
        let Line { name, chips, ways } = worst_line(config, &array(rows, columns));
        (name, chips[0].0, chips[chips.len() - 1].0, ways)
    }

    #[test]
    fn adjacent_columns_share_lines_as_evenly_as_they_can() {
        let lines = Line::columns(2, 5, 3, |number| number + 1);
        let found: Vec<_> = lines.iter().map(|line| (line.name.as_str(), line.ways, line.chips.clone())).collect();
        let chips = |numbers: &[u32]| numbers.iter().map(|&chip| ChipId(chip)).collect::<Vec<_>>();
        let expected = [
            ("columns 0-1", 1, chips(&[0, 1, 5, 6])),
            ("columns 2-3", 2, chips(&[2, 3, 7, 8])),
            ("column 4", 3, chips(&[4, 9])),
        ];
        assert_eq!(found, expected);
        for (lines, columns) in (1..=20).flat_map(|columns| (1..=columns).map(move |lines| (lines, columns))) {
            let joined: Vec<_> = (0..lines).map(|line| joined_columns(line, lines, columns)).collect();
            let each = |line: usize| joined[line].clone().map(move |column| (column, line as u32));
            let all: Vec<_> = (0..lines as usize).flat_map(each).collect();
            let by_column: Vec<_> = (0..columns).map(|c| (c, line_of_column(c, lines, columns))).collect();
            assert_eq!(all, by_column, "{lines} lines of {columns} columns");
            let floor = (columns / lines) as usize;
            assert!(joined.iter().all(|some| some.len() == floor || some.len() == floor + 1));
        }
    }

    #[test]
    fn worst_lines_are_what_they_are_by_hand() {
        let row = |name: &str, columns: u32, ways| (name.to_owned(), 0, columns - 1, ways);
        for kind in [FabricKind::Bus, FabricKind::Sca, FabricKind::Packetized, FabricKind::DaisyChain, FabricKind::Ring]
        {
            assert_eq!(worst(&of(kind), 8, 8), row("channel 0", 8, 1), "{kind:?}");
        }
        // Eight column buses, or four that join four columns each.
        assert_eq!(worst(&of(FabricKind::Omnibus), 8, 8), row("channel 0", 8, 9));
        assert_eq!(worst(&of(FabricKind::Omnibus), 4, 16), row("channel 0", 16, 5));
        assert_eq!(worst(&of(FabricKind::Omnibus), 8, 2), row("channel 0", 2, 3));
        assert_eq!(worst(&of(FabricKind::Mesh), 8, 8), row("row 0", 8, 1));
        // On four trunks, or on two.
        assert_eq!(worst(&of(FabricKind::Clusters), 8, 8), row("switch 0", 8, 4));
        assert_eq!(worst(&of(FabricKind::Clusters), 2, 8), row("switch 0", 8, 2));
        // Nine wires, but eight controllers.
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
            let lines = (facts_of(*kind).lines)(&of(*kind), rows, columns);
            let chips: BTreeSet<u32> = lines.iter().flat_map(|line| &line.chips).map(|chip| chip.0).collect();
            assert_eq!(chips, (0..rows * columns).collect(), "{kind:?}");
            assert!(lines.iter().all(|line| line.ways > 0 && !line.chips.is_empty()), "{kind:?}");
        }
    }
}
