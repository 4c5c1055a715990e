use super::*;
use crate::config::design::{ControllerEdge, FabricKind, VeniceController};
use crate::config::named::Named;
use crate::fabric::tests::of;
use proptest::prelude::*;

fn failing(kind: FabricKind, placement: u32, spare_chips: bool) -> FabricConfig {
    let mut config = of(kind);
    (config.failures.placement, config.failures.spare_chips) = (placement, spare_chips);
    config
}

fn counts(parts: Parts) -> [u32; 5] {
    [parts.links, parts.routers, parts.controllers, parts.buses, parts.switches]
}

fn set(config: &mut FabricConfig, kind: usize, count: u32) {
    let failures = &mut config.failures;
    let keys = [
        &mut failures.links,
        &mut failures.routers,
        &mut failures.controllers,
        &mut failures.buses,
        &mut failures.switches,
    ];
    *keys.into_iter().nth(kind).unwrap() = count;
}

fn sizes(failed: &Failed) -> [usize; 5] {
    let Failed { links, routers, controllers, buses, switches } = failed;
    [links.len(), routers.len(), controllers.len(), buses.len(), switches.len()]
}

fn most_spared_links(rows: u32, columns: u32) -> u32 {
    rows.saturating_sub(1) * columns.saturating_sub(1)
}

proptest! {
    #[test]
    fn spared_links_join_all_chips(rows in 1u32..9, columns in 1u32..9, placement in 0u32..1000, share in 0u32..=100) {
        let count = most_spared_links(rows, columns) * share / 100;
        let failed: BTreeSet<_> = links(count, placement, rows, columns, true).into_iter().collect();
        prop_assert_eq!(failed.len() as u32, count);
        let all = neighbours(rows, columns);
        prop_assert!(failed.iter().all(|link| all.contains(link)));
        let mut reached = BTreeSet::from([0]);
        for _ in 0..rows * columns {
            for (one, other) in all.iter().filter(|link| !failed.contains(link)) {
                if reached.contains(one) || reached.contains(other) {
                    reached.extend([*one, *other]);
                }
            }
        }
        prop_assert_eq!(reached.len() as u32, rows * columns);
    }

    #[test]
    fn placements_keep_what_they_promise(
        kind in 0..FabricKind::ALL.len(),
        part in 0usize..5,
        rows in 1u32..7,
        columns in 1u32..7,
        placement in 0u32..1000,
        spare_chips in prop::bool::ANY,
        share in 0u32..=100,
    ) {
        let kind = FabricKind::ALL[kind];
        let mut config = failing(kind, placement, spare_chips);
        let there = counts((facts_of(kind).failing.parts)(&config, rows, columns))[part];
        let count = there * share / 100;
        set(&mut config, part, count);
        let some = failed(&config, rows, columns);
        prop_assert_eq!(sizes(&some)[part] as u32, count);
        prop_assert_eq!(sizes(&some).iter().sum::<usize>() as u32, count);
        let each: BTreeSet<u32> = some.buses.iter().chain(&some.controllers).chain(&some.routers).chain(&some.switches).copied().collect();
        prop_assert_eq!(each.len() + some.links.len(), count as usize);
        let off = cut_off(&config, rows, columns);
        prop_assert!(off.iter().all(|chip| chip.0 < rows * columns));
        if count < there {
            set(&mut config, part, count + 1);
            let more = failed(&config, rows, columns);
            prop_assert!(more.buses.starts_with(&some.buses) && more.controllers.starts_with(&some.controllers));
            prop_assert!(more.routers.starts_with(&some.routers) && more.links.starts_with(&some.links));
            prop_assert!(cut_off(&config, rows, columns).len() >= off.len());
        }
        // Any other last part would also cut chips off.
        if spare_chips && !off.is_empty() && some.buses.len() > 1 {
            set(&mut config, part, count - 1);
            let before = failed(&config, rows, columns);
            if cut_off(&config, rows, columns).is_empty() {
                for other in (0..there).filter(|other| !before.buses.contains(other)) {
                    let buses = before.buses.iter().copied().chain([other]).collect();
                    let all = Failed { buses, ..Failed::default() };
                    prop_assert!(!(facts_of(kind).failing.cut_off)(&config, rows, columns, &all).is_empty());
                }
            }
        }
    }

    #[test]
    fn walks_lead_to_all_other_chips(
        rows in 1u32..6,
        columns in 1u32..6,
        placement in 0u32..1000,
        (links, routers, controllers) in (0u32..20, 0u32..4, 0u32..4),
        two_edges in prop::bool::ANY,
        own_row in prop::bool::ANY,
    ) {
        let mut config = failing(FabricKind::Venice, placement, false);
        if two_edges { config.network.controllers = ControllerEdge::Alternating }
        if own_row { config.venice.controller = VeniceController::OwnRow }
        (config.failures.links, config.failures.routers, config.failures.controllers) = (links, routers, controllers);
        let failed = failed(&config, rows, columns);
        let off: BTreeSet<u32> = cut_off(&config, rows, columns).into_iter().map(|chip| chip.0).collect();
        let alive = |router: &u32| !failed.routers.contains(router);
        let mut expected: BTreeSet<u32> = (0..rows * columns).collect();
        for row in (0..rows).filter(|row| !failed.controllers.contains(row)) {
            let column = if two_edges && row % 2 == 1 { columns - 1 } else { 0 };
            let mut reached: BTreeSet<u32> = [row * columns + column].into_iter().filter(alive).collect();
            for _ in 0..rows * columns {
                for (one, other) in neighbours(rows, columns) {
                    let is_left = !failed.links.contains(&(one, other)) && alive(&one) && alive(&other);
                    if is_left && (reached.contains(&one) || reached.contains(&other)) {
                        reached.extend([one, other]);
                    }
                }
            }
            expected.retain(|chip| !reached.contains(chip) || own_row && chip / columns != row);
        }
        prop_assert_eq!(off, expected);
    }
}

#[test]
fn placements_are_by_chance() {
    let found: Vec<_> = (0..200).map(|placement| links(3, placement, 4, 4, true)).collect();
    assert!(found.iter().collect::<BTreeSet<_>>().len() > 150);
    for (placement, three) in (0..).zip(&found) {
        assert_eq!(links(2, placement, 4, 4, true)[..], three[..2]);
    }
    let failing_links: BTreeSet<_> = found.iter().flatten().collect();
    assert_eq!(failing_links.len(), neighbours(4, 4).len());
    let of_two: BTreeSet<_> = (0..200)
        .map(|placement| {
            let mut config = failing(FabricKind::Venice, placement, true);
            config.failures.controllers = 2;
            failed(&config, 4, 4).controllers
        })
        .collect();
    assert_eq!(of_two.len(), 4 * 3, "every pair in both orders");
}

#[test]
fn chips_that_are_cut_off() {
    let off = |kind: FabricKind, failed: Failed| -> Vec<u32> {
        (facts_of(kind).failing.cut_off)(&of(kind), 3, 4, &failed).into_iter().map(|chip| chip.0).collect()
    };
    let buses = |buses: &[u32]| Failed { buses: buses.to_vec(), ..Failed::default() };
    let controllers = |controllers: &[u32]| Failed { controllers: controllers.to_vec(), ..Failed::default() };
    assert_eq!(off(FabricKind::Bus, buses(&[1])), [4, 5, 6, 7]);
    assert_eq!(off(FabricKind::Sca, controllers(&[2])), [8, 9, 10, 11]);
    assert_eq!(off(FabricKind::Ideal, buses(&[3, 7])), [3, 7]);
    // Three column buses, the first of two columns, which are buses 3 to 5.
    assert_eq!(off(FabricKind::Omnibus, buses(&[0, 1, 2])), [] as [u32; 0]);
    assert_eq!(off(FabricKind::Omnibus, buses(&[1, 3, 4])), [4, 5, 6]);
    assert_eq!(off(FabricKind::OmnibusSplit, controllers(&[0])), [0, 1]);
    // Behind the second link, and behind a router.
    assert_eq!(off(FabricKind::Mesh, Failed { links: vec![(5, 6), (1, 5)], ..Failed::default() }), [6, 7]);
    assert_eq!(off(FabricKind::Mesh, Failed { routers: vec![8], ..Failed::default() }), [8, 9, 10, 11]);
    // Switches of eight chips with four inner buses.
    assert_eq!(off(FabricKind::Clusters, Failed { switches: vec![1], ..Failed::default() }), [8, 9, 10, 11]);
    assert_eq!(off(FabricKind::Clusters, buses(&[1])), [2, 3]);
    assert_eq!(off(FabricKind::Clusters, controllers(&[0, 1])), [] as [u32; 0]);
    // A corner behind its two links has only its own controller.
    let corner = Failed { links: vec![(0, 1), (0, 4)], ..Failed::default() };
    assert_eq!(off(FabricKind::Venice, corner.clone()), [] as [u32; 0]);
    assert_eq!(off(FabricKind::ScheduledMesh, Failed { controllers: vec![0], ..corner }), [0]);
}
