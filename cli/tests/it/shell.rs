//! Behaviour that shells rely on: help, completions, manual pages, colour, version.

use std::fs;

use crate::common::{Folder, TRACES, output, rubric};

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty());
    let words = commands.filter_map(|line| line.strip_prefix("  ")?.split([' ', ',']).next());
    words.filter(|word| !word.is_empty() && *word != "help").map(str::to_owned).collect()
}

/// All commands without subcommands, as words.
fn commands() -> Vec<Vec<String>> {
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut found = Vec::new();
    while let Some(words) = open.pop() {
        let help = help(&words);
        let below = listed(&help);
        if below.is_empty() {
            found.push(words);
            continue;
        }
        open.extend(below.into_iter().map(|word| [&words[..], &[word]].concat()));
    }
    found
}

fn help(words: &[String]) -> String {
    let words = words.iter().map(String::as_str);
    output(&words.chain(["--help"]).collect::<Vec<_>>())
}

#[test]
fn every_command_has_examples_that_begin_with_it() {
    let commands = commands();
    assert!(commands.len() > 20, "{commands:?}");
    for words in commands {
        let (help, name) = (help(&words), words.join(" "));
        let examples = help.split("Examples:\n").nth(1);
        let examples = examples.unwrap_or_else(|| panic!("{name} has no examples"));
        let block: Vec<&str> = examples.lines().take_while(|line| line.starts_with("  ")).collect();
        assert!(
            block.iter().any(|line| line.contains(&format!("rubric {name}"))),
            "{name}: {block:?}"
        );
    }
}

#[test]
fn shells_get_completions() {
    for (shell, mark) in
        [("bash", "complete -F"), ("zsh", "#compdef rubric"), ("fish", "complete -c rubric")]
    {
        let text = output(&["completions", shell]);
        assert!(text.contains(mark), "{shell}");
        for word in ["shrink", "explain", "pso-rmw"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    rubric(&["completions", "tcsh"]).assert().code(2);
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let folder = Folder::new();
    let path = folder.path("man");
    let said = output(&["man", &path]);
    let pages = fs::read_dir(&path).unwrap().count();
    assert!(said.starts_with(&format!("written: {pages} pages")), "{said}");
    for words in commands() {
        let name = format!("rubric-{}", words.join("-"));
        let page = fs::read_to_string(folder.path(&format!("man/{name}.1"))).unwrap();
        assert!(page.contains(&format!(".TH {name} 1")), "{name}: {page}");
        assert!(page.contains("Examples:"), "{name}");
    }
}

#[test]
fn colour_is_as_the_user_wants_it() {
    let colours = |arguments: &[&str], forbidden: bool| {
        let mut command = rubric(&[&["check", TRACES[4]], arguments].concat());
        if forbidden {
            command.env("NO_COLOR", "1");
        }
        let assert = command.assert().code(0);
        assert.get_output().stdout.contains(&0x1b)
    };
    assert!(!colours(&[], false), "a pipe is no terminal");
    assert!(colours(&["--color", "always"], false));
    assert!(colours(&["--color", "always"], true), "an option is newer than the environment");
    assert!(!colours(&["--color", "never"], false));
}

#[test]
fn the_version_names_commit_and_solver() {
    let text = output(&["--version"]);
    assert!(text.starts_with(concat!("rubric ", env!("CARGO_PKG_VERSION"), " (")), "{text}");
    assert!(text.contains("cadical-"), "{text}");
    let has_commit = fs::exists(concat!(env!("CARGO_MANIFEST_DIR"), "/../.git")).unwrap();
    assert_eq!(text.contains("commit "), has_commit, "{text}");
}

#[test]
fn completions_are_installed_where_the_shell_looks() {
    let folder = Folder::new();
    let home = folder.path("");
    for (shell, variable, file) in [
        ("bash", "XDG_DATA_HOME", "bash-completion/completions/rubric"),
        ("fish", "XDG_CONFIG_HOME", "fish/completions/rubric.fish"),
        ("zsh", "UNUSED", ".zfunc/_rubric"),
    ] {
        let mut command = rubric(&["completions", "--install"]);
        command.env("HOME", &home).env("SHELL", format!("/usr/bin/{shell}")).env(variable, &home);
        let run = command.output().unwrap();
        let text = String::from_utf8(run.stdout).unwrap();
        assert!(text.starts_with(&format!("written: {}", folder.path(file))), "{text}");
        let installed = fs::read_to_string(folder.path(file)).unwrap();
        assert_eq!(installed, output(&["completions", shell]));
    }
    let mut command = rubric(&["completions", "--install"]);
    let run = command.env("HOME", &home).env("SHELL", "/bin/other").output().unwrap();
    assert_eq!(run.status.code(), Some(2));
}

#[test]
fn the_reference_has_every_command() {
    let folder = Folder::new();
    output(&["man", "--markdown", &folder.path("")]);
    let page = fs::read_to_string(folder.path("reference.md")).unwrap();
    for words in commands() {
        assert!(page.contains(&format!("\n## rubric {}\n", words.join(" "))), "{words:?}");
    }
}
