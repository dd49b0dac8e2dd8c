//! Input that is larger than memory, and `--max-memory`. These tests are a program of their own: the system counts the memory that a process had before it
//! executed another program, so the memory of a large test program would be taken for that of `rubric`.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use wait4::Wait4;

/// Starts a command that reads standard input.
fn begin(command: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args([command, "--quiet", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn more_text_than_memory_goes_through_a_pipe() {
    /// The size of the text, and the memory that the program may take: what it always takes, and a little more. In bytes.
    const TEXT: u64 = 400 << 20;
    const MEMORY: u64 = 96 << 20;
    for command in ["watch", "check"] {
        let mut child = begin(command);
        let mut pipe = child.stdin.take().unwrap();
        let writer = thread::spawn(move || -> io::Result<()> {
            let noise = "7: system.ruby.network: nothing to do with a history\n".repeat(4000);
            let mut written = 0;
            let mut round = 0;
            while written < TEXT {
                let mut part = noise.clone();
                for thread in 0..2 {
                    let tick = 2 * round + thread;
                    part += &format!("{tick}: system.client: T{thread} op {round} load 0x40 0x0\n");
                }
                round += 1;
                written += part.len() as u64;
                pipe.write_all(part.as_bytes())?;
            }
            Ok(())
        });
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        let used = child.wait4().unwrap();
        writer.join().unwrap().unwrap();
        assert_eq!(used.status.code(), Some(0), "{said}");
        assert!(said.starts_with("consistent"), "{said}");
        assert!(used.rusage.maxrss < MEMORY, "{command}: {}", used.rusage.maxrss);
    }
}

/// The program's arguments, split at blanks.
fn rubric(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rubric"));
    command.args(words.split(' ')).stdout(Stdio::piped());
    command
}

#[test]
fn memory_limits_hold_within_a_fifth() {
    /// What the program may take, in bytes. It takes 40 MB before it decides anything.
    const LIMIT: u64 = 100_000_000;
    let folder = tempfile::tempdir().unwrap();
    let file = |recipe: &str| {
        let file = folder.path().join(recipe.replace(' ', ""));
        let file = format!("{}.axe", file.to_str().unwrap());
        if !std::path::Path::new(&file).exists() {
            let made = rubric(&format!("generate {recipe} -o {file}")).output().unwrap();
            assert!(made.status.success(), "{recipe}");
        }
        file
    };
    // Each of these needs more: large windows of a search, the tables of a SAT solver, edges out of initial writes, a proof of
    // every pair, preserved program order as a graph, and the forced order of a long history.
    for (command, recipe) in [
        ("check --algorithm complete", "--family pairs-violation --size 9"),
        ("check --algorithm sc-ccm-sat", "--family ring --size 256"),
        ("check --algorithm wsc-enum", "--family ring --size 256"),
        ("check --algorithm tso-wccm-sat --model tso", "--family ring --size 256"),
        ("check --algorithm wsc-pattern", "--family chain --size 1024"),
        ("check --algorithm saturate --model armv8", "--operations 300k"),
        ("kernel", "--operations 300k"),
    ] {
        let words = format!("{command} --max-memory {LIMIT} {}", file(recipe));
        let mut child = rubric(&words).spawn().unwrap();
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        let used = child.wait4().unwrap();
        assert_eq!(used.status.code(), Some(3), "{words}: {said}");
        assert!(said.contains("--max-memory"), "{words}: {said}");
        let most = LIMIT + LIMIT / 5;
        assert!(used.rusage.maxrss < most, "{words}: {} MB", used.rusage.maxrss / 1_000_000);
    }
}
