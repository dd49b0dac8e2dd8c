//! Settings: values that a user or a mutant gives to parameters of machines, overriding those of
//! gem5's scripts.
//!
//! ```
//! use slicc::setting::Setting;
//!
//! let setting: Setting = "L1Cache.issue_latency=3".parse().unwrap();
//! assert_eq!(setting.machine.as_deref(), Some("L1Cache"));
//! assert_eq!((&*setting.parameter, &*setting.value), ("issue_latency", "3"));
//! ```

use std::fmt;
use std::str::FromStr;

use crate::error::ParseError;

/// `Machine.parameter=value`, `Machine-N.parameter=value` for one controller, or `parameter=value` for every machine that has the parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The machine; `None` stands for every machine that has the parameter.
    pub machine: Option<String>,
    /// The number of the controller among those of the machine; `None` stands for all of them.
    pub number: Option<u32>,
    /// The parameter.
    pub parameter: String,
    /// The value, as written.
    pub value: String,
}

impl Setting {
    /// A setting of every machine that has the parameter.
    pub fn of_all(parameter: &str, value: impl fmt::Display) -> Setting {
        let (parameter, value) = (parameter.to_owned(), value.to_string());
        Setting { machine: None, number: None, parameter, value }
    }

    /// A setting of all controllers of a machine, or of a role.
    pub fn of(machine: &str, parameter: &str, value: impl fmt::Display) -> Setting {
        Setting { machine: Some(machine.to_owned()), ..Setting::of_all(parameter, value) }
    }
}

impl FromStr for Setting {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Setting, ParseError> {
        let wrong = || {
            let expected = "Machine.parameter=value, Machine-0.parameter=value or parameter=value was expected";
            ParseError::new(text, expected)
        };
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let (machine, parameter) = match name.split_once('.') {
            Some((machine, parameter)) => (Some(machine), parameter),
            None => (None, name),
        };
        let controller = machine.and_then(|name| {
            let (machine, number) = name.split_once('-')?;
            Some((machine, number.parse().map_err(|_| wrong())))
        });
        let (machine, number) = match controller {
            Some((machine, number)) => (Some(machine), Some(number?)),
            None => (machine, None),
        };
        if parameter.is_empty() || machine.is_some_and(str::is_empty) || value.is_empty() {
            return Err(wrong());
        }
        Ok(Setting {
            machine: machine.map(str::to_owned),
            number,
            parameter: parameter.to_owned(),
            value: value.to_owned(),
        })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(machine) = &self.machine {
            f.write_str(machine)?;
            self.number.map_or(Ok(()), |number| write!(f, "-{number}"))?;
            f.write_str(".")?;
        }
        write!(f, "{}={}", self.parameter, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_written() {
        for text in ["L1Cache.issue_latency=3", "L1Cache-2.issue_latency=3", "recycle_latency=1"] {
            assert_eq!(text.parse::<Setting>().unwrap().to_string(), text);
        }
        for wrong in ["", "a", "a=", "=1", ".a=1", "M.=1", "M-.a=1", "M-x.a=1", "-1.a=1"] {
            assert!(wrong.parse::<Setting>().is_err(), "{wrong}");
        }
    }
}
