//! Claims of *Boosting Sequential Consistency Checking using Saturation*.

mod reasons;

use super::kernels::{Ordered, average, ceiling, exact, in_kernel, of_kernels, ordered};
use super::measure::{AtSize, Axis, FEWEST_CASES, History, Trials, time};
use super::paper::{self, FEWEST_APART, NOT_FAR, PublishedClaim};
use super::speed::{self, all};
use super::{Decision, Evidence, Missing};
use crate::numbers::{halves, percent};
use crate::statistics::{Estimate, Share, mean, median};
use tables::Reported;

/// The algorithms of Figures 6 to 8, as published.
const ALGORITHMS: [&str; 4] = ["wsc-enum", CCM_ENUM, "dbcop", WSC_DBCOP];
const CCM_ENUM: &str = "ccm-enum-published";
pub(super) const WSC_DBCOP: &str = "wsc-dbcop-published";

/// The saturations of Figure 9, as published.
const WSC: &str = "wsc-published";
const CCM: &str = "ccm-published";

/// The forms of this program, which are faster.
const OURS: [&str; 2] = ["ccm-enum", "wsc-dbcop"];

/// The number of threads up to which DBCOP is fast by the paper's figures.
const FEW: u32 = 8;

fn kernel_trials(results: AtSize<'_>) -> Result<Trials<'_>, Missing> {
    Trials::of(results, "wsc-kernel", "sc")
}

pub(super) fn kernel(
    results: AtSize<'_>,
    stated: PublishedClaim,
    criterion: &str,
) -> Result<Evidence, Missing> {
    let trials = kernel_trials(results)?;
    let rows = of_kernels(&trials, criterion)?;
    let basis = trials.basis(&["kernel", criterion]) + &ceiling(&rows);
    let found = stated.share(exact(&rows), "histories", basis)?;
    let found = found.because(missed(&rows));
    Ok(found.because(by_threads(&trials, criterion)))
}

/// Says for which share of histories a criterion computes the whole kernel, by number of threads: the paper does not
/// say how many its histories have.
fn by_threads(trials: &Trials<'_>, criterion: &str) -> String {
    let points = trials.along(Axis::Threads);
    let shares = points.iter().filter_map(|(threads, point)| {
        let rows = of_kernels(point, criterion).ok()?;
        Some(format!("{} with {threads} threads", exact(&rows)))
    });
    let shares: Vec<String> = shares.collect();
    match shares.len() {
        0 | 1 => String::new(),
        _ => format!("The whole: {}.", shares.join(", ")),
    }
}

/// Says by how many pairs a criterion misses the kernels that it does not compute.
fn missed(rows: &[Ordered]) -> String {
    let missed = rows.iter().filter_map(|row| {
        let kernel = row.kernel?;
        let missed = kernel.checked_sub(row.ordered).filter(|pairs| *pairs > 0)?;
        Some([missed, kernel].map(|pairs| Estimate::exactly(pairs as f64)))
    });
    let (missed, kernels): (Vec<Estimate>, Vec<Estimate>) = missed.map(Into::into).unzip();
    match (median(&missed), median(&kernels)) {
        (Some(missed), Some(kernel)) => format!(
            "Of the other kernels, which have {} pairs in the median, it misses {} in the median.",
            halves(kernel.low),
            halves(missed.low)
        ),
        _ => String::new(),
    }
}

pub(super) fn rest(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = kernel_trials(results)?;
    let rows = of_kernels(&trials, "wsc")?;
    let parts = rows.iter().filter_map(|row| row.of_kernel());
    let parts: Vec<f64> = parts.filter(|part| *part < 1.0).collect();
    if (parts.len() as u64) < FEWEST_CASES {
        return Err(Missing::Cases("wsc-kernel", parts.len() as u64));
    }
    let mean = Estimate::exactly(parts.iter().sum::<f64>() / parts.len() as f64);
    let counts = Some(format!("over {} histories", parts.len()));
    let basis = trials.basis(&["kernel", "wsc"]) + &ceiling(&rows);
    Ok(paper::WSC_REST.number(mean, counts, basis).because(missed(&rows)))
}

pub(super) fn kernel_more(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = kernel_trials(results)?.with(&["wsc", "ccm"])?;
    let (of_wsc, of_ccm) = (of_kernels(&trials, "wsc")?, of_kernels(&trials, "ccm")?);
    let (wsc, ccm) = (exact(&of_wsc), exact(&of_ccm));
    Ok(Evidence {
        ours: format!("{} ({wsc}) against {} ({ccm})", percent(wsc.value()), percent(ccm.value())),
        holds: all([
            above(wsc.interval(), 0.5),
            above(ccm.interval(), paper::FEW).map(|is_above| !is_above),
        ]),
        difference: String::new(),
        basis: trials.basis(&["kernel", "wsc", "ccm"]) + &ceiling(&of_wsc),
    })
}

pub(super) fn pairs(
    results: AtSize<'_>,
    stated: PublishedClaim,
    criterion: &str,
) -> Result<Evidence, Missing> {
    let trials = kernel_trials(results)?.enough_cases()?;
    let rows = ordered(&trials, criterion)?;
    let basis = trials.basis(&[criterion]) + &ceiling(&rows);
    let counts = in_kernel(&rows).map(|kernel| format!("the kernel has {}", percent(kernel)));
    let found = stated.number(average(&rows, |row| 1.0 - row.unordered()), counts, basis);
    let known: Vec<Estimate> =
        rows.iter().filter_map(|row| row.of_kernel().map(Estimate::exactly)).collect();
    Ok(found.because(mean(&known).map_or(String::new(), |share| {
        format!("It orders {} of the kernel on average.", share.shown(percent))
    })))
}

/// Whether an interval is above a share; `None` if it contains the share.
fn above(interval: Estimate, share: f64) -> Option<bool> {
    interval.exceeds(Estimate::exactly(share))
}

pub(super) fn pairs_more(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = kernel_trials(results)?.with(&["wsc", "ccm"])?.enough_cases()?;
    let (of_wsc, of_ccm) = (ordered(&trials, "wsc")?, ordered(&trials, "ccm")?);
    let share = |rows: &[Ordered]| average(rows, |row| 1.0 - row.unordered()).low;
    let (wsc, ccm) = (share(&of_wsc), share(&of_ccm));
    Ok(Evidence {
        ours: format!("{} against {}", percent(wsc), percent(ccm)),
        holds: (wsc > ccm && wsc - ccm <= NOT_FAR).into(),
        difference: String::new(),
        basis: trials.basis(&["wsc", "ccm"]) + &ceiling(&of_wsc),
    })
}

pub(super) fn fastest(
    results: AtSize<'_>,
    experiment: &'static str,
    axis: Axis,
    best: &str,
) -> Result<Evidence, Missing> {
    let trials = Trials::of(results, experiment, "sc")?;
    let others: Vec<&str> = ALGORITHMS.into_iter().filter(|other| *other != best).collect();
    let found = speed::fastest(&trials, axis, best, &others)?;
    let found = found.because(reasons::looked(&trials));
    Ok(found.because(speed::instead(&trials, &OURS)))
}

pub(super) fn enumerating(
    results: AtSize<'_>,
    experiment: &'static str,
    axis: Axis,
) -> Result<Evidence, Missing> {
    let trials = Trials::of(results, experiment, "sc")?;
    let found = speed::faster(&trials, &[axis], &["wsc-enum"], CCM_ENUM)?;
    let found = found.because(reasons::course(&trials, axis, CCM_ENUM, "wsc-enum"));
    let found = found.because(reasons::left_to_sat(&trials));
    Ok(found.because(speed::instead(&trials, &OURS)))
}

pub(super) fn degrades(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = Trials::of(results, "wsc-fig7", "sc")?;
    let others = ["wsc-enum", CCM_ENUM, WSC_DBCOP];
    let found = speed::degrades(&trials, Axis::Threads, FEW.into(), "dbcop", &others)?;
    Ok(found.because(reasons::looked(&trials)))
}

pub(super) fn similar(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = Trials::of(results, "wsc-fig8", "sc")?;
    let reference = Trials::of(results, "wsc-fig7", "sc")?;
    let found = speed::similar(&trials, &reference, Axis::Threads, &ALGORITHMS)?;
    let violations = Share::of(trials.histories.iter().map(refutes));
    let found = found.because(format!("{violations} histories violate SC."));
    Ok(found.because(reasons::apart(&trials, &reference)))
}

/// Whether some algorithm refutes a history.
fn refutes(history: &History<'_>) -> bool {
    history.all().any(|row| row.said == Reported::Violation)
}

/// The violations of Figure 9.
fn violations(results: AtSize<'_>) -> Result<Trials<'_>, Missing> {
    Trials::of(results, "wsc-fig9", "sc")?.filter(refutes).enough()
}

/// Says how many more histories may be violations, since no algorithm refutes them and DBCOP did not find them
/// consistent.
fn unknown(results: AtSize<'_>) -> String {
    let Ok(trials) = Trials::of(results, "wsc-fig9", "sc") else {
        return String::new();
    };
    let is_open = |history: &History<'_>| {
        let dbcop = history.by("dbcop");
        !refutes(history) && dbcop.is_none_or(|row| row.said != Reported::Consistent)
    };
    match trials.filter(is_open).histories.len() {
        0 => String::new(),
        open => format!("Whether {open} more histories violate SC is not known."),
    }
}

/// The share of violations that a criterion refutes, of those on which it did not time out.
fn refuted(trials: &Trials<'_>, criterion: &str) -> Share {
    let rows = trials.rows(criterion).filter(|row| !row.said.is_cut_off());
    Share::of(rows.map(|row| row.said == Reported::Violation))
}

pub(super) fn all_refuted(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let violations = violations(results)?.with(&[WSC])?;
    let basis = violations.basis(&[WSC]);
    let found = paper::FIG9_ALL.share(refuted(&violations, WSC), "violations", basis)?;
    Ok(found.because(unknown(results)))
}

pub(super) fn saturating(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let violations = violations(results)?;
    let found = speed::faster(&violations, &[Axis::Threads], &[WSC], CCM)?;
    let found = found.because(reasons::course(&violations, Axis::Threads, CCM, WSC));
    Ok(found.because(speed::instead(&violations, &["wsc", "ccm"])))
}

pub(super) fn misses(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let violations = violations(results)?.with(&[CCM])?;
    let caught = refuted(&violations, CCM);
    let missed = Share { part: caught.of - caught.part, ..caught };
    paper::FIG9_MISSES.share(missed, "violations", violations.basis(&[CCM]))
}

pub(super) fn more(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let violations = violations(results)?.with(&[WSC, CCM])?.enough()?;
    let only = |one: &str, other: &str| {
        let histories = violations.histories.iter();
        let said =
            histories.filter_map(|history| Some((history.by(one)?.said, history.by(other)?.said)));
        said.filter(|said| *said == (Reported::Violation, Reported::Satisfied)).count()
    };
    let (wsc, ccm) = (only(WSC, CCM), only(CCM, WSC));
    let alone = Share { part: (wsc + ccm) as u64, of: violations.histories.len() as u64 };
    paper::FIG9_MISSES.enough_for_rare(alone)?;
    Ok(Evidence {
        ours: format!("{wsc} that wSC alone refutes, {ccm} that CCM alone refutes"),
        holds: match alone.part {
            few if few < FEWEST_APART => Decision::Unclear("Too few histories tell the two apart."),
            _ => (wsc > ccm).into(),
        },
        difference: String::new(),
        basis: violations.basis(&[WSC, CCM]),
    })
}

pub(super) fn dbcop(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = violations(results)?.with(&[WSC, "dbcop"])?;
    let eight = trials.filter(|history| history.any.threads == FEW).enough()?;
    let ratio = eight.ratio("dbcop", WSC);
    let ratio = ratio.ok_or(Missing::TimedOut("wsc-fig9"))?;
    let basis = eight.basis(&[WSC, "dbcop"]);
    Ok(paper::FIG9_DBCOP.number(ratio, None, basis).because(reasons::looked_for(&eight)))
}

pub(super) fn beyond(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = violations(results)?.with(&[WSC, "dbcop"])?;
    let trials = trials.filter(|history| history.any.threads >= FEW);
    speed::grows(&trials, Axis::Threads, &[WSC], "dbcop")
}

pub(super) fn longest(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let violations = violations(results)?.with(&[WSC])?.enough()?;
    let seconds = violations.rows(WSC).filter_map(time);
    let longest = seconds.reduce(|one, other| Estimate {
        low: one.low.max(other.low),
        high: one.high.max(other.high),
    });
    let longest = longest.ok_or(Missing::TimedOut("wsc-fig9"))?;
    Ok(paper::FIG9_SECONDS.number(longest, None, violations.basis(&[WSC])))
}
