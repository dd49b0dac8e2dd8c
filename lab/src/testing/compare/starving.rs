//! Starvation that a change of a protocol causes, in the smallest system.

use std::time::Instant;

use explore::protocol::fair::{Fair, Fate, starvation};
use explore::search::Limits;

use crate::error::Error;
use crate::protocols::{Opened, Repairs};
use crate::testing::deadlines::Deadlines;
use crate::testing::finding::{FindingKind, Signature};
use crate::testing::judge::Problem;
use crate::testing::options::{Options, STATES};
use crate::testing::small::{self, Shown, System, refusal, taken};

/// A request that may starve in the new version only, with the command that shows it; `None` if there is none, or if a version has more than
/// [`STATES`] states or takes more than a tenth of the time.
///
/// # Errors
/// Fails if no such system can be built of a protocol.
pub(super) fn only_in_new(
    old: &Opened,
    new: &Opened,
    repairs: &Repairs,
    options: &Options,
    deadlines: Deadlines,
) -> Result<Option<(String, Shown)>, Error> {
    let systems = small::systems_of(&new.protocol, options, &[]);
    let Some(&system) = systems.first() else { return Ok(None) };
    let looked = |version: &Opened| look(version, system, options, deadlines);
    let Fair { fate: Fate::Starves(found), .. } = looked(new)? else { return Ok(None) };
    if !matches!(looked(old)?.fate, Fate::Completes) {
        return Ok(None);
    }
    let steps = [found.stem.clone(), found.cycle.clone()].concat();
    let message =
        format!("{}; the moves from {} on repeat", found.sentence(), found.stem.len() + 1);
    let signature = Signature { kind: FindingKind::Starvation, place: String::new() };
    let shown = Shown {
        problem: Problem { signature, message, source: None, recent: Vec::new() },
        taken: taken(&steps),
        steps,
        is_shortest: false,
        notes: Vec::new(),
        first: Instant::now(),
        known: None,
        is_settled: true,
        is_repaired: false,
    };
    let command = system.command(&new.given, options, repairs);
    Ok(Some((format!("{command} --fair"), shown)))
}

fn look(
    version: &Opened,
    system: System,
    options: &Options,
    deadlines: Deadlines,
) -> Result<Fair, Error> {
    let protocol = &version.protocol;
    let limits = Limits {
        bounds: deadlines.bounds(deadlines.tenth(), options.max_memory),
        states: Some(STATES),
    };
    starvation(protocol, &system.scope(options), &limits, &mut |_| {})
        .map_err(|problem| refusal(problem, &version.given, protocol))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Extent;

    /// A directory that puts requests back as long as another cache has the line: they wait for ever if that keeps it.
    #[test]
    fn a_request_that_is_always_put_back_starves_in_the_new_version_only() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in fixtures::protocol("MI_example").unwrap().files {
            let text = text.replace(
                "  transition(M, GETX) {forward_to_owner, set_owner, pop_request}",
                "  action(put_back, desc=\"\") {
                    request_in.recycle(clockEdge(), cyclesToTicks(recycle_latency));
                  }
                  transition(M, GETX) {put_back}",
            );
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let path = folder.path().join("MI_example.slicc").display().to_string();
        let old = Opened::new("MI_example", None).unwrap();
        let new = Opened::new(&path, None).unwrap();
        let options = Options { extent: Extent::Runs(1), ..Options::default() };
        let starving = |old: &Opened, new: &Opened| {
            only_in_new(old, new, &Repairs::None, &options, Deadlines::default()).unwrap()
        };
        let (command, shown) = starving(&old, &new).expect("it starves");
        assert_eq!(shown.problem.signature.to_string(), "starvation");
        assert_eq!(command, format!("rubric explore protocol {path} --fair"));
        assert!(shown.taken.iter().any(|entry| entry.to_string() == "Directory/M.GETX"));
        assert!(starving(&new, &new).is_none() && starving(&old, &old).is_none());
    }
}
