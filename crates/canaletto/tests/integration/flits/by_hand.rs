use super::Node::{Chip, Controller};
use super::{Case, Crossing, Node, Packet, run};

fn case(rows: usize, columns: usize, delay: u64, buffer: u64, packets: &[(u64, Node, Node, u64)]) -> Case {
    let packets = packets.iter().map(|&(at, from, to, flits)| Packet { at, from, to, flits }).collect();
    Case { rows, columns, two_edges: false, delay, buffer, packets }
}

fn crossing(starts: &[u64], crossed: u64, conflict: u64, port: u64) -> Crossing {
    Crossing { crossed, starts: starts.to_vec(), port, conflict }
}

/// With `hops` links between routers: at + (hops + 1) × (1 + delay) + flits.
#[test]
fn a_packet_alone() {
    let mut mesh = case(3, 4, 2, 5, &[(10, Controller(0), Chip(2, 3), 5)]);
    assert_eq!(run(&mesh), [crossing(&[10, 13, 16, 19, 22, 25, 28], 10 + 6 * 3 + 5, 0, 0)]);
    mesh.packets = vec![Packet { at: 0, from: Chip(2, 3), to: Controller(1), flits: 1 }];
    assert_eq!(run(&mesh), [crossing(&[0, 3, 6, 9, 12, 15], 5 * 3 + 1, 0, 0)]);
    mesh.two_edges = true;
    assert_eq!(run(&mesh), [crossing(&[0, 3, 6], 2 * 3 + 1, 0, 0)], "controller 1 is next to chip 1,3 now");
    mesh.delay = 0;
    assert_eq!(run(&mesh), [crossing(&[0, 1, 2], 3, 0, 0)]);
}

#[test]
fn routes() {
    use Node::Router;
    let mut mesh = case(2, 2, 0, 1, &[]);
    let there = Packet { at: 0, from: Controller(1), to: Chip(0, 1), flits: 1 };
    let back = Packet { from: there.to, to: there.from, ..there };
    let [a, b, c, d] = [Router(0, 0), Router(0, 1), Router(1, 0), Router(1, 1)];
    assert_eq!(mesh.route(&there), [(Controller(1), c), (c, d), (d, b), (b, Chip(0, 1))]);
    assert_eq!(mesh.route(&back), [(Chip(0, 1), b), (b, a), (a, c), (c, Controller(1))]);
    mesh.two_edges = true;
    assert_eq!(mesh.route(&there), [(Controller(1), d), (d, b), (b, Chip(0, 1))]);
    assert_eq!(mesh.route(&back), [(Chip(0, 1), b), (b, d), (d, Controller(1))]);
}

/// The second is ready at 3, the first at 4, and waits until 6.
#[test]
fn the_packet_that_is_ready_first_goes_first() {
    let mesh = case(3, 1, 1, 8, &[(0, Controller(0), Chip(2, 0), 4), (1, Controller(1), Chip(2, 0), 3)]);
    assert_eq!(run(&mesh), [crossing(&[0, 2, 6, 8], 12, 2, 0), crossing(&[1, 3, 5], 8, 0, 0)]);
}

#[test]
fn of_two_ready_in_one_cycle_the_smaller_number_goes_first() {
    let (far, near) = ((0, Controller(0), Chip(2, 0), 4), (2, Controller(1), Chip(2, 0), 3));
    let far_first = [crossing(&[0, 2, 4, 6], 10, 0, 0), crossing(&[2, 8, 10], 13, 4, 0)];
    assert_eq!(run(&case(3, 1, 1, 8, &[far, near])), far_first);
    let near_first = [crossing(&[2, 4, 6], 9, 0, 0), crossing(&[0, 2, 7, 9], 13, 3, 0)];
    assert_eq!(run(&case(3, 1, 1, 8, &[near, far])), near_first);
}

/// The first leaves the first router's buffer from 1 to 5. A buffer of one packet lets the next start at 5, of two at
/// 4.
#[test]
fn a_buffer_of_one_packet_costs_a_cycle_between_packets() {
    let packet = (0, Controller(0), Chip(0, 1), 4);
    let first = crossing(&[0, 1, 2], 6, 0, 0);
    assert_eq!(run(&case(1, 2, 0, 4, &[packet; 2])), [first.clone(), crossing(&[5, 6, 7], 11, 5, 0)]);
    assert_eq!(run(&case(1, 2, 0, 7, &[packet; 2])), [first.clone(), crossing(&[5, 6, 7], 11, 5, 0)]);
    assert_eq!(run(&case(1, 2, 0, 8, &[packet; 2])), [first, crossing(&[4, 5, 6], 10, 4, 0)]);
}

/// The second waits from 3 to 5 for the chip's port, so the third finds its space taken until 9, and the fourth until
/// 13.
#[test]
fn back_pressure_reaches_upstream() {
    let (near, far) = ((0, Controller(2), Chip(2, 0), 4), (0, Controller(0), Chip(2, 0), 4));
    let expected = [
        crossing(&[0, 1], 5, 0, 0),
        crossing(&[0, 1, 2, 5], 9, 0, 2),
        crossing(&[5, 6, 9, 10], 14, 5 + 2, 0),
        crossing(&[10, 13, 14, 15], 19, 10 + 2, 0),
    ];
    assert_eq!(run(&case(3, 1, 0, 4, &[near, far, far, far])), expected);
}

/// The second waits for its chip's port until 9. The third waits behind it although its link is idle.
#[test]
fn the_head_of_the_line_blocks() {
    let packets =
        [(0, Controller(1), Chip(1, 0), 8), (0, Controller(0), Chip(1, 0), 2), (0, Controller(0), Chip(2, 0), 2)];
    let expected =
        [crossing(&[0, 1], 9, 0, 0), crossing(&[0, 1, 9], 11, 0, 7), crossing(&[2, 3, 11, 12], 14, 2 + 7, 0)];
    assert_eq!(run(&case(3, 1, 0, 8, &packets)), expected);
}

/// The link to router 2,0 is busy from 9 to 13. The first is ready at 10, the blocked one since 4.
#[test]
fn time_in_the_line_counts() {
    let packets = [
        (9, Chip(1, 0), Controller(2), 2),
        (0, Controller(1), Chip(1, 0), 8),
        (0, Controller(0), Chip(1, 0), 2),
        (0, Controller(0), Chip(2, 0), 2),
        (8, Controller(1), Chip(2, 0), 4),
    ];
    let expected = [
        crossing(&[9, 15, 16], 18, 5, 0),
        crossing(&[0, 1], 9, 0, 0),
        crossing(&[0, 1, 9], 11, 0, 7),
        crossing(&[2, 3, 13, 14], 16, 2 + 9, 0),
        crossing(&[8, 9, 10], 14, 0, 0),
    ];
    assert_eq!(run(&case(3, 1, 0, 16, &packets)), expected);
}

/// The second (4 flits of 6) has left at 11. The third (3 flits) has no room until then; the fourth (1 flit) would
/// have.
#[test]
fn a_short_packet_does_not_overtake_one_that_waits_for_room() {
    let packets = [
        (0, Controller(2), Chip(2, 0), 6),
        (0, Controller(0), Chip(2, 0), 4),
        (3, Controller(1), Chip(2, 0), 3),
        (5, Chip(1, 0), Controller(2), 1),
    ];
    let expected = [
        crossing(&[0, 1], 7, 0, 0),
        crossing(&[0, 1, 2, 7], 11, 0, 4),
        crossing(&[3, 11, 12], 15, 7, 0),
        crossing(&[5, 14, 15], 16, 8, 0),
    ];
    assert_eq!(run(&case(3, 1, 0, 6, &packets)), expected);
}

#[test]
fn waiting_for_the_way_out_of_a_chip_is_waiting_for_its_port() {
    let packet = (0, Chip(0, 0), Controller(0), 3);
    assert_eq!(run(&case(1, 1, 0, 6, &[packet; 2])), [crossing(&[0, 1], 4, 0, 0), crossing(&[3, 4], 7, 0, 3)]);
}

#[test]
fn the_two_directions_are_links_of_their_own() {
    let packets =
        [(0, Controller(0), Chip(0, 1), 4), (0, Chip(0, 1), Controller(0), 4), (0, Controller(1), Chip(1, 1), 4)];
    assert_eq!(run(&case(2, 2, 1, 4, &packets)), vec![crossing(&[0, 2, 4], 8, 0, 0); 3]);
}
