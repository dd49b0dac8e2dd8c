use super::*;
use crate::provenance::InitialMode;

fn bytes(address: u64, size: u8) -> Location {
    Location { address, size: Some(size) }
}

fn row(thread: u32, index: u32, kind: Kind, location: Option<Location>) -> Row {
    Row {
        thread,
        index,
        kind,
        annotation: Annotation::None,
        location,
        read: None,
        written: None,
        issued: None,
        completed: None,
        line: None,
        order: None,
        continues: false,
        source: None,
        dependencies: Vec::new(),
    }
}

fn again(history: &History) -> History {
    let rows: Vec<Row> = history.ops().map(|op| history.row(op)).collect();
    History::restore(history.frame(), rows, None).unwrap()
}

fn assert_same(history: &History) {
    let restored = again(history);
    assert_eq!(restored.digest(), history.digest());
    assert_eq!(restored.provenance, history.provenance);
    assert_eq!(restored.locations, history.locations);
    assert_eq!(restored.finals, history.finals);
    assert_eq!(restored.order, history.order);
}

/// A history with mixed sizes (a split access with a fixed source), an inferred initial value, and a
/// location that only a final value touches.
fn mixed() -> History {
    let mut builder = HistoryBuilder::new();
    let place = |address, size| Place::Bytes { address, size };
    builder.push(Access {
        written: Some(0x0102_0304),
        order: Some(9),
        ..Access::new(0, Kind::Store, place(0x100, 4))
    });
    builder.push(Access {
        read: Some(0x0102_0304),
        order: Some(12),
        ..Access::new(1, Kind::Load, place(0x100, 4))
    });
    builder.push(Access { read: Some(7), ..Access::new(1, Kind::Load, place(0x101, 1)) });
    builder.push(Access { written: None, ..Access::new(1, Kind::Store, place(0x200, 8)) });
    builder.final_value(0x300, 5, Some(17));
    builder.finish(AssumedSize::default(), &Initial::Infer, Provenance::made()).unwrap()
}

#[test]
fn mixed_sizes_and_inferred_values_come_back() {
    let history = mixed();
    assert!(history.provenance.split);
    assert!(history.fixed_source(OpId(4)).is_some());
    assert_same(&history);
}

#[test]
fn a_part_of_a_history_comes_back() {
    let (part, _) = mixed().restrict(|op| op.0 != 0 && op.0 != 5);
    assert_same(&part);
}

#[test]
fn assumed_sizes_stay_assumed() {
    let mut builder = HistoryBuilder::new();
    let place = Place::Unsized { address: 8, available: 8, mask: false };
    builder.push(Access { written: Some(3), ..Access::new(0, Kind::Store, place) });
    let provenance = Provenance {
        ended: Some("aborted".to_owned()),
        notes: vec!["a note".to_owned()],
        ..Provenance::made()
    };
    let history = builder.finish(AssumedSize::default(), &Initial::Zero, provenance).unwrap();
    assert_eq!(history.provenance.sizes, Sizes::Assumed(8));
    assert_same(&history);
}

#[test]
fn an_empty_history_comes_back() {
    let mut history = History::empty(Provenance::made());
    history.provenance.sizes = Sizes::Assumed(8);
    assert_same(&history);
}

#[test]
fn initial_values_can_be_resolved_anew() {
    let rows = [Row { read: Some(4), ..row(0, 0, Kind::Load, Some(bytes(0, 8))) }];
    let history =
        History::restore(Frame::of(Provenance::made()), rows, Some(&Initial::Infer)).unwrap();
    assert_eq!(history.initial(0), Some(4));
    assert_eq!(history.provenance.initial, InitialMode::Infer);
    assert_eq!(history.provenance.sizes, Sizes::Recorded);
}

#[test]
fn contradictions_are_errors() {
    let load = || row(0, 0, Kind::Load, Some(bytes(0, 8)));
    let cell = Location { address: 0, size: None };
    let cases: [(&[Row], &str); 9] = [
        (&[row(0, 0, Kind::Load, None)], "a location was expected"),
        (&[row(0, 0, Kind::Fence, Some(cell))], "a fence has no location"),
        (&[Row { written: Some(1), ..load() }], "does not write"),
        (&[Row { read: Some(1), kind: Kind::Store, ..load() }], "does not read"),
        (&[Row { index: 1, ..load() }], "index 0 was expected"),
        (&[load(), Row { location: Some(cell), index: 1, ..load() }], "all of them"),
        (&[Row { location: Some(bytes(u64::MAX, 8)), ..load() }], "beyond"),
        (&[Row { read: Some(1), source: Some((4, 4)), ..load() }], "does not exist"),
        (
            &[Row { dependencies: vec![(DependencyKind::Data, 0)], ..load() }],
            "an earlier one was expected",
        ),
    ];
    for (rows, expected) in cases {
        let error =
            History::restore(Frame::of(Provenance::made()), rows.to_vec(), None).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn two_initial_values_of_a_location_are_an_error() {
    let cell = Location { address: 0, size: None };
    let rows = [row(0, 0, Kind::Load, Some(cell))];
    let stated = |second| Frame {
        initial: vec![(cell, Some(1)), (cell, Some(second))],
        ..Frame::of(Provenance::made())
    };
    let error = History::restore(stated(2), rows.clone(), None).unwrap_err();
    assert!(error.to_string().contains("two initial values"), "{error}");
    assert_eq!(History::restore(stated(1), rows, None).unwrap().initial(0), Some(1));
}

/// A read-modify-write that writes back what it read is not the only source of a value: other reads may have taken it from
/// where this one took it, here from a store to half of the bytes.
#[test]
fn what_was_written_back_fixes_no_source() {
    for kind in [Kind::SilentRmw, Kind::Rmw] {
        let written = (kind == Kind::Rmw).then_some(5);
        let rows = [
            Row { written: Some(5), ..row(0, 0, Kind::Store, Some(bytes(0, 2))) },
            Row { read: Some(5), ..row(1, 0, Kind::Load, Some(bytes(0, 4))) },
            Row { read: Some(5), written, ..row(1, 1, kind, Some(bytes(0, 4))) },
        ];
        let history = History::restore(Frame::of(Provenance::made()), rows, None).unwrap();
        assert!(history.ops().all(|op| history.fixed_source(op).is_none()), "{kind:?}");
    }
}

/// A final value has the size that is stated, not that of a wider access at its address.
#[test]
fn a_final_value_is_of_its_own_bytes() {
    let store =
        |size| Row { written: Some(0x0304), ..row(0, 0, Kind::Store, Some(bytes(0, size))) };
    let finals = vec![(bytes(0, 1), 7, None), (bytes(1, 1), 8, None)];
    let frame = Frame { finals, ..Frame::of(Provenance::made()) };
    for size in [2, 4] {
        let history = History::restore(frame.clone(), [store(size)], None).unwrap();
        let found: Vec<(u64, u64)> = history
            .finals()
            .iter()
            .map(|last| (history.locations()[last.location as usize].address, last.value))
            .collect();
        assert_eq!(found, [(0, 7), (1, 8)], "{size}");
    }
}

#[test]
fn a_value_wider_than_its_location_is_an_error() {
    let initial =
        Frame { initial: vec![(bytes(0, 1), Some(256))], ..Frame::of(Provenance::made()) };
    let finals = Frame { finals: vec![(bytes(0, 1), 256, None)], ..Frame::of(Provenance::made()) };
    let rows = [row(0, 0, Kind::Load, Some(bytes(0, 1)))];
    for frame in [initial, finals] {
        let error = History::restore(frame, rows.clone(), None).unwrap_err();
        assert!(error.to_string().contains("more bytes"), "{error}");
    }
}

#[test]
fn an_initial_value_of_another_size_is_an_error() {
    let frame = Frame { initial: vec![(bytes(0, 8), Some(1))], ..Frame::of(Provenance::made()) };
    let rows = [row(0, 0, Kind::Load, Some(bytes(0, 4)))];
    let error = History::restore(frame, rows, None).unwrap_err();
    assert!(error.to_string().contains("a size that"), "{error}");
}
