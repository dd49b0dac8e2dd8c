//! Failures that any program may meet: full disks, readers that close the pipe, other processes in the same folder, files of
//! other programs, damaged files.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};

use crate::common::{Folder, TRACES, error, failure, output_of, rubric};

const VIOLATION: &str = TRACES[5];

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Starts the program in the root of the repository, with pipes.
fn begin(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(arguments)
        .current_dir(ROOT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn several_at_once_leave_whole_files() {
    let folder = Folder::new();
    for (command, name) in [
        ("shrink", "small.axe"),
        ("shrink", "small.litmus"),
        ("explain", "picture.html"),
        ("explain", "picture.svg"),
    ] {
        let (alone, together) = (folder.path(&format!("alone-{name}")), folder.path(name));
        output_of(&[command, VIOLATION, "-o", &alone], 1);
        let all: Vec<Child> =
            (0..6).map(|_| begin(&[command, VIOLATION, "-o", &together])).collect();
        for child in all {
            assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
        }
        assert_eq!(fs::read(together).unwrap(), fs::read(alone).unwrap(), "{name}");
    }
    // No other file is left.
    assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 8);
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new();
    for (command, name) in [
        ("shrink", "s.axe"),
        ("shrink", "s.litmus"),
        ("explain", "p.svg"),
        ("explain", "p.html"),
        ("explain", "p.dot"),
    ] {
        // The output is a device that is always full.
        let full = folder.path(name);
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let message = failure(&[command, VIOLATION, "-o", &full]);
        assert!(message.contains("No space left") && message.contains(name), "{message}");
        // The output is in a folder without permission to write.
        let message = failure(&[command, VIOLATION, "-o", &format!("/proc/{name}")]);
        assert!(message.contains(&format!("/proc/{name}")), "{message}");
        assert!(!message.contains(".rubric-"), "{message}");
    }
    for command in ["shrink", "explain", "watch"] {
        let full = Command::new(env!("CARGO_BIN_EXE_rubric"))
            .args([command, "--quiet", VIOLATION])
            .current_dir(ROOT)
            .stdout(fs::File::create("/dev/full").unwrap())
            .output()
            .unwrap();
        assert_eq!(full.status.code(), Some(2));
        let message = String::from_utf8_lossy(&full.stderr).into_owned();
        assert!(message.contains("standard output cannot be written"), "{message}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for arguments in [
        &["watch", "--quiet", VIOLATION][..],
        &["shrink", "--quiet", VIOLATION],
        &["explain", "--quiet", VIOLATION],
        &["explain", "--quiet", "--to", "html", "-o", "-", VIOLATION],
        &["check", "--quiet", VIOLATION],
    ] {
        let mut child = begin(arguments);
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), said.as_str()), (Some(1), ""), "{arguments:?}");
    }
}

#[test]
fn parquet_from_elsewhere_is_read_or_refused() {
    let folder = Folder::new();
    let sound = folder.path("sound.parquet");
    output_of(&["convert", "fixtures/litmus/litmus.axe", "-o", &sound], 0);
    let bytes = fs::read(&sound).unwrap();
    // The file has a page that claims more values than memory has bytes, at which the library aborts the process.
    for arguments in [
        &["check", "fixtures/damaged/memory.parquet"][..],
        &["stats", "fixtures/damaged/memory.parquet"],
        &["convert", "fixtures/damaged/memory.parquet", "-o", "-", "--to", "axe"],
    ] {
        let message = error(arguments);
        assert!(message.contains("memory.parquet"), "{message}");
    }
    let message = error(&["check", "fixtures/damaged/length.parquet"]);
    assert!(message.contains("length.parquet"), "{message}");
    let mut refused = 0;
    for number in 0..60 {
        let mut damaged = bytes.clone();
        let at = number * bytes.len() / 60;
        match number % 3 {
            0 => damaged[at] ^= 1 << (number % 8),
            1 => damaged.truncate(at),
            // This makes impossible lengths.
            _ => damaged[at..].iter_mut().take(4).for_each(|byte| *byte = 0xff),
        }
        let file = folder.file("damaged.parquet", damaged);
        let ended = rubric(&["check", &file]).assert();
        let (status, said) = (ended.get_output().status.code(), &ended.get_output().stderr);
        let said = String::from_utf8_lossy(said);
        assert!(matches!(status, Some(0..=2)), "byte {at}: {status:?}: {said}");
        assert!(!said.contains("panicked"), "byte {at}: {said}");
        refused += usize::from(status == Some(2));
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn damage_is_found_at_the_same_line_whether_or_not_it_is_skipped() {
    let folder = Folder::new();
    let packed = fs::read(format!("{ROOT}/{VIOLATION}")).unwrap();
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut text).unwrap();
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let without = |from: usize, to: usize| [&lines[..from], &lines[to..]].concat().concat();
    let instead =
        |at: usize, line: &[u8]| [&lines[..at].concat(), line, &lines[at + 1..].concat()].concat();
    let wrong_byte = |at: usize| {
        let mut bytes = packed.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    let half = lines[300];
    let damaged = [
        ("half", instead(300, &[&half[..half.len() / 2], b"\n"].concat())),
        ("garbage", instead(700, b"\0\xff?\n")),
        ("twice", instead(1200, &[lines[1200], lines[1200]].concat())),
        ("gap", without(300, 320)),
        ("end", text[..text.len() / 2 + 7].to_vec()),
        ("cut", packed[..packed.len() / 2].to_vec()),
        ("early", wrong_byte(packed.len() / 4)),
        ("middle", wrong_byte(packed.len() / 2)),
        ("late", wrong_byte(packed.len() * 3 / 4)),
    ];
    let number = |text: &str, before: &str| -> Option<u64> {
        let (_, rest) = text.split_once(before)?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let mut compared = 0;
    for (name, bytes) in damaged {
        let file = folder.file(&format!("{name}.trace"), bytes);
        let run = |options: &[&str]| {
            let child = begin(&[&["check", &*file], options].concat());
            let run = child.wait_with_output().unwrap();
            (
                run.status.code(),
                String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned(),
            )
        };
        let ((status, strict), (_, lossy)) = (run(&[]), run(&["--lossy"]));
        if status != Some(2) {
            // A missing or additional line is no damage if nothing depends on it.
            assert!(!lossy.contains("--lossy"), "{name}: {lossy}");
            continue;
        }
        let good = "good up to line ";
        let found = number(&strict, good).or_else(|| Some(number(&strict, ".trace:")? - 1));
        let skipped =
            number(&lossy, good).or_else(|| Some(number(&lossy, "the first at line ")? - 1));
        assert_eq!((found.is_some(), found), (true, skipped), "{name}: {strict} {lossy}");
        compared += 1;
    }
    assert!(compared > 6, "{compared}");
}
