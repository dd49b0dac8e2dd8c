//! The figures of experiments and campaigns, each as SVG, as PNG, and as the table of numbers that it shows.
//!
//! [`FIGURES`] has a row for each. To add one, write a module with a function that makes a `Plot` of the rows of an experiment
//! (a `Sample`) or of a campaign ([`Answers`]), and add the module and a row to this file: pages, the list of figures,
//! `rubric report` and the notebooks take it from there.
//!
//! A figure shows whatever algorithms its rows are of, beside published numbers. Without rows there is no figure. The same rows
//! give the same bytes.
//!
//! ```
//! use report::figures;
//! use tables::results::Results;
//! use tables::{Reported, Trial};
//!
//! let trial = Trial {
//!     experiment: "gcc-fig4".to_owned(),
//!     part: "threads".to_owned(),
//!     point: "threads=4".to_owned(),
//!     algorithm: "sc-sat".to_owned(),
//!     said: Reported::Consistent,
//!     threads: 4,
//!     operations: 200,
//!     seconds: 0.5,
//!     ..Trial::default()
//! };
//! let results = Results { trials: vec![trial], ..Results::default() };
//! let figures = figures::all(&results, None);
//! assert_eq!(figures[0].name, "gcc-fig4-threads");
//! assert!(figures[0].svg.starts_with("<svg"));
//! assert_eq!(figures[0].table.rows[0][..2], ["4", "sc-sat"]);
//! ```

mod cycle_length;
mod detected;
mod detection;
mod fidelity;
mod growth;
mod kills;
mod mixes;
mod orders_found;
mod pairs;
mod paper_form;
mod programs;
mod reads;
mod sample;
mod slowdown;
mod systems;
#[cfg(test)]
mod tests;
mod times;
mod views;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answers::{Answers, KillMatrix, Scope};
use crate::fidelity::Fidelity;
use crate::plot::chart::Plot;
use crate::plot::render;
use sample::Sample;
use tables::results::Results;

pub use crate::plot::chart::Table;
pub use crate::plot::style::{SeriesStyle, series_styles};
pub use sample::SIZES;

/// A row of [`FIGURES`].
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Definition {
    /// The name of the figure's files, without extension.
    pub name: &'static str,
    /// The experiment whose rows the figure shows: `mutants` for campaigns.
    pub experiment: &'static str,
    /// The paper, and the figure in it that this one repeats.
    pub paper: &'static str,
    /// The quantity that the figure shows. It is the title of a figure without a finding, and opens the subtitle of
    /// others.
    pub title: &'static str,
    /// What the reader has to know besides the title: what is published, and how it was measured.
    pub caption: &'static str,
    #[serde(skip)]
    draw: Draw,
}

/// The function that makes the plot of a figure.
#[derive(Clone, Copy, Debug)]
enum Draw {
    /// Plots the trials of one size of the experiment.
    Trials(fn(&Sample<'_>) -> Option<Plot>),
    /// Plots the trials of one size of the experiment, once for each algorithm.
    EachAlgorithm(fn(&Sample<'_>, &str) -> Option<Plot>),
    /// Plots a campaign.
    Campaign(fn(&Answers) -> Option<Plot>),
    /// Plots a campaign, once for each protocol.
    EachProtocol(fn(&KillMatrix) -> Option<Plot>),
    /// Plots the comparison of rubric's simulator with gem5.
    Comparison(fn(&Fidelity) -> Option<Plot>),
}

/// A figure that was drawn.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// The name of the figure's files, without extension.
    pub name: String,
    /// The experiment whose rows the figure shows: `mutants` for campaigns.
    pub experiment: &'static str,
    /// The title: what the figure shows, in one sentence.
    pub title: String,
    /// The paper's figure that this one repeats, what is published, and how and where it was measured.
    pub caption: String,
    /// The drawing as SVG.
    pub svg: String,
    /// The numbers that the figure shows.
    pub table: Table,
    plot: Plot,
}

impl Figure {
    /// Draws the figure as PNG, at three times the width and height of the SVG in pixels. This takes tens of
    /// milliseconds, longer than all other steps, and pages do not need it.
    pub fn png(&self) -> Vec<u8> {
        render::png(&self.title, &self.plot)
    }
}

/// The experiment that is a campaign of mutants.
pub const CAMPAIGN: &str = "mutants";

use Draw::{Campaign, Comparison, EachAlgorithm, EachProtocol, Trials};

/// Defines the table of figures.
macro_rules! figures {
    ($($name:literal, $experiment:expr, $paper:literal, $draw:expr, $title:literal, $caption:expr;)*) => {
        /// Every figure, in the order of the papers: name, experiment, paper, function, title and caption.
        pub const FIGURES: &[Definition] = &[$(Definition {
            name: $name,
            experiment: $experiment,
            paper: $paper,
            draw: $draw,
            title: $title,
            caption: $caption,
        }),*];
    };
}

figures! {
    "gcc-fig4-operations", "gcc-fig4", "CAV 2019, Figure 4", Trials(times::by_operations),
        "Time to check valid histories against SC, by number of operations",
        "The paper shows means of 200 histories per point.";
    "gcc-fig4-threads", "gcc-fig4", "CAV 2019, Figure 4", Trials(times::by_threads),
        "Time to check valid histories against SC, by number of threads",
        "The paper shows means of 200 histories per point.";
    "gcc-fig4-paper", "gcc-fig4", "CAV 2019, Figure 4", Trials(paper_form::gcc_fig4),
        "Time to check valid histories against SC",
        PAPER_FORM;
    "gcc-fig5-threads", "gcc-fig5", "CAV 2019, Figure 5", Trials(times::by_threads),
        "Time to refute SC on violations, by number of threads",
        "The histories are runs of mutants of MI, in which statements are reordered, data lost or cores not told. The paper shows means of 1000 histories \
         in all.";
    "gcc-fig5-reordered-threads", "gcc-fig5-reordered", "CAV 2019, Figure 5", Trials(times::by_threads),
        "Time to refute SC on violations by reordered statements, by number of threads",
        "The histories are runs of MI with two statements exchanged, as the paper's. It shows means of 1000 histories in all.";
    "gcc-fig5-reordered-paper", "gcc-fig5-reordered", "CAV 2019, Figure 5", Trials(paper_form::gcc_fig5),
        "Time to check violations of SC by reordered statements",
        PAPER_FORM;
    "gcc-fig5-reordered-caught", "gcc-fig5-reordered", "CAV 2019, Section 5.1", Trials(detected::below_sc),
        "Share of SC violations by reordered statements that weaker criteria refute",
        "The paper states the share of its violations that break CC or CCv, and that all of them break CCM.";
    "gcc-fig5-paper", "gcc-fig5", "CAV 2019, Figure 5", Trials(paper_form::gcc_fig5),
        "Time to check violations of SC",
        PAPER_FORM;
    "gcc-fig5-caught", "gcc-fig5", "CAV 2019, Section 5.1", Trials(detected::below_sc),
        "Share of SC violations that weaker criteria refute",
        "The paper states the share of its violations that break CC or CCv, and that all of them break CCM.";
    "gcc-fig6-operations", "gcc-fig6", "CAV 2019, Figure 6", Trials(times::by_operations),
        "Time to check valid histories against TSO, by number of operations",
        "The histories are those of gcc-fig4. The paper shows means of 200 histories per point.";
    "gcc-fig6-threads", "gcc-fig6", "CAV 2019, Figure 6", Trials(times::by_threads),
        "Time to check valid histories against TSO, by number of threads",
        "The histories are those of gcc-fig4. The paper shows means of 200 histories per point.";
    "gcc-fig6-paper", "gcc-fig6", "CAV 2019, Figure 6", Trials(paper_form::gcc_fig6),
        "Time to check valid histories against TSO",
        PAPER_FORM;
    "gcc-unordered", "gcc-unordered", "CAV 2019, Section 5.1", Trials(pairs::unordered),
        "Share of the pairs of writes to one location that criteria leave unordered",
        "The published means are over 200 histories of 200 operations. No criterion can order a pair that the kernel leaves unordered. cf is \
         the conflict order of CCv by itself, without the causality that CCv adds to it.";
    "gcc-unordered-reads", "gcc-unordered-reads", "CAV 2019, Section 5.1", Trials(reads::plot),
        "Share of the pairs of writes to one location that criteria leave unordered, by share of reads",
        "The paper does not state how many operations read, nor how many locations there are. cf is the conflict order of CCv by itself, without \
         the causality that CCv adds to it.";
    "wsc-kernel-share", "wsc-kernel", "Boosting, Section 6", Trials(pairs::of_kernel),
        "Share of the kernel that criteria order",
        "The published mean is over the histories in which wSC does not order all of the kernel. cf is the conflict order of CCv by itself, \
         without the causality that CCv adds to it.";
    "wsc-kernel-pairs", "wsc-kernel", "Boosting, Section 6", Trials(pairs::of_pairs),
        "Share of the pairs of writes to one location that criteria order",
        "The pairs of the kernel are those that every run orders alike. cf is the conflict order of CCv by itself, without the causality that \
         CCv adds to it.";
    "wsc-kernel-whole", "wsc-kernel", "Boosting, Section 6", Trials(pairs::whole_kernels),
        "Share of histories whose whole kernel a criterion orders",
        "The published shares are of 1742 histories. cf is the conflict order of CCv by itself, without the causality that CCv adds to it.";
    "wsc-fig6-operations", "wsc-fig6", "Boosting, Figure 6", Trials(times::by_operations),
        "Time to check valid histories against SC, by number of operations",
        "The paper shows means of 200 histories per point.";
    "wsc-fig6-paper", "wsc-fig6", "Boosting, Figure 6", Trials(paper_form::wsc_fig6),
        "Time to check valid histories against SC, by number of operations",
        PAPER_FORM;
    "wsc-fig7-threads", "wsc-fig7", "Boosting, Figure 7", Trials(views::by_threads),
        "Time to check valid histories against SC, by number of threads",
        "The paper shows means of 200 histories per point.";
    "wsc-fig7-paper", "wsc-fig7", "Boosting, Figure 7", Trials(paper_form::wsc_fig7),
        "Time to check valid histories against SC, by number of threads",
        PAPER_FORM;
    "wsc-fig8-threads", "wsc-fig8", "Boosting, Figure 8", Trials(views::by_threads),
        "Time to check histories against SC, half of them re-pointed, by number of threads",
        "In half of the histories some reads were re-pointed to other writes; the panels below show these. The paper shows means of 200 histories \
         per point.";
    "wsc-fig8-paper", "wsc-fig8", "Boosting, Figure 8", Trials(paper_form::wsc_fig7),
        "Time to check histories against SC, half of them re-pointed",
        PAPER_FORM;
    "wsc-fig9-threads", "wsc-fig9", "Boosting, Figure 9", Trials(times::with_bound),
        "Time of saturation to refute SC on violations, by number of threads",
        "The paper shows means of 100 histories per point, and states the longest time of wSC.";
    "wsc-fig9-paper", "wsc-fig9", "Boosting, Figure 9", Trials(paper_form::wsc_fig9),
        "Time of saturation to refute SC on violations",
        PAPER_FORM;
    "wsc-fig9-ratio", "wsc-fig9", "Boosting, Section 6", Trials(slowdown::over_wsc),
        "Slowdown over wSC on violations of SC",
        "Ratios are taken history by history, so their median need not be the ratio of the medians, which the table of claims has. The paper \
         compares means for 8 threads, and says that the ratio is higher for more threads.";
    "wsc-fig9-caught", "wsc-fig9", "Boosting, Section 6", Trials(detected::by_saturation),
        "Share of SC violations that saturation refutes",
        "The paper states that wSC refutes all violations, and the share that CCM misses.";
    "tsotool-fig3", "tsotool-fig3", "HPCA 2006, Figure 3", Trials(orders_found::plot),
        "Share of programs for which an order of all operations is found",
        "The paper has 128K operations, and its Deriv+Back always finds an order.";
    "tsotool-fig3-overhead", "tsotool-fig3", "HPCA 2006, Section 5", Trials(slowdown::over_baseline),
        "Slowdown over baseline of algorithms that find an order",
        "The paper says that what Heu adds is virtually constant, and that Deriv+Back adds more with more threads, operations and locations.";
    "tsotool-fig4-operations", "tsotool-fig4", "HPCA 2006, Figure 4", EachAlgorithm(growth::by_operations),
        "Time to check against TSO, by number of operations",
        GROWTH;
    "tsotool-fig4-threads", "tsotool-fig4", "HPCA 2006, Figure 4", EachAlgorithm(growth::by_threads),
        "Time to check against TSO, by number of threads",
        GROWTH;
    "tsotool-fig4-locations", "tsotool-fig4", "HPCA 2006, Figure 4", EachAlgorithm(growth::by_locations),
        "Time to check against TSO, by number of locations",
        GROWTH;
    "tsotool-fig4-operations-paper", "tsotool-fig4", "HPCA 2006, Figure 4", Trials(paper_form::growth_by_operations),
        "Analysis time against n",
        PAPER_GROWTH;
    "tsotool-fig4-threads-paper", "tsotool-fig4", "HPCA 2006, Figure 4", Trials(paper_form::growth_by_threads),
        "Analysis time against p",
        PAPER_GROWTH;
    "tsotool-fig4-locations-paper", "tsotool-fig4", "HPCA 2006, Figure 4", Trials(paper_form::growth_by_locations),
        "Analysis time against a",
        PAPER_GROWTH;
    "tsotool-table1", "tsotool-table1", "HPCA 2006, Table 1", Trials(mixes::plot),
        "Time and slowdown over baseline, by mix of operations",
        "The paper has 256K operations, and means over threads and locations. The table of claims compares medians.";
    "qadeer-cycles", "qadeer-cycles", "Qadeer, Section 6", Trials(cycle_length::plot),
        "Length of the shortest nice cycle in violations of SC",
        "A violation of SC whose completion order is a witness of the store order has a k-nice cycle, with at most one edge in each of k threads \
         and k locations (Theorem 6.1 of the paper, which does not count them).";
    "qadeer-systems", "qadeer-systems", "Qadeer, Section 8", Trials(systems::plot),
        "Nice cycles in all runs of small systems",
        "A cell says how many events the shortest run with a cycle has, or how many states were searched without one. Where writes wait, they are \
         ordered as they happen (simple) or as they reach memory. Mutants of protocols violate SC, some only in larger systems. The paper's run of the earlier version of Piranha \
         has 12 events, with k = 2.";
    "burnim-table1", "burnim-table1", "Burnim et al., Table 1", Trials(programs::one_preemption),
        "Violations of SC in programs, up to 1 preemption",
        PROGRAMS;
    "burnim-table2", "burnim-table2", "Burnim et al., Table 2", Trials(programs::two_preemptions),
        "Violations of SC in programs, up to 2 preemptions",
        PROGRAMS;
    "scale-operations", "scale", "", Trials(times::by_operations),
        "Time of rubric's own stages, by number of operations",
        "The stages of `rubric check`, a series for each model.";
    "scale-threads", "scale", "", Trials(times::by_threads),
        "Time of rubric's own stages, by number of threads",
        "The stages of `rubric check`, a series for each model.";
    "mutants-kills", CAMPAIGN, "", EachProtocol(kills::plot),
        "Mutants found, by operator and finder",
        "Mutants that are known to be equivalent are excluded. A criterion counts where it follows from the model that the client guarantees.";
    "mutants-protocols", CAMPAIGN, "", Campaign(kills::by_protocol),
        "Mutants found, by operator and protocol",
        "Mutants that are known to be equivalent are excluded. The protocols have different mutants, so their shares are not added.";
    "mutants-operations", CAMPAIGN, "", Campaign(detection::plot),
        "Operations completed until a criterion is violated",
        "The numbers are upper bounds: how many operations had completed when the run had violated the criterion. Criteria that refute fewer runs \
         refute other runs, so these numbers are not about the same runs.";
    "fidelity-shares", "fidelity", "", Comparison(fidelity::plot),
        "Shares of transitions in gem5 and on rubric's simulator",
        "The unmutated protocols run the same programs in both, with the same caches and the same number of cores, and each with its own \
         latencies. A share is that of all transitions of the protocol. Transitions that only one of them took are in the table alone.";
}

const GROWTH: &str = "(a) the baseline, (b) the slowdown of another algorithm over it, (c) that algorithm. The paper bounds the mean \
     slowdown of Deriv+Back, and gives it for the largest programs, with and without backtracking.";

const PAPER_FORM: &str = "In the form of the paper: mean running times on a linear axis. The paper states no time limit. A run that reached ours counts \
     as the limit, and a mean of such runs is open: it is at least this.";

const PAPER_GROWTH: &str = "In the form of the paper: means on logarithmic axes of the same length, so that (c) is (a) and (b) on top of each other.";

const PROGRAMS: &str = "A bar counts the pairs of statements that a monitor signals in any interleaving of a program. The paper explored C \
     programs; ours are written in a small language and have harnesses of their own, so numbers differ, and what can be compared is \
     where there are none.";

/// Draws every figure for which there are rows, in parallel.
pub fn all(results: &Results, answers: Option<&Answers>) -> Vec<Figure> {
    let figures = FIGURES.par_iter();
    figures.flat_map_iter(|figure| figure.drawn(results, answers)).collect()
}

impl Definition {
    /// Every variant of this figure for which there are rows.
    fn drawn(&self, results: &Results, answers: Option<&Answers>) -> Vec<Figure> {
        let samples = Sample::all(&results.trials, self.experiment);
        let mut drawn = Vec::new();
        match self.draw {
            Trials(draw) => {
                for sample in &samples {
                    drawn.extend(draw(sample).map(|plot| (Some(sample), None, plot)));
                }
            }
            EachAlgorithm(draw) => {
                for sample in &samples {
                    for name in sample.algorithms() {
                        let plot = draw(sample, &name);
                        let variant = Some(name).filter(|name| name != growth::PUBLISHED_ALGORITHM);
                        drawn.extend(plot.map(|plot| (Some(sample), variant, plot)));
                    }
                }
            }
            Campaign(draw) => {
                drawn.extend(answers.and_then(draw).map(|plot| (None, None, plot)));
            }
            Comparison(draw) => {
                drawn.extend(draw(&Fidelity::of(results)).map(|plot| (None, None, plot)));
            }
            EachProtocol(draw) => {
                let shown = answers.iter().flat_map(|all| all.shown(&all.kills, |one| &one.scope));
                for matrix in shown {
                    let variant = match &matrix.scope {
                        Scope::Protocol(name) => Some(name.clone()),
                        _ => None,
                    };
                    drawn.extend(draw(matrix).map(|plot| (None, variant, plot)));
                }
            }
        }
        drawn.retain(|(.., plot)| !plot.table.rows.is_empty());
        let figures = drawn.into_iter();
        figures.map(|(sample, variant, plot)| self.figure(sample, variant, plot)).collect()
    }

    /// Makes the figure of a plot. Its title is the plot's finding, if there is one; then the definition's title opens
    /// the subtitle.
    fn figure(
        &self,
        sample: Option<&Sample<'_>>,
        variant: Option<String>,
        mut plot: Plot,
    ) -> Figure {
        let mut title = self.title.to_owned();
        if !plot.finding.is_empty() {
            title = std::mem::take(&mut plot.finding);
            plot.subtitle = format!("{}; {}", self.title, plot.subtitle);
        }
        let size = sample.and_then(|sample| sample.lesser_size);
        let tails = variant.as_deref().into_iter().chain(size);
        let name = tails.fold(self.name.to_owned(), |name, tail| format!("{name}-{tail}"));
        let repeats = match self.paper {
            "" => String::new(),
            paper => format!("{paper}. "),
        };
        let circumstances = sample.map(|sample| format!(" {}", sample.circumstances()));
        Figure {
            // The name becomes a file name, and parts of it come from tables.
            name: name.replace(|one: char| !one.is_ascii_alphanumeric() && one != '-', "-"),
            experiment: self.experiment,
            caption: format!("{repeats}{}{}", self.caption, circumstances.unwrap_or_default()),
            svg: render::svg(&title, &plot),
            title,
            table: plot.table.clone(),
            plot,
        }
    }
}
