//! Histories in Parquet files: what is written is read back, and files that are no such table are refused.

use std::fs;
use std::path::Path;

use history::{
    Access, Annotation, DependencyKind, History, HistoryBuilder, Initial, Kind, Place, Provenance,
    Side, Source, Unfinished,
};
use ingest::input::Lines;
use ingest::{FORMATS, Options, Transition};
use polars_core::prelude::{Column, DataFrame};
use polars_io::prelude::ParquetWriter;
use proptest::prelude::*;
use tables::TableError;

fn store(thread: u32, cell: u64, value: u64) -> Access {
    Access { written: Some(value), ..Access::new(thread, Kind::Store, Place::Cell(cell)) }
}

fn history_of(accesses: &[Access]) -> History {
    let mut builder = HistoryBuilder::new();
    accesses.iter().for_each(|&access| builder.push(access));
    builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
}

/// A history that has a value in every column of the table.
fn rich() -> History {
    let mut builder = HistoryBuilder::new();
    let place = |address, size| Place::Bytes { address, size };
    builder.push(Access {
        written: Some(u64::MAX),
        issued: Some(5),
        completed: Some(9),
        line: Some(12),
        order: Some(40),
        ..Access::new(0, Kind::Store, place(0x1000, 8))
    });
    builder.push(Access { read: Some(u64::MAX), ..Access::new(1, Kind::Load, place(0x1000, 8)) });
    builder.push(Access {
        read: Some(9),
        annotation: Annotation::AcquirePc,
        ..Access::new(1, Kind::Load, place(0x1004, 2))
    });
    builder.push(Access::new(1, Kind::Rmw, place(0x2000, 8)));
    builder.depend(DependencyKind::Address, 1);
    builder.depend(DependencyKind::Data, 2);
    builder.push(Access::new(3, Kind::Fence, Place::Nowhere));
    let weak = Kind::fence(Side::Writes, Side::Both);
    builder.push(Access::new(3, weak, Place::Nowhere));
    builder.final_value(0x3000, u64::MAX, Some(99));
    let provenance = Provenance {
        source: Source::Exec,
        protocol: Some("MI_example".to_owned()),
        ended: Some("panic".to_owned()),
        unfinished: vec![Unfinished {
            thread: 1,
            address: 0x2000,
            writes: true,
            issued: Some(7),
            line: Some(8),
        }],
        notes: vec!["a note".to_owned()],
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

fn round_trip(histories: &[History]) -> Vec<History> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    tables::write_histories(&path, histories).unwrap();
    let again = tables::read_histories(&path).unwrap();
    assert_eq!(again.len(), histories.len());
    for (again, history) in again.iter().zip(histories) {
        assert_same(again, history);
    }
    again
}

#[test]
fn everything_comes_back() {
    round_trip(&[rich()]);
}

/// JSON Lines and Parquet hold the same dependencies.
#[test]
fn dependencies_come_back_through_json_and_parquet() {
    let history = rich();
    assert!(history.all_dependencies().len() > 2, "the split access has several parts");
    let mut text = Vec::new();
    ingest::json::write(&history, &mut text).unwrap();
    let json = FORMATS.iter().find(|format| format.name() == "json").unwrap();
    let mut lines = Lines::new(&text[..], "t.jsonl", false).unwrap();
    let read = json.read(&mut lines, &Options::default()).unwrap();
    round_trip(&read.histories);
    assert_eq!(read.histories[0].all_dependencies(), history.all_dependencies());
}

/// The table has a column of dependencies only if an operation has one.
#[test]
fn a_table_without_dependencies_has_no_column_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let columns = |name: &str, history: &History| {
        let path = folder.path().join(name);
        tables::write_histories(&path, std::slice::from_ref(history)).unwrap();
        String::from_utf8_lossy(&fs::read(&path).unwrap()).contains("depends")
    };
    assert!(!columns("without.parquet", &history_of(&[store(0, 1, 7)])));
    assert!(columns("with.parquet", &rich()));
}

#[test]
fn several_histories_come_back_empty_ones_too() {
    let (part, _) = rich().restrict(|op| op.0 % 2 == 1);
    let one = history_of(&[store(4, 1, 1)]);
    let empty = History::empty(Provenance::made());
    round_trip(&[empty.clone(), rich(), empty.clone(), part, one, empty]);
    round_trip(&[History::empty(Provenance::made())]);
}

#[test]
fn more_rows_than_a_piece_come_back() {
    let accesses: Vec<Access> =
        (0..600_000).map(|at| store(at % 3, u64::from(at % 7), u64::from(at) + 1)).collect();
    let histories =
        [history_of(&accesses[..10]), history_of(&accesses), history_of(&accesses[..300_000])];
    round_trip(&histories);
}

#[test]
fn the_same_histories_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.parquet", "b.parquet"].map(|name| folder.path().join(name));
    let accesses: Vec<Access> =
        (0..300_000).map(|at| store(at % 2, 1, u64::from(at) + 1)).collect();
    let histories = [history_of(&accesses), rich()];
    for path in &paths {
        tables::write_histories(path, &histories).unwrap();
    }
    let [a, b] = paths.map(|path| fs::read(path).unwrap());
    assert!(a == b);
}

#[test]
fn bytes_are_read_like_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    tables::write_histories(&path, &[rich()]).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(tables::MAGIC));
    assert_same(&tables::read_bytes(Path::new("-"), &bytes).unwrap()[0], &rich());
}

#[test]
fn transitions_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.transitions.parquet");
    let transition = |line| {
        let row = Transition {
            tick: u64::from(line),
            machine: "L1Cache",
            version: 1,
            event: "Load",
            state: "I",
            next_state: "IS",
            address: 0x1000,
            line,
        };
        (0, row)
    };
    tables::write_transitions(&path, (1..300_001).map(transition)).unwrap();
    let error = tables::read_histories(&path).unwrap_err().to_string();
    assert!(error.contains("the column `name` is missing"), "{error}");
    tables::write_transitions(&path, []).unwrap();
}

#[test]
fn a_file_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("absent/t.parquet");
    let error = tables::write_histories(&path, &[rich()]).unwrap_err();
    assert!(matches!(error, TableError::Io { .. }), "{error}");
    assert!(error.to_string().contains("absent"), "{error}");
}

/// A table as another program may write it.
fn foreign(columns: Vec<Column>) -> Result<Vec<History>, TableError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.parquet");
    let mut frame = DataFrame::new_infer_height(columns).unwrap();
    let file = fs::File::create(&path).unwrap();
    ParquetWriter::new(file).finish(&mut frame).unwrap();
    tables::read_histories(&path)
}

fn foreign_columns() -> Vec<Column> {
    let none: Vec<Option<i64>> = vec![None, None];
    vec![
        Column::new("history".into(), vec![0i64, 0]),
        Column::new("name".into(), vec![Some("mine"), None]),
        Column::new("thread".into(), vec![0i64, 1]),
        Column::new("index".into(), vec![0i64, 0]),
        Column::new("kind".into(), vec!["store", "load"]),
        Column::new("address".into(), vec![1i64, 1]),
        Column::new("size".into(), none.clone()),
        Column::new("read".into(), vec![None, Some(7i64)]),
        Column::new("written".into(), vec![Some(7i64), None]),
    ]
}

#[test]
fn a_table_from_elsewhere_is_read() {
    let histories = foreign(foreign_columns()).unwrap();
    assert_eq!(histories.len(), 1);
    assert_eq!(histories[0].name.as_deref(), Some("mine"));
    assert_eq!(histories[0].digest(), {
        let load = Access { read: Some(7), ..Access::new(1, Kind::Load, Place::Cell(1)) };
        history_of(&[store(0, 1, 7), load]).digest()
    });
}

#[test]
fn every_missing_column_is_named() {
    for missing in 0..foreign_columns().len() {
        let mut columns = foreign_columns();
        let column = columns.remove(missing);
        let error = foreign(columns).unwrap_err().to_string();
        let expected = format!("the column `{}` is missing", column.name());
        assert!(error.contains(&expected), "{error}");
        assert!(error.contains("foreign.parquet"), "{error}");
    }
}

#[test]
fn every_wrong_type_and_value_is_named() {
    let cases = [
        (Column::new("thread".into(), vec!["a", "b"]), "`thread` holds str, not whole numbers"),
        (Column::new("thread".into(), vec![0.5, 1.5]), "`thread` holds f64"),
        (Column::new("address".into(), vec![-1i64, 1]), "`address` holds numbers below 0"),
        (Column::new("kind".into(), vec![1i64, 2]), "`kind` holds i64, not text"),
        (Column::new("kind".into(), vec!["store", "lod"]), "unknown kind `lod`"),
        (Column::new("kind".into(), vec!["store", "fence"]), "a fence has no location"),
        (Column::new("index".into(), vec![0i64, 3]), "index 0 was expected"),
        (Column::new("index".into(), vec![Some(0i64), None]), "no index"),
        (Column::new("thread".into(), vec![0i64, 1 << 40]), "32 bits"),
        (Column::new("history".into(), vec![0i64, 2]), "not in order"),
        (Column::new("history".into(), vec![1i64, 0]), "not in order"),
        (Column::new("size".into(), vec![9i64, 9]), "1 to 8 bytes"),
        (Column::new("size".into(), vec![300i64, 9]), "more than 8"),
        (Column::new("size".into(), vec![None, Some(8i64)]), "all of them"),
        (Column::new("kind".into(), vec!["store", "final"]), ""),
        (Column::new("continues".into(), vec![1i64, 2]), "not true and false"),
        (Column::new("depends".into(), vec!["", "adress:0"]), "`depends` is not of the form"),
        (Column::new("depends".into(), vec!["", "data:7"]), "depends on operation 7"),
    ];
    for (column, expected) in cases {
        let mut columns = foreign_columns();
        columns.retain(|other| other.name() != column.name());
        let name = column.name().clone();
        columns.push(column);
        match foreign(columns) {
            Err(error) => assert!(error.to_string().contains(expected), "{name}: {error}"),
            Ok(_) => assert_eq!(expected, "", "{name}"),
        }
    }
}

#[test]
fn no_history_in_it_is_an_error() {
    let empty: Vec<Column> = foreign_columns().iter().map(|column| column.clear()).collect();
    let error = foreign(empty).unwrap_err().to_string();
    assert!(error.contains("no history"), "{error}");
}

#[test]
fn a_damaged_file_is_an_error_wherever_the_damage_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let accesses: Vec<Access> = (0..200).map(|at| store(at % 3, 5, u64::from(at) + 1)).collect();
    tables::write_histories(&path, &[history_of(&accesses)]).unwrap();
    let bytes = fs::read(&path).unwrap();
    for length in (0..bytes.len()).step_by(7) {
        let error = tables::read_bytes(Path::new("t.parquet"), &bytes[..length]).unwrap_err();
        assert!(matches!(error, TableError::Damaged { .. }), "{length}: {error}");
    }
    let whole = history_of(&accesses);
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        // Damage to what is not part of the history, such as statistics, may go unseen.
        if let Ok(histories) = tables::read_bytes(Path::new("t.parquet"), &damaged) {
            assert_eq!(histories[0].digest(), whole.digest(), "byte {at}");
        }
    }
}

fn any_history() -> impl Strategy<Value = History> {
    let access = (
        (0u32..3, 0..Kind::ALL.len(), 0..Annotation::ALL.len()),
        0u64..4,
        0u8..4,
        0u64..200,
        any::<u64>(),
        0u64..9,
    )
        .prop_map(|((thread, kind, annotation), slot, size, read, written, tick)| {
            let kind = Kind::ALL[kind];
            let address = 0x100 + 4 * slot;
            let place = if kind.is_fence() {
                Place::Nowhere
            } else {
                Place::Bytes { address, size: 1 << size }
            };
            let cut = |value: u64| value & (u64::MAX >> (64 - (8 << size)));
            Access {
                annotation: Annotation::ALL[annotation],
                read: (read % 5 != 0).then_some(cut(read)),
                written: (written % 5 != 0).then_some(cut(written)),
                issued: (tick > 4).then_some(tick),
                line: (tick > 2).then_some(tick),
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
        for (at, &access) in accesses.iter().enumerate() {
            builder.push(access);
            if let (Some(tick), Some(on)) = (access.issued, at.checked_sub(3)) {
                builder.depend(DependencyKind::ALL[tick as usize % 4], on);
            }
        }
        builder.finish(Default::default(), &initial, Provenance::made()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn writing_and_reading_give_the_same_histories(
        histories in proptest::collection::vec(any_history(), 1..4)
    ) {
        round_trip(&histories);
    }
}

fn elsewhere(name: &str) -> Result<Vec<History>, TableError> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/tables");
    tables::read_histories(&Path::new(folder).join(name))
}

#[test]
fn categories_are_read_as_their_values() {
    for name in [
        "pandas-category.parquet",
        "polars-categorical.parquet",
        "polars-enum.parquet",
        "pyarrow-dictionary.parquet",
        // Its columns of other types are none of those that a history has.
        "polars-other-columns.parquet",
    ] {
        let histories = elsewhere(name).unwrap();
        let history = &histories[0];
        let words: Vec<String> = history.ops().map(|op| history.describe(op)).collect();
        let expected = [
            "store 0x1000 := 0x7",
            "load 0x1008 == 0x0",
            "store 0x1008 := 0x5",
            "load 0x1000 == 0x0",
        ];
        assert_eq!(words, expected, "{name}");
        assert_eq!(history.name.as_deref(), Some("SB"), "{name}");
    }
}

#[test]
fn a_column_of_a_type_that_is_not_read_is_named() {
    for (name, column, dtype) in [
        ("polars-int128.parquet", "size", "Int128"),
        ("polars-uint8.parquet", "size", "UInt8"),
        ("polars-decimal.parquet", "address", "Decimal"),
    ] {
        let message = elsewhere(name).unwrap_err().to_string();
        let expected = format!("the column `{column}` is of the type {dtype}");
        assert!(message.contains(&expected) && message.contains("UInt64"), "{message}");
    }
}
