use history::{
    Access, Annotation, HistoryBuilder, Kind, OpId, Place, Provenance, Sizes, Source, Unfinished,
};
use proptest::prelude::*;

use super::*;

fn read_with(text: &str, options: &Options) -> Result<Vec<History>, Error> {
    let mut lines = Lines::new(text.as_bytes(), "t.json", false)?;
    parse(&mut lines, options)
}

fn read_all(text: &str) -> Vec<History> {
    read_with(text, &Options::default()).unwrap()
}

fn error(text: &str) -> String {
    read_with(text, &Options::default()).unwrap_err().to_string()
}

fn text_of(history: &History) -> String {
    let mut out = Vec::new();
    write(history, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A history with mixed sizes, unknown values, ticks, notes, an unfinished request, an initial and a final value.
fn rich() -> History {
    let mut builder = HistoryBuilder::new();
    let place = |address, size| Place::Bytes { address, size };
    let store = Access {
        written: Some(0x0102_0304_0506_0708),
        issued: Some(5),
        completed: Some(9),
        line: Some(12),
        order: Some(40),
        ..Access::new(0, Kind::Store, place(0x1000, 8))
    };
    builder.push(store);
    builder.push(Access {
        read: Some(0x0102_0304_0506_0708),
        ..Access::new(1, Kind::Load, place(0x1000, 8))
    });
    builder.push(Access { read: Some(9), ..Access::new(1, Kind::Load, place(0x1004, 2)) });
    builder.push(Access { read: None, ..Access::new(1, Kind::Rmw, place(0x2000, 8)) });
    builder.push(Access::new(3, Kind::Fence, Place::Nowhere));
    builder.final_value(0x3000, u64::MAX, Some(99));
    let provenance = Provenance {
        source: Source::Client,
        protocol: Some("MI_example".to_owned()),
        ended: Some("panic: \"quoted\"".to_owned()),
        unfinished: vec![Unfinished {
            thread: 1,
            address: 0x2000,
            writes: true,
            issued: Some(7),
            line: None,
        }],
        notes: vec!["one".to_owned(), "two".to_owned()],
        ..Provenance::made()
    };
    let mut history = builder.finish(Default::default(), &Initial::Infer, provenance).unwrap();
    history.name = Some("rich".to_owned());
    history
}

fn assert_same(again: &History, history: &History) {
    assert_eq!(again.digest(), history.digest());
    assert_eq!(again.name, history.name);
    assert_eq!(again.provenance, history.provenance);
    assert_eq!(again.locations(), history.locations());
    assert_eq!(again.finals(), history.finals());
    for op in history.ops() {
        assert_eq!(again.row(op), history.row(op));
    }
}

#[test]
fn everything_comes_back() {
    let history = rich();
    assert!(history.provenance.split && history.fixed_source(OpId(3)).is_some());
    let text = text_of(&history);
    assert_eq!(text.matches('\n').count(), 1);
    let again = read_all(&text);
    assert_same(&again[0], &history);
    assert_eq!(text_of(&again[0]), text);
}

#[test]
fn a_part_of_a_history_comes_back() {
    let (part, _) = rich().restrict(|op| op.0 % 2 == 1);
    assert_same(&read_all(&text_of(&part))[0], &part);
}

#[test]
fn the_form_is_as_documented() {
    let mut builder = HistoryBuilder::new();
    builder.push(Access {
        written: Some(1),
        line: Some(2),
        ..Access::new(0, Kind::Store, Place::Cell(1))
    });
    let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made());
    assert_eq!(
        text_of(&history.unwrap()),
        concat!(
            r#"{"source":"axe","sizes":"cells","split":false,"initial_mode":"zero","unfinished":[],"#,
            r#""notes":[],"initial":[],"operations":[{"thread":0,"index":0,"kind":"store","#,
            r#""address":1,"written":1,"line":2}],"final":[]}"#,
            "\n"
        )
    );
}

#[test]
fn few_fields_suffice() {
    let text = r#"{"operations":[{"thread":1,"kind":"load","address":8,"size":4,"read":7},
        {"thread":0,"kind":"store","address":8,"size":4,"written":7}]}"#;
    let history = &read_all(&text.replace('\n', " "))[0];
    assert_eq!(history.provenance.sizes, Sizes::Recorded);
    assert_eq!(history.describe(OpId(0)), "store 0x8 := 0x7");
    assert_eq!(history.initial(0), Some(0));
}

#[test]
fn an_access_may_end_with_the_address_space() {
    let text = r#"{"operations":[{"thread":0,"kind":"store","address":18446744073709551608,"size":8,"written":7}]}"#;
    let history = read_all(text).remove(0);
    let locations = history.locations().iter();
    let sizes: Vec<Option<u8>> = locations.map(|location| location.size).collect();
    assert_eq!(sizes, [Some(8)]);
}

#[test]
fn mixed_sizes_from_elsewhere_are_split() {
    let text = concat!(
        r#"{"operations":[{"thread":0,"kind":"store","address":0,"size":8,"written":1},"#,
        r#"{"thread":1,"kind":"load","address":4,"size":4,"read":0}]}"#
    );
    let history = &read_all(text)[0];
    assert!(history.provenance.split);
    assert_eq!((history.len(), history.operations()), (3, 2));
}

#[test]
fn initial_values_are_inferred_where_the_record_says_so() {
    let text = r#"{"initial_mode":"infer","operations":[{"thread":0,"kind":"load","address":1,"read":5}]}"#;
    assert_eq!(read_all(text)[0].initial(0), Some(5));
    let options = Options { initial: Some(Initial::Given([(1, 3)].into())), ..Options::default() };
    assert_eq!(read_with(text, &options).unwrap()[0].initial(0), Some(3));
}

#[test]
fn every_bad_line_is_named() {
    let good = r#"{"operations":[]}"#;
    let cases = [
        ("{", "JSON that is not a history"),
        ("[1]", "JSON that is not a history"),
        ("{}", "missing field `operations`"),
        (r#"{"operations":[],"opertions":[]}"#, "the field `opertions`"),
        (r#"{"operations":[{"thread":0,"kind":"lod"}]}"#, "unknown variant `lod`"),
        (r#"{"operations":[{"thread":0,"kind":"load"}]}"#, "a location was expected"),
        (r#"{"operations":[{"thread":0,"kind":"load","adress":1}]}"#, "unknown field `adress`"),
        (r#"{"operations":[{"thread":-1,"kind":"fence"}]}"#, "invalid value"),
        (r#"{"operations":[{"thread":0,"index":1,"kind":"fence"}]}"#, "index 0 was expected"),
        (r#"{"sizes":"huge","operations":[]}"#, "assumed N was expected"),
        (r#"{"source":"moon","operations":[]}"#, "unknown variant `moon`"),
        (r#"{"operations":[],"final":[{"address":1}]}"#, "missing field `value`"),
        (r#"{"operations":[{"thread":0,"kind":"load","address":1,"size":9}]}"#, "1 to 8 bytes"),
        (
            r#"{"operations":[{"thread":0,"kind":"load","address":1,"size":1,"read":256}]}"#,
            "more bytes than its location",
        ),
        (
            r#"{"operations":[{"thread":0,"kind":"load","address":18446744073709551616}]}"#,
            "JSON that is not a history",
        ),
    ];
    for (line, expected) in cases {
        let message = error(&format!("{good}\n{line}\n"));
        assert!(message.starts_with("t.json:2: "), "{line}: {message}");
        assert!(message.contains(expected), "{line}: {message}");
    }
    assert!(error("\n\n").contains("without a history"));
    assert!(error(r#"{"operations":["#).contains("cut off"));
}

#[test]
fn options_that_do_not_apply_are_refused() {
    let text = text_of(&rich());
    let ticks = Options { from_tick: Some(1), ..Options::default() };
    let message = read_with(&text, &ticks).unwrap_err().to_string();
    assert!(message.contains("the setting from_tick"), "{message}");
    let source = Options { source: Some(Source::Ruby), ..Options::default() };
    let message = read_with(&text, &source).unwrap_err().to_string();
    assert!(message.contains("source `client`"), "{message}");
}

#[test]
fn lossy_skips_and_counts() {
    let options = Options { lossy: true, ..Options::default() };
    let histories = read_with("{\"operations\":[]}\n{\n", &options).unwrap();
    assert!(histories[0].provenance.notes[0].ends_with("skipped: 1, the first at line 2"));
}

#[test]
fn a_live_history_is_fetched_in_pieces() {
    const OPERATIONS: u64 = 2 * super::FETCHED_TOGETHER as u64 + 1;
    let mut builder = HistoryBuilder::new();
    for number in 0..OPERATIONS {
        builder.push(Access {
            sequence: number,
            written: Some(number + 1),
            // The last operation completes first.
            order: Some(OPERATIONS - number),
            ..Access::new(0, Kind::Store, Place::Bytes { address: 0x100, size: 8 })
        });
    }
    let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made());
    let text = text_of(&history.unwrap());
    let options = Options::default();
    let mut lines = Lines::new(text.as_bytes(), "t.json", false).unwrap();
    let mut live = crate::Live::new(&options);
    let mut pieces = Vec::new();
    while live.advance(&mut lines).unwrap() {
        pieces.push(live.fetch().iter().map(|access| access.written).collect::<Vec<_>>());
    }
    assert!(live.holds_all() && pieces.iter().all(|it| it.len() <= super::FETCHED_TOGETHER));
    let expected: Vec<Option<u64>> = (1..=OPERATIONS).rev().map(Some).collect();
    assert_eq!(pieces.concat(), expected);
    assert!(live.finish(&lines).unwrap().accesses.is_empty());
}

/// Histories of bytes whose accesses may overlap, so that some are split.
fn any_history() -> impl Strategy<Value = History> {
    let access = (
        (0u32..3, 0..Kind::ALL.len(), 0..Annotation::ALL.len()),
        0u64..4,
        0u8..4,
        any::<u64>(),
        any::<u64>(),
        0u64..9,
    )
        .prop_map(|((thread, kind, annotation), slot, size, read, written, tick)| {
            let kind = Kind::ALL[kind];
            let place = if kind.is_fence() {
                Place::Nowhere
            } else {
                Place::Bytes { address: 0x100 + 4 * slot, size: 1 << size }
            };
            Access {
                annotation: Annotation::ALL[annotation],
                read: (read % 5 != 0).then_some(read % 100),
                // The value must fit the size.
                written: (written % 5 != 0).then_some(written & (u64::MAX >> (64 - (8 << size)))),
                issued: (tick > 4).then_some(tick),
                order: (tick > 1).then_some(tick),
                ..Access::new(thread, kind, place)
            }
        });
    let initial = prop_oneof![
        Just(Initial::Zero),
        Just(Initial::Infer),
        Just(Initial::Given([(0x100, 7), (0x104, 9)].into()))
    ];
    (proptest::collection::vec(access, 0..25), initial).prop_map(|(accesses, initial)| {
        let mut builder = HistoryBuilder::new();
        for access in accesses {
            builder.push(access);
        }
        builder.finish(Default::default(), &initial, Provenance::made()).unwrap()
    })
}

proptest! {
    #[test]
    fn writing_and_reading_give_the_same_history(history in any_history()) {
        let again = read_all(&text_of(&history));
        assert_same(&again[0], &history);
    }
}
