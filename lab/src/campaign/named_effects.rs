//! How the faults of the named mutants show, as it was tried once for each: what would have found those that a campaign did not find.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A row of the table: a way to see a fault, or the reason why there is none.
#[derive(Deserialize)]
struct Way {
    mutant: String,
    client: String,
    options: String,
    effect: String,
    why: String,
}

/// The named mutants, each with its first way to be found or the reason why it cannot, in a sentence without its full stop.
pub fn all() -> BTreeMap<String, String> {
    let rows = csv::Reader::from_reader(fixtures::NAMED_EFFECTS.as_bytes()).into_deserialize();
    let mut all = BTreeMap::new();
    for way in rows.filter_map(Result::<Way, _>::ok) {
        let said = way.said();
        all.entry(way.mutant).or_insert(said);
    }
    all
}

impl Way {
    fn said(&self) -> String {
        let Way { client, options, effect, why, .. } = self;
        if effect.is_empty() {
            return format!("nothing in these systems: {why}");
        }
        let client = if client.is_empty() { String::new() } else { format!(" --client {client}") };
        let options = if options.is_empty() { String::new() } else { format!(" {options}") };
        format!("{effect} with `rubric simulate{client}{options}`")
    }
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn every_named_mutant_has_a_way_or_a_reason() {
        let all = all();
        for mutant in slicc::mutant::named::all() {
            let said = all.get(&*mutant.name).unwrap_or_else(|| panic!("{}", mutant.name));
            assert!(said.contains(" with `rubric simulate") || said.len() > 30, "{said}");
        }
        let late = &all["mi-l1-late-inv-missing"];
        assert_eq!(late, "nothing in these systems: needs DMA");
    }
}
