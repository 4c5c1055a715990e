use super::*;

const LIMITS: ZoneLimits = ZoneLimits { size: 100, capacity: 80, open: 2, active: 3, append: 32, random_write_area: 0 };

fn zones() -> ZoneStates {
    ZoneStates::new(&[8], 0, LIMITS)
}

#[test]
fn writes_begin_at_the_write_pointer_and_end_in_the_capacity() {
    let mut zones = zones();
    assert_eq!(zones.write(108, 8), Err(Status::ZoneInvalidWrite));
    assert_eq!((zones.write(100, 8), zones.write(108, 64)), (Ok(()), Ok(())));
    assert_eq!(zones.write(172, 9), Err(Status::ZoneBoundaryError));
    assert_eq!(zones.write(172, 8), Ok(()));
    assert_eq!((zones.zone(1).state, zones.in_use()), (State::Full, (0, 0)));
    assert_eq!(zones.write(180, 1), Err(Status::ZoneIsFull));
    assert_eq!((zones.read(180, 20), zones.read(180, 21)), (Ok(()), Err(Status::ZoneBoundaryError)));
}

#[test]
fn appends_return_their_address() {
    let mut zones = zones();
    assert_eq!([zones.append(200, 30), zones.append(200, 30)], [Ok(200), Ok(230)]);
    assert_eq!(zones.append(200, 33), Err(Status::InvalidField), "larger than the limit of appends");
    assert_eq!(zones.append(230, 8), Err(Status::InvalidField), "not the first sector of a zone");
    assert_eq!(zones.append(200, 30), Err(Status::ZoneBoundaryError));
}

#[test]
fn the_drive_closes_only_what_writes_have_opened() {
    let mut zones = zones();
    assert_eq!([zones.write(0, 1), zones.write(100, 1), zones.write(200, 1)], [Ok(()); 3]);
    assert_eq!(
        [0, 1, 2].map(|zone| zones.zone(zone).state),
        [State::Closed, State::ImplicitlyOpen, State::ImplicitlyOpen]
    );
    assert_eq!((zones.in_use(), zones.closed_implicitly), ((2, 3), 1));
    assert_eq!(zones.write(300, 1), Err(Status::TooManyActiveZones));
    assert_eq!([zones.open(100), zones.open(200)], [Ok(()); 2]);
    assert_eq!(zones.write(1, 1), Err(Status::TooManyOpenZones));
    assert_eq!([zones.close(100), zones.write(1, 1)], [Ok(()); 2]);
}

#[test]
fn namespaces_have_limits_of_their_own() {
    let mut zones = ZoneStates::new(&[3, 8], 0, LIMITS);
    assert_eq!([zones.open(0), zones.open(100)], [Ok(()); 2]);
    assert_eq!([zones.open(200), zones.write(200, 1)], [Err(Status::TooManyOpenZones); 2]);
    assert_eq!([zones.write(300, 1), zones.open(400)], [Ok(()); 2]);
    assert_eq!((zones.write(500, 1), zones.zone(3).state), (Ok(()), State::Closed));
    assert_eq!(zones.in_use(), (4, 5));
}

#[test]
fn resets_and_finishes_free_resources() {
    let mut zones = zones();
    for (i, start) in [0, 100, 200].into_iter().enumerate() {
        zones.write(start, 1).unwrap();
        let reset = i == 0;
        let zone = if reset { zones.reset(start) } else { zones.finish(start) }.unwrap();
        assert_eq!(zones.write(start + 1, 1), Err(Status::ZoneIsFull));
        if reset {
            zones.empty(zone);
            assert_eq!((zones.zone(zone).pointer, zones.write(start, 1)), (0, Ok(())));
        }
    }
    assert_eq!(zones.in_use(), (1, 1));
    assert_eq!((zones.zone(1).written, zones.zone(1).pointer), (1, 80));
}

#[test]
fn failed_zones_are_neither_written_nor_reset() {
    let mut zones = zones();
    zones.write(100, 8).unwrap();
    zones.fail(1, State::ReadOnly);
    assert_eq!(zones.write(108, 1), Err(Status::ZoneIsReadOnly));
    assert_eq!([zones.reset(100), zones.finish(100)], [Err(Status::InvalidTransition); 2]);
    assert_eq!([zones.open(100), zones.close(100)], [Err(Status::InvalidTransition); 2]);
    assert_eq!((zones.read(100, 8), zones.in_use()), (Ok(()), (0, 0)));
    zones.fail(1, State::Offline);
    assert_eq!((zones.read(100, 8), zones.write(100, 1)), (Err(Status::ZoneIsOffline), Err(Status::ZoneIsOffline)));
}

#[test]
fn a_random_write_area_takes_writes_in_any_order() {
    let mut zones = ZoneStates::new(&[2], 0, ZoneLimits { random_write_area: 16, ..LIMITS });
    assert_eq!([zones.write(8, 8), zones.write(0, 8), zones.write(0, 4)], [Ok(()); 3]);
    assert_eq!(zones.zone(0).pointer, 0, "nothing is committed");
    assert_eq!(zones.write(16, 8), Ok(()));
    assert_eq!((zones.zone(0).pointer, zones.write(0, 8)), (8, Err(Status::ZoneInvalidWrite)));
    assert_eq!(zones.write(33, 8), Err(Status::ZoneInvalidWrite), "beyond twice the area");
    assert_eq!(zones.append(0, 8), Err(Status::InvalidField));
}

#[test]
fn a_zone_is_small() {
    assert!(std::mem::size_of::<Zone>() <= 32);
}
