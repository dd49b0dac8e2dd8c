//! `rubric run` and programs that record themselves: on this machine, in emulators of other ones, and with faults.

use std::io::Write;
use std::process::Command;
use std::sync::Once;

use serde_json::Value;

use crate::common::{Folder, failure, interrupted, output, output_of, rubric};

/// Options of a short series.
const SHORT: [&str; 7] =
    ["run", "--quiet", "--runs", "600", "--runs-each", "300", "--verdict-timeout=60"];

fn json(arguments: &[&str], status: i32) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    serde_json::from_str(&output_of(&arguments, status)).unwrap()
}

#[test]
fn this_machine_keeps_its_model() {
    for more in [
        &["--bytes", "1,2,4,8"][..],
        &["--record", "signature", "--rmws", "20"],
        // Most variables are not accessed.
        &["--operations", "1"],
    ] {
        let results = json(&[&SHORT, more].concat(), 0);
        assert_eq!(results["runs"], 600);
        assert_eq!(results["programs"].as_array().unwrap().len(), 2);
        let own = results["verdicts"].as_array().unwrap().last().unwrap();
        assert_eq!((&own["consistent"], &own["violation"]), (&600.into(), &0.into()));
        assert!(results["certificates"].as_u64() >= results["outcomes"].as_u64());
    }
}

#[test]
fn series_are_resumed() {
    let folder = Folder::new();
    let path = folder.path("results");
    let first = json(&[&SHORT[..], &["-o", &path]].concat(), 0);
    // A series may be continued with another number of runs of each program.
    let more = ["run", "--runs", "900", "--runs-each", "200", "-o", &path];
    let second = json(&more, 0);
    let programs = second["programs"].as_array().unwrap();
    assert_eq!(programs[..2], first["programs"].as_array().unwrap()[..]);
    assert_eq!(programs.len(), 4);
    let message = failure(&[&more[..], &["--operations", "9"]].concat());
    assert!(message.contains("programs of another command"), "{message}");
}

/// Each fault is found, with its evidence, where threads run at the same time.
#[test]
fn faults_are_found() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        std::io::stdout().write_all(b"skipped: there is no second processor\n").unwrap();
        return;
    }
    for (fault, more) in [
        ("plain-swap", &["--rmws", "20"][..]),
        ("no-fence", &["--fences", "30", "--rmws", "0", "--operations", "20"]),
    ] {
        let folder = Folder::new();
        let path = folder.path("found");
        let bounds = ["run", "--runs", "1M", "--runs-each", "1000", "--until-violation"];
        let given = ["--fault", fault, "-o", &path, "--quiet"];
        let results = json(&[&bounds[..], &given, more].concat(), 1);
        let violation = &results["violation"];
        let seed = &violation["seed"];
        let part = folder.path(&format!("found/seed-{seed}-part.jsonl"));
        let own = if cfg!(target_arch = "x86_64") { "tso" } else { "rvwmo,armv8" };
        assert!(own.contains(violation["model"].as_str().unwrap()));
        output_of(&["check", "--model", violation["model"].as_str().unwrap(), &part], 1);
        let whole = folder.path(&format!("found/seed-{seed}.jsonl"));
        output(&["verify", &whole, &folder.path(&format!("found/seed-{seed}.cert"))]);
        // Text and picture call operations by the same names. The text may have more: a write whose value a read of the
        // cycle returns need not be on the cycle.
        let picture = std::fs::read_to_string(folder.path(&format!("found/seed-{seed}.svg")));
        let picture = picture.unwrap();
        assert!(picture.starts_with("<svg"));
        let operations = violation["operations"].as_array().unwrap().iter();
        let named =
            |operation: &Value| operation.as_str().unwrap().split(' ').next().unwrap().to_owned();
        let names: Vec<String> = operations.map(named).collect();
        let drawn: Vec<&str> = (picture.split('>').filter_map(|part| part.split('<').next()))
            .filter(|text| {
                text.starts_with('T') && text[1..].starts_with(|c: char| c.is_ascii_digit())
            })
            .filter(|text| text.contains(':') && text.ends_with(|c: char| c.is_ascii_digit()))
            .filter(|text| !text.contains(' '))
            .collect();
        assert!(drawn.len() >= 2, "{picture}");
        assert!(
            drawn.iter().all(|drawn| names.iter().any(|name| name == drawn)),
            "{names:?}: {drawn:?}"
        );
        // A series that is resumed shows the violation again, with the command that repeats it.
        let again = json(&[&bounds[..], &given, more].concat(), 1);
        assert_eq!(&again["violation"], violation);
        assert!(
            violation["command"].as_str().unwrap().contains(&format!("--seed {seed} --runs 1000"))
        );
        std::fs::remove_file(&whole).unwrap();
        let again = json(&[&bounds[..], &given, more].concat(), 1);
        assert_eq!(again["violation"]["command"], violation["command"]);
        let why = again["violation"]["explanation"].as_str().unwrap();
        assert!(why.contains("its outcome cannot be read from"), "{why}");
    }
}

#[test]
fn what_goes_wrong_is_said() {
    let said = |arguments: &[&str]| {
        let assert = rubric(&[&SHORT[..], arguments].concat()).assert().code(2);
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    for (arguments, expected) in [
        (&["--cc", "no-such-compiler"][..], "the compiler `no-such-compiler` cannot be started"),
        (&["--cc", "cc -include no-such-file.h"], "the compiler `cc` ended with"),
        (&["--runner", "no-such-runner"], "`no-such-runner` cannot be started"),
        (&["--runner", "false"], "ended with exit status: 1 after 0 bytes"),
        (&["--runner", "echo"], "the command that runs programs must pass on all that they print"),
        (&["--runner", "true"], "`true` ended well, but printed no record"),
        (&["--cc", "true"], "the compiler `true` ended well, but made no executable"),
        (&["--cc", "false"], "the compiler `false` ended with exit status: 1 without a message"),
        // It has closed its output, and goes on.
        (
            &["--runner", "sh -c 'exec >&-; sleep 60'", "--timeout", "0.2"],
            "had not ended after 0.2 s",
        ),
        (&["--runner", "sh -c 'sleep 60'", "--timeout", "0.2"], "had not ended after 0.2 s"),
        (&["--runner", "sh -c '\"$0\" \"$@\" | head -c 9000'"], "the record of seed 1"),
    ] {
        let message = said(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
        // The program is no file of the user's, and `run` has no such option.
        assert!(!message.contains("--lossy"), "{arguments:?}: {message}");
    }
    for (arguments, expected) in [
        (&["--runner", "a 'b"][..], "an open quote"),
        (&["--for", "0s"], "more than 0 was expected, such as 10 (seconds)"),
        (&["--timeout", "0"], "more than 0 was expected"),
        (&["--bytes", "3"], "1, 2, 4 or 8 was expected"),
        (&["--rmws", "60", "--fences", "50"], "more than 100 of 100"),
        (&["--locations", "1M"], "more than 64 MiB"),
    ] {
        let message = said(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

/// A thread alone shows nothing.
#[test]
fn a_series_that_shows_little_says_so() {
    let one = rubric(&[&SHORT[..], &["--threads", "1"]].concat()).assert().code(0);
    let said = String::from_utf8(one.get_output().stderr.clone()).unwrap();
    assert!(said.contains("show nothing of its memory model; choose 2 or more"), "{said}");
}

/// Ctrl-C reaches the compiler, too, if it is in the same process group: it is no failure of the compiler.
#[test]
fn an_interruption_keeps_what_was_decided() {
    let folder = Folder::new();
    let (mark, series) = (folder.path("mark"), folder.path("series"));
    let text =
        format!("[ -e {mark} ] && touch {mark}.second && sleep 60\ntouch {mark}\nexec cc \"$@\"\n");
    let compiler = format!("sh {}", folder.file("compiler", text));
    let arguments = [&SHORT[..], &["--cc", &compiler, "-o", &series]].concat();
    let second = folder.path("mark.second");
    let is_compiling = || std::path::Path::new(&second).exists();
    let (status, out, said) = interrupted(&arguments, is_compiling);
    assert_eq!(status, 130, "{said}");
    assert!(out.contains("runs        300 of 1 programs"), "{out}");
    assert!(said.contains("interrupted: 1 program stored in"), "{said}");
    assert!(!said.contains("compiler"), "{said}");
    std::fs::remove_file(&mark).unwrap();
    let resumed = json(&arguments, 0);
    assert_eq!(resumed["runs"], 600);
    // Before the first program was decided, there is nothing to show.
    std::fs::remove_file(&second).unwrap();
    let (status, out, said) =
        interrupted(&[&SHORT[..], &["--cc", &compiler]].concat(), is_compiling);
    assert_eq!((status, &*out), (130, ""));
    assert!(said.contains("interrupted before a program was decided"), "{said}");
}

/// A runner that is called ssh receives the program on standard input.
#[test]
fn programs_are_sent_to_other_machines() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let ssh = folder.file("ssh", "#!/bin/sh\n[ \"$1\" = board ] && sh -c \"$2\"\n");
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let results = json(&[&SHORT[..], &["--runner", &format!("{ssh} board")]].concat(), 0);
    assert_eq!(results["runs"], 600);
}

#[test]
fn programs_record_themselves() {
    let folder = Folder::new();
    let (source, program) = (folder.path("program.c"), folder.path("program"));
    for form in ["text", "binary"] {
        for record in ["values", "signature"] {
            let isa = match std::env::consts::ARCH {
                "x86_64" => "x86",
                "riscv64" => "riscv",
                _ => "arm",
            };
            let words = ["generate", "c", "--isa", isa, "--record", record, "--form", form];
            let size = ["--threads", "2", "--operations", "9", "--rounds", "50", "-o", &source];
            output(&[&words[..], &size].concat());
            let arguments =
                ["-O2", "-Wall", "-Wextra", "-Werror", "-pthread", &source, "-o", &program];
            assert!(Command::new("cc").args(arguments).status().unwrap().success());
            let recorded = Command::new(&program).output().unwrap().stdout;
            let record = folder.file("program.record", recorded);
            output(&["check", &record]);
        }
    }
}

/// The Debian packages of emulators of processes and of cross compilers. QEMU's emulator of whole machines is too large to be installed
/// by a test.
const PACKAGES: [&str; 5] = [
    "qemu-user",
    "gcc-riscv64-linux-gnu",
    "libc6-dev-riscv64-cross",
    "gcc-aarch64-linux-gnu",
    "libc6-dev-arm64-cross",
];

/// Whether these commands can be started, after an attempt to install what is missing. A test that cannot run says so.
fn has(commands: &[&str]) -> bool {
    static INSTALL: Once = Once::new();
    let is_there = |command: &&str| Command::new(command).arg("--version").output().is_ok();
    if !commands.iter().all(is_there) {
        INSTALL.call_once(|| {
            let mut install = Command::new("timeout");
            install.args(["120", "apt-get", "-o", "Acquire::http::Timeout=10"]);
            install.args(["-o", "Acquire::Retries=0", "install", "-y", "--no-install-recommends"]);
            install.args(PACKAGES).stdin(std::process::Stdio::null());
            // Without the right to install packages, or without a network, the tests are skipped.
            let _ = install.env("DEBIAN_FRONTEND", "noninteractive").output();
        });
    }
    match commands.iter().find(|command| !is_there(command)) {
        Some(missing) => {
            // `println!` would be shown only for failed tests, and `.ci/run` counts these lines.
            let line = format!("skipped: there is no {missing}\n");
            std::io::stdout().write_all(line.as_bytes()).unwrap();
            false
        }
        None => true,
    }
}

/// Runs programs in an emulator, if there is one.
fn emulated(isa: &str, compiler: &str, emulator: &str, annotations: &str) {
    if !has(&[compiler, emulator]) {
        return;
    }
    let more = ["--isa", isa, "--runner", emulator, "--bytes", "1,2,4,8", "--rmws", "20"];
    let more = [&SHORT[..], &more, &["--annotations", annotations]].concat();
    assert_eq!(json(&more, 0)["runs"], 600);
}

#[test]
fn an_emulated_riscv_keeps_its_model() {
    emulated("riscv", "riscv64-linux-gnu-gcc", "qemu-riscv64", "20");
}

/// QEMU lets an acquire overtake a release before it (findings/qemu-aarch64-release-acquire.sh), so there are none.
#[test]
fn an_emulated_arm_keeps_its_model() {
    emulated("arm", "aarch64-linux-gnu-gcc", "qemu-aarch64", "0");
}

/// Harts without an operating system, in QEMU's machine `virt`. A compiler that does not optimise keeps more on the harts' stacks, which
/// hart 0 once set to 0 while others used them.
#[test]
fn programs_start_without_an_operating_system() {
    if !has(&["riscv64-linux-gnu-gcc", "qemu-system-riscv64"]) {
        return;
    }
    for (harts, level) in [("4", "-O2"), ("2", "-O2"), ("3", "-O0")] {
        let folder = Folder::new();
        let (source, program) = (folder.path("program.c"), folder.path("program"));
        let words = ["generate", "c", "--isa", "riscv", "--freestanding", "--console"];
        let more = ["uart:0x10000000", "--threads", harts, "--operations", "9", "--rounds", "100"];
        output(&[&words[..], &more, &["-o", &source]].concat());
        let script = folder.path("program.ld");
        let options = [level, "-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany", "-ffreestanding"];
        let link = ["-nostdlib", "-static", "-Wl,--build-id=none", "-T", &script, &source];
        let mut compiler = Command::new("riscv64-linux-gnu-gcc");
        compiler.args(options).args(link).args(["-Wall", "-Wextra", "-Werror", "-o", &program]);
        assert!(compiler.status().unwrap().success());
        let mut emulator = Command::new("timeout");
        emulator.args(["60", "qemu-system-riscv64", "-M", "virt", "-smp", harts, "-nographic"]);
        emulator.args(["-bios", "none", "-kernel", &program]);
        let recorded = emulator.stdin(std::process::Stdio::null()).output().unwrap().stdout;
        let record = folder.file("program.record", recorded);
        output(&["check", &record]);
    }
}
