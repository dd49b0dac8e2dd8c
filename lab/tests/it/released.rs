//! Checks that `docs/released.md` agrees with the tables of released faults and their repairs. `RUBRIC_DRAW=1` writes the page anew.

use std::fmt::Write;
use std::path::Path;

use lab::released::{self, Released};
use serde::Deserialize;

/// The beginning of the page.
const HEAD: &str = "\
# Known faults of gem5's released protocols

This page lists the faults that are known in the SLICC files of gem5 24.0.0.1 to 25.1.0.0. Each was checked by reading gem5's
source; file and line are those of the version named beside them. [What changed](releases.md) between these
releases is a page of its own. `rubric test` recognises what they cause: a program that fails, and is clean on the protocol with their repairs,
is a known finding. The first command to try, in `src/mem/ruby/protocol` of a gem5 tree, tests a protocol:
`rubric test MESI_Two_Level.slicc`.

A repair is described by machine, states, events and calls, as named mutants are, so it applies to these files and to
edited copies of them. It has the name of its fault. To repair files:

    rubric mutants list MESI_Two_Level.slicc --repairs
    rubric mutants show mesi2-l1-is-inv-no-notify --repair --protocol MESI_Two_Level.slicc | patch -p1

MESI_Three_Level_HTM consists of the machines of MESI_Three_Level, with additions for transactions, and GPU_VIPER of those
of MOESI_AMD_Base and the controllers of a GPU. So they have the faults of these protocols too, and `--repair` takes the
same names.

`--repair NAME`, or `--repair all`, lets `rubric test`, `diff`, `simulate` and `explore protocol` repair a protocol
before it runs.

Starvation is not listed: a request that a directory puts back, or looks at again later, may wait for ever, but only in runs with a timing that does not
repeat for ever in a real network (`rubric explore protocol MI_example.slicc --dma 1 --fair`; [protocols.md](protocols.md), section Starvation).

A fault that is *shown by rubric* and makes runs fail has a short run. It was found on gem5's files with other faults repaired: by
exploring a small system, whose moves are listed, or by shrinking a random run. What is left of such a run is listed with a
line for each operation: thread and number, and what it reads (`==`) and writes (`:=`). If the protocol fails, the last
transitions and messages are listed instead.
";

/// The beginning of the table of protocols and releases.
const MATRIX: &str = "
## Protocols and releases

The number of known faults of a protocol in each release; the sections below say which releases have which. 24.1.0.2 and 24.1.0.3 have the
protocol files of 24.1.0.1, and 25.0.0.1 those of 25.0.0.0. MESI_Three_Level_HTM has the faults of MESI_Three_Level, and GPU_VIPER
those of MOESI_AMD_Base, as far as it has their machines; Garnet_standalone has none. A fault that not all these releases have is named.

";

/// The results of explorations of the newest release, by hand: they take a minute each.
const EXPLORED: &str = "
## Explorations of 25.1.0.0

All protocols of 25.1.0.0 were explored with their known faults repaired, with two threads and caches with room for one line, for at most a minute
on one core (`rubric explore protocol FILE --locations 2 --tiny --repair all`). Nothing was found that this page does not list. Where the
minute did not suffice, all runs of so many moves were looked at.

| protocol | 1 location | 2 locations |
|---|---|---|
| MI_example | all 179 states | all 72,535 states |
| MESI_Two_Level | all 518 states | 28 moves, 1.5 million states |
| MESI_Three_Level | all 2,791 states | 38 moves, 3.1 million states |
| MESI_Three_Level_HTM | all 2,791 states | 38 moves, 3.1 million states |
| MOESI_hammer | all 471 states | all 903,696 states |
| MOESI_CMP_directory | all 1,406 states | 36 moves, 4.5 million states |
| MOESI_CMP_token | 15 moves, 1.8 million states | 13 moves, 2.0 million states |
| MOESI_AMD_Base | all 598 states | 33 moves, 2.9 million states |
| GPU_VIPER | all 598 states | 30 moves, 1.2 million states |
| CHI | 691 moves, 1.9 million states | 80 moves, 0.8 million states |
| Garnet_standalone | a stale value: it moves no data | a stale value |
";

/// A row for each protocol, with the number of its faults in each release and the names of those that not all releases have.
fn matrix() -> String {
    let mut text = MATRIX.to_owned();
    let _ = writeln!(text, "| protocol | {} | not in all |", released::RELEASES.join(" | "));
    let _ = writeln!(text, "|---|{}---|", "---|".repeat(released::RELEASES.len()));
    let mut protocols: Vec<&str> = Vec::new();
    for fault in released::all() {
        if !protocols.contains(&&*fault.protocol) {
            protocols.push(&fault.protocol);
        }
    }
    for protocol in protocols {
        let own = || released::all().iter().filter(|fault| fault.protocol == protocol);
        let counts = released::RELEASES.map(|release| {
            match own().filter(|fault| fault.is_in(release) == Some(true)).count() {
                0 => "none".to_owned(),
                count => count.to_string(),
            }
        });
        let is_everywhere = |fault: &&Released| {
            released::RELEASES.iter().all(|release| fault.is_in(release) == Some(true))
        };
        let some = own().filter(|fault| !is_everywhere(fault));
        let some = some.map(|fault| format!("`{}`: {}", fault.name, linked(&fault.releases)));
        let some: Vec<String> = some.collect();
        let _ = writeln!(text, "| {protocol} | {} | {} |", counts.join(" | "), some.join("; "));
    }
    text
}

/// A text with links to the pull requests and issues of gem5 that it names.
fn linked(text: &str) -> String {
    let mut words = text.split('#');
    let mut linked = words.next().unwrap_or("").to_owned();
    for word in words {
        let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
        let (number, rest) = word.split_at(digits);
        let _ = write!(linked, "[#{number}](https://github.com/gem5/gem5/pull/{number}){rest}");
    }
    linked
}

/// The beginning of the section about reports on gem5's issue tracker.
const REPORTS: &str = "
## Reports on gem5's issue tracker

Each of these reports is about a fault that a run might show. The numbers are those of issues and pull requests of
gem5/gem5. The commands are for the folder of the protocol's files, in gem5 v24.0.0.1 unless another version is named.
";

/// A report on gem5's issue tracker: a row of `fixtures/protocols/reports.csv`.
#[derive(Deserialize)]
struct Report {
    /// The number of the report, or several numbers.
    report: String,
    /// The fault that it describes.
    about: String,
    /// Whether rubric shows it, and which known fault it is, or why not.
    result: String,
    /// The command that shows the fault, if there is one.
    see: String,
}

/// A paragraph for each report.
fn reports() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/protocols/reports.csv");
    let mut text = REPORTS.to_owned();
    for report in csv::Reader::from_path(path).unwrap().into_deserialize() {
        let Report { report, about, result, see } = report.unwrap();
        let _ = write!(text, "\n**{about}** ({report}): {result}.\n");
        if !see.is_empty() {
            let _ = write!(text, "\n    {see}\n");
        }
    }
    text
}

/// The text of the clauses of a repair, as its table has them.
fn clauses(protocol: &str, repair: &str) -> String {
    let table = fixtures::REPAIRS.iter().find(|(name, _)| *name == protocol);
    let text = table.map_or("", |(_, text)| text);
    let lines = text.lines().skip_while(|line| *line != format!("repair {repair}")).skip(1);
    let own = lines.take_while(|line| !line.starts_with("repair "));
    let mut clauses = String::new();
    let mut is_change = false;
    for line in own.filter(|line| !line.starts_with('#')) {
        if !line.starts_with(' ') {
            is_change = line.starts_with("change ");
        }
        if is_change && !line.trim().is_empty() {
            let _ = writeln!(clauses, "    {line}");
        }
    }
    clauses
}

/// The run that shows a fault, if there is one. `cli/tests/it/released.rs` finds it on gem5's files.
fn listing(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/protocols/released");
    let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap_or_default();
    let Some((command, lines)) = text.split_once('\n') else {
        return String::new();
    };
    let lines: Vec<String> = lines.lines().map(|line| format!("    {line}")).collect();
    format!(
        "\nA short run, where other faults are repaired (`{command}`):\n\n{}\n",
        lines.join("\n")
    )
}

fn section(fault: &Released) -> String {
    let mut text = format!(
        "\n### {}\n\n`{}` in {}; releases {}; shown {}\n\n{}\n\nTo see it: {}\n",
        fault.name,
        fault.place,
        fault.version,
        linked(&fault.releases),
        fault.shown,
        fault.what,
        if fault.see.starts_with("rubric ") {
            format!("`{}`", fault.see)
        } else {
            fault.see.clone()
        }
    );
    if fault.repair.is_empty() {
        text.push_str(
            "\nThere is no repair of it yet: `rubric test` lists what it causes as new findings.\n",
        );
        return text;
    }
    let clauses = clauses(&fault.protocol, &fault.repair);
    assert!(!clauses.is_empty(), "{}: its repair changes nothing", fault.name);
    text.push_str(&listing(&fault.name));
    let _ = write!(
        text,
        "\nIts repair, which `rubric mutants show {} --repair --protocol {}.slicc` prints as a patch:\n\n{clauses}",
        fault.repair, fault.protocol
    );
    text
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str(&matrix());
    page.push_str(EXPLORED);
    let mut protocol = "";
    for fault in released::all() {
        if fault.protocol != protocol {
            protocol = &fault.protocol;
            let _ = write!(page, "\n## {protocol}\n");
        }
        page.push_str(&section(fault));
    }
    page.push_str(&reports());
    page
}

#[test]
fn the_page_of_released_faults_is_that_of_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/released.md");
    let page = page();
    if std::env::var_os("RUBRIC_DRAW").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/released.md is not that of the tables: run with RUBRIC_DRAW=1");
}
