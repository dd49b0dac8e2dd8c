//! Repeats a run of a campaign from its row.

use history::History;
use simulate::client::Client;
use simulate::recipe::{Lineage, Recipe};
use slicc::setting::Setting;
use tables::CampaignRun;

use crate::error::Error;
use crate::protocols::{Opened, Repairs, find_mutant};

/// Reproduces the run of a row, and returns its history.
///
/// # Errors
/// Fails if the files of the protocol have changed or are gone, or if the run was made in gem5.
pub fn repeat(row: &CampaignRun) -> Result<History, Error> {
    if let Some(binary) = &row.gem5 {
        return Err(Error::MadeInGem5 { binary: binary.clone(), command: row.command.clone() });
    }
    let given = &row.protocol;
    let circumstances = Circumstances::of(&row.command).map_err(Error::run(given))?;
    let mut opened = Opened::repaired(given, &circumstances.repairs, None)?;
    // As in the campaign, a mutant's own settings come after them.
    opened.protocol.loaded.settings.extend(circumstances.settings);
    if let Some(name) = &row.mutant {
        let mutant = find_mutant(name, given, &opened.protocol)?;
        opened.protocol = opened.with(&mutant)?;
    }
    let client: Client = row.client.parse().map_err(Error::run(given))?;
    let lineage: Lineage = row.lineage.parse().map_err(Error::run(given))?;
    let mut simulation = Recipe::of(&lineage).simulation(&opened.protocol, client);
    simulation.options.strict = circumstances.is_strict;
    let plan = opened.plan(&simulation)?;
    let run = simulation.run(&opened.protocol, &plan, None);
    Ok(run.map_err(Error::run(given))?.history()?)
}

/// What the command of a row says about its run that no other column has.
#[derive(Debug, Default, PartialEq)]
struct Circumstances {
    repairs: Repairs,
    settings: Vec<Setting>,
    is_strict: bool,
}

impl Circumstances {
    /// Reads the options of a command.
    ///
    /// # Errors
    /// Fails if it is no command of a shell, or the value of an option cannot be read.
    fn of(command: &str) -> Result<Circumstances, String> {
        let mut circumstances = Circumstances::default();
        let words =
            shlex::split(command).ok_or_else(|| format!("`{command}`: quotes do not end"))?;
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match &*word {
                "--strict" => circumstances.is_strict = true,
                "--repair" => {
                    let Ok(repairs) = words.next().unwrap_or_default().parse();
                    circumstances.repairs = repairs;
                }
                "--set" => {
                    let setting = words.next().unwrap_or_default();
                    let wrong = |error| format!("{}: {error}", settings::Setting::Set.to(&setting));
                    circumstances.settings.push(setting.parse().map_err(wrong)?);
                }
                _ => {}
            }
        }
        Ok(circumstances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circumstances_of_a_run_are_read_from_its_command() {
        let command = "rubric simulate 'my files/P.slicc' --repair a,b --mutant 'drop --strict' \
            --set L1Cache.send_evictions=false --set 'name=two words' --client early --check";
        let read = Circumstances::of(command).unwrap();
        assert_eq!(read.repairs, Repairs::Named(vec!["a".to_owned(), "b".to_owned()]));
        let settings: Vec<String> = read.settings.iter().map(ToString::to_string).collect();
        assert_eq!(settings, ["L1Cache.send_evictions=false", "name=two words"]);
        assert!(!read.is_strict);
        assert_eq!(
            Circumstances::of("rubric simulate P --strict").unwrap(),
            Circumstances { is_strict: true, ..Circumstances::default() }
        );
        assert!(Circumstances::of("rubric simulate P --set nothing").is_err());
        assert!(Circumstances::of("rubric simulate 'P").is_err());
    }

    /// A command is written by [`crate::text::quoted`], word by word.
    #[test]
    fn quoted_words_are_read_as_they_were() {
        let given = ["rubric", "a b", "it's", "", "x=1,2", "\\"];
        let command = given.map(crate::text::quoted).join(" ");
        assert_eq!(shlex::split(&command).unwrap(), given);
    }
}
