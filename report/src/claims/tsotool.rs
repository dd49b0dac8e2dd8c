//! Claims of *Completely Verifying Memory Consistency of Test Program Executions*.

use super::measure::{Axis, Estimate, FEWEST, History, Share, Trials, mean, median, time};
use super::paper::{self, Stated, percent, times};
use super::{Claim, Found, Missing};
use crate::results::Results;
use crate::tables::{Said, Trial};

const BASELINE: &str = "tso-baseline";
const BACK: &str = "deriv-back";
const SORTS: [&str; 2] = ["heu", "deriv"];

/// The largest programs of the paper: operations, threads, locations.
const LARGEST: (u64, u32, u32) = (512 << 10, 60, 256);

/// What the paper calls a low count of processors.
const FEW_THREADS: u32 = 16;

/// The experiments in which Deriv+Back runs.
const EXPERIMENTS: [&str; 3] = ["tsotool-fig3", "tsotool-fig4", "tsotool-table1"];

/// The mixes of Table 1, in its order.
const MIXES: [&str; 3] = ["50,16,30,2", "33,33,30,2", "16,50,30,2"];

pub(super) fn claims(results: &Results) -> Vec<Claim> {
    vec![
        paper::FIG3_BETTER.claim(better(results)),
        paper::FIG3_INCOMPLETE.claim(incomplete(results)),
        paper::FIG3_SHARING.claim(sharing(results)),
        paper::FIG3_LONGER.claim(longer(results)),
        paper::BACK_ALWAYS.claim(always(results)),
        paper::BACK_BACKTRACKS.claim(most(results, paper::BACK_BACKTRACKS, |row| row.backtracks)),
        paper::BACK_DEPTH.claim(most(results, paper::BACK_DEPTH, |row| row.depth)),
        paper::HEU_BACK.claim(heu_back(results)),
        paper::HEU_OVERHEAD.claim(heu(results)),
        paper::BACK_SLOWDOWN.claim(slowdown(results)),
        paper::BACK_LARGEST.claim(largest(results, paper::BACK_LARGEST, true)),
        paper::DERIV_LARGEST.claim(largest(results, paper::DERIV_LARGEST, false)),
        paper::BACK_FEW.claim(few(results)),
        paper::BACK_OPERATIONS.claim(grows(results, Axis::Operations)),
        paper::BACK_THREADS.claim(grows(results, Axis::Threads)),
        paper::BACK_LOCATIONS.claim(grows(results, Axis::Locations)),
        paper::BACK_SCALES.claim(scales(results)),
        paper::BACK_MINUTES.claim(minutes(results)),
        paper::MIX_BASELINE.claim(mixes(
            results,
            |trials| {
                let times: Vec<Estimate> = trials.rows(BASELINE).filter_map(time).collect();
                (mean(&times), trials.basis(&[BASELINE]))
            },
            paper::MIX_BASELINE,
        )),
        paper::MIX_SLOWDOWN.claim(mixes(
            results,
            |trials| {
                (
                    mean(&trials.ratios(BACK, BASELINE)),
                    trials.basis(&[BASELINE, BACK]),
                )
            },
            paper::MIX_SLOWDOWN,
        )),
    ]
}

/// How often an algorithm finds an order.
fn found(trials: &Trials<'_>, algorithm: &str) -> Share {
    Share::of(
        trials
            .rows(algorithm)
            .map(|row| row.said == Said::Consistent),
    )
}

fn sorted<'r>(results: &'r Results, experiment: &'static str) -> Result<Trials<'r>, Missing> {
    Trials::of(results, experiment, "tso")?
        .with(&SORTS)?
        .enough()
}

fn better(results: &Results) -> Result<Found, Missing> {
    let trials = sorted(results, "tsotool-fig3")?;
    let [heu, deriv] = SORTS.map(|name| found(&trials, name));
    Ok(Found {
        ours: format!("Heu {}, Deriv {}", shown(heu), shown(deriv)),
        holds: Some(deriv.part > heu.part),
        rule: String::new(),
        basis: trials.basis(&SORTS),
    })
}

fn incomplete(results: &Results) -> Result<Found, Missing> {
    let trials = sorted(results, "tsotool-fig3")?;
    let deriv = found(&trials, "deriv");
    Ok(Found {
        ours: shown(deriv),
        holds: Some(deriv.part < deriv.of),
        rule: "Holds if there is a history of which it finds none.".to_owned(),
        basis: trials.basis(&["deriv"]),
    })
}

fn shown(share: Share) -> String {
    format!("{} ({share})", percent(share.value()))
}

fn sharing(results: &Results) -> Result<Found, Missing> {
    let trials = sorted(results, "tsotool-fig3")?;
    let sharing = |trial: &Trial| f64::from(trial.threads) / f64::from(trial.locations.max(1));
    let mut all: Vec<f64> = trials
        .histories
        .iter()
        .map(|history| sharing(history.any))
        .collect();
    all.sort_by(f64::total_cmp);
    let Some(&middle) = all.get(all.len() / 2) else {
        return Err(Missing::Few("tsotool-fig3", 0));
    };
    let much = trials.filter(|history| sharing(history.any) >= middle);
    let little = trials.filter(|history| sharing(history.any) < middle);
    let much_or_little = much.clone().enough().and(little.clone().enough());
    much_or_little?;
    let halves = SORTS.map(|name| (name, found(&little, name), found(&much, name)));
    let ours = halves.map(|(name, little, much)| {
        format!("{name} {} below, {} from there", shown(little), shown(much))
    });
    Ok(Found {
        ours: format!("{}; divided at p/a = {middle:.3}", ours.join("; ")),
        // Where an algorithm always succeeds there is nothing to lose.
        holds: Some(
            halves
                .iter()
                .all(|(_, little, much)| much.value() < little.value()),
        ),
        rule: "Holds if the half of the histories with more sharing has the lower share."
            .to_owned(),
        basis: trials.basis(&SORTS),
    })
}

fn longer(results: &Results) -> Result<Found, Missing> {
    let trials = sorted(results, "tsotool-fig4")?;
    let points = trials.along(Axis::Operations);
    let [(shortest, short), .., (longest, long)] = &points[..] else {
        return Err(Missing::Rows(
            "tsotool-fig4",
            "more than one number of operations",
        ));
    };
    let ends = SORTS.map(|name| (name, found(short, name), found(long, name)));
    let ours = ends.map(|(name, short, long)| {
        format!(
            "{name} {} at {shortest} operations, {} at {longest}",
            shown(short),
            shown(long)
        )
    });
    Ok(Found {
        ours: ours.join("; "),
        holds: Some(
            ends.iter()
                .all(|(_, short, long)| long.value() < short.value()),
        ),
        rule: "Holds if the longest programs have the lower share.".to_owned(),
        basis: trials.basis(&SORTS),
    })
}

/// All rows of Deriv+Back about TSO, whatever the experiment, and what they rest on.
fn of_back(results: &Results) -> Result<(Vec<&Trial>, String), Missing> {
    let trials = EXPERIMENTS
        .iter()
        .filter_map(|name| Trials::of(results, name, "tso").ok());
    let trials: Vec<Trials<'_>> = trials
        .filter_map(|trials| trials.with(&[BACK]).ok())
        .collect();
    let rows: Vec<&Trial> = trials.iter().flat_map(|trials| trials.rows(BACK)).collect();
    let basis = trials
        .iter()
        .map(|trials| format!("{}: {}", trials.experiment, trials.basis(&[BACK])));
    let basis: Vec<String> = basis.collect();
    match rows.len() {
        0 => Err(Missing::Experiment("tsotool-fig3")),
        few if few < FEWEST => Err(Missing::Few("tsotool-fig3", few)),
        _ => Ok((rows, basis.join(" "))),
    }
}

fn always(results: &Results) -> Result<Found, Missing> {
    let (rows, basis) = of_back(results)?;
    let share = Share::of(rows.iter().map(|row| row.said == Said::Consistent));
    paper::BACK_ALWAYS.share(share, "histories", basis)
}

fn most(results: &Results, stated: Stated, of: impl Fn(&Trial) -> u64) -> Result<Found, Missing> {
    let (rows, basis) = of_back(results)?;
    let most = rows.iter().map(|row| of(row)).max().unwrap_or_default();
    let backtracked = rows.iter().filter(|row| row.backtracks > 0).count();
    let found = stated.number(Estimate::exactly(most as f64), None, basis);
    Ok(found.because(format!(
        "It had to backtrack in {backtracked} of {} histories.",
        rows.len()
    )))
}

fn heu_back(results: &Results) -> Result<Found, Missing> {
    let name = "heu-back";
    let trials = Trials::of(results, "tsotool-fig3", "tso")?
        .with(&[name])?
        .enough()?;
    let (few, many) = (
        trials.filter(|history| history.any.threads <= FEW_THREADS),
        trials
            .filter(|history| history.any.threads > FEW_THREADS)
            .enough()?,
    );
    let [few, many] = [few, many].map(|trials| found(&trials, name));
    Ok(Found {
        ours: format!(
            "finishes {} up to {FEW_THREADS} threads, {} beyond",
            shown(few),
            shown(many)
        ),
        holds: Some(many.value() < 0.5),
        rule: format!("Holds if beyond {FEW_THREADS} threads it finishes less than half."),
        basis: trials.basis(&[name]),
    })
}

fn heu(results: &Results) -> Result<Found, Missing> {
    let trials = Trials::of(results, "tsotool-fig3", "tso")?.with(&["heu", BASELINE])?;
    // Where it gets stuck it ends early.
    let is_whole = |history: &History<'_>| {
        history
            .by("heu")
            .is_some_and(|row| row.said == Said::Consistent)
    };
    let trials = trials.filter(is_whole).enough()?;
    let overhead = median(&overheads(&trials, "heu"));
    let overhead = overhead.ok_or(Missing::CutOff("tsotool-fig3"))?;
    let counts = Some("in the median".to_owned());
    let basis = format!(
        "Where Heu finds an order: {}",
        trials.basis(&["heu", BASELINE])
    );
    Ok(paper::HEU_OVERHEAD.number(overhead, counts, basis))
}

/// What an algorithm takes beyond the baseline, as a part of what that takes.
fn overheads(trials: &Trials<'_>, algorithm: &str) -> Vec<Estimate> {
    let ratios = trials.ratios(algorithm, BASELINE).into_iter();
    ratios.map(beyond).collect()
}

fn beyond(ratio: Estimate) -> Estimate {
    Estimate {
        low: ratio.low - 1.0,
        high: ratio.high - 1.0,
    }
}

/// The trials of Figure 4 in which both algorithms took part.
fn grid(results: &Results) -> Result<Trials<'_>, Missing> {
    Trials::of(results, "tsotool-fig4", "tso")?
        .with(&[BASELINE, BACK])?
        .enough()
}

fn slowdown(results: &Results) -> Result<Found, Missing> {
    let trials = grid(results)?;
    let tuples = trials.tuples().into_iter();
    let means = tuples.filter_map(|(_, tuple)| mean(&tuple.ratios(BACK, BASELINE)));
    let mut means: Vec<Estimate> = means.collect();
    let average = mean(&trials.ratios(BACK, BASELINE));
    let average = average.ok_or(Missing::CutOff("tsotool-fig4"))?;
    means.sort_by(|one, other| one.low.total_cmp(&other.low));
    let range = match (means.first(), means.last()) {
        (Some(first), Some(last)) => format!(
            "The averages over the programs of a tuple are {} to {}.",
            first.shown(times),
            last.shown(times)
        ),
        _ => String::new(),
    };
    let basis = trials.basis(&[BASELINE, BACK]);
    Ok(paper::BACK_SLOWDOWN
        .number(average, None, basis)
        .because(range))
}

fn largest(results: &Results, stated: Stated, backtracks: bool) -> Result<Found, Missing> {
    let trials = grid(results)?.filter(|history| {
        let any = history.any;
        let is_largest = (any.operations, any.threads, any.locations) == LARGEST;
        is_largest
            && history
                .by(BACK)
                .is_some_and(|row| (row.backtracks > 0) == backtracks)
    });
    let trials = trials.enough()?;
    let overhead = mean(&overheads(&trials, BACK));
    let overhead = overhead.ok_or(Missing::CutOff("tsotool-fig4"))?;
    Ok(stated.number(overhead, None, trials.basis(&[BASELINE, BACK])))
}

fn few(results: &Results) -> Result<Found, Missing> {
    let trials = grid(results)?.filter(|history| history.any.threads <= FEW_THREADS);
    let trials = trials.enough()?;
    let tuples = trials.tuples().into_iter();
    let overheads = tuples.filter_map(|(_, tuple)| mean(&overheads(&tuple, BACK)));
    let overheads: Vec<Estimate> = overheads.collect();
    let middle = median(&overheads).ok_or(Missing::CutOff("tsotool-fig4"))?;
    let counts = Some(format!("in the median of {} tuples", overheads.len()));
    Ok(paper::BACK_FEW.number(middle, counts, trials.basis(&[BASELINE, BACK])))
}

/// The mean of something at the smallest and at the largest number on an axis.
fn ends(
    trials: &Trials<'_>,
    axis: Axis,
    of: impl Fn(&Trials<'_>) -> Option<Estimate>,
) -> Result<[(u64, Estimate); 2], Missing> {
    let points = trials.along(axis).into_iter();
    let points = points.filter_map(|(at, point)| Some((at, of(&point.enough().ok()?)?)));
    let points: Vec<(u64, Estimate)> = points.collect();
    match &points[..] {
        [first, .., last] => Ok([*first, *last]),
        _ => Err(Missing::Rows(
            trials.experiment,
            "more than one point on the axis",
        )),
    }
}

fn grows(results: &Results, axis: Axis) -> Result<Found, Missing> {
    let trials = grid(results)?;
    let [(first, low), (last, high)] =
        ends(&trials, axis, |point| mean(&point.ratios(BACK, BASELINE)))?;
    Ok(Found {
        ours: format!(
            "{} at {first}, {} at {last} {}",
            low.shown(times),
            high.shown(times),
            axis.name()
        ),
        holds: high.exceeds(low),
        rule: "Holds if the mean is larger at the largest point than at the smallest.".to_owned(),
        basis: trials.basis(&[BASELINE, BACK]),
    }
    .because(derived(&trials, axis)))
}

/// How many edges Deriv+Back derives beside the baseline: that is what its time goes into.
fn derived(trials: &Trials<'_>, axis: Axis) -> String {
    let edges = |point: &Trials<'_>| {
        let of = |name| point.rows(name).map(|row| row.edges as f64).sum::<f64>();
        Estimate::exactly(of(BACK)).over(Estimate::exactly(of(BASELINE)))
    };
    match ends(trials, axis, edges) {
        Ok([(first, low), (last, high)]) => format!(
            "It derives {} as many edges as the baseline at {first}, {} at {last}.",
            low.shown(times),
            high.shown(times)
        ),
        Err(_) => String::new(),
    }
}

fn scales(results: &Results) -> Result<Found, Missing> {
    let trials = grid(results)?;
    let growth = |of: &dyn Fn(&Trials<'_>) -> Option<Estimate>| {
        let [(_, first), (_, last)] = ends(&trials, Axis::Operations, of)?;
        last.over(first).ok_or(Missing::CutOff("tsotool-fig4"))
    };
    let baseline = growth(&|point| {
        let times: Vec<Estimate> = point.rows(BASELINE).filter_map(time).collect();
        mean(&times)
    })?;
    let ratio = growth(&|point| mean(&point.ratios(BACK, BASELINE)))?;
    Ok(Found {
        ours: format!(
            "the slowdown grows {}, the baseline {}",
            ratio.shown(times),
            baseline.shown(times)
        ),
        holds: baseline.exceeds(ratio),
        rule: "From the smallest number of operations to the largest.".to_owned(),
        basis: trials.basis(&[BASELINE, BACK]),
    })
}

fn minutes(results: &Results) -> Result<Found, Missing> {
    let trials = Trials::of(results, "tsotool-fig4", "tso")?.with(&[BACK])?;
    let is_largest = |history: &History<'_>| {
        (history.any.operations, history.any.threads) == (LARGEST.0, LARGEST.1)
    };
    let trials = trials.filter(is_largest).enough()?;
    let longest = trials
        .rows(BACK)
        .filter_map(time)
        .reduce(|one, other| Estimate {
            low: one.low.max(other.low),
            high: one.high.max(other.high),
        });
    let longest = longest.ok_or(Missing::CutOff("tsotool-fig4"))?;
    Ok(paper::BACK_MINUTES.number(longest, None, trials.basis(&[BACK])))
}

/// That something grows with the stores in the mix.
fn mixes(
    results: &Results,
    of: impl Fn(&Trials<'_>) -> (Option<Estimate>, String),
    stated: Stated,
) -> Result<Found, Missing> {
    let trials = Trials::of(results, "tsotool-table1", "tso")?.with(&[BASELINE, BACK])?;
    let mut numbers = Vec::new();
    for mix in MIXES {
        let point = trials.filter(|history| history.any.mix == mix).enough()?;
        let (number, _) = of(&point);
        numbers.push(number.ok_or(Missing::CutOff("tsotool-table1"))?);
    }
    let pairs = numbers.windows(2);
    let rising: Vec<Option<bool>> = pairs.map(|pair| pair[1].exceeds(pair[0])).collect();
    let ours: Vec<String> = numbers
        .iter()
        .map(|number| stated.figure.shown(*number))
        .collect();
    Ok(Found {
        ours: ours.join(", "),
        holds: super::speed::all(rising),
        rule: "More loads than stores, as many, more stores; holds if the means rise.".to_owned(),
        basis: of(&trials).1,
    })
}
