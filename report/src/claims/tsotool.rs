//! Claims of *Completely Verifying Memory Consistency of Test Program Executions*: this module tests how often the
//! algorithms find an order, `times` how long they take.

mod reasons;
pub(super) mod times;
pub(super) mod unaided;

use super::measure::{AtSize, Axis, FEWEST, FEWEST_CASES, Trials};
use super::paper::{self, PublishedClaim};
use super::speed;
use super::{Decision, Evidence, Missing};
use crate::numbers::percent;
use crate::statistics::{Estimate, Share, median};
use tables::{Reported, Trial};

const BASELINE: &str = "tso-baseline";
const BACK: &str = "deriv-back";
const SORTS: [&str; 2] = ["heu", "deriv"];

/// The largest number of threads that the paper calls low.
const FEW_THREADS: u32 = 16;

/// The experiments in which Deriv+Back runs.
const EXPERIMENTS: [&str; 3] = ["tsotool-fig3", "tsotool-fig4", "tsotool-table1"];

/// The share of the runs that did not time out in which an algorithm finds an order.
fn found(trials: &Trials<'_>, algorithm: &str) -> Result<Share, Missing> {
    let rows = trials.rows(algorithm);
    let ended = rows.filter(|row| !row.said.is_cut_off());
    let share = Share::of(ended.map(|row| row.said == Reported::Consistent));
    if share.of < FEWEST as u64 { Err(Missing::TimedOut(trials.experiment)) } else { Ok(share) }
}

fn sorted<'r>(results: AtSize<'r>, experiment: &'static str) -> Result<Trials<'r>, Missing> {
    Trials::of(results, experiment, "tso")?.with(&SORTS)?.enough()
}

pub(super) fn better(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = sorted(results, "tsotool-fig3")?;
    let [heu, deriv] = [found(&trials, SORTS[0])?, found(&trials, SORTS[1])?];
    Ok(Evidence {
        ours: format!("Heu {}, Deriv {}", shown(heu), shown(deriv)),
        holds: is_above(deriv, heu),
        difference: String::new(),
        basis: trials.basis(&SORTS),
    })
}

pub(super) fn incomplete(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = sorted(results, "tsotool-fig3")?;
    let deriv = found(&trials, "deriv")?;
    Ok(Evidence {
        ours: shown(deriv),
        holds: match deriv {
            Share { part, of } if part < of => Decision::Yes,
            Share { of, .. } if of < FEWEST_CASES => {
                Decision::Unclear("Too few histories to see that it always finds one.")
            }
            _ => Decision::No,
        },
        difference: String::new(),
        basis: trials.basis(&["deriv"]),
    })
}

/// Whether one share is significantly above another.
fn is_above(one: Share, other: Share) -> Decision {
    match one.interval().exceeds(other.interval()) {
        Some(true) => Decision::Yes,
        _ if one.value() <= other.value() => Decision::No,
        _ => Decision::Unclear("The difference may be chance: the confidence intervals overlap."),
    }
}

fn shown(share: Share) -> String {
    format!("{} ({share})", percent(share.value()))
}

pub(super) fn sharing(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = sorted(results, "tsotool-fig3")?;
    let sharing = |trial: &Trial| f64::from(trial.threads) / f64::from(trial.locations.max(1));
    let all = trials.histories.iter().map(|history| Estimate::exactly(sharing(history.any)));
    let Some(Estimate { low: middle, .. }) = median(&all.collect::<Vec<_>>()) else {
        return Err(Missing::Few("tsotool-fig3", 0));
    };
    let much = trials.filter(|history| sharing(history.any) >= middle);
    let little = trials.filter(|history| sharing(history.any) < middle);
    let much_or_little = much.clone().enough().and(little.clone().enough());
    much_or_little?;
    let mut halves = Vec::new();
    for name in SORTS {
        halves.push((name, found(&little, name)?, found(&much, name)?));
    }
    let ours = halves.iter().map(|(name, little, much)| {
        format!("{name} {} below, {} from there", shown(*little), shown(*much))
    });
    Ok(Evidence {
        ours: format!("{}; divided at p/a = {middle:.3}", ours.collect::<Vec<_>>().join("; ")),
        // An algorithm that always succeeds cannot find an order less often.
        holds: speed::all(halves.iter().map(|(_, little, much)| is_above(*little, *much))),
        difference: String::new(),
        basis: trials.basis(&SORTS),
    })
}

pub(super) fn longer(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let trials = sorted(results, "tsotool-fig4")?;
    let points = trials.along(Axis::Operations);
    let [(shortest, short), .., (longest, long)] = &points[..] else {
        return Err(Missing::Rows("tsotool-fig4", "more than one number of operations"));
    };
    let mut ends = Vec::new();
    for name in SORTS {
        ends.push((name, found(short, name)?, found(long, name)?));
    }
    let ours = ends.iter().map(|(name, short, long)| {
        format!("{name} {} at {shortest} operations, {} at {longest}", shown(*short), shown(*long))
    });
    Ok(Evidence {
        ours: ours.collect::<Vec<_>>().join("; "),
        holds: speed::all(ends.iter().map(|(_, short, long)| is_above(*short, *long))),
        difference: String::new(),
        basis: trials.basis(&SORTS),
    })
}

/// The number of threads of the programs of which the paper says how often its heuristic fails.
const FAILING: u32 = 16;

/// Tests in how many of the programs of 16 threads Heu finds no order, at the number of locations where it fails most.
pub(super) fn fails(results: AtSize<'_>, stated: PublishedClaim) -> Result<Evidence, Missing> {
    let trials = Trials::of(results, "tsotool-fig3", "tso")?.with(&["heu"])?;
    let trials = trials.filter(|history| history.any.threads == FAILING).enough()?;
    let mut points = Vec::new();
    for (locations, point) in trials.along(Axis::Locations) {
        let order = found(&point, "heu")?;
        points.push((locations, Share { part: order.of - order.part, ..order }));
    }
    let most = points.iter().max_by(|one, other| one.1.value().total_cmp(&other.1.value()));
    let Some((locations, most)) = most else {
        return Err(Missing::Rows("tsotool-fig3", "16 threads"));
    };
    let counts = Some(format!("{most} with {locations} locations"));
    let all = points.iter().map(|(at, share)| format!("{} with {at} locations", shown(*share)));
    let all = format!("It finds none in {}.", all.collect::<Vec<_>>().join(", "));
    let found = stated.number(Estimate::exactly(most.value()), counts, trials.basis(&["heu"]));
    Ok(found.because(all))
}

/// The rows of Deriv+Back about TSO in all experiments, with a sentence about them.
fn of_back(results: AtSize<'_>) -> Result<(Vec<&Trial>, String), Missing> {
    let trials = EXPERIMENTS.iter().filter_map(|name| Trials::of(results, name, "tso").ok());
    let trials: Vec<Trials<'_>> = trials.filter_map(|trials| trials.with(&[BACK]).ok()).collect();
    let rows: Vec<&Trial> = trials.iter().flat_map(|trials| trials.rows(BACK)).collect();
    let basis =
        trials.iter().map(|trials| format!("{}: {}", trials.experiment, trials.basis(&[BACK])));
    let basis: Vec<String> = basis.collect();
    match rows.len() {
        0 => Err(Missing::Experiment("tsotool-fig3")),
        few if few < FEWEST => Err(Missing::Few("tsotool-fig3", few)),
        _ => Ok((rows, basis.join(" "))),
    }
}

pub(super) fn always(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let (rows, basis) = of_back(results)?;
    let ended = rows.iter().filter(|row| !row.said.is_cut_off());
    let share = Share::of(ended.map(|row| row.said == Reported::Consistent));
    paper::BACK_ALWAYS.share(share, "histories", basis)
}

pub(super) fn most(
    results: AtSize<'_>,
    stated: PublishedClaim,
    of: impl Fn(&Trial) -> u64,
) -> Result<Evidence, Missing> {
    let (rows, basis) = of_back(results)?;
    let row = rows.iter().max_by_key(|row| of(row));
    let most = row.map_or(0, |row| of(row));
    let backtracked = rows.iter().filter(|row| row.backtracks > 0).count();
    let found = stated.number(Estimate::exactly(most as f64), None, basis);
    let place = row.filter(|_| found.holds == Decision::No).map(|row| {
        let (experiment, point, number) = (&row.experiment, &row.point, row.number);
        let choices =
            row.nodes.map_or(String::new(), |choices| format!(", which took {choices} choices"));
        format!("The most were in {experiment}, history {number} of {point}{choices}.")
    });
    let found =
        found.because(format!("It had to backtrack in {backtracked} of {} histories.", rows.len()));
    Ok(found.because(place.unwrap_or_default()))
}

pub(super) fn heu_back(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let name = "heu-back";
    let trials = Trials::of(results, "tsotool-fig3", "tso")?.with(&[name])?.enough()?;
    let (few, many) = (
        trials.filter(|history| history.any.threads <= FEW_THREADS),
        trials.filter(|history| history.any.threads > FEW_THREADS).enough()?,
    );
    // A run that times out counts as not finished, since the claim is about finishing in time.
    let finished = |trials: Trials<'_>| {
        let rows = trials.rows(name);
        Share::of(rows.map(|row| row.said == Reported::Consistent))
    };
    let [few, many] = [few, many].map(finished);
    Ok(Evidence {
        ours: format!(
            "finishes {} up to {FEW_THREADS} threads, {} beyond",
            shown(few),
            shown(many)
        ),
        holds: speed::all([
            few.interval().exceeds(Estimate::exactly(0.5)),
            Estimate::exactly(0.5).exceeds(many.interval()),
        ]),
        difference: String::new(),
        basis: trials.basis(&[name]),
    })
}
