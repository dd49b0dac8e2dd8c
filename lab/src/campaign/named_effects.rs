//! How the faults of the named mutants show, as it was tried once for each: what would have found those that a campaign did not find.

use std::collections::BTreeMap;

use serde::Deserialize;
use slicc::mutant::named;

/// A row of the table: a way to see a fault, or the reason why there is none.
#[derive(Deserialize)]
struct Way {
    mutant: String,
    client: String,
    options: String,
    effect: String,
    seed: String,
    why: String,
}

/// The named mutants, each with its first way to be found or the reason why it cannot, in a sentence without its full stop.
pub fn all() -> BTreeMap<String, String> {
    let rows = csv::Reader::from_reader(fixtures::NAMED_EFFECTS.as_bytes()).into_deserialize();
    let mutants = named::all().map(|mutant| (mutant.name.to_string(), mutant.protocol.to_string()));
    let protocols: BTreeMap<String, String> = mutants.collect();
    let mut all = BTreeMap::new();
    for way in rows.filter_map(Result::<Way, _>::ok) {
        if let Some(protocol) = protocols.get(&way.mutant) {
            all.entry(way.mutant.clone()).or_insert_with(|| way.said(protocol));
        }
    }
    all
}

impl Way {
    fn said(&self, protocol: &str) -> String {
        let Way { mutant, client, options, effect, seed, why } = self;
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
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn every_named_mutant_has_a_way_or_a_reason() {
        let all = all();
        for mutant in super::named::all() {
            let said = all.get(&*mutant.name).unwrap_or_else(|| panic!("{}", mutant.name));
            assert!(said.contains(" with `rubric simulate") || said.len() > 30, "{said}");
        }
        let late = &all["mi-l1-late-inv-missing"];
        assert_eq!(late, "nothing in these systems: needs DMA");
    }
}
