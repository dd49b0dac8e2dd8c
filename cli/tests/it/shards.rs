//! Campaigns in shards, and campaigns on a full disk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{Folder, error, kill_at, lines_of, output, rubric};
use serde_json::Value;
use tables::results::Results;
use tables::{CampaignRun, read_equivalents, read_runs};

/// The arguments of a small campaign, without a folder.
const SMALL: [&str; 6] = ["campaign", "MI_example", "--sample", "16", "--runs", "3"];

/// The arguments of the small campaign into a folder.
fn small<'a>(folder: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL, &["-o", folder][..], more].concat()
}

/// The files of a folder whose names begin with `stem` and end with `extension`.
fn files(folder: &str, stem: &str, extension: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap();
    let paths = paths.map(|entry| entry.unwrap().path());
    let fits = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(stem) && name.ends_with(extension)
    };
    paths.filter(fits).collect()
}

/// The runs without their times, in order, each with the number of its copies.
fn timeless(runs: impl IntoIterator<Item = CampaignRun>) -> BTreeMap<String, usize> {
    let mut rows = BTreeMap::new();
    for mut run in runs {
        run.simulate_seconds = 0.0;
        for criterion in &mut run.criteria {
            criterion.seconds = criterion.seconds.map(|_| 0.0);
        }
        *rows.entry(format!("{run:?}")).or_default() += 1;
    }
    rows
}

/// The runs in the tables of a folder, each with the number of its copies: every shard has the runs of the unmutated protocols.
fn rows(folder: &str) -> BTreeMap<String, usize> {
    let tables = files(folder, "runs.", ".parquet");
    timeless(tables.iter().flat_map(|table| read_runs(table).unwrap()))
}

#[test]
fn shards_together_are_the_whole() {
    let folder = Folder::new();
    let (whole, shared) = (folder.path("whole"), folder.path("shared"));
    output(&small(&whole, &[]));
    let shards = ["1/3", "2/3", "3/3"];
    for shard in shards {
        output(&small(&shared, &["--shard", shard]));
        let has_ended = !output(&["report", &shared]).contains("The campaign has not finished.");
        assert_eq!(has_ended, shard == "3/3");
        let own = folder.path(&format!("each/{}", &shard[..1]));
        output(&small(&own, &["--shard", shard]));
    }
    let expected = rows(&whole);
    assert!(expected.values().all(|&count| count == 1));
    // Each mutant is in one shard, and the unmutated protocol in all of them.
    let found = rows(&shared);
    assert!(found.keys().eq(expected.keys()));
    for (run, &count) in &found {
        let is_original = run.contains("mutant: None");
        assert_eq!(count, if is_original { 3 } else { 1 }, "{run}");
    }
    let results = |folder: &str| Results::read(Path::new(folder)).unwrap();
    let expected = results(&whole);
    let report = |folder: &str| {
        let mut report: Value =
            serde_json::from_str(&output(&["report", folder, "--format", "json"])).unwrap();
        for protocol in report["protocols"].as_array_mut().unwrap() {
            // The processor time is measured, so it differs.
            assert!(protocol["seconds"].take().is_f64());
        }
        report
    };
    let whole_report = report(&whole);
    for sharded in [shared.clone(), folder.path("each")] {
        let found = results(&sharded);
        assert_eq!(timeless(found.runs), timeless(expected.runs.clone()));
        assert_eq!(found.equivalents, expected.equivalents);
        assert_eq!(report(&sharded), whole_report);
    }
    // The shards have about the same number of mutants, equivalent ones included.
    for table in files(&shared, "runs.", ".parquet") {
        let apart = table.to_str().unwrap().replace("/runs.", "/equivalents.");
        let mut mutants: Vec<Option<String>> =
            read_runs(&table).unwrap().into_iter().map(|run| run.mutant).collect();
        mutants.sort();
        mutants.dedup();
        let mutants = mutants.len() - 1 + read_equivalents(Path::new(&apart)).unwrap().len();
        let all = expected.equivalents.len() + mutants_of(&expected.runs);
        assert!(mutants.abs_diff(all / 3) <= 1, "{mutants} of {all}");
    }
}

/// The number of mutants that have runs.
fn mutants_of(runs: &[CampaignRun]) -> usize {
    let mutants = runs.iter().filter_map(|run| run.mutant.as_deref());
    mutants.collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn a_killed_shard_goes_on_beside_others() {
    let folder = Folder::new();
    let (shared, alone) = (folder.path("shared"), folder.path("alone"));
    let log = Path::new(&shared).join("runs.2-of-2.jsonl");
    kill_at(&small(&shared, &["--shard", "2/2"]), &log, 12);
    let before = lines_of(&log);
    assert!(before >= 12);
    // The log counts as long as its own table is missing, even if another shard has a table.
    assert!(output(&["report", &shared]).contains("The campaign has not finished."));
    output(&small(&shared, &["--shard", "1/2"]));
    assert!(output(&["report", &shared]).contains("The campaign has not finished."));
    output(&small(&shared, &["--shard", "2/2"]));
    assert!(lines_of(&log) > before);
    output(&small(&alone, &["--shard", "2/2"]));
    let table =
        |folder: &str| timeless(read_runs(&Path::new(folder).join("runs.2-of-2.parquet")).unwrap());
    assert_eq!(table(&shared), table(&alone));
}

#[test]
fn what_is_no_part_of_the_campaign_is_refused() {
    let folder = Folder::new();
    let path = folder.path("c");
    for bad in ["0/4", "5/4", "x"] {
        let message = error(&small(&path, &["--shard", bad]));
        assert!(message.contains("I/N with I from 1 to N was expected"), "{message}");
    }
    output(&small(&path, &["--shard", "1/4"]));
    for shard in [&["--shard", "2/4"][..], &[]] {
        let message = error(&small(&path, &[&["--seed", "2"], shard].concat()));
        assert!(message.contains("other seed (1, now 2)"), "{message}");
    }
    assert_eq!(files(&path, "campaign", ".json").len(), 1);
    // Another process holds the lock of the same shard.
    let file =
        File::options().write(true).open(Path::new(&path).join("runs.1-of-4.jsonl")).unwrap();
    file.lock().unwrap();
    let message = error(&small(&path, &["--shard", "1/4"]));
    assert!(message.contains("another process is writing this file"), "{message}");
    output(&small(&path, &["--shard", "2/4"]));
}

/// A small file system, mounted until this is dropped.
struct Disk(String);

impl Disk {
    /// Mounts the file system; `None` if mounting is not allowed.
    fn mount(folder: &Folder) -> Option<Disk> {
        let path = folder.path("disk");
        fs::create_dir(&path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=32m", "tmpfs", &path]);
        let done = mount.stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success()).then_some(Disk(path))
    }

    /// Fills the disk, but for this many blocks of 4 KiB.
    fn fill(&self, free: usize) {
        let file = Path::new(&self.0).join("filler");
        let fits = |blocks: usize| fs::write(&file, vec![0; blocks << 12]).is_ok();
        let mut blocks = (32 << 20) >> 12;
        while !fits(blocks) {
            blocks -= 1;
        }
        assert!(fits(blocks - free));
    }

    fn free(&self) {
        fs::remove_file(Path::new(&self.0).join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let done = Command::new("umount").arg(&self.0).status();
        assert!(done.is_ok_and(|status| status.success()));
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = Folder::new();
    let Some(disk) = Disk::mount(&folder) else {
        // `println!` would be shown only for failed tests, and `.ci/run` counts these lines.
        std::io::stdout().write_all(b"skipped: there is no way to mount a tmpfs here\n").unwrap();
        return;
    };
    let (path, whole) = (folder.path("disk/c"), folder.path("whole"));
    let says = |message: &str, file: &str| {
        assert!(message.contains(file), "{message}");
        assert!(message.contains("free some space and run the same command again"), "{message}");
    };
    let log = Path::new(&path).join("runs.jsonl");
    // The disk is full at once, then too full for the log, then has room for the log but not for the tables.
    disk.fill(0);
    says(&error(&small(&path, &[])), "campaign.json");
    disk.fill(6);
    says(&error(&small(&path, &[])), "runs.jsonl");
    let some = fs::read_to_string(&log).unwrap();
    assert!(some.ends_with('\n') && some.lines().count() > 3, "{some}");
    disk.free();
    output(&small(&path, &[]));
    let all = fs::read_to_string(&log).unwrap();
    assert!(all.starts_with(&some) && all.len() > some.len());
    let table = fs::read(Path::new(&path).join("runs.parquet")).unwrap();
    disk.fill(0);
    says(&error(&small(&path, &[])), "runs.parquet");
    assert!(fs::read(Path::new(&path).join("runs.parquet")).unwrap() == table);
    assert!(fs::read_to_string(&log).unwrap() == all);
    assert_eq!(files(&path, ".rubric-", "").len(), 0);
    disk.free();
    output(&small(&path, &[]));
    output(&small(&whole, &[]));
    assert_eq!(rows(&path), rows(&whole));
}

#[test]
fn a_full_disk_keeps_traces_whole() {
    let folder = Folder::new();
    let Some(disk) = Disk::mount(&folder) else {
        // `println!` would be shown only for failed tests, and `.ci/run` counts these lines.
        std::io::stdout().write_all(b"skipped: there is no way to mount a tmpfs here\n").unwrap();
        return;
    };
    let path = folder.path("disk/c");
    output(&small(&path, &[]));
    disk.fill(2);
    let message = error(&small(&path, &["--keep-traces"]));
    assert!(message.contains("/c/traces") && message.contains("free some space"), "{message}");
    disk.free();
    output(&small(&path, &["--keep-traces"]));
    for trace in files(&folder.path("disk/c/traces/MI_example"), "", "") {
        assert!(trace.to_str().unwrap().ends_with(".trace.gz"));
        let said = rubric(&["stats", trace.to_str().unwrap()]).assert();
        assert_eq!(said.get_output().status.code(), Some(0));
    }
}
