//! The tables of named faults: `fixtures/protocols/mutants/PROTOCOL.faults`.
//!
//! A fault starts with a line `fault NAME`, and in the tables of repairs, `fixtures/protocols/repairs/PROTOCOL.repairs`, which have the
//! same form, a repair with `repair NAME`. Lines of `about` say what is wrong, `alias` gives it another name, `setting`
//! changes what gem5's scripts decide, `change` is a [`Clause`], and `there if` a clause that is in force where a
//! protocol has the fault already, for faults whose other clauses say nothing about such protocols. A line that begins
//! with white space continues the one before. `#` starts a comment line.

use super::clause::Clause;
use crate::setting::Setting;

/// A known fault, as it is described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) struct Fault {
    pub name: &'static str,
    pub aliases: Vec<&'static str>,
    pub protocol: &'static str,
    pub about: String,
    pub settings: Vec<Setting>,
    /// What it changes, in order.
    pub changes: Vec<Clause>,
    /// What tells a protocol that has the fault already.
    pub there_if: Vec<Clause>,
}

/// Reads the table of a protocol.
///
/// # Errors
/// The line that cannot be read, and why.
pub(super) fn read(protocol: &'static str, text: &str) -> Result<Vec<Fault>, String> {
    let mut faults: Vec<Fault> = Vec::new();
    for line in lines(text) {
        let wrong = |why: &str| format!("{protocol}: `{line}`: {why}");
        let (key, value) = line.split_once(' ').ok_or_else(|| wrong("no value"))?;
        if key == "fault" || key == "repair" {
            faults.push(Fault {
                name: word(value),
                aliases: Vec::new(),
                protocol,
                about: String::new(),
                settings: Vec::new(),
                changes: Vec::new(),
                there_if: Vec::new(),
            });
            continue;
        }
        let fault = faults.last_mut().ok_or_else(|| wrong("no fault yet"))?;
        match key {
            "about" => fault.about = value.to_owned(),
            "alias" => fault.aliases.push(word(value)),
            "setting" => match value.parse::<Setting>() {
                Ok(setting) => fault.settings.push(setting),
                Err(error) => return Err(wrong(&error.to_string())),
            },
            "change" => fault.changes.push(Clause::read(value).map_err(|why| wrong(&why))?),
            "there" => {
                let value = value.strip_prefix("if ").unwrap_or(value);
                fault.there_if.push(Clause::read(value).map_err(|why| wrong(&why))?);
            }
            _ => return Err(wrong("an unknown word at its start")),
        }
    }
    Ok(faults)
}

/// The lines, each with those that continue it, in single spaces.
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

/// A name that lives as long as the program: the tables are read once.
fn word(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read() {
        let text = "# comment\nfault one\nabout What\n  is wrong.\nalias other\nsetting M.p=ordered\n\
                    change L1Cache (M, Inv): no transition\nthere if L1Cache (M, Inv): next I\nfault two\n";
        let faults = read("P", text).unwrap();
        assert_eq!(faults.len(), 2);
        let one = &faults[0];
        assert_eq!((one.name, &*one.about), ("one", "What is wrong."));
        assert_eq!(one.aliases, ["other"]);
        assert_eq!(one.settings, ["M.p=ordered".parse().unwrap()]);
        assert_eq!((one.changes.len(), one.there_if.len()), (1, 1));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let why = |text| read("P", text).unwrap_err();
        assert!(why("about x").contains("no fault yet"));
        assert!(why("fault a\nchange L1Cache nowhere").contains("change L1Cache nowhere"));
        assert!(why("fault a\nodd b").contains("an unknown word"));
    }
}
