//! Testing a protocol: is it right, and if not, what is wrong?
//!
//! [`test()`] runs random programs on all kinds of cores, at the same time explores small systems completely, and returns each [`Finding`]
//! once, however many runs show it, the worst kind first, with the command that reproduces it. A finding is *known* if the repairs of
//! gem5's released faults (`mutate::repair`, [`released`](crate::released)) make it go away: the same program on the repaired
//! protocol is clean.
//!
//! - `finding`: the kinds of findings, and what makes two of them the same;
//! - `program`: one random program on one kind of core; `judge`: what goes wrong in its run;
//! - `schedule`: which programs run, and for how long;
//! - `known`: which repairs make a run clean ([`Explainer`]);
//! - `options`: how much is tested; `deadlines`: when the parts of a test end;
//! - `small`: exploring small systems; `walks`: walking through larger ones;
//! - `evidence`: a violation shrunk to its smallest part;
//! - `gather`: findings from runs; `ochiai`: what goes with them in programs; `alike` and `wrong_values`: which of them are one;
//! - [`compare`](mod@compare): two versions of a protocol with the same programs ([`compare()`]);
//! - [`text`] and [`json`]: the report.
//!
//! ```
//! use lab::NoObserver;
//! use lab::testing::{Extent, Options, test};
//!
//! let options = Options { extent: Extent::Runs(2), ..Options::default() };
//! let tested = test("MI_example", &options, &NoObserver)?;
//! assert!(tested.findings.is_empty());
//! assert_eq!(tested.runs, 2);
//! # Ok::<(), lab::Error>(())
//! ```

mod alike;
mod attribution;
pub mod compare;
mod deadlines;
mod evidence;
mod finding;
mod gather;
pub mod json;
pub(crate) mod judge;
mod known;
mod ochiai;
mod options;
mod program;
mod schedule;
mod shrinking;
pub(crate) mod small;
pub mod text;
mod walks;
mod wrong_values;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mutate::repair;
use simulate::config::handled;
use simulate::guided::Guide;
use simulate::program::Extras;
use slicc::setting::Setting;
use slicc::source::Diagnostic;
use tables::Coverage;

use crate::coverage;
use crate::error::Error;
use crate::observer::Observer;
use crate::protocols::Opened;
pub use attribution::{known_finding, known_warning};
pub use compare::{Compared, compare};
use deadlines::Deadlines;
pub use evidence::{Evidence, Part};
pub use finding::{
    Cores, Finding, FindingKind, Known, NearestChange, Signature, Source, Weakness, Witness,
};
use gather::Gathered;
pub use known::{Explainer, MOST_KINDS, MOST_TRANSITIONS, VARIATIONS};
pub use options::{BUDGET, Extent, Options, STATES};
use program::{Bench, Ran};
use schedule::run_programs;
pub(crate) use small::refusal;
pub use small::{Explored, System};
use walks::{Walked, walk_all};
use wrong_values::WrongValues;

/// The result of a test.
#[derive(Debug)]
pub struct Tested {
    /// The protocol, as it was given.
    pub opened: Opened,
    /// The warnings of reading and of linting the protocol.
    pub warnings: Vec<Diagnostic>,
    /// The names of the repairs of known faults that fit the tested protocol, without those that were applied before the test.
    pub repairs: Vec<String>,
    /// The number of programs that ran on each kind of core. Every program ran on one kind.
    pub runs: u32,
    /// The number of runs, of all kinds of cores together, that were given up because time ran out. Nothing is concluded from them.
    pub given_up: u32,
    /// The number of operations of all runs.
    pub operations: u64,
    /// The small systems that were explored.
    pub explored: Vec<Explored>,
    /// The findings, the worst kind first; known ones after the others.
    pub findings: Vec<Finding>,
    /// The time after which the first finding was seen that is not known; `None` if there is none.
    pub first_found: Option<Duration>,
    /// How often each transition was taken by the programs.
    pub coverage: Vec<Coverage>,
    /// The wall time of the test.
    pub elapsed: Duration,
}

impl Tested {
    /// The findings that no repair of a released fault explains.
    pub fn new_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.known.is_none())
    }
}

/// Tests a protocol: a built-in name, or the path of a `.slicc` file. Cost: what the extent says; memory grows with the explorations.
///
/// # Errors
/// Fails if the protocol cannot be read or has errors, if a repair that the options name does not exist or does not fit, if programs are to
/// make requests that the protocol does not handle, if no system can be built of the protocol, or if a certificate is wrong, which is a defect.
pub fn test(given: &str, options: &Options, observer: &dyn Observer) -> Result<Tested, Error> {
    let start = Instant::now();
    let opened = Opened::repaired(given, &options.repairs, None)?;
    opened.check_extras(options.extras.unwrap_or_default())?;
    let repaired = repair::all_that_fit(&opened.protocol);
    let deadlines = Deadlines::of(options);
    let bench = Bench::new(&opened, &repaired, options, deadlines)?;
    observer.opened(&opened, &options.settings);
    // Known faults would end most walks, so walks go through the repaired protocol.
    let is_repaired = !repaired.applied.is_empty();
    let walked = Walked {
        given,
        protocol: bench.protocol(is_repaired),
        repairs: bench.repairs(is_repaired).clone(),
        is_repaired,
        is_settled: true,
        towards: Vec::new(),
        needs: &[],
    };
    let (runs, explored, found) = std::thread::scope(|scope| {
        let small = scope.spawn(|| small::explore_all(&opened, &repaired, options, deadlines, &[]));
        let walks = scope.spawn(|| walk_all(&[walked], options, deadlines));
        let runs = run_programs(
            options,
            guide(options, handled(&opened.protocol)),
            deadlines,
            observer,
            |client, lineage| bench.run(client, lineage),
            |ran| ran.reached.clone(),
        );
        let resume = |panic| std::panic::resume_unwind(panic);
        (
            runs,
            small.join().unwrap_or_else(resume),
            walks.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    });
    let (runs, explored) = (runs?, explored?);
    let mut gathered = Gathered::new(&bench, options);
    runs.iter().for_each(|ran| gathered.add_run(ran));
    explored.iter().for_each(|explored| gathered.add_exploration(explored));
    let short = explored.iter().flat_map(|explored| &explored.problems);
    let short = short.chain(found.iter().flatten().map(|found| &found.shown));
    let wrong_values = WrongValues::new(&opened.protocol, runs.iter(), short);
    found.into_iter().for_each(|found| gathered.add_walks(found));
    let findings = alike::together(gathered.findings(observer)?, &bench)?;
    let findings = wrong_values.together(findings);
    let new = findings.iter().filter(|finding| finding.known.is_none());
    Ok(Tested {
        first_found: first_found(new, start),
        warnings: warnings(&opened),
        repairs: repaired.applied.iter().map(|one| one.name.to_string()).collect(),
        runs: (runs.len() / options.clients.len().max(1)) as u32,
        given_up: given_up(&runs),
        operations: runs.iter().map(|ran| ran.operations as u64).sum(),
        findings,
        coverage: covered(&opened, &runs, &options.settings)?,
        explored,
        elapsed: start.elapsed(),
        opened,
    })
}

/// The guide that proposes the programs of a test. `handled` are the additional requests that the protocols handle.
fn guide(options: &Options, handled: Extras) -> Guide {
    let guide = Guide::new(options.seed);
    match options.extras {
        Some(extras) => guide.with_extras(extras),
        None => guide.with_drawn_extras(handled),
    }
}

/// The time from `start` on after which the first of some findings was seen.
fn first_found<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    start: Instant,
) -> Option<Duration> {
    findings.map(|finding| finding.first.saturating_duration_since(start)).min()
}

/// The number of runs that were given up.
fn given_up<'a>(runs: impl IntoIterator<Item = &'a Ran>) -> u32 {
    runs.into_iter().filter(|ran| ran.is_given_up).count() as u32
}

/// The warnings of reading and of linting a protocol.
fn warnings(opened: &Opened) -> Vec<Diagnostic> {
    let protocol = &opened.protocol;
    let linted = slicc::lint::lint(&protocol.loaded, &protocol.outline);
    protocol.warnings.iter().cloned().chain(linted).collect()
}

/// A row for each transition, with the number of times that the programs took it.
fn covered(opened: &Opened, runs: &[Ran], settings: &[Setting]) -> Result<Vec<Coverage>, Error> {
    let asked = runs.iter().map(|ran| ran.lineage.extras());
    let extras = asked.fold(Extras::default(), Extras::max);
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for reached in runs.iter().flat_map(|ran| &ran.reached) {
        *counts.entry(reached.triple).or_default() += reached.count;
    }
    coverage::rows(opened, counts, extras, settings)
}
