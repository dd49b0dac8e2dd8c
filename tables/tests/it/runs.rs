//! Tables of runs and of equivalent mutants: what is written is read back, and columns have the documented names and types.

use std::fs;
use std::path::Path;

use polars_core::prelude::{Column, DataFrame};
use polars_io::prelude::{ParquetReader, ParquetWriter, SerReader};
use tables::{
    CRITERIA, CampaignRun, Checked, Equivalent, Finding, Generator, RunOutcome, TableError,
    read_equivalents, read_runs, write_equivalents, write_runs,
};

/// Every field has another value, so that no two can be mixed up.
fn full() -> CampaignRun {
    let some = |text: &str| Some(text.to_owned());
    let findings = [Finding::Consistent, Finding::Violation, Finding::Undecided];
    let mut criteria = [Checked::default(); CRITERIA.len()];
    for (at, checked) in criteria.iter_mut().enumerate() {
        *checked = Checked {
            finding: Some(findings[at % 3]),
            operations: Some(100 + at as u32),
            seconds: Some(0.5 + at as f64),
        };
    }
    CampaignRun {
        protocol: "MI_example".to_owned(),
        mutant: some("MI_example/L1Cache/M.Store/drop-action:1"),
        operator: some("drop-action"),
        machine: some("L1Cache"),
        state: some("M"),
        event: some("Store"),
        place: some("action 1"),
        client: "store-buffer-8".to_owned(),
        model: "tso".to_owned(),
        generator: Generator::Guided,
        repetition: 1,
        number: 2,
        seed: u64::MAX,
        lineage: "17.203".to_owned(),
        threads: 3,
        operations: 4,
        transitions: 5,
        ticks: u64::from(u32::MAX) + 1,
        outcome: RunOutcome::ProtocolError,
        fault: some("transition"),
        message: some("no transition"),
        warning: some("an entry used"),
        covered: Some(6),
        new: 7,
        criteria,
        trace_hash: some("abcd"),
        simulate_seconds: 0.25,
        command: "rubric simulate".to_owned(),
        known: some("mi-l1-late-inv-missing"),
        gem5: some("path/gem5.opt"),
    }
}

fn rows() -> Vec<CampaignRun> {
    let outcomes =
        [RunOutcome::Clean, RunOutcome::Violation, RunOutcome::Deadlock, RunOutcome::Undecided];
    let with = |outcome| CampaignRun { outcome, ..full() };
    let bare = CampaignRun { model: "sc".to_owned(), ..CampaignRun::default() };
    let mut rows = vec![full(), bare];
    rows.extend(outcomes.map(with));
    rows
}

#[test]
fn what_is_written_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.parquet");
    // More rows than one piece of a table holds.
    let many: Vec<CampaignRun> = rows().into_iter().cycle().take(17_000).collect();
    for rows in [rows(), Vec::new(), many] {
        write_runs(&path, &rows).unwrap();
        assert!(read_runs(&path).unwrap() == rows);
    }
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["a", "b"].map(|name| folder.path().join(name));
    write_runs(&first, &rows()).unwrap();
    write_runs(&second, &rows()).unwrap();
    assert_eq!(fs::read(first).unwrap(), fs::read(second).unwrap());
}

fn table(path: &Path) -> DataFrame {
    ParquetReader::new(fs::File::open(path).unwrap()).finish().unwrap()
}

fn columns(table: &DataFrame) -> Vec<String> {
    let columns = table.columns().iter();
    columns.map(|column| format!("{} {}", column.name(), column.dtype())).collect()
}

#[test]
fn columns_are_those_of_the_documentation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.parquet");
    write_runs(&path, &rows()).unwrap();
    let table = table(&path);
    #[rustfmt::skip]
    let mut expected: Vec<String> = [
        "protocol str", "mutant str", "operator str", "machine str", "state str", "event str",
        "place str", "client str", "model str", "generator str", "repetition u32", "number u32",
        "seed u64", "lineage str", "threads u32", "operations u32", "transitions u64", "ticks u64",
        "outcome str", "fault str", "message str", "warning str", "covered u64", "new u32",
    ].map(str::to_owned).to_vec();
    for name in CRITERIA {
        let names = [
            format!("{name} str"),
            format!("{name}_operations u32"),
            format!("{name}_seconds f64"),
        ];
        expected.extend(names);
    }
    let last = ["trace_hash str", "simulate_seconds f64", "command str", "known str", "gem5 str"];
    expected.extend(last.map(str::to_owned));
    assert_eq!(columns(&table), expected);
    let words = |column: &str| -> Vec<Option<String>> {
        let column = table.column(column).unwrap().str().unwrap();
        column.iter().map(|word| word.map(str::to_owned)).collect()
    };
    let some = |word: &str| Some(word.to_owned());
    let outcomes = ["protocol error", "clean", "clean", "violation", "deadlock", "undecided"];
    assert_eq!(words("outcome"), outcomes.map(some));
    assert_eq!(words("generator")[..2], [some("guided"), some("blind")]);
    assert_eq!(words("ccv")[..2], [some("violation"), None]);
    assert_eq!(words("mutant")[1], None);
}

fn error(path: &Path, table: &mut DataFrame) -> String {
    ParquetWriter::new(fs::File::create(path).unwrap()).finish(table).unwrap();
    read_runs(path).unwrap_err().to_string()
}

#[test]
fn other_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.parquet");
    write_runs(&path, &rows()[..2]).unwrap();
    let whole = table(&path);

    let message = error(&path, &mut whole.drop("wtso_seconds").unwrap());
    assert!(message.contains("`wtso_seconds` is missing"), "{message}");
    assert!(message.contains("a table of runs as `rubric campaign`"), "{message}");
    let words = [("outcome", "fine"), ("cc", "maybe"), ("generator", "wise"), ("model", "alpha")];
    for (column, word) in words {
        let mut changed = whole.clone();
        changed.with_column(Column::new(column.into(), [word, word])).unwrap();
        let message = error(&path, &mut changed);
        assert!(message.contains(&format!("`{column}` holds `{word}` in row 0")), "{message}");
    }
    for column in ["outcome", "seed"] {
        let mut changed = whole.clone();
        let dtype = whole.column(column).unwrap().dtype().clone();
        let nothing = Column::full_null(column.into(), 2, &dtype);
        changed.with_column(nothing).unwrap();
        let message = error(&path, &mut changed);
        assert!(message.contains(&format!("`{column}` has no value in row 0")), "{message}");
    }
    fs::write(&path, "no table").unwrap();
    let damaged = read_runs(&path).unwrap_err();
    assert!(matches!(damaged, TableError::Damaged { .. }), "{damaged}");
    assert!(damaged.to_string().contains("rubric campaign"), "{damaged}");
}

#[test]
fn equivalent_mutants() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("equivalents.parquet");
    let row = Equivalent {
        protocol: "a".to_owned(),
        mutant: "b".to_owned(),
        operator: "c".to_owned(),
        kind: "k".to_owned(),
        reason: "d".to_owned(),
    };
    let rows = [row, Equivalent::default()];
    write_equivalents(&path, &rows).unwrap();
    assert_eq!(read_equivalents(&path).unwrap(), rows);
    let expected = ["protocol str", "mutant str", "operator str", "kind str", "reason str"];
    assert_eq!(columns(&table(&path)), expected);
    let message = read_runs(&path).unwrap_err().to_string();
    assert!(message.contains("`machine` is missing"), "{message}");
}
