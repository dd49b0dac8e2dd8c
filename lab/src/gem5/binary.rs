//! Binaries of gem5. [`Binary::probe`] asks one for its protocols and the time of its compilation.

use std::convert::Infallible;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::Duration;

use nix::errno::Errno;

use super::process::{self, Printed};
use super::scratch::Scratch;
use crate::error::Error;

/// The name of a binary whose protocol is not mutated.
pub const UNMUTATED: &str = "none";

/// Time limit of a binary's answer to [`QUESTION`]. It loads its Python modules first.
const ANSWER: Duration = Duration::from_secs(60);

/// A binary as the command line names it: `PATH` or `NAME=PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// A mutant, a protocol, or [`UNMUTATED`].
    pub name: Option<String>,
    /// The path of the binary.
    pub path: PathBuf,
}

impl FromStr for Given {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Given, Infallible> {
        // Ids of mutants contain `/`, and none contains `=`.
        let (name, path) = match text.split_once('=') {
            Some((name, path)) if !name.is_empty() => (Some(name.to_owned()), path),
            _ => (None, text),
        };
        Ok(Given { name, path: PathBuf::from(path) })
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name}={}", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}

/// A binary that is gem5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// The name and path from the command line.
    pub given: Given,
    /// The path, from the root, so that a process may run in another folder.
    pub path: PathBuf,
    /// The protocol that it runs.
    pub protocol: String,
    /// Whether it was built with several protocols, so that the script needs an option for the protocol.
    pub has_several: bool,
    /// The time at which it was compiled, as gem5 prints it.
    pub compiled: String,
}

impl Binary {
    /// Asks a binary which protocols it is built with. If there are several, returns a [`Binary`] for the protocol that the user named, or
    /// else for each of the `wanted` protocols among them.
    ///
    /// # Errors
    /// Fails if it cannot be started, is not gem5 with the plug-in, has no protocol of Ruby, or is a mutant of one of several
    /// protocols.
    pub fn probe(given: &Given, wanted: &[&str]) -> Result<Vec<Binary>, Error> {
        let path = std::path::absolute(&given.path).map_err(Error::file(&given.path))?;
        let Printed { output: said, errors } = answer(&path)?;
        let all = |label: &str| -> Vec<String> {
            let found = said.lines().filter_map(|line| line.trim().strip_prefix(label));
            found.map(|value| value.trim().to_owned()).collect()
        };
        let Some(compiled) = all("rubric: compiled ").pop() else {
            let what = format!(
                "is no gem5: with a script that asks what it is, it printed {}{}",
                process::excerpt(&said),
                match errors.trim() {
                    "" => String::new(),
                    errors => format!(" and the error {}", process::excerpt(errors)),
                }
            );
            return Err(Error::gem5(&path, what));
        };
        if all("rubric: has RubricTester").is_empty() {
            let what = "has no RubricTester: build it with rubric's folder gem5 in EXTRAS";
            return Err(Error::gem5(&path, what));
        }
        let protocols = all("rubric: protocol ");
        if protocols.is_empty() {
            let what = "was built without a protocol of Ruby: build it with one, such as \
                        RUBY_PROTOCOL_MESI_TWO_LEVEL";
            return Err(Error::gem5(&path, what));
        }
        let has_several = protocols.len() > 1;
        let chosen = choose(given, protocols, wanted).map_err(|what| Error::gem5(&path, what))?;
        let binary = |protocol| Binary {
            given: given.clone(),
            path: path.clone(),
            protocol,
            has_several,
            compiled: compiled.clone(),
        };
        Ok(chosen.into_iter().map(binary).collect())
    }

    /// The option that tells the script which protocol to run; none if the binary has only one.
    pub fn arguments(&self) -> Option<String> {
        self.has_several.then(|| format!("--protocol={}", self.protocol))
    }

    /// The mutant that was built in; none if the name is that of the protocol, [`UNMUTATED`] or missing.
    pub fn mutant(&self) -> Option<&str> {
        let name = self.given.name.as_deref()?;
        (name != UNMUTATED && name != self.protocol).then_some(name)
    }
}

/// The protocols that a binary stands for, of those that it was built with. The error says what is wrong.
fn choose(given: &Given, built: Vec<String>, wanted: &[&str]) -> Result<Vec<String>, String> {
    let is_named = |protocol: &&String| Some(protocol.as_str()) == given.name.as_deref();
    if let Some(named) = built.iter().find(is_named) {
        return Ok(vec![named.clone()]);
    }
    if built.len() == 1 {
        return Ok(built);
    }
    let (chosen, others): (Vec<String>, Vec<String>) =
        built.into_iter().partition(|protocol| wanted.contains(&protocol.as_str()));
    match (&given.name, chosen.len()) {
        (_, 0) => Err(format!(
            "is built with {}, of which none is among the protocols of the command: give the path of \
             gem5's file of one of them as well",
            others.join(", ")
        )),
        (Some(name), 2..) if name != UNMUTATED => Err(format!(
            "is built with several protocols of the command ({}), so {name} may be a mutant of each: give the \
             command one protocol",
            chosen.join(", ")
        )),
        _ => Ok(chosen),
    }
}

/// The script that makes a binary print when it was compiled, its protocols, and whether it has the plug-in. The option `--build-info` of
/// gem5 v24.0 fails. Where gem5 was built with several protocols, its `PROTOCOL` is `MULTIPLE`, and each has a variable.
const QUESTION: &str = "\
import _m5.core
import m5.defines
import m5.objects
print('rubric: compiled', _m5.core.compileDate)
protocol = m5.defines.buildEnv.get('PROTOCOL')
if protocol == 'MULTIPLE':
    prefix = 'RUBY_PROTOCOL_'
    for name, is_built in m5.defines.buildEnv.items():
        if name.startswith(prefix) and is_built:
            print('rubric: protocol', name[len(prefix):])
elif protocol not in (None, '', 'None'):
    print('rubric: protocol', protocol)
if hasattr(m5.objects, 'RubricTester'):
    print('rubric: has RubricTester')
";

/// Runs the script [`QUESTION`] in a binary and returns what it prints.
fn answer(path: &Path) -> Result<Printed, Error> {
    let folder = Scratch::new()?;
    let script = folder.path().join("question.py");
    std::fs::write(&script, QUESTION).map_err(Error::file(&script))?;
    let mut command = Command::new(path);
    command.arg("-q").arg("-d").arg(folder.path().join("m5out")).arg(script);
    command.stdin(Stdio::null());
    let printed = process::printed(command, &folder, ANSWER);
    let printed = printed.map_err(|error| Error::gem5(path, not_started(path, &error)))?;
    printed.ok_or_else(|| {
        let what = format!("did not say what it is within {} s", ANSWER.as_secs());
        Error::gem5(path, what)
    })
}

/// The message about a path that cannot be started: what the file is instead of a binary, as far as its type and first bytes show.
fn not_started(path: &Path, error: &io::Error) -> String {
    let expected = "a binary of gem5 was expected, such as build/NULL/gem5.opt";
    if path.is_dir() {
        return format!("is a folder: {expected}");
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SAMPLE).read_to_end(&mut first));
    let is_text = read.is_ok() && !first.is_empty() && !first.contains(&0);
    match error.raw_os_error().map(Errno::from_raw) {
        _ if is_text && !first.starts_with(b"#!") => format!("is a text file: {expected}"),
        Some(Errno::EACCES) => format!("is a file that may not be executed: {expected}"),
        Some(Errno::ENOEXEC) => format!("is no program of this machine: {expected}"),
        _ => format!("{error}: {expected}"),
    }
}

/// The number of bytes at the beginning of a file by which text is recognised.
const SAMPLE: u64 = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_before_the_first_equals_sign() {
        let given = |text: &str| {
            let Ok(given) = text.parse::<Given>();
            assert_eq!(given.to_string(), text);
            (given.name, given.path)
        };
        let id = "MI_example/L1Cache/I.Load/drop-action:a";
        let named = given(&format!("{id}=a=b/gem5.opt"));
        assert_eq!(named, (Some(id.to_owned()), PathBuf::from("a=b/gem5.opt")));
        assert_eq!(given("gem5.opt"), (None, PathBuf::from("gem5.opt")));
        assert_eq!(given("=gem5.opt"), (None, PathBuf::from("=gem5.opt")));
    }

    #[test]
    fn a_binary_stands_for_the_protocols_of_the_command() {
        let chosen = |given: &str, built: &[&str], wanted: &[&str]| {
            let Ok(given) = given.parse::<Given>();
            choose(&given, built.iter().map(ToString::to_string).collect(), wanted)
        };
        let three = ["MI_example", "CHI", "MOESI_hammer"];
        assert_eq!(chosen("p", &["CHI"], &[]).unwrap(), ["CHI"], "others refuse it");
        assert_eq!(chosen("CHI=p", &three, &["MI_example"]).unwrap(), ["CHI"]);
        assert_eq!(
            chosen("p", &three, &["CHI", "X", "MI_example"]).unwrap(),
            ["MI_example", "CHI"]
        );
        assert_eq!(chosen("none=p", &three, &["CHI"]).unwrap(), ["CHI"]);
        assert_eq!(chosen("mutant=p", &three, &["CHI"]).unwrap(), ["CHI"]);
        let several = chosen("mutant=p", &three, &["CHI", "MI_example"]).unwrap_err();
        assert!(several.contains("so mutant may be a mutant of each"), "{several}");
        let none = chosen("p", &three, &["X"]).unwrap_err();
        assert!(none.contains("of which none is among the protocols"), "{none}");
    }
}
