//! The figures of "Boosting sequential consistency checking using saturation".

use std::collections::BTreeSet;

use super::axis::{Axis, Division};
use super::bars::{self, Bar};
use super::caught::{self, by_algorithm, count};
use super::chart::{Entry, Layer, Panel, Plot, Sign};
use super::gcc::{KERNEL, ordered, shares_of_pairs};
use super::lines::{self, Series, Unit};
use super::numbers::{percent, ratio};
use super::paper::{self, Measure};
use super::sample::{Sample, algorithm_of, time};
use super::spread::{self, PAPER};
use super::statistics::Measured;
use super::style::{look, rank};
use super::times::{HALF, Times, WIDE, curves, subtitle, x_name};
use super::{Figure, Table};
use tables::{Said, Trial};

/// The algorithm that the paper leaves out where it looks closer.
const SLOW: &str = "dbcop";

/// All that there are trials for.
pub fn figures(trials: &[Trial]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for sample in Sample::all(trials, "wsc-kernel") {
        figures.extend(parts_of_kernel(&sample));
        figures.extend(pairs(&sample));
        figures.extend(whole_kernels(&sample));
    }
    for sample in Sample::all(trials, "wsc-fig6") {
        figures.extend(by_operations(&sample));
    }
    for (experiment, title, caption) in [
        (
            "wsc-fig7",
            "Time to find valid histories to be SC, by number of threads",
            FIG_7,
        ),
        (
            "wsc-fig8",
            "Time to check histories of which half were tampered with, by number of threads",
            FIG_8,
        ),
    ] {
        let samples = Sample::all(trials, experiment);
        figures.extend(
            samples
                .iter()
                .filter_map(|sample| closer(sample, title, caption)),
        );
    }
    for sample in Sample::all(trials, "wsc-fig9") {
        figures.extend(violations(&sample));
        figures.extend(faster(&sample));
        figures.extend(found(&sample));
    }
    figures
}

const FIG_6: &str = "As figure 6 of the paper, which shows means of 200 histories a point.";
const FIG_7: &str = "As figure 7 of the paper, which shows means of 200 histories a point.";
const FIG_8: &str = "As figure 8 of the paper, which shows means of 200 histories a point. In half of the histories some reads were \
     re-pointed to other writes; these are drawn below.";
const FIG_9: &str = "As figure 9 of the paper, which shows means of 100 histories a point and says how long wSC takes at most.";

/// What share of the kernel the criteria order.
fn parts_of_kernel(sample: &Sample<'_>) -> Option<Figure> {
    let criteria = sample.only(|trial| trial.algorithm != KERNEL)?;
    let groups = shares_of_pairs(&criteria, Measure::PartOfKernel, |trial| {
        let kernel = trial.kernel.filter(|kernel| *kernel > 0)?;
        Some(ordered(trial)? as f64 / kernel as f64)
    });
    let plot = Plot {
        title: "Share of the kernel that criteria order".to_owned(),
        subtitle: sample.histories(),
        panels: vec![spread::panel("share of the kernel", &groups, false)],
        columns: 1,
        panel_size: spread::size(&groups),
        legend: spread::legend(&groups),
    };
    let caption = format!(
        "The paper's mean is over the histories in which wSC does not order all of the kernel. {}",
        sample.circumstances()
    );
    let table = spread::table(&groups);
    Figure::new(sample.name("share"), &plot, caption, table)
}

/// What share of all pairs of writes the criteria order.
fn pairs(sample: &Sample<'_>) -> Option<Figure> {
    let groups = shares_of_pairs(sample, Measure::Ordered, |trial| {
        Some(ordered(trial)? as f64 / trial.write_pairs as f64)
    });
    let plot = Plot {
        title: "Share of the pairs of writes of one location that criteria order".to_owned(),
        subtitle: sample.histories(),
        panels: vec![spread::panel("share of pairs ordered", &groups, false)],
        columns: 1,
        panel_size: spread::size(&groups),
        legend: spread::legend(&groups),
    };
    let caption = format!(
        "Pairs of the kernel are those that every run orders alike. {}",
        sample.circumstances()
    );
    let table = spread::table(&groups);
    Figure::new(sample.name("pairs"), &plot, caption, table)
}

/// Of how many histories the criteria order the whole kernel.
fn whole_kernels(sample: &Sample<'_>) -> Option<Figure> {
    let mut names: Vec<String> = sample
        .trials
        .iter()
        .map(|trial| sample.series(trial))
        .collect();
    names.sort_by_key(|name| (rank(algorithm_of(name)), name.clone()));
    names.dedup();
    let (mut groups, mut rows) = (Vec::new(), Vec::new());
    for name in names.iter().filter(|name| algorithm_of(name) != KERNEL) {
        let own = sample
            .trials
            .iter()
            .filter(|trial| sample.series(trial) == *name);
        let known = own.filter_map(|trial| Some(ordered(trial)? == trial.kernel?));
        let known: Vec<bool> = known.collect();
        if known.is_empty() {
            continue;
        }
        let whole = known.iter().filter(|whole| **whole).count();
        let share = whole as f64 / known.len() as f64;
        let stated = paper::stated(sample.experiment, algorithm_of(name), Measure::WholeKernel);
        let ours = Bar {
            height: Some(share),
            text: percent((share * 1e4).round() / 1e4),
            look: Some(look(algorithm_of(name))),
        };
        let theirs = stated.map(|stated| Bar {
            height: Some(stated),
            text: percent(stated),
            look: None,
        });
        groups.push((name.clone(), std::iter::once(ours).chain(theirs).collect()));
        let stated = stated.map_or_else(String::new, percent);
        rows.push(vec![
            name.clone(),
            known.len().to_string(),
            whole.to_string(),
            percent(share),
            stated,
        ]);
    }
    let y = Axis::shares("share of histories", 0.0, 0.08);
    let plot = Plot {
        title: "Histories whose whole kernel a criterion orders".to_owned(),
        subtitle: sample.histories(),
        panels: vec![bars::panel("", "criterion", &groups, y)],
        columns: 1,
        panel_size: bars::size(&groups),
        legend: vec![bars::entry(None, "in the paper")],
    };
    let columns = [
        "criterion",
        "histories",
        "whole kernel",
        "share",
        "share in the paper",
    ];
    let table = Table {
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    };
    let caption = format!(
        "The paper's shares are of 1742 histories. {}",
        sample.circumstances()
    );
    Figure::new(sample.name("whole"), &plot, caption, table)
}

fn by_operations(sample: &Sample<'_>) -> Option<Figure> {
    let times = Times {
        tail: "operations",
        title: "Time to find valid histories to be SC, by number of operations".to_owned(),
        caption: FIG_6,
        stated: Vec::new(),
    };
    times.figure(sample, "operations")
}

/// All algorithms, and beside them all but the slowest of the paper on an even axis. What was re-pointed has a row of its own:
/// to find a violation takes another time than to find an order, and quartiles over both would be between the two.
fn closer(sample: &Sample<'_>, title: &str, caption: &str) -> Option<Figure> {
    let sample = sample.part("threads")?;
    let kinds: [(&str, Option<Sample<'_>>); 2] = [
        ("as they ran", sample.only(|trial| trial.repointed == 0)),
        ("re-pointed", sample.only(|trial| trial.repointed > 0)),
    ];
    let kinds = kinds.into_iter();
    let kinds: Vec<(&str, Sample<'_>)> = kinds
        .filter_map(|(kind, sample)| Some((kind, sample?)))
        .collect();
    let has_both = kinds.len() > 1;
    let x = x_name("threads", &sample.trials);
    let (mut panels, mut groups) = (Vec::new(), Vec::new());
    for (kind, sample) in &kinds {
        let kind = if has_both { kind } else { "" };
        let series = curves(sample, "threads", |name| name);
        panels.extend(views(kind, &x, &series, panels.len()));
        groups.push((vec![kind.to_owned()], series));
    }
    let all: Vec<Series> = groups
        .iter()
        .flat_map(|(_, series)| series.clone())
        .collect();
    let plot = Plot {
        title: title.to_owned(),
        subtitle: subtitle(&sample),
        columns: panels.len() / kinds.len(),
        panels,
        panel_size: HALF,
        legend: lines::legend(&all, Unit::Seconds),
    };
    let mut parts = vec!["histories"];
    if !has_both {
        parts.clear();
        groups.iter_mut().for_each(|(kinds, _)| kinds.clear());
    }
    let table = lines::table(&parts, "threads", &groups, Unit::Seconds);
    let caption = format!("{caption} {}", sample.circumstances());
    Figure::new(sample.name("threads"), &plot, caption, table)
}

/// The two panels about histories of a kind, lettered from `first` on; one if the slowest algorithm is not there or alone.
fn views(kind: &str, x: &str, series: &[Series], first: usize) -> Vec<Panel> {
    let heading = |at: usize, what: &str| {
        let letter = char::from(b'a'.saturating_add((first + at) as u8));
        match kind {
            "" => format!("({letter}) {what}"),
            kind => format!("({letter}) {kind}: {what}"),
        }
    };
    let panel = |heading: &str, series: &[Series], division| {
        let y = lines::axis("time to check", Unit::Seconds, series, division);
        lines::panel(heading, x, series, Unit::Seconds, y)
    };
    let mut panels = vec![panel(
        &heading(0, "all algorithms"),
        series,
        Division::AsNeeded,
    )];
    let mut quick = series.to_vec();
    quick.retain(|one| one.name != SLOW);
    if !quick.is_empty() && quick.len() < series.len() {
        let heading = heading(1, &format!("all but {SLOW}, on an even axis"));
        panels.push(panel(&heading, &quick, Division::Even));
    }
    panels
}

fn violations(sample: &Sample<'_>) -> Option<Figure> {
    let bound = paper::stated(sample.experiment, "wsc", Measure::AtMostSeconds);
    let times = Times {
        tail: "threads",
        title: "Time of saturation to find violations of SC, by number of threads".to_owned(),
        caption: FIG_9,
        stated: bound
            .map(|bound| (bound, "wSC in the paper, at most"))
            .into_iter()
            .collect(),
    };
    times.figure(sample, "threads")
}

/// How many times longer others take than wSC, history by history.
fn faster(sample: &Sample<'_>) -> Option<Figure> {
    let sample = sample.part("threads")?;
    let histories = sample.by_history();
    let ratios = histories.values().flat_map(|trials| {
        let wsc = trials.iter().find(|trial| trial.algorithm == "wsc");
        let wsc = wsc.filter(|trial| !trial.said.is_cut_off() && trial.seconds > 0.0);
        let others = trials.iter().filter(|trial| trial.algorithm != "wsc");
        others.filter_map(move |trial| {
            let time = time(trial);
            let ratio = Measured {
                value: time.value / wsc?.seconds,
                ..time
            };
            Some((trial.algorithm.clone(), u64::from(trial.threads), ratio))
        })
    });
    let series = lines::series(ratios);
    let stated = paper::stated(sample.experiment, SLOW, Measure::Ratio)?;
    let numbers = lines::numbers(&series).chain([1.0, stated]);
    let y = Axis::ratios("time, in times that of wsc", numbers, Division::AsNeeded);
    let mut panel = lines::panel(
        "",
        &x_name("threads", &sample.trials),
        &series,
        Unit::Ratio,
        y,
    );
    panel.layers.push(Layer::Marks {
        look: PAPER,
        is_open: true,
        points: vec![(8.0, stated)],
    });
    let mut legend = lines::legend(&series, Unit::Ratio);
    let text = format!("{SLOW} in the paper: {}", ratio(stated));
    legend.push(Entry::new(Sign::Mark(PAPER, true), text));
    let plot = Plot {
        title: "How many times longer than wSC others take to find violations".to_owned(),
        subtitle: format!("{}; ratio history by history", sample.histories_a_point()),
        panels: vec![panel],
        columns: 1,
        panel_size: WIDE,
        legend,
    };
    let table = lines::table(&[], "threads", &[(Vec::new(), series)], Unit::Ratio);
    let caption = format!(
        "Ratios are taken history by history, so that their median need not be the ratio of the medians, which the table of \
         claims gives. The paper compares means for 8 threads, and says that the ratio is higher for more. {}",
        sample.circumstances()
    );
    Figure::new(sample.name("ratio"), &plot, caption, table)
}

fn found(sample: &Sample<'_>) -> Option<Figure> {
    let names = sample.trials.iter().map(|trial| trial.algorithm.clone());
    let names: BTreeSet<String> = names.filter(|name| name != SLOW).collect();
    let names: Vec<String> = names.into_iter().collect();
    let caught = count(sample, &names, by_algorithm);
    let title = "Violations of SC that saturation finds";
    let caption = "The paper says that wSC finds all violations, and how many CCM misses.";
    let any = sample
        .trials
        .iter()
        .any(|trial| trial.said == Said::Violation);
    any.then(|| caught::figure(sample, &caught, title, caption))
        .flatten()
}
