//! Parses the tables of named faults: `fixtures/protocols/mutants/PROTOCOL.faults`.
//!
//! A fault starts with a line `fault NAME`, a repair (in the tables of
//! `fixtures/protocols/repairs`, which have the same form) with `repair NAME`. The lines that follow describe it: `about` is its
//! description, `alias` another name, `setting` overrides what gem5's scripts decide, and `change`
//! is a [`Clause`]. `there if` is a clause that has no effect on a protocol with the fault, or with
//! the repair; it is for those whose `change` clauses do not tell such protocols apart. A line that begins with
//! white space continues the one before. `#` starts a comment line.

use slicc::setting::Setting;

use super::clause::Clause;
use super::error::{FaultTableError, LineError};

/// The description of a known fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub name: &'static str,
    pub aliases: Vec<&'static str>,
    pub protocol: &'static str,
    pub about: String,
    pub settings: Vec<Setting>,
    /// The changes, in order.
    pub changes: Vec<Clause>,
    /// Clauses that have no effect on a protocol that has the fault already.
    pub there_if: Vec<Clause>,
}

/// Parses the table of a protocol.
///
/// # Errors
/// Fails with the first line that cannot be parsed.
pub(super) fn parse(protocol: &'static str, text: &str) -> Result<Vec<Fault>, FaultTableError> {
    let mut faults: Vec<Fault> = Vec::new();
    for line in lines(text) {
        let wrong = |reason| FaultTableError { protocol, line: line.clone(), reason };
        let clause = |value| Clause::parse(value).map_err(|why| wrong(LineError::Clause(why)));
        let (key, value) = line.split_once(' ').ok_or_else(|| wrong(LineError::NoValue))?;
        if key == "fault" || key == "repair" {
            faults.push(Fault {
                name: leaked(value),
                aliases: Vec::new(),
                protocol,
                about: String::new(),
                settings: Vec::new(),
                changes: Vec::new(),
                there_if: Vec::new(),
            });
            continue;
        }
        let fault = faults.last_mut().ok_or_else(|| wrong(LineError::NoFault))?;
        match key {
            "about" => fault.about = value.to_owned(),
            "alias" => fault.aliases.push(leaked(value)),
            "setting" => {
                let setting = value.parse::<Setting>();
                fault.settings.push(setting.map_err(|why| wrong(LineError::Setting(why)))?);
            }
            "change" => fault.changes.push(clause(value)?),
            "there" => {
                let value = value.strip_prefix("if ").unwrap_or(value);
                fault.there_if.push(clause(value)?);
            }
            _ => return Err(wrong(LineError::UnknownKeyword)),
        }
    }
    Ok(faults)
}

/// The lines, joined with those that continue them, with single spaces between words.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match lines.last_mut() {
            Some(last) if line.starts_with(char::is_whitespace) && !words.is_empty() => {
                last.push(' ');
                last.push_str(&words);
            }
            _ if words.is_empty() => {}
            _ => lines.push(words),
        }
    }
    lines
}

/// A name that lives as long as the program, which parses each table once.
fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read() {
        let text = "# comment\nfault one\nabout What\n  is wrong.\nalias other\nsetting M.p=ordered\n\
                    change L1Cache (M, Inv): no transition\nthere if L1Cache (M, Inv): next I\nfault two\n";
        let faults = parse("P", text).unwrap();
        assert_eq!(faults.len(), 2);
        let one = &faults[0];
        assert_eq!((one.name, &*one.about), ("one", "What is wrong."));
        assert_eq!(one.aliases, ["other"]);
        assert_eq!(one.settings, ["M.p=ordered".parse().unwrap()]);
        assert_eq!((one.changes.len(), one.there_if.len()), (1, 1));
    }

    #[test]
    fn errors_name_the_line() {
        let why = |text| parse("P", text).unwrap_err().to_string();
        assert!(why("about x").contains("`about x`: it stands before the first `fault` line"));
        assert!(why("fault a\nchange L1Cache nowhere").contains("change L1Cache nowhere"));
        assert!(why("fault a\nodd b").contains("unknown keyword"));
    }
}
