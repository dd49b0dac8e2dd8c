//! The figures of Manovit and Hangal (HPCA 2006).

use std::collections::{BTreeMap, BTreeSet};

use super::axis::{Axis, Division};
use super::bars::{self, Bar, Groups};
use super::chart::{Entry, Layer, Panel, Plot, Side, Sign};
use super::lines::{self, Series, Unit};
use super::numbers::{count, digits, percent, ratio, seconds};
use super::paper::{self, Measure};
use super::sample::{Sample, time};
use super::spread::PAPER;
use super::statistics::{Measured, Summary};
use super::style::{BLACK, GREY, Look, Marker, look, numbered, rank};
use super::times::place;
use super::{Figure, Table};
use tables::{Said, Trial};

/// What all others begin with, and are compared with.
const BASELINE: &str = "tso-baseline";

/// The mixes of table 1: loads, stores, swaps, membars.
const MIXES: [(&str, &str); 3] = [
    ("50,16,30,2", "LD-biased"),
    ("33,33,30,2", "LD-ST equal"),
    ("16,50,30,2", "ST-biased"),
];

/// All that there are trials for.
pub fn figures(trials: &[Trial]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for sample in Sample::all(trials, "tsotool-fig3") {
        figures.extend(orders_found(&sample));
        figures.extend(overheads(&sample));
    }
    for sample in Sample::all(trials, "tsotool-fig4") {
        for name in others(&sample) {
            let against = ["operations", "threads", "locations"];
            figures.extend(
                against
                    .into_iter()
                    .filter_map(|part| growth(&sample, part, &name)),
            );
        }
    }
    let table_1 = Sample::all(trials, "tsotool-table1");
    figures.extend(table_1.iter().filter_map(mixes));
    figures
}

/// The algorithms of a sample in the order of legends, without the baseline.
fn others(sample: &Sample<'_>) -> Vec<String> {
    let names: BTreeSet<&str> = sample
        .trials
        .iter()
        .map(|trial| &*trial.algorithm)
        .collect();
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.retain(|name| name != BASELINE);
    names.sort_by_key(|name| (rank(name), name.clone()));
    names
}

/// How often an algorithm found an order, of how many programs, and how often it was cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Orders {
    programs: usize,
    found: usize,
    cut_off: usize,
}

/// For how many programs the algorithms find an order, a panel a number of threads.
fn orders_found(sample: &Sample<'_>) -> Option<Figure> {
    let names = others(sample);
    let mut orders: BTreeMap<(u32, u32), BTreeMap<&str, Orders>> = BTreeMap::new();
    for trial in sample
        .trials
        .iter()
        .filter(|trial| trial.algorithm != BASELINE)
    {
        let point = orders.entry((trial.threads, trial.locations)).or_default();
        let known = point.entry(&trial.algorithm).or_default();
        known.programs += 1;
        known.found += usize::from(trial.said == Said::Consistent);
        known.cut_off += usize::from(trial.said.is_cut_off());
    }
    let threads: BTreeSet<u32> = orders.keys().map(|(threads, _)| *threads).collect();
    let panels = threads.iter().map(|threads| {
        let own = orders.iter().filter(|((own, _), _)| own == threads);
        let groups = own.map(|((_, locations), point)| {
            let bars = names
                .iter()
                .map(|name| found_bar(name, point.get(name.as_str())));
            (locations.to_string(), bars.collect())
        });
        let groups: Groups = groups.collect();
        let y = Axis::shares("programs with an order found", 0.0, 0.08);
        let mut panel = bars::panel(&format!("{threads} threads"), "locations", &groups, y);
        bars::mark(&mut panel, &groups);
        panel
    });
    let panels: Vec<Panel> = panels.collect();
    let legend = names.iter().map(|name| bars::entry(Some(look(name)), name));
    let operations: BTreeSet<u64> = sample.trials.iter().map(|trial| trial.operations).collect();
    let operations: Vec<String> = operations.into_iter().map(count).collect();
    let plot = Plot {
        title: "Programs for which an order of all operations is found".to_owned(),
        subtitle: format!(
            "{} operations; {}; cut: runs were cut off, the table says how many",
            operations.join(", "),
            sample.histories_a_point()
        ),
        columns: panels.len().min(2),
        panels,
        panel_size: (480, 250),
        legend: legend.collect(),
    };
    let table = orders_table(&orders);
    let caption = format!(
        "As figure 3 of the paper (128K operations), whose Deriv+Back always finds an order. {}",
        sample.circumstances()
    );
    Figure::new(sample.name(""), &plot, caption, table)
}

fn found_bar(name: &str, orders: Option<&Orders>) -> Bar {
    let share = orders.map(|orders| orders.found as f64 / orders.programs.max(1) as f64);
    // Short, since bars stand side by side.
    let text = match orders {
        Some(Orders { cut_off: 1.., .. }) => "cut",
        Some(Orders { found: 0, .. }) => "0",
        _ => "",
    };
    Bar {
        height: share,
        text: text.to_owned(),
        look: Some(look(name)),
    }
}

fn orders_table(orders: &BTreeMap<(u32, u32), BTreeMap<&str, Orders>>) -> Table {
    let columns = [
        "threads",
        "locations",
        "algorithm",
        "programs",
        "order found",
        "cut off",
        "share",
    ];
    let mut rows = Vec::new();
    for ((threads, locations), point) in orders {
        for (name, known) in point {
            rows.push(vec![
                threads.to_string(),
                locations.to_string(),
                (*name).to_owned(),
                known.programs.to_string(),
                known.found.to_string(),
                known.cut_off.to_string(),
                percent(known.found as f64 / known.programs as f64),
            ]);
        }
    }
    Table {
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    }
}

/// The trials of other algorithms, each with how many times longer it took than the baseline on the same history. Where
/// that came to no end there is nothing to compare with.
fn ratios<'a>(sample: &Sample<'a>) -> Vec<(&'a Trial, Measured)> {
    let histories = sample.by_history();
    let ratios = histories.into_values().flat_map(|trials| {
        let baseline = trials.iter().find(|trial| trial.algorithm == BASELINE);
        let baseline = baseline.filter(|trial| !trial.said.is_cut_off() && trial.seconds > 0.0);
        let baseline = baseline.map(|trial| trial.seconds);
        let others = trials
            .into_iter()
            .filter(|trial| trial.algorithm != BASELINE);
        others.filter_map(move |trial| {
            let time = time(trial);
            let value = time.value / baseline?;
            Some((trial, Measured { value, ..time }))
        })
    });
    ratios.collect()
}

/// How many times longer than the baseline the algorithms take, over all programs.
fn overheads(sample: &Sample<'_>) -> Option<Figure> {
    let ratios = ratios(sample);
    let ratios = ratios.iter();
    let ratios =
        ratios.map(|(trial, ratio)| (trial.algorithm.clone(), u64::from(trial.threads), *ratio));
    let series = lines::series(ratios);
    let stated = paper::stated(sample.experiment, "heu", Measure::Ratio)?;
    let numbers = lines::numbers(&series).chain([1.0, stated]);
    let y = Axis::ratios(
        "time, in times that of the baseline",
        numbers,
        Division::AsNeeded,
    );
    let mut panel = lines::panel("", "threads", &series, Unit::Ratio, y);
    let (rule, entry) = lines::stated(stated, format!("heu in the paper, about {}", ratio(stated)));
    panel.layers.push(rule);
    let mut legend = lines::legend(&series, Unit::Ratio);
    legend.push(entry);
    let plot = Plot {
        title: "What finding an order costs beyond the baseline".to_owned(),
        subtitle: format!("{}; ratio program by program", sample.histories_a_point()),
        panels: vec![panel],
        columns: 1,
        panel_size: super::times::WIDE,
        legend,
    };
    let table = lines::table(&[], "threads", &[(Vec::new(), series)], Unit::Ratio);
    let caption = format!(
        "The paper says that what Heu adds is virtually constant, and that Deriv+Back adds more with more threads, operations and \
         locations. {}",
        sample.circumstances()
    );
    Figure::new(sample.name("overhead"), &plot, caption, table)
}

/// The baseline's time, the ratio of another algorithm's to it and its time, against one of the parameters.
fn growth(sample: &Sample<'_>, against: &str, name: &str) -> Option<Figure> {
    let by = if against == "operations" {
        "threads"
    } else {
        "operations"
    };
    let view = View {
        against,
        places: sample
            .trials
            .iter()
            .map(|trial| place(against, trial))
            .collect(),
        by,
        lines: sample.trials.iter().map(|trial| place(by, trial)).collect(),
    };
    // A single place on an axis shows no growth.
    let own = sample.trials.iter().filter(|trial| trial.algorithm == name);
    let places: BTreeSet<_> = own.map(|trial| place(against, trial)).collect();
    if places.len() < 2 {
        return None;
    }
    let times = |name: &str| {
        let own = sample.trials.iter().filter(|trial| trial.algorithm == name);
        view.series(own.map(|trial| (*trial, time(trial))))
    };
    let ratios = ratios(sample).into_iter();
    let ratios = view.series(ratios.filter(|(trial, _)| trial.algorithm == name));
    let (baseline, own) = (times(BASELINE), times(name));
    let (panels, stated) = view.panels(name, [&baseline, &ratios, &own]);
    let mut legend = lines::legend(&[&baseline[..], &own[..]].concat(), Unit::Seconds);
    legend.extend(stated);
    let plot = Plot {
        title: format!("Time to check against TSO, by number of {against}"),
        subtitle: format!(
            "{}; medians and quartiles over programs and what is not on the axis",
            sample.histories_a_point()
        ),
        columns: panels.len(),
        panels,
        panel_size: (390, 330),
        legend,
    };
    let groups = [
        (vec![BASELINE.to_owned()], baseline),
        (vec![name.to_owned()], own),
    ];
    let mut table = lines::table(&["algorithm"], against, &groups, Unit::Seconds);
    let compared = [(vec![format!("{name} / {BASELINE}, times")], ratios)];
    table
        .rows
        .extend(lines::table(&["algorithm"], against, &compared, Unit::Ratio).rows);
    let caption = format!("{FIG_4} {}", sample.circumstances());
    let is_theirs = name == "deriv-back";
    let tail = if is_theirs {
        against.to_owned()
    } else {
        format!("{against}-{name}")
    };
    Figure::new(sample.name(&tail), &plot, caption, table)
}

const FIG_4: &str = "As figure 4 of the paper: (a) the baseline, (b) the ratio of Deriv+Back to it, (c) Deriv+Back. The paper \
     bounds the mean of the ratio, and gives it for the largest programs, where backtracking is needed and where it is not.";

/// What the marks of the paper stand for.
const STATED: &str = "the paper's ratios for 512K operations, 60 threads, 256 locations: with and without backtracking";

/// What is on the axis of a figure, and what tells its curves apart.
struct View<'v> {
    against: &'v str,
    places: BTreeSet<u64>,
    by: &'v str,
    lines: BTreeSet<u64>,
}

impl View<'_> {
    /// The curves in the order of their numbers, each with a look of its own.
    fn series<'t>(&self, measured: impl Iterator<Item = (&'t Trial, Measured)>) -> Vec<Series> {
        let mut by_line: BTreeMap<u64, Vec<(String, u64, Measured)>> = BTreeMap::new();
        for (trial, measured) in measured {
            let line = place(self.by, trial);
            let name = format!("{} {}", count(line), self.by);
            let place = place(self.against, trial);
            by_line
                .entry(line)
                .or_default()
                .push((name, place, measured));
        }
        let series = by_line.into_iter().flat_map(|(line, measured)| {
            let at = self.lines.iter().position(|one| *one == line);
            let look = curve(at.unwrap_or(0));
            let series = lines::series(measured).into_iter();
            series.map(move |one| Series { look, ..one })
        });
        series.collect()
    }

    /// The three panels, and what the legend says of the paper's numbers on them.
    fn panels(
        &self,
        name: &str,
        [baseline, ratios, own]: [&[Series]; 3],
    ) -> (Vec<Panel>, Vec<Entry>) {
        let times = lines::times(baseline).chain(lines::times(own));
        let seconds = Axis::seconds("time to check", times, Division::Decades);
        let time = |heading: &str, series: &[Series]| {
            lines::panel(
                heading,
                self.against,
                series,
                Unit::Seconds,
                seconds.clone(),
            )
        };
        let (compared, stated) = self.ratios(name, ratios);
        let panels = vec![
            time(&format!("(a) {BASELINE}"), baseline),
            compared,
            time(&format!("(c) {name}"), own),
        ];
        (panels, stated)
    }

    fn ratios(&self, name: &str, series: &[Series]) -> (Panel, Vec<Entry>) {
        let stated = |about, measure| paper::stated("tsotool-fig4", about, measure);
        let mean = stated(name, Measure::MeanRatio);
        let largest = [
            stated("deriv-back", Measure::Ratio),
            stated("deriv", Measure::Ratio),
        ];
        let place = match self.against {
            "operations" => 512 << 10,
            "threads" => 60,
            _ => 256,
        };
        let is_there = mean.is_some() && self.places.contains(&place);
        let largest = largest.into_iter().flatten().filter(|_| is_there);
        let marks: Vec<(f64, f64)> = largest.map(|stated| (place as f64, stated)).collect();
        let numbers = lines::numbers(series).chain(mean).chain([1.0]);
        let y = Axis::ratios(
            "time, in times that of the baseline",
            numbers,
            Division::AsNeeded,
        );
        let heading = format!("(b) {name} / {BASELINE}");
        let mut panel = lines::panel(&heading, self.against, series, Unit::Ratio, y);
        let mut entries = Vec::new();
        if let Some(mean) = mean {
            let text = format!("below this is the paper's mean ratio: {}", ratio(mean));
            let (rule, entry) = lines::stated(mean, text);
            panel.layers.push(rule);
            entries.push(entry);
        }
        if !marks.is_empty() {
            entries.push(Entry::new(Sign::Mark(PAPER, true), STATED));
        }
        panel.layers.push(Layer::Marks {
            look: PAPER,
            is_open: true,
            points: marks,
        });
        (panel, entries)
    }
}

/// The look of one of several curves that are no algorithms.
fn curve(number: usize) -> Look {
    numbered(number * 7)
}

/// Time of the baseline, and the ratios to it, for mixes of operations.
fn mixes(sample: &Sample<'_>) -> Option<Figure> {
    let mixes: BTreeSet<&str> = sample.trials.iter().map(|trial| &*trial.mix).collect();
    let mut mixes: Vec<&str> = mixes.into_iter().collect();
    let order = |mix: &str| MIXES.iter().position(|(known, _)| *known == mix);
    mixes.sort_by_key(|mix| (order(mix).unwrap_or(MIXES.len()), mix.to_owned()));
    let ratios = ratios(sample);
    let rows = mixes.iter().map(|mix| {
        let own = sample.trials.iter().filter(|trial| trial.mix == *mix);
        let baseline = own.filter(|trial| trial.algorithm == BASELINE);
        let baseline: Vec<Measured> = baseline.map(|trial| time(trial)).collect();
        let others = others(sample).into_iter().filter_map(|name| {
            let own = ratios.iter();
            let own = own.filter(|(trial, _)| trial.mix == *mix && trial.algorithm == name);
            let own: Vec<Measured> = own.map(|(_, ratio)| *ratio).collect();
            Some((name, Summary::of(&own)?))
        });
        let name = MIXES.iter().find(|(known, _)| known == mix);
        Mix {
            name: name.map_or(*mix, |(_, name)| name).to_owned(),
            baseline: Summary::of(&baseline),
            others: others.collect(),
        }
    });
    let rows: Vec<Mix> = rows.collect();
    let names = others(sample);
    let mut legend = vec![
        Entry::new(
            Sign::Mark(look(BASELINE), false),
            format!("mean of {BASELINE}"),
        ),
        Entry::new(
            Sign::Mark(PAPER, true),
            "mean in the paper, on a processor of its time",
        ),
    ];
    legend.extend(names.iter().map(|name| bars::entry(Some(look(name)), name)));
    legend.push(bars::entry(None, "deriv-back in the paper"));
    let plot = Plot {
        title: "Checking programs with more loads and with more stores".to_owned(),
        subtitle: format!(
            "{}; means of the runs that ended",
            sample.histories_a_point()
        ),
        panels: vec![baselines(&rows), slowdowns(&rows)],
        columns: 2,
        panel_size: (470, 310),
        legend,
    };
    let caption = format!(
        "As table 1 of the paper (256K operations, means over threads and locations). Means are drawn, as the paper's are; the \
         table of claims compares medians. {}",
        sample.circumstances()
    );
    let table = mixes_table(&rows);
    Figure::new(sample.name(""), &plot, caption, table)
}

/// What was measured for a mix.
struct Mix {
    name: String,
    baseline: Option<Summary>,
    /// Ratios to the baseline.
    others: Vec<(String, Summary)>,
}

impl Mix {
    fn stated(&self, measure: Measure) -> Option<f64> {
        paper::stated("tsotool-table1", &self.name, measure)
    }

    fn mean(&self) -> Option<f64> {
        self.baseline.and_then(|summary| summary.mean)
    }

    fn cut_off(&self) -> usize {
        self.baseline.map_or(0, |summary| summary.cut_off)
    }
}

/// Points on a logarithmic axis: the machines differ by more than what is compared.
fn baselines(rows: &[Mix]) -> Panel {
    let names: Vec<String> = rows.iter().map(|mix| mix.name.clone()).collect();
    let stated = rows.iter().filter_map(|mix| mix.stated(Measure::Seconds));
    let times = rows.iter().filter_map(Mix::mean).chain(stated);
    let y = Axis::seconds("time to check", times, Division::Decades);
    let mut panel = Panel::new("(a) time of the baseline", Axis::names("", &names), y);
    for (at, mix) in rows.iter().enumerate() {
        let at = at as f64 - 0.15;
        let ours = mix.mean().map(|time| (time, look(BASELINE), false));
        let theirs = mix.stated(Measure::Seconds).map(|time| (time, PAPER, true));
        for (time, look, is_open) in ours.into_iter().chain(theirs) {
            panel.layers.push(Layer::Marks {
                look,
                is_open,
                points: vec![(at, time)],
            });
            panel.say((at, time), Side::Right, seconds(time), BLACK);
        }
        if mix.cut_off() > 0 {
            let look = Look {
                color: GREY,
                marker: Marker::Circle,
            };
            panel.counts.push(super::chart::Counts {
                look,
                at: vec![(at, mix.cut_off())],
            });
        }
    }
    panel
}

fn slowdowns(rows: &[Mix]) -> Panel {
    let groups = rows.iter().map(|mix| {
        let ours = mix.others.iter().map(|(name, summary)| Bar {
            height: summary.mean,
            text: match (summary.mean, summary.cut_off) {
                (None, cut_off) => format!("{cut_off} cut"),
                (Some(mean), 0) => ratio((mean * 100.0).round() / 100.0),
                (Some(mean), cut_off) => {
                    format!("{}, {cut_off} cut", ratio((mean * 100.0).round() / 100.0))
                }
            },
            look: Some(look(name)),
        });
        let theirs = mix.stated(Measure::Ratio).map(|stated| Bar {
            height: Some(stated),
            text: ratio(stated),
            look: None,
        });
        (mix.name.clone(), ours.chain(theirs).collect())
    });
    let groups: Groups = groups.collect();
    let heights = groups
        .iter()
        .flat_map(|(_, bars)| bars)
        .filter_map(|bar| bar.height);
    let y = Axis::ratios(
        "time, in times that of the baseline",
        heights,
        Division::Even,
    );
    let mut panel = bars::panel("(b) ratio to the baseline", "", &groups, y);
    bars::mark(&mut panel, &groups);
    panel
}

fn mixes_table(rows: &[Mix]) -> Table {
    let columns = [
        "mix",
        "algorithm",
        "measure",
        "runs",
        "cut off",
        "median",
        "mean",
        "mean in the paper",
    ];
    let mut cells = Vec::new();
    let number = |number: Option<f64>| number.map_or_else(String::new, |number| digits(number, 4));
    for mix in rows {
        let baseline = mix
            .baseline
            .iter()
            .map(|summary| (BASELINE, Measure::Seconds, summary));
        let others = mix.others.iter();
        let others = others.map(|(name, summary)| (name.as_str(), Measure::Ratio, summary));
        for (name, measure, summary) in baseline.chain(others) {
            let is_theirs = [BASELINE, "deriv-back"].contains(&name);
            let unit = if measure == Measure::Seconds {
                "seconds"
            } else {
                "ratio"
            };
            cells.push(vec![
                mix.name.clone(),
                name.to_owned(),
                unit.to_owned(),
                summary.runs.to_string(),
                summary.cut_off.to_string(),
                lines::quantile(summary.median),
                number(summary.mean),
                number(mix.stated(measure).filter(|_| is_theirs)),
            ]);
        }
    }
    Table {
        columns: columns.map(str::to_owned).to_vec(),
        rows: cells,
    }
}
