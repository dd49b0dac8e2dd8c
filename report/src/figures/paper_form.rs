//! Figures in the form of the papers: means, with the axes, scales and names that were published. Runs that timed out
//! count as their limit, so a mean over such runs is a lower bound, and its mark is open.
//!
//! The figures of the same rows in the other modules show medians and quartiles, which a time limit rarely changes.

use std::collections::BTreeMap;

use super::growth;
use super::sample::{Sample, per_point, time};
use super::slowdown::{BASELINE, slowdowns};
use super::times::{ALONE, STACKED, each, place, threads};
use crate::numbers::count;
use crate::plot::axis::{Axis, Scale};
use crate::plot::chart::{Layer, LegendEntry, Panel, Plot, Symbol};
use crate::plot::lines::{self, Quantity, Series};
use crate::plot::style::{GREY, Marker, Style, rank, style, unknown};
use crate::statistics::{Estimate, Summary};
use tables::Trial;

/// Names of algorithms: ours and the paper's.
type Names = &'static [(&'static str, &'static str)];

/// A graph of a paper.
struct Graph {
    heading: Heading,
    /// The part of the experiment, which is also the quantity on the horizontal axis.
    part: &'static str,
    /// The name of the horizontal axis.
    x: &'static str,
    names: Names,
}

/// The heading of a graph.
#[derive(Clone, Copy)]
enum Heading {
    /// Words that do not depend on the histories; if they are empty, the graph has no heading.
    Words(&'static str),
    /// The value of the parameter that the graph does not vary, such as `4 cpus`, or its range if the histories differ
    /// in it.
    Fixed,
}

impl Heading {
    fn text(self, part: &str, trials: &[&Trial]) -> String {
        match (self, part) {
            (Heading::Words(words), _) => words.to_owned(),
            (Heading::Fixed, "threads") => format!("{} operations a cpu", each(trials)),
            (Heading::Fixed, _) => format!("{} cpus", threads(trials)),
        }
    }
}

const GRADUAL_SC: Names = &[
    ("sc-ccm-enum-published", "SC-CCM+Enum"),
    ("sc-ccm-sat-published", "SC-CCM+SAT"),
    ("sc-sat", "SC-SAT"),
];
const GRADUAL_TSO: Names = &[
    ("tso-wccm-enum-published", "TSO-CCM+Enum"),
    ("tso-wccm-sat-published", "TSO-CCM+SAT"),
    ("tso-sat", "TSO-SAT"),
];
const SEARCHES: Names = &[
    ("wsc-enum", "wSC+ENUM"),
    ("ccm-enum-published", "CCM+ENUM"),
    ("dbcop", "DBCOP"),
    ("wsc-dbcop-published", "wSC+DBCOP"),
];
const SEARCHES_CLOSER: Names = &[
    ("wsc-enum", "wSC+ENUM"),
    ("ccm-enum-published", "CCM+ENUM"),
    ("wsc-dbcop-published", "wSC+DBCOP"),
];
const SATURATIONS: Names =
    &[("wsc-published", "wSC"), ("ccm-published", "CCM"), ("dbcop", "DBCOP")];
const SATURATIONS_CLOSER: Names = &[("wsc-published", "wSC"), ("ccm-published", "CCM")];

const fn by_operations(heading: Heading, names: Names) -> Graph {
    Graph { heading, part: "operations", x: "number of operations", names }
}

const fn by_cpus(heading: Heading, names: Names) -> Graph {
    Graph { heading, part: "threads", x: "number of cpus", names }
}

const fn by_threads(heading: &'static str, names: Names) -> Graph {
    Graph { heading: Heading::Words(heading), part: "threads", x: "number of threads", names }
}

/// Draws Figure 4 of CAV 2019: checking valid histories against SC.
pub(super) fn gcc_fig4(sample: &Sample<'_>) -> Option<Plot> {
    plot(sample, &[by_operations(Heading::Fixed, GRADUAL_SC), by_cpus(Heading::Fixed, GRADUAL_SC)])
}

/// Draws Figure 5 of CAV 2019, by the number of cpus.
pub(super) fn gcc_fig5(sample: &Sample<'_>) -> Option<Plot> {
    plot(sample, &[by_cpus(Heading::Words(""), GRADUAL_SC)])
}

/// Draws Figure 6 of CAV 2019: checking valid histories against TSO.
pub(super) fn gcc_fig6(sample: &Sample<'_>) -> Option<Plot> {
    plot(
        sample,
        &[by_operations(Heading::Fixed, GRADUAL_TSO), by_cpus(Heading::Fixed, GRADUAL_TSO)],
    )
}

/// Draws Figure 6 of "Boosting", by the number of operations.
pub(super) fn wsc_fig6(sample: &Sample<'_>) -> Option<Plot> {
    plot(sample, &[by_operations(Heading::Words(""), SEARCHES)])
}

/// Draws Figures 7 and 8 of "Boosting", by the number of threads.
pub(super) fn wsc_fig7(sample: &Sample<'_>) -> Option<Plot> {
    plot(
        sample,
        &[
            by_threads("(a) all approaches", SEARCHES),
            by_threads("(b) without DBCOP", SEARCHES_CLOSER),
        ],
    )
}

/// Draws Figure 9 of "Boosting": saturations by the number of threads.
pub(super) fn wsc_fig9(sample: &Sample<'_>) -> Option<Plot> {
    plot(
        sample,
        &[
            by_threads("(a) all approaches", SATURATIONS),
            by_threads("(b) without DBCOP", SATURATIONS_CLOSER),
        ],
    )
}

/// Plots a panel for each graph, on linear axes.
fn plot(sample: &Sample<'_>, graphs: &[Graph]) -> Option<Plot> {
    let drawn = graphs.iter().filter_map(|graph| {
        let own = sample.part(graph.part)?;
        let named = own.trials.iter().filter_map(|trial| {
            let (_, name) = graph.names.iter().find(|(ours, _)| *ours == trial.algorithm)?;
            Some((*name, place(graph.part, trial), time(trial)?))
        });
        let series = means(named, |name| {
            let ours = graph.names.iter().find(|(_, theirs)| *theirs == name);
            let (rank, style) = ours.map(|(ours, _)| (rank(ours), style(ours)))?;
            Some((rank, style))
        });
        let shown = lines::numbers(&series);
        let y = Axis::seconds("average running time", shown, Scale::Linear);
        let heading = graph.heading.text(graph.part, &own.trials);
        Some((own, graph, panel(&heading, graph.x, &series, y), series))
    });
    let drawn: Vec<(Sample<'_>, &Graph, Panel, Vec<Series>)> = drawn.collect();
    let (_, first, _, series) = drawn.first()?;
    let unit = if first.x == "number of cpus" { "cpus" } else { first.part };
    let told = lines::finding(|at| format!("{} {unit}", count(at)), series, Quantity::Seconds);
    let groups = drawn.iter().map(|(_, graph, panel, series)| {
        let name = if panel.heading.is_empty() { graph.x } else { &panel.heading };
        (vec![name.to_owned()], series.clone())
    });
    let all: Vec<Series> = drawn.iter().flat_map(|(.., series)| series.clone()).collect();
    Some(Plot {
        finding: if told.is_empty() { told } else { format!("On average {told}") },
        subtitle: format!(
            "as in the paper: means; {}",
            per_point(drawn.iter().map(|(own, ..)| own))
        ),
        panel_height: if drawn.len() > 1 { STACKED } else { ALONE },
        legend: legend(&all),
        table: lines::table(&["graph"], "place", &groups.collect::<Vec<_>>(), Quantity::Seconds),
        panels: drawn.into_iter().map(|(.., panel, _)| panel).collect(),
    })
}

/// Draws Figure 4 of HPCA 2006 against the number of operations.
pub(super) fn growth_by_operations(sample: &Sample<'_>) -> Option<Plot> {
    growth(sample, "operations", "threads", "n: operations")
}

/// Draws Figure 4 of HPCA 2006 against the number of threads.
pub(super) fn growth_by_threads(sample: &Sample<'_>) -> Option<Plot> {
    growth(sample, "threads", "operations", "p: processors")
}

/// Draws Figure 4 of HPCA 2006 against the number of locations.
pub(super) fn growth_by_locations(sample: &Sample<'_>) -> Option<Plot> {
    growth(sample, "locations", "operations", "a: memory locations")
}

/// Plots the three graphs on logarithmic axes of the same length, so that each point of the third is as high as those
/// of the first and the second together.
fn growth(sample: &Sample<'_>, against: &str, by: &str, x: &str) -> Option<Plot> {
    let curves: BTreeMap<String, u64> =
        sample.trials.iter().map(|trial| (curve(by, trial), place(by, trial))).collect();
    let mut ranks: Vec<u64> = curves.values().copied().collect();
    ranks.sort_unstable();
    let styled = |name: &str| {
        let at = ranks.binary_search(curves.get(name)?).ok()?;
        Some((at, unknown(at * 7)))
    };
    let own = |algorithm: &'static str| {
        let own = sample.trials.iter().filter(move |trial| trial.algorithm == algorithm);
        own.filter_map(|trial| Some((curve(by, trial), place(against, trial), time(trial)?)))
    };
    let over = slowdowns(sample, BASELINE).into_iter();
    let over = over.filter(|(trial, _)| trial.algorithm == growth::PUBLISHED_ALGORITHM);
    let over = over.map(|(trial, ratio)| (curve(by, trial), place(against, trial), ratio));
    let [baseline, back, ratio] = [
        means(own(BASELINE), styled),
        means(own(growth::PUBLISHED_ALGORITHM), styled),
        means(over, styled),
    ];
    let places = |series: &[Series]| series.iter().any(|one| one.points.len() > 1);
    if !places(&back) {
        return None;
    }
    let times = lines::numbers(&baseline).chain(lines::numbers(&back));
    let times = Axis::seconds("analysis time", times, Scale::Logarithmic);
    let least = lines::numbers(&ratio).fold(1.0, f64::min);
    let range = [least, least * times.high() / times.low() / (1.4 * 1.4)];
    let ratios = Axis::ratios("ratio", range.into_iter(), Scale::Logarithmic);
    let told = growth::told(&ratio, "mean slowdown of Deriv+Back", against);
    let groups = [
        (vec!["(a) Baseline".to_owned()], baseline.clone()),
        (vec!["(c) Deriv+Back".to_owned()], back.clone()),
    ];
    let mut table = lines::table(&["graph"], against, &groups, Quantity::Seconds);
    let ratio_rows = [(vec!["(b) ratio".to_owned()], ratio.clone())];
    table.rows.extend(lines::table(&["graph"], against, &ratio_rows, Quantity::Ratio).rows);
    Some(Plot {
        finding: told?,
        subtitle: format!(
            "as in the paper: means, axes of the same length; {}",
            sample.histories_per_point()
        ),
        panels: vec![
            panel("(a) Baseline", x, &baseline, times.clone()),
            panel("(b) Deriv+Back / Baseline", x, &ratio, ratios),
            panel("(c) Deriv+Back", x, &back, times),
        ],
        panel_height: STACKED,
        legend: legend(&[baseline, back].concat()),
        table,
    })
}

/// The name of the curve of a trial.
fn curve(by: &str, trial: &Trial) -> String {
    format!("{} {by}", count(place(by, trial)))
}

/// The measurements of a curve, by place on the axis.
type Places = BTreeMap<u64, Vec<Estimate>>;

/// Makes a curve of means for each name that `known` knows, in the order of the ranks that it returns. The mean stands
/// in for the median and the quartiles.
fn means<N: Into<String>>(
    measured: impl Iterator<Item = (N, u64, Estimate)>,
    known: impl Fn(&str) -> Option<(usize, Style)>,
) -> Vec<Series> {
    let mut all: BTreeMap<(usize, String), (Style, Places)> = BTreeMap::new();
    for (name, place, number) in measured {
        let name: String = name.into();
        if let Some((rank, style)) = known(&name) {
            let (_, places) = all.entry((rank, name)).or_insert_with(|| (style, Places::new()));
            places.entry(place).or_default().push(number);
        }
    }
    let series = all.into_iter().map(|((_, name), (style, places))| {
        let cut = places.values().flatten().filter(|one| one.is_open()).map(|one| one.low);
        let mut limits: Vec<f64> = cut.collect();
        limits.sort_by(f64::total_cmp);
        limits.dedup();
        let points =
            places.iter().filter_map(|(place, numbers)| Some((*place, Summary::of_mean(numbers)?)));
        Series { name, style, points: points.collect(), limits }
    });
    series.collect()
}

/// Makes a panel of curves without quartiles.
fn panel(heading: &str, x: &str, series: &[Series], y: Axis) -> Panel {
    let places = series.iter().flat_map(|one| &one.points);
    let places: Vec<u64> = places.map(|(place, _)| *place).collect();
    let mut panel = Panel::new(heading, Axis::points(x, &places), y);
    let point = |(place, summary): &(u64, Summary)| (*place as f64, summary.median.low);
    for one in series {
        let color = one.style.color;
        panel.layers.extend(
            lines::known(one)
                .map(|points| Layer::Line { color, points: points.iter().map(point).collect() }),
        );
    }
    for is_open in [true, false] {
        for one in series {
            let points = one.points.iter();
            let points = points.filter(|(_, summary)| summary.median.is_open() == is_open);
            panel.add_marks(one.style, is_open, points.map(point).collect());
        }
    }
    panel.above = series.iter().filter_map(lines::not_ended).collect();
    lines::name_ends(&mut panel, series);
    panel
}

fn legend(series: &[Series]) -> Vec<LegendEntry> {
    let limits = lines::limits(series);
    if limits.is_empty() {
        return Vec::new();
    }
    let limits: Vec<String> = limits.into_iter().map(crate::numbers::seconds).collect();
    let open = Style { color: GREY, marker: Marker::Circle };
    let text = format!("open: at least this (timed out counts as {})", limits.join(", "));
    vec![LegendEntry::new(Symbol::Mark(open, true), text)]
}
