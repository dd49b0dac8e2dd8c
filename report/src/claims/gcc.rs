//! Claims of *Gradual Consistency Checking*.

use std::collections::BTreeMap;

use super::kernels::{Ordered, average, ceiling, ordered};
use super::measure::{AtSize, Axis, History, Trials, is_of_part};
use super::paper::{self, FAR_MORE};
use super::{Evidence, Missing, speed};
use crate::numbers::{percent, times};
use crate::statistics::{Estimate, Share, mean};
use tables::{Reported, Trial};

/// The parameters that Figures 4 and 6 vary.
const AXES: [Axis; 2] = [Axis::Operations, Axis::Threads];

/// The experiment and the algorithms for a model. Those in `gradual` decide the pairs of writes that a weaker criterion
/// leaves open, by enumeration and by SAT, as published; `sat` is SAT alone; `ours` are those in `gradual` with this program's
/// computation of the criterion.
pub(super) struct Algorithms {
    experiment: &'static str,
    model: &'static str,
    gradual: [&'static str; 2],
    sat: &'static str,
    ours: [&'static str; 2],
}

pub(super) const SC: Algorithms = Algorithms {
    experiment: "gcc-fig4",
    model: "sc",
    gradual: ["sc-ccm-enum-published", "sc-ccm-sat-published"],
    sat: "sc-sat",
    ours: ["sc-ccm-enum", "sc-ccm-sat"],
};

pub(super) const TSO: Algorithms = Algorithms {
    experiment: "gcc-fig6",
    model: "tso",
    gradual: ["tso-wccm-enum-published", "tso-wccm-sat-published"],
    sat: "tso-sat",
    ours: ["tso-wccm-enum", "tso-wccm-sat"],
};

fn of<'r>(results: AtSize<'r>, algorithms: &Algorithms) -> Result<Trials<'r>, Missing> {
    Trials::of(results, algorithms.experiment, algorithms.model)
}

pub(super) fn faster(results: AtSize<'_>, algorithms: &Algorithms) -> Result<Evidence, Missing> {
    let trials = of(results, algorithms)?;
    let found = speed::faster(&trials, &AXES, &algorithms.gradual, algorithms.sat)?;
    let found = found.because(open(&trials, algorithms));
    let found = found.because(speed::instead(&trials, &algorithms.ours));
    Ok(found.because(ENCODING.to_owned()))
}

/// What the comparison with SAT rests on.
const ENCODING: &str = "It rests on one encoding, with a clause for each three operations: the paper does not state its own. The stage `sat` of rubric, which \
    adds a clause for each cycle that it meets, is faster than both.";

pub(super) fn grows(
    results: AtSize<'_>,
    algorithms: &Algorithms,
    axis: Axis,
) -> Result<Evidence, Missing> {
    let trials = of(results, algorithms)?;
    let found = speed::grows(&trials, axis, &algorithms.gradual, algorithms.sat)?;
    Ok(found.because(open(&trials, algorithms)).because(open_along(&trials, algorithms, axis)))
}

pub(super) fn alike(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = of(results, &SC)?;
    let [enumeration, sat] = SC.gradual;
    let found = speed::alike(&trials, &AXES, enumeration, sat)?;
    let found = found.because(beside(&trials, enumeration, sat));
    let found = found.because(open(&trials, &SC)).because(tried(&trials, enumeration, sat));
    Ok(found.because(speed::instead(&trials, &SC.ours)))
}

/// Says by how much the medians of enumeration and SAT differ, relative to that of SAT alone, as the paper's figure
/// shows it.
fn beside(trials: &Trials<'_>, enumeration: &str, sat: &str) -> String {
    let median = |name| trials.median_time(name).map(|median| median.low);
    match (median(enumeration), median(sat), median(SC.sat)) {
        (Some(one), Some(other), Some(alone)) if alone > 0.0 => format!(
            "Over all points their medians differ by {} of that of {}.",
            percent((one - other).abs() / alone),
            SC.sat
        ),
        _ => String::new(),
    }
}

pub(super) fn outperforms(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = of(results, &TSO)?;
    let [enumeration, sat] = TSO.gradual;
    let found = speed::faster(&trials, &AXES, &[sat], enumeration)?;
    let found = found.because(open(&trials, &TSO)).because(tried(&trials, enumeration, sat));
    Ok(found.because(speed::instead(&trials, &TSO.ours)))
}

/// Says how many choices the enumeration tried and how many conflicts SAT met. If both numbers are small, the search is
/// short, and SAT spends its time on building the formula.
fn tried(trials: &Trials<'_>, enumeration: &str, sat: &str) -> String {
    let whole = |middle: Estimate| middle.shown(|number| format!("{number:.0}"));
    let choices = trials.count(enumeration, |row| row.nodes);
    let choices = choices.map(|(middle, most)| {
        format!(
            "The enumeration looked at {} choices in the median and {most} at most.",
            whole(middle)
        )
    });
    let conflicts = trials.count(sat, |row| row.conflicts);
    let conflicts = conflicts.map(|(middle, most)| match most {
        0 => "SAT met no conflicts: it searches nothing and takes its time for the formula."
            .to_owned(),
        most => format!("SAT met {} conflicts in the median and {most} at most.", whole(middle)),
    });
    let sentences: Vec<String> = [choices, conflicts].into_iter().flatten().collect();
    sentences.join(" ")
}

/// Says which share of the pairs the weaker criterion leaves to enumeration or SAT, which explains the gain according
/// to the paper.
fn open(trials: &Trials<'_>, algorithms: &Algorithms) -> String {
    let [_, sat] = algorithms.gradual;
    let shares: Vec<Estimate> = trials.rows(sat).filter_map(left_open).collect();
    let share = mean(&shares).map(|share| share.shown(percent));
    share.map_or(String::new(), |share| {
        format!("Of the pairs of writes {share} were left open before the search.")
    })
}

/// Says which share of the pairs is left open at the first and at the last point of an axis.
fn open_along(trials: &Trials<'_>, algorithms: &Algorithms, axis: Axis) -> String {
    let [_, sat] = algorithms.gradual;
    let mut points: BTreeMap<u64, Vec<Estimate>> = BTreeMap::new();
    for row in trials.rows(sat).filter(|row| is_of_part(row, axis.name())) {
        let point = points.entry(axis.of(row)).or_default();
        point.extend(left_open(row));
    }
    let shown = |point: Option<(&u64, &Vec<Estimate>)>| {
        let (at, shares) = point?;
        Some(format!("{} at {at}", mean(shares)?.shown(percent)))
    };
    match (shown(points.first_key_value()), shown(points.last_key_value())) {
        (Some(first), Some(last)) if points.len() > 1 => {
            format!("{first} and {last} {}: where less is left, the gain is larger.", axis.name())
        }
        _ => String::new(),
    }
}

/// The share of pairs of writes that were left open before the search.
fn left_open(row: &Trial) -> Option<Estimate> {
    let open = row.write_pairs.saturating_sub(row.ordered?);
    (row.write_pairs > 0).then(|| Estimate::exactly(open as f64 / row.write_pairs as f64))
}

pub(super) fn unordered(
    results: AtSize<'_>,
    stated: paper::PublishedClaim,
    model: &str,
    criterion: &str,
) -> Result<Evidence, Missing> {
    let trials = Trials::of(results, "gcc-unordered", model)?.enough_cases()?;
    let rows = ordered(&trials, criterion)?;
    let basis = trials.basis(&[criterion]) + &ceiling(&rows);
    let share = average(&rows, |row| row.unordered());
    Ok(stated.number(share, None, basis))
}

pub(super) fn unordered_ccv(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let found = unordered(results, paper::GCC_UNORDERED_CCV, "sc", "ccv")?;
    Ok(found.because(counted(results)))
}

/// A possible explanation of the published share of CCv: the share left unordered if conflicts alone are counted.
fn counted(results: AtSize<'_>) -> String {
    let share = Trials::of(results, "gcc-unordered", "sc")
        .and_then(|trials| ordered(&trials, "cf"))
        .map(|rows| average(&rows, |row: &Ordered| row.unordered()).shown(percent));
    let counted =
        "Ours counts the pairs that (po ∪ wr ∪ cf)⁺ orders; the paper does not say what it counts.";
    let conflicts = match share {
        Ok(share) => format!(
            " The conflicts by themselves (cf), without causality, leave {share} unordered here, and \
             more the less programs read."
        ),
        Err(_) => String::new(),
    };
    format!("{counted}{conflicts}{}", nearest_mix(results))
}

/// Says what the mixes of gcc-unordered-reads show: the largest factor by which CCv leaves more pairs unordered than
/// CCM, and the mix on which the conflict relation alone comes nearest to the published share. Empty if the experiment
/// was not run.
fn nearest_mix(results: AtSize<'_>) -> String {
    let mut shares: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for row in results.rows("gcc-unordered-reads") {
        if let (Some(ordered), 1..) = (row.ordered, row.write_pairs) {
            let unordered = 1.0 - ordered as f64 / row.write_pairs as f64;
            let of_point = shares.entry(&row.point).or_default();
            of_point.entry(&row.algorithm).or_default().push(unordered);
        }
    }
    let published = [paper::GCC_UNORDERED_CCM, paper::GCC_UNORDERED_CCV];
    let [Some(ccm), Some(ccv)] = published.map(|one| one.result.value()) else {
        return String::new();
    };
    let mean = |point: &BTreeMap<&str, Vec<f64>>, name: &str| {
        let all = point.get(name)?;
        Some(all.iter().sum::<f64>() / all.len() as f64)
    };
    let known = shares.iter().filter_map(|(point, own)| {
        let [ccm, ccv, conflicts] = ["ccm", "ccv", "cf"].map(|name| mean(own, name));
        Some((*point, ccm.filter(|share| *share > 0.0)?, ccv?, conflicts?))
    });
    let known: Vec<_> = known.collect();
    let ratios = known.iter().map(|(_, ccm, ccv, _)| ccv / ccm);
    let distance = |conflicts: f64| (conflicts - ccv).abs();
    let nearest = known.iter().min_by(|one, other| distance(one.3).total_cmp(&distance(other.3)));
    match (nearest, ratios.max_by(f64::total_cmp)) {
        (Some((point, own, _, conflicts)), Some(most)) => format!(
            " What it counts is the likely reason: on none of the {} mixes of gcc-unordered-reads does CCv leave more than {} as many pairs \
             as CCM, where the paper has {}; the conflicts by themselves leave {} on {point}, where CCM leaves {}.",
            known.len(),
            times(most),
            times(ccv / ccm),
            percent(*conflicts),
            percent(*own)
        ),
        _ => String::new(),
    }
}

pub(super) fn unordered_more(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials =
        Trials::of(results, "gcc-unordered", "sc")?.with(&["ccv", "ccm"])?.enough_cases()?;
    let share = |criterion| -> Result<f64, Missing> {
        Ok(average(&ordered(&trials, criterion)?, |row: &Ordered| row.unordered()).low)
    };
    let (ccv, ccm) = (share("ccv")?, share("ccm")?);
    Ok(Evidence {
        ours: format!("{} against {}", percent(ccv), percent(ccm)),
        holds: (ccv > ccm && ccv >= FAR_MORE * ccm).into(),
        difference: String::new(),
        basis: trials.basis(&["ccv", "ccm"]),
    }
    .because(counted(results)))
}

/// The experiment with the paper's kind of mutants, and the one with further mutants.
const REORDERED: &str = "gcc-fig5-reordered";
const ALL_MUTANTS: &str = "gcc-fig5";

/// The violations of an experiment: histories that some algorithm refutes.
fn violations<'r>(results: AtSize<'r>, experiment: &'static str) -> Result<Trials<'r>, Missing> {
    let refutes = |history: &History<'_>| history.all().any(|row| row.said == Reported::Violation);
    Trials::of(results, experiment, "sc")?.filter(refutes).enough()
}

/// Says what the share is with all mutants, of which those with reordered statements are a part.
fn with_all_mutants(results: AtSize<'_>, share: impl Fn(&Trials<'_>) -> Share) -> String {
    match violations(results, ALL_MUTANTS) {
        Ok(all) => {
            let whole = share(&all);
            let part = percent(whole.value());
            format!(
                "With the other mutants of {ALL_MUTANTS}, too, {part} ({whole}). {}",
                by_mutant(&all, share)
            )
        }
        Err(_) => String::new(),
    }
}

pub(super) fn refuted(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let algorithm = SC.gradual[1];
    let violations = violations(results, REORDERED)?.with(&[algorithm])?.enough()?;
    let caught = |trials: &Trials<'_>| {
        let decided = trials.rows(algorithm);
        let decided = decided.filter(|row| row.said == Reported::Violation);
        Share::of(decided.map(|row| row.fired.is_some()))
    };
    let basis = violations.basis(&[algorithm]);
    let share = caught(&violations);
    let found = paper::GCC_VIOLATIONS.share(share, "violations", basis)?;
    let found =
        if share.part < share.of { found.because(by_mutant(&violations, caught)) } else { found };
    Ok(found.because(with_all_mutants(results, caught)))
}

pub(super) fn causal(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let violations = violations(results, REORDERED)?.with(&["cc", "ccv"])?.enough()?;
    let basis = violations.basis(&["cc", "ccv"]);
    let found = paper::GCC_CAUSAL.share(broken(&violations), "violations", basis)?;
    Ok(found.because(by_mutant(&violations, broken)).because(with_all_mutants(results, broken)))
}

/// The share of violations that violate CC or CCv, among those for which both criteria were checked within their
/// limits.
fn broken(violations: &Trials<'_>) -> Share {
    let histories = violations.histories.iter();
    let said =
        histories.filter_map(|history| Some((history.by("cc")?.said, history.by("ccv")?.said)));
    let told = said.filter(|(cc, ccv)| !cc.is_cut_off() && !ccv.is_cut_off());
    Share::of(told.map(|(cc, ccv)| cc == Reported::Violation || ccv == Reported::Violation))
}

/// Lists a share by mutant, since it depends on the fault of the protocol which criterion detects it.
fn by_mutant(violations: &Trials<'_>, share: impl Fn(&Trials<'_>) -> Share) -> String {
    let mutants = violations.grouped(|trial| trial.mutant.clone());
    let shares = mutants.iter().filter_map(|(mutant, histories)| {
        Some(format!("{} {}", mutant.as_deref()?, share(histories)))
    });
    let shares: Vec<String> = shares.collect();
    if shares.is_empty() { String::new() } else { format!("By mutant: {}.", shares.join(", ")) }
}

pub(super) fn same(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let [enumeration, sat] = SC.gradual;
    speed::alike(&violations(results, ALL_MUTANTS)?, &[Axis::Threads], enumeration, sat)
}
