//! Says for each named mutant which command shows its fault, or why nothing does, from the table `fixtures::NAMED_EFFECTS`. Reports use it
//! for mutants that a campaign did not find.

use std::collections::BTreeMap;

use mutate::named;
use simulate::named_effects::{NamedEffect, named_effects};

/// The named mutants, each with the first command that shows its fault or the reason why nothing does, as a sentence without full stop.
///
/// # Errors
/// Returns an error if the table of effects cannot be read.
pub fn all() -> Result<BTreeMap<String, String>, csv::Error> {
    let mutants = named::all().map(|mutant| (mutant.name.to_string(), mutant.protocol.to_string()));
    let protocols: BTreeMap<String, String> = mutants.collect();
    let mut all = BTreeMap::new();
    for way in named_effects()? {
        if let Some(protocol) = protocols.get(&way.mutant) {
            all.entry(way.mutant.clone()).or_insert_with(|| told(&way, protocol));
        }
    }
    Ok(all)
}

fn told(way: &NamedEffect, protocol: &str) -> String {
    let NamedEffect { mutant, client, options, effect, seed, why } = way;
    if effect.is_empty() {
        return format!("nothing in these systems: {why}");
    }
    let given = |option: &str, value: &str| match value {
        "" => String::new(),
        value => format!(" {option}{value}"),
    };
    let [client, options, seed] =
        [given("--client ", client), given("", options), given("--seed ", seed)];
    format!(
        "{effect} with `rubric simulate {protocol} --mutant {mutant}{client}{options}{seed} --check`"
    )
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn every_named_mutant_has_a_way_or_a_reason() {
        let all = all().unwrap();
        for mutant in super::named::all() {
            let said = all.get(&*mutant.name).unwrap_or_else(|| panic!("{}", mutant.name));
            assert!(said.contains(" with `rubric simulate") || said.len() > 30, "{said}");
        }
        let late = &all["mi-l1-late-inv-missing"];
        assert_eq!(late, "nothing in these systems: needs DMA");
    }
}
