//! Runs the program, and makes files for it to work on.
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{self, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use tempfile::TempDir;

/// The program with these arguments, in the root of the repository.
pub(crate) fn rubric(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("rubric").unwrap();
    command.args(arguments).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    command
}

/// Standard output of a run that must end with this status.
pub(crate) fn output_of(arguments: &[&str], status: i32) -> String {
    let assert = rubric(arguments).assert().code(status);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// Standard output of a run that must succeed.
pub(crate) fn output(arguments: &[&str]) -> String {
    output_of(arguments, 0)
}

/// Standard error of a run that must end with status 2 and print nothing.
pub(crate) fn error(arguments: &[&str]) -> String {
    rubric(arguments).assert().stdout("");
    failure(arguments)
}

/// Standard error of a run that must end with status 2.
pub(crate) fn failure(arguments: &[&str]) -> String {
    let assert = rubric(arguments).assert().code(2);
    let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(message.starts_with("rubric: error: "), "{message}");
    assert!(!message.contains("panicked"), "{message}");
    message
}

/// A temporary folder.
pub(crate) struct Folder(pub TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// Copies the built-in protocol MI_example into a folder, with `from` replaced by `to` in one of its files. Returns its path.
pub(crate) fn edited_mi_example(folder: &Path, file: &str, from: &str, to: &str) -> String {
    for entry in fs::read_dir("../fixtures/protocols").unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("MI_example") {
            continue;
        }
        let mut text = fs::read_to_string(&path).unwrap();
        if name == file {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        fs::write(folder.join(name), text).unwrap();
    }
    folder.join("MI_example.slicc").to_str().unwrap().to_owned()
}

/// Writes a built-in protocol with a named fault into a folder, as gem5 releases it. Returns its path.
pub(crate) fn with_fault(folder: &Path, fault: &str) -> String {
    let mutant = mutate::named::find(fault).unwrap();
    let original = slicc::protocol::Protocol::open(&mutant.protocol).unwrap();
    for (name, text) in fixtures::protocol(&mutant.protocol).unwrap().files {
        fs::write(folder.join(name), text).unwrap();
    }
    for changed in mutant.changed(&original.loaded).unwrap() {
        fs::write(folder.join(changed.path), changed.text).unwrap();
    }
    folder.join(format!("{}.slicc", mutant.protocol)).to_str().unwrap().to_owned()
}

/// Runs the program, and kills it when the file `log` has this many lines.
pub(crate) fn kill_at(arguments: &[&str], log: &Path, lines: usize) {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while lines_of(log) < lines && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Starts the program in a process group of its own, as a shell does, and sends SIGINT to the group when `is_time`. Returns the exit status, and what
/// the program printed on standard output and on standard error.
pub(crate) fn interrupted(arguments: &[&str], is_time: impl Fn() -> bool) -> (i32, String, String) {
    let mut command = process::Command::new(env!("CARGO_BIN_EXE_rubric"));
    command.args(arguments).process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !is_time() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let group = format!("-{}", child.id());
    assert!(process::Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (ended.status.code().unwrap(), text(ended.stdout), text(ended.stderr))
}

/// The number of lines of a file, 0 if it is not there.
pub(crate) fn lines_of(file: &Path) -> usize {
    fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

/// The traces of the fixtures.
pub(crate) const TRACES: [&str; 6] = [
    "fixtures/traces/amd_base-2x50-io-11.trace.gz",
    "fixtures/traces/amd_base-tiny-4x60-51.trace.gz",
    "fixtures/traces/hammer-2x50-io-11.trace.gz",
    "fixtures/traces/mesi2-4x100-sb-16.trace.gz",
    "fixtures/traces/mi-2x50-io-11.trace.gz",
    "fixtures/traces/mi-fwdgetx-keeps-m-3x60-41.trace.gz",
];

/// The litmus tests of the fixtures.
pub(crate) const LITMUS: &str = "fixtures/litmus/litmus.axe";
