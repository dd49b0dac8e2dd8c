//! Suggestions for unknown options, models and subcommands. clap suggests names that are spelled alike; this module adds those
//! that mean the same, such as `--operations` for `--accesses` and `tso` for `x86`, and the missing subcommand where a protocol
//! stands in its place, as in `explore MI_example`.

use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use slicc::builtin::builtin;

/// Names that mean the same: first the options of `rubric`, the likeliest first, then the names that other tools use.
const GROUPS: &[&[&str]] = &[
    &["operations", "ops", "accesses", "length", "num-ops", "instructions"],
    &["threads", "cores", "cpus", "num-cpus", "num-threads", "nodes"],
    &["locations", "addresses", "variables", "words"],
    &["repeat", "repetitions"],
    &["runs", "histories", "iterations", "count", "times", "samples"],
    &["client", "clients", "core", "cpu", "cpu-type"],
    &["model", "models", "memory-model", "consistency-model", "mcm", "consistency"],
    &["algorithm", "algorithms", "method", "engine", "checker", "stage"],
    &["format", "to", "output-format", "json", "text", "type"],
    &["output", "out", "output-file", "outfile", "file", "folder", "dir", "output-dir", "outdir"],
    &["timeout", "budget", "time-limit", "time", "limit", "seconds", "deadline", "max-time"],
    &["max-memory", "memory-limit", "memory", "mem", "max-mem", "mem-limit", "ram"],
    &["seed", "random-seed", "rng-seed"],
    &["reads", "loads", "read-share", "read-percent"],
    &["partial", "unaligned", "mixed-size", "sub-word", "bytes-mix"],
    &["rmws", "rmw", "atomics", "swaps", "amos"],
    &["fences", "barriers", "membars", "mfences"],
    &["quiet", "silent", "no-progress"],
    &["mutant", "mutants", "mutation", "mutations", "bug", "fault", "inject"],
    &["operator", "operators"],
    &["from-tick", "start-tick", "start", "begin", "from", "since"],
    &["to-tick", "end-tick", "end", "until", "stop-tick"],
    &["access-size", "size", "access-bytes", "bytes"],
    &["certificate", "certificates", "certify", "proof", "proofs"],
    &["history", "history-name", "test", "name"],
    &["jobs", "parallel", "workers", "num-jobs"],
    &["network", "latency", "delay", "delays", "link-latency", "network-latency"],
    &["set", "param", "parameter", "define"],
    &["initial", "init", "initial-values", "initial-memory", "memory-image"],
    &["lossy", "ignore-errors", "skip-errors", "keep-going"],
    &["machine", "controller"],
    &["figures", "plots", "graphs"],
    &["all", "full", "verbose"],
    &["preemptions", "context-switches", "switches", "bound"],
    &["mix", "ratio"],
    &["shard", "part", "split"],
    &["deadlock-threshold", "deadlock-ticks", "watchdog"],
];

/// Instruction sets, and how they are often written, each with its memory model.
const INSTRUCTION_SETS: &[(&str, &[&str])] = &[
    ("tso", &["x86", "x86-64", "x86tso", "x86-tso", "amd64", "i386", "intel", "amd", "sparc"]),
    ("armv8", &["arm", "aarch64", "arm64", "armv8a", "armv8-a", "armv9"]),
    ("rvwmo", &["riscv", "risc-v", "riscv64", "rv64", "rv64gc"]),
    ("sc", &["sequential", "sequential-consistency", "lamport"]),
];

/// Commands that have subcommands, each with the subcommand to suggest if a protocol stands in place of a subcommand.
const OF_PROTOCOLS: &[(&str, &str)] =
    &[("rubric", "test"), ("explore", "protocol"), ("mutants", "list"), ("protocol", "check")];

/// Adds a suggestion of what the user may have meant to an error of clap.
pub(crate) fn corrected(error: Error, command: &Command, arguments: &[String]) -> Error {
    match error.kind() {
        ErrorKind::UnknownArgument => with_option(error, command, arguments),
        ErrorKind::InvalidValue => with_model(error),
        ErrorKind::InvalidSubcommand => with_subcommand(error, command, arguments),
        _ => error,
    }
}

/// Adds the model of an instruction set to an error about an unknown model.
fn with_model(mut error: Error) -> Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidValue) else {
        return error;
    };
    let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue) else {
        return error;
    };
    let lower = word.to_ascii_lowercase().replace('_', "-");
    let meant = INSTRUCTION_SETS.iter().find(|(_, names)| names.contains(&&*lower));
    let Some((model, _)) = meant.filter(|(model, _)| valid.iter().any(|one| one == model)) else {
        return error;
    };
    let tip = format!("the memory model of {word} is '{model}'");
    error.remove(ContextKind::SuggestedValue);
    suggest(&mut error, tip);
    error
}

/// Adds the subcommand that takes a protocol to an error about a protocol in the place of a subcommand.
fn with_subcommand(mut error: Error, command: &Command, arguments: &[String]) -> Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let is_file = Path::new(word).extension().is_some_and(|extension| extension == "slicc");
    if !is_file && builtin(word).is_none() {
        return error;
    }
    let asked = asked(command, arguments).get_name();
    let Some((_, below)) = OF_PROTOCOLS.iter().find(|(name, _)| *name == asked) else {
        return error;
    };
    let path = if asked == "rubric" { String::new() } else { format!("{asked} ") };
    let tip = format!("a protocol is given to a subcommand: 'rubric {path}{below} {word}'");
    error.remove(ContextKind::SuggestedSubcommand);
    suggest(&mut error, tip);
    error
}

/// Adds a tip to an error.
fn suggest(error: &mut Error, tip: String) {
    let tips = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
    error.insert(ContextKind::Suggested, tips);
}

/// Adds the option that means the same to an error about an unknown option, in place of clap's option that is spelled alike.
fn with_option(mut error: Error, command: &Command, arguments: &[String]) -> Error {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let Some(name) = unknown.strip_prefix("--") else {
        return error;
    };
    let mut asked = asked(command, arguments).clone();
    let Some(meant) = meant(name, &asked) else {
        let others = having(name, command, "rubric");
        let tip = format!("'--{name}' is an option of {}", others.join(" and "));
        if !others.is_empty() {
            suggest(&mut error, tip);
        }
        return error;
    };
    let usage = asked.render_usage();
    error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{meant}")));
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    error
}

/// The subcommands of a command that have an option, each with its path: `'rubric simulate'`.
fn having(option: &str, command: &Command, path: &str) -> Vec<String> {
    let has = command.get_arguments().any(|it| it.get_long() == Some(option));
    let own = has.then(|| format!("'{path}'"));
    let below = command.get_subcommands().filter(|below| !below.is_hide_set());
    let below =
        below.flat_map(|below| having(option, below, &format!("{path} {}", below.get_name())));
    own.into_iter().chain(below).collect()
}

/// The subcommand that the arguments name.
fn asked<'c>(command: &'c Command, arguments: &[String]) -> &'c Command {
    let mut asked = command;
    for argument in arguments {
        match asked.find_subcommand(argument) {
            Some(below) => asked = below,
            None if argument.starts_with('-') => {}
            None => break,
        }
    }
    asked
}

/// The option of a command that means the same as a name.
fn meant(name: &str, command: &Command) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let has = |option: &&&str| command.get_arguments().any(|it| it.get_long() == Some(**option));
    let mut groups = GROUPS.iter().filter(|group| group.contains(&&*name));
    groups.find_map(|group| group.iter().find(has).copied())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    fn options(command: &Command, all: &mut BTreeSet<String>) {
        let long = command.get_arguments().filter_map(|one| one.get_long());
        all.extend(long.map(str::to_owned));
        for below in command.get_subcommands() {
            options(below, all);
        }
    }

    #[test]
    fn messages_name_options_that_there_are() {
        let mut all = BTreeSet::new();
        options(&Cli::command(), &mut all);
        let named = settings::Setting::ALL.iter().map(|one| one.name().replace('_', "-"));
        assert_eq!(named.filter(|name| !all.contains(name)).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn each_group_begins_with_an_option_that_there_is_and_no_word_is_in_two() {
        let mut all = BTreeSet::new();
        options(&Cli::command(), &mut all);
        let mut known = BTreeSet::new();
        for group in GROUPS {
            assert!(all.contains(group[0]), "--{} is no option any more", group[0]);
            for word in *group {
                assert!(known.insert(*word), "{word} is in two groups");
            }
        }
    }

    #[test]
    fn what_means_the_same() {
        let command = Cli::command();
        let of = |arguments: &[&str], name| {
            let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
            meant(name, asked(&command, &arguments))
        };
        assert_eq!(of(&["generate"], "ops"), Some("operations"));
        assert_eq!(of(&["explore", "protocol"], "cores"), Some("threads"));
        assert_eq!(of(&["check", "a.gz"], "max_mem"), Some("max-memory"));
        assert_eq!(of(&["--color", "never", "check"], "proof"), None);
        assert_eq!(of(&["--color=never", "check"], "proof"), Some("certificate"));
        assert_eq!(of(&["verify"], "seed"), None);
        assert_eq!(of(&["simulate"], "nonsense"), None);
    }

    #[test]
    fn the_commands_that_have_an_option() {
        let having = |option| having(option, &Cli::command(), "rubric");
        assert_eq!(having("nice-cycles"), ["'rubric explore protocol'"]);
        assert!(having("per-line").contains(&"'rubric simulate'".to_owned()));
        assert!(having("nonsense").is_empty());
    }
}
