//! The stored run of every experiment, in `fixtures/results`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Folder, output};
use serde_json::Value;
use tables::{CampaignRun, Trial, read_runs, read_trials};

/// For each experiment, the numbers of histories and rows at the size of the papers.
const EXPERIMENTS: [(&str, usize, usize); 20] = [
    ("gcc-fig4", 2000, 10000),
    ("gcc-fig5", 1000, 8000),
    ("gcc-fig5-reordered", 1000, 8000),
    ("gcc-fig6", 2000, 10000),
    ("gcc-unordered", 200, 1600),
    ("gcc-unordered-reads", 600, 3000),
    ("wsc-kernel", 1742, 8710),
    ("wsc-fig6", 1400, 8400),
    ("wsc-fig7", 800, 4800),
    ("wsc-fig8", 800, 4800),
    ("wsc-fig9", 400, 2000),
    ("tsotool-fig3", 320, 1312),
    ("tsotool-fig4", 576, 1536),
    ("tsotool-table1", 432, 864),
    ("tsotool-no-baseline", 144, 1008),
    ("qadeer-cycles", 1600, 5200),
    ("qadeer-systems", 30, 30),
    ("burnim-table1", 70, 280),
    ("burnim-table2", 70, 280),
    ("scale", 330, 330),
];

fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/results")
}

fn trials(name: &str) -> Vec<Trial> {
    read_trials(&stored().join(format!("{name}.parquet"))).unwrap()
}

fn runs() -> Vec<CampaignRun> {
    read_runs(&stored().join("mutants/runs.parquet")).unwrap()
}

#[test]
fn every_experiment_is_there_at_paper_size() {
    let list = output(&["experiment", "--list"]);
    for line in list.lines() {
        let name = line.split(' ').next().unwrap();
        let known = EXPERIMENTS.iter().any(|&(known, ..)| known == name);
        // `mutants` has its own test. `fidelity` is of no paper, and takes binaries of gem5 that a user has built. `tsotool-stores` has not
        // been run at the size of the papers.
        assert!(known || ["mutants", "fidelity", "tsotool-stores"].contains(&name), "{name}");
    }
    let readme = fs::read_to_string(stored().join("README.md")).unwrap();
    for (name, histories, rows) in EXPERIMENTS {
        let trials = trials(name);
        let numbers: BTreeSet<_> = trials.iter().map(|t| (&t.point, t.number)).collect();
        assert_eq!((numbers.len(), trials.len()), (histories, rows), "{name}");
        assert!(trials.iter().all(|trial| trial.size == "paper"), "{name}");
        assert!(trials.iter().all(|trial| trial.experiment == name));
        let limit = trials[0].timeout;
        assert!(trials.iter().all(|trial| trial.timeout == limit), "{name}");
        let row = format!("| `{name}` | {histories} | {rows} | {limit} s |");
        assert!(readme.contains(&row), "README.md does not have {row}");
    }
}

#[test]
fn the_campaign_is_of_400_mutants_and_more() {
    let runs = runs();
    let mutants: BTreeSet<_> = runs.iter().filter_map(|run| run.mutant.as_ref()).collect();
    assert!(mutants.len() >= 400, "{}", mutants.len());
    let readme = fs::read_to_string(stored().join("README.md")).unwrap();
    let row = format!("| `mutants` | {0} | {0} |", runs.len());
    assert!(readme.contains(&row), "README.md does not have {row}");
}

/// The numbers on the page about the comparison with gem5 are those of the stored tables.
#[test]
fn the_page_about_gem5_says_what_the_tables_say() {
    let json = output(&["report", "fixtures/results/fidelity", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let subjects = json["fidelity"]["subjects"].as_array().unwrap();
    let mutants: Vec<&Value> = subjects.iter().filter(|one| one["mutant"].is_string()).collect();
    let same = mutants.iter().filter(|one| one["agrees"] == true).count();
    let page = fs::read_to_string(stored().join("../../docs/fidelity.md")).unwrap();
    let said = format!("The same finder: **{same} of {} mutants**", mutants.len());
    assert!(page.contains(&said), "docs/fidelity.md does not say: {said}");
    for one in mutants.iter().filter(|one| one["agrees"] == false) {
        let name = one["mutant"].as_str().unwrap();
        assert!(page.contains(name), "docs/fidelity.md does not name {name}, which differs");
    }
}

/// The page and the notebooks agree with what the program computes from these tables.
#[test]
fn the_claims_are_what_the_program_says_of_them() {
    let folder = Folder::new();
    let claims = folder.path("claims.csv");
    output(&["report", "fixtures/results", "--claims", &claims]);
    assert_eq!(
        fs::read_to_string(claims).unwrap(),
        fs::read_to_string(stored().join("claims.csv")).unwrap(),
        "rubric report fixtures/results --claims fixtures/results/claims.csv makes it anew"
    );
}

/// Experiments whose smallest history comes from a simulation with read-modify-writes, stored before
/// the simulator kept the place of a message that waits for a blocked line (the README says so).
const STORED_BEFORE_BLOCKED_HEADS: [&str; 3] = ["tsotool-fig3", "tsotool-fig4", "tsotool-table1"];

/// The smallest history of each experiment is reproduced, byte for byte, by the command in its row.
#[test]
fn histories_are_made_again_by_their_commands() {
    let mut others = Vec::new();
    for (name, ..) in EXPERIMENTS {
        let trials = trials(name);
        let smallest = |trial: &&Trial| (trial.operations, trial.number);
        let trial = trials.iter().min_by_key(smallest).unwrap();
        let words: Vec<&str> = trial.command.split(' ').skip(1).collect();
        let again = output(&words);
        if !again.contains(&trial.trace_hash[..16]) {
            others.push(name);
        }
    }
    assert_eq!(others, STORED_BEFORE_BLOCKED_HEADS);
}

#[test]
fn protocols_are_compared_and_not_pooled() {
    let text = output(&["report", "fixtures/results"]);
    let (_, mutants) =
        text.split_once("Mutants of each operator that were found, by protocol").unwrap();
    let heads: Vec<&str> = mutants.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(heads, ["MESI_Two_Level", "MI_example", "MOESI_AMD_Base", "MOESI_hammer"]);
    let row = |part: &str, name: &str| {
        let line = part.lines().find(|line| line.split_whitespace().next() == Some(name));
        line.unwrap().split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let runs = runs();
    // The expected numbers are counted from the rows: the mutants of each protocol that an operator made, without the excluded
    // ones.
    let found = row(mutants, "all");
    for (protocol, cell) in heads.iter().zip(&found) {
        let (found, of) = cell.split_once('/').unwrap();
        let own = runs.iter().filter(|run| run.protocol == *protocol);
        let mutants: BTreeSet<&str> = own.filter_map(|run| run.mutant.as_deref()).collect();
        let [found, of] = [found, of].map(|number| number.parse::<usize>().unwrap());
        assert!(0 < found && found < of && of <= mutants.len(), "{protocol}: {cell}");
    }
    let (_, finders) = mutants.split_once("Mutants that each finder found").unwrap();
    assert_eq!(row(finders, "deadlock").len(), 4);
    // Shares and numbers of operations are given per protocol, never for all protocols together.
    for (before, after) in [("\nOf ", " that violate "), ("\n  clients of ", "  ")] {
        for part in finders.split(before).skip(1) {
            let said = part.split(after).next().unwrap();
            assert!(heads.iter().any(|protocol| said.contains(protocol)), "{before}{said}");
        }
    }
}
