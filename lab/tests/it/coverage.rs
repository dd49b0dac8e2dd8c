//! Checks that `docs/coverage.md` agrees with the table in `fixtures/results/coverage`. `RUBRIC_DRAW=1` writes the page anew.
//!
//! `RUBRIC_COVERAGE=DIR` first makes the table from all campaigns in a folder: each transition has the largest count of a single campaign,
//! and the reasons of all.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use tables::results::Results;
use tables::{Coverage, write_coverage};

const HEAD: &str = "\
# What random programs reach

This page says which transitions of gem5's released protocols (v24.0.0.1, known faults repaired) random programs take, and which they do not.
The first command to try makes such a table of one protocol: `rubric campaign MI_example --mutants none --runs 20 --dma 2 -o covered`.

*Taken* are transitions that some program took. Others are *proved* if no run of a small system takes them in which caches replace
lines (2 threads and 2 locations, one line a cache), and *small* if only a smaller system, without replacements, excludes them. These
systems were explored completely, which says nothing about larger ones; if a protocol has neither kind, no exploration ended.
*Left* are all other transitions. *Share* is the part that was taken of those that are not proved, and in parentheses of those
that are neither proved nor small, which is only an upper bound. Entries of the table that stall do not count. The rows are in
`fixtures/results/coverage`. They come from campaigns of 10,008 programs of MI_example and MESI_Two_Level, 6,912 of
MESI_Three_Level, 720 of MOESI_CMP_directory, MOESI_CMP_token and MOESI_hammer, 560 of MOESI_AMD_Base, and 80 to 240 of the
others, with N DMA devices, from 0 to 2, and from explorations:

    rubric campaign PROTOCOL.slicc --repair all --mutants none --client all,ooo,armv8-ooo,wmo-ooo --runs 417 --dma N -o covered/PROTOCOL-N
    rubric campaign PROTOCOL.slicc --repair all --mutants none --runs 1 --dma 1 --explore 2x1 -o covered/PROTOCOL-explored

[protocols.md](protocols.md#many-runs) says what programs leave out and why.
";

/// The numbers of transitions in a row of the page.
#[derive(Clone, Copy, Default)]
struct Counts {
    table: usize,
    taken: usize,
    proved: usize,
    small: usize,
}

impl Counts {
    fn of<'a>(rows: impl IntoIterator<Item = &'a Coverage>) -> Counts {
        let mut counts = Counts::default();
        for row in rows.into_iter().filter(|row| !row.stalls) {
            counts.table += 1;
            counts.taken += usize::from(row.count > 0);
            let reason = row.unreached.as_deref().filter(|_| row.count == 0);
            let is_small =
                |reason: &str| reason.starts_with("in no run of") && !reason.contains("-tiny");
            counts.small += usize::from(reason.is_some_and(is_small));
            counts.proved += usize::from(reason.is_some_and(|reason| !is_small(reason)));
        }
        counts
    }

    fn left(&self) -> usize {
        self.table - self.taken - self.proved - self.small
    }

    fn columns(&self) -> String {
        let Counts { table, taken, proved, small } = *self;
        let share = |of: usize| 100.0 * taken as f64 / of.max(1) as f64;
        format!(
            "{table} | {taken} | {proved} | {small} | {} | {:.0} % ({:.0} %)",
            self.left(),
            share(table - proved),
            share(table - proved - small)
        )
    }
}

const COLUMNS: &str =
    "transitions | taken | proved | small | left | share |\n|---|---|---|---|---|---|---|\n";

/// The name of a protocol, from the path that was given.
fn name(given: &str) -> &str {
    Path::new(given).file_stem().and_then(|stem| stem.to_str()).unwrap_or(given)
}

/// Whether a transition is neither taken nor excluded, nor only stalls.
fn is_left(row: &Coverage) -> bool {
    !row.stalls && row.count == 0 && row.unreached.is_none()
}

fn page(rows: &[Coverage]) -> String {
    let mut page = HEAD.to_owned();
    let _ = write!(page, "\n| protocol | {COLUMNS}");
    for of_one in rows.chunk_by(|a, b| a.protocol == b.protocol) {
        let _ = writeln!(page, "| {} | {} |", of_one[0].protocol, Counts::of(of_one).columns());
    }
    for of_one in rows.chunk_by(|a, b| a.protocol == b.protocol) {
        let _ = writeln!(page, "\n## {}\n", of_one[0].protocol);
        let _ = write!(page, "| machine | {COLUMNS}");
        let machines = || of_one.chunk_by(|a, b| a.machine == b.machine);
        for rows in machines() {
            let _ = writeln!(page, "| {} | {} |", rows[0].machine, Counts::of(rows).columns());
        }
        let mut reasons: Vec<&str> =
            of_one.iter().filter_map(|row| row.unreached.as_deref()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        for reason in reasons {
            let _ = writeln!(page, "\nExcluded: {reason}.");
        }
        for rows in machines().filter(|rows| rows.iter().any(is_left)) {
            let mut events: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for row in rows.iter().filter(|row| is_left(row)) {
                events.entry(&row.state).or_default().push(&row.event);
            }
            let _ = writeln!(page, "\nLeft of {}:\n", rows[0].machine);
            for (state, events) in events {
                let _ = writeln!(page, "- `{state}`: {}", events.join(", "));
            }
        }
    }
    page
}

/// Makes the table of all campaigns in a folder. Protocols are named by files without paths, which distinguishes them from built-in
/// protocols.
fn make(campaigns: &Path, folder: &Path) {
    let mut results = Results::read(campaigns).unwrap();
    for row in &mut results.coverage {
        row.protocol = format!("{}.slicc", name(&row.protocol));
    }
    results.tidy();
    std::fs::create_dir_all(folder).unwrap();
    write_coverage(&folder.join("coverage.parquet"), &results.coverage).unwrap();
}

#[test]
fn the_page_of_coverage_is_that_of_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = root.join("fixtures/results/coverage");
    if let Some(campaigns) = std::env::var_os("RUBRIC_COVERAGE").map(PathBuf::from) {
        make(&campaigns, &folder);
    }
    let rows = Results::read(&folder).unwrap().coverage;
    assert!(!rows.is_empty());
    let path = root.join("docs/coverage.md");
    let page = page(&rows);
    if std::env::var_os("RUBRIC_DRAW").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/coverage.md is not that of the table: run with RUBRIC_DRAW=1");
}
