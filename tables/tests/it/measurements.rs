//! Tables of measurements: what is written is read back, and columns have the documented names and types.

use std::path::Path;

use polars_core::prelude::{Column, DataFrame};
use polars_io::prelude::{ParquetReader, ParquetWriter, SerReader};
use tables::{Measurement, TableError, read_measurements, write_measurements};

/// Every field has another value, so that no two can be mixed up.
fn full() -> Measurement {
    Measurement {
        series: "threads".to_owned(),
        version: "0.1.0".to_owned(),
        command: "rubric generate".to_owned(),
        format: "axe".to_owned(),
        model: "tso".to_owned(),
        algorithm: "stages".to_owned(),
        operations: u64::from(u32::MAX) + 1,
        threads: 2,
        locations: 3,
        loads: 4,
        stores: 5,
        rmws: 6,
        fences: 7,
        violations: 8,
        seed: u64::MAX,
        trace_bytes: 9,
        verdict: "consistent".to_owned(),
        decided_by: "complete".to_owned(),
        runs: 10,
        check_seconds: 1.5,
        decide_seconds: 0.25,
        check_peak: 11,
        edges: 12,
        backtracks: 13,
        certificate_bytes: Some(14),
        verify_seconds: Some(0.125),
        verify_peak: Some(15),
    }
}

fn rows() -> Vec<Measurement> {
    let timeout = Measurement {
        verdict: "timeout".to_owned(),
        certificate_bytes: None,
        verify_seconds: None,
        verify_peak: None,
        ..full()
    };
    vec![full(), timeout, Measurement::default(), full()]
}

#[test]
fn what_is_written_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.parquet");
    for rows in [rows(), Vec::new()] {
        write_measurements(&path, &rows).unwrap();
        assert_eq!(read_measurements(&path).unwrap(), rows);
    }
}

fn table(path: &Path) -> DataFrame {
    let file = std::fs::File::open(path).unwrap();
    ParquetReader::new(file).finish().unwrap()
}

#[test]
fn columns_are_those_of_the_documentation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.parquet");
    write_measurements(&path, &rows()).unwrap();
    let table = table(&path);
    let columns: Vec<String> = table
        .columns()
        .iter()
        .map(|column| format!("{} {}", column.name(), column.dtype()))
        .collect();
    #[rustfmt::skip]
    let expected = [
        "series str", "version str", "command str", "format str", "model str", "algorithm str",
        "operations u64", "threads u32", "locations u32", "loads u32", "stores u32", "rmws u32",
        "fences u32", "violations u32", "seed u64", "trace_bytes u64", "verdict str",
        "decided_by str", "runs u32", "check_seconds f64", "decide_seconds f64", "check_peak u64",
        "edges u64", "backtracks u64", "certificate_bytes u64", "verify_seconds f64",
        "verify_peak u64",
    ];
    assert_eq!(columns, expected);
    let peaks = table.column("verify_peak").unwrap();
    assert_eq!((peaks.len(), peaks.null_count()), (4, 2));
    let seeds = table.column("seed").unwrap().u64().unwrap();
    assert_eq!(seeds.get(0), Some(u64::MAX));
}

fn error(path: &Path, table: &mut DataFrame) -> String {
    ParquetWriter::new(std::fs::File::create(path).unwrap()).finish(table).unwrap();
    read_measurements(path).unwrap_err().to_string()
}

#[test]
fn other_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.parquet");
    write_measurements(&path, &rows()).unwrap();
    let whole = table(&path);

    let message = error(&path, &mut whole.drop("edges").unwrap());
    assert!(message.contains("`edges` is missing"), "{message}");
    assert!(message.contains("make bench"), "{message}");

    let mut changed = whole.clone();
    changed.with_column(Column::new("threads".into(), ["a", "b", "c", "d"])).unwrap();
    let message = error(&path, &mut changed);
    assert!(message.contains("`threads` holds str, not u32"), "{message}");

    let mut changed = whole.clone();
    let holes = [Some(1u64), None, Some(2), Some(3)];
    changed.with_column(Column::new("seed".into(), holes)).unwrap();
    let message = error(&path, &mut changed);
    assert!(message.contains("`seed` has no value in row 1"), "{message}");

    std::fs::write(&path, "no table").unwrap();
    let damaged = read_measurements(&path).unwrap_err();
    assert!(matches!(damaged, TableError::Damaged { .. }), "{damaged}");
    let absent = read_measurements(&folder.path().join("absent")).unwrap_err();
    assert!(matches!(absent, TableError::Io { .. }), "{absent}");
}
