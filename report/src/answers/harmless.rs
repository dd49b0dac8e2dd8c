//! Finds the named mutants that are known to be harmless: they change the protocol's behaviour, but no run can detect
//! it.

use std::collections::{BTreeMap, BTreeSet};

use simulate::named_effects::named_effects;
use tables::Equivalent;

use super::{Campaign, Mutant, Scope};

/// The [`Equivalent::kind`] of mutants whose behaviour differs from the protocol's in a way that no run can detect.
const HARMLESS: &str = "harmless";

/// The mutants of a campaign that are known to be harmless and that no run detects, with the reason. A run that detects one, as may
/// happen in a user's version of the protocol, shows that it is not harmless there.
pub(super) fn harmless(campaign: &Campaign<'_>) -> Vec<Equivalent> {
    let known = known_harmless();
    let mut undetected: BTreeMap<Mutant<'_>, &str> = BTreeMap::new();
    let mut detected: BTreeSet<Mutant<'_>> = BTreeSet::new();
    for (mutant, run) in campaign.tried(&Scope::All).filter(|(one, _)| known.contains_key(one.1)) {
        undetected.insert(mutant, run.operator.as_deref().unwrap_or_default());
        if campaign.detects(run) {
            detected.insert(mutant);
        }
    }
    undetected.retain(|mutant, _| !detected.contains(mutant));
    let row = |((protocol, mutant), operator): (Mutant<'_>, &str)| Equivalent {
        protocol: protocol.to_owned(),
        mutant: mutant.to_owned(),
        operator: operator.to_owned(),
        kind: HARMLESS.to_owned(),
        reason: known[mutant].clone(),
    };
    undetected.into_iter().map(row).collect()
}

/// The named mutants that are known to be harmless, with the reason.
pub fn known_harmless() -> BTreeMap<String, String> {
    // The table is embedded in the program, and a test checks that it can be read.
    let effects = named_effects().unwrap_or_default().into_iter();
    let reasons = effects.filter_map(|effect| {
        let why = effect.why.strip_prefix(HARMLESS)?.strip_prefix(": ")?;
        Some((effect.mutant, why.to_owned()))
    });
    reasons.collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, failed, run, violation};
    use super::known_harmless;
    use tables::RunOutcome;

    #[test]
    fn harmless_mutants_are_excluded_unless_a_run_finds_them() {
        let known = known_harmless();
        assert!(known.len() > 5, "{known:?}");
        let [one, other] = ["mi-dir-fetch-without-tbe", "hammer-l1-empty-stall"];
        let rows = [
            violation("a", "x", "in-order", &["sc"]),
            run("b", "x", "in-order"),
            run(one, "named", "in-order"),
            run(other, "named", "in-order"),
            failed(other, "named", "in-order", RunOutcome::Deadlock),
        ];
        let found = answers(&rows, &[]);
        let result = &found.protocols[0];
        assert_eq!((result.mutants, result.found), (3, 2));
        let survivors: Vec<&str> = found.survivors.iter().map(|one| &*one.mutant).collect();
        assert_eq!(survivors, ["b"]);
        let [excluded] = &found.equivalents[..] else { panic!("{:?}", found.equivalents) };
        assert_eq!((&*excluded.mutant, &*excluded.kind, excluded.runs), (one, "harmless", 1));
        assert!(excluded.reason.starts_with("the same runs, as nothing reads"), "{excluded:?}");
    }
}
