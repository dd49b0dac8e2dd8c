//! Binaries of gem5, and what they say about themselves.

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::Duration;

use super::process;
use crate::error::Error;

/// The name of a binary whose protocol is not mutated.
pub const UNMUTATED: &str = "none";

/// How long a binary may take to say what it is. It loads its Python modules first.
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
    /// How it was given.
    pub given: Given,
    /// The path, from the root, so that a process may run in another folder.
    pub path: PathBuf,
    /// The protocol that it was built with.
    pub protocol: String,
    /// When it was compiled, as it says.
    pub compiled: String,
}

impl Binary {
    /// Asks a binary what it is.
    ///
    /// # Errors
    /// Fails if it cannot be started, is not gem5 with the plug-in, or has no protocol of Ruby.
    pub fn probe(given: &Given) -> Result<Binary, Error> {
        let path = std::path::absolute(&given.path).map_err(Error::file(&given.path))?;
        let said = answer(&path)?;
        let after = |label: &str| {
            let mut found = said.lines().filter_map(|line| line.trim().strip_prefix(label));
            found.next().map(|value| value.trim().to_owned())
        };
        let Some(compiled) = after("rubric: compiled ") else {
            let what = format!(
                "is no gem5: with a script that asks what it is, it printed {}",
                process::excerpt(&said)
            );
            return Err(Error::gem5(&path, what));
        };
        if after("rubric: has RubricTester").is_none() {
            let what = "has no RubricTester: build it with rubric's folder gem5 in EXTRAS";
            return Err(Error::gem5(&path, what));
        }
        let Some(protocol) = after("rubric: protocol ") else {
            let what = "was built without a protocol of Ruby: build it with one, such as \
                        RUBY_PROTOCOL_MESI_TWO_LEVEL";
            return Err(Error::gem5(&path, what));
        };
        Ok(Binary { given: given.clone(), path, protocol, compiled })
    }

    /// The mutant that was built in; none if the name is that of the protocol, [`UNMUTATED`] or missing.
    pub fn mutant(&self) -> Option<&str> {
        let name = self.given.name.as_deref()?;
        (name != UNMUTATED && name != self.protocol).then_some(name)
    }
}

/// The script that asks. The option `--build-info` of gem5 v24.0 fails.
const QUESTION: &str = "\
import _m5.core
import m5.defines
import m5.objects
print('rubric: compiled', _m5.core.compileDate)
if m5.defines.buildEnv.get('PROTOCOL') not in (None, '', 'None'):
    print('rubric: protocol', m5.defines.buildEnv['PROTOCOL'])
if hasattr(m5.objects, 'RubricTester'):
    print('rubric: has RubricTester')
";

/// Runs the script [`QUESTION`] in a binary and returns what it prints.
fn answer(path: &Path) -> Result<String, Error> {
    let folder = tempfile::tempdir().map_err(Error::file(&std::env::temp_dir()))?;
    let script = folder.path().join("question.py");
    std::fs::write(&script, QUESTION).map_err(Error::file(&script))?;
    let mut command = Command::new(path);
    command.arg("-q").arg("-d").arg(folder.path().join("m5out")).arg(script);
    command.stdin(Stdio::null());
    let output = process::output(command, ANSWER);
    let output = output.map_err(|error| Error::gem5(path, error.to_string()))?;
    output.ok_or_else(|| {
        let what = format!("did not say what it is within {} s", ANSWER.as_secs());
        Error::gem5(path, what)
    })
}

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
}
