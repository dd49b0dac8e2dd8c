//! What the papers state, as data: the only place for the papers' own numbers and where in the papers they are.
//!
//! A tolerance is ours: histories, machine and programs are others than the papers'. It is 10 percentage points for shares in the
//! middle, fewer further out, and a factor for those next to 0 and 100 %, which points would always admit.

use std::fmt;

use super::measure::Estimate;

/// Zennou, Bouajjani, Enea, Erradi: Gradual Consistency Checking.
pub const GRADUAL: &str = "CAV 2019";
/// Zennou, Atig, Biswas, Bouajjani, Enea, Erradi: Boosting Sequential Consistency Checking using Saturation.
pub const BOOSTING: &str = "Boosting";
/// Manovit, Hangal: Completely Verifying Memory Consistency of Test Program Executions.
pub const HPCA: &str = "HPCA 2006";
/// Qadeer: Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking.
pub const QADEER: &str = "Qadeer";
/// Burnim, Sen, Stergiou: Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory Models.
pub const BURNIM: &str = "Burnim et al.";

/// By which factor ours may be more or less than what a paper has as rare.
const RARE: f64 = 3.0;

/// One of the programs of Burnim et al., section 7.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// Lines of C.
    pub lines: u32,
    /// What Tables 1 and 2 say: with up to one preemption, and with up to two.
    pub explored: [Explored; 2],
}

impl Program {
    /// How much longer the monitors make exploring, as a part of it; roughly, the paper says.
    pub fn overhead(&self) -> f64 {
        match MUTUAL_EXCLUSION.contains(&self.name) {
            true => 1.0,
            false => 0.2,
        }
    }
}

/// What was found in all interleavings of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explored {
    /// Interleavings.
    pub interleavings: u32,
    /// Seconds.
    pub seconds: f64,
    /// Distinct violations of SC under TSO and under PSO.
    pub violations: [u32; 2],
}

const fn explored(interleavings: u32, seconds: f64, tso: u32, pso: u32) -> Explored {
    Explored {
        interleavings,
        seconds,
        violations: [tso, pso],
    }
}

const fn program(name: &'static str, lines: u32, explored: [Explored; 2]) -> Program {
    Program {
        name,
        lines,
        explored,
    }
}

/// Burnim et al., Tables 1 and 2.
pub const PROGRAMS: [Program; 7] = [
    program(
        "dekker",
        20,
        [explored(79, 6.4, 3, 5), explored(1714, 180.0, 9, 11)],
    ),
    program(
        "bakery",
        30,
        [explored(197, 42.4, 3, 4), explored(13632, 3992.4, 3, 4)],
    ),
    program(
        "msn",
        80,
        [explored(92, 7.5, 0, 3), explored(2300, 196.1, 0, 3)],
    ),
    program(
        "ms2",
        80,
        [explored(123, 11.0, 0, 2), explored(3322, 300.0, 0, 2)],
    ),
    program(
        "harris",
        160,
        [explored(161, 18.8, 0, 2), explored(5646, 661.7, 0, 2)],
    ),
    program(
        "lazylist",
        120,
        [explored(139, 14.0, 0, 4), explored(4045, 428.4, 0, 4)],
    ),
    program(
        "snark",
        150,
        [explored(172, 15.4, 0, 4), explored(6510, 609.9, 0, 10)],
    ),
];

/// Those of them that are no data structures.
pub const MUTUAL_EXCLUSION: [&str; 2] = ["dekker", "bakery"];

/// A claim as a paper makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stated {
    /// A name for it.
    pub id: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// Where in the paper.
    pub place: &'static str,
    /// The experiment that tests it.
    pub experiment: &'static str,
    /// What is claimed.
    pub statement: &'static str,
    /// What the paper says of how much.
    pub figure: Figure,
}

/// What a paper says of how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// Something that words say.
    Words(&'static str),
    /// A number: holds if ours is about the same.
    About {
        /// The number.
        value: f64,
        /// How far ours may be from it.
        within: f64,
        /// What it counts.
        unit: Unit,
    },
    /// A share next to 0 or 1: holds if ours is as far from there, within a factor, and not there.
    Rare(f64),
    /// An upper bound: holds if ours is not larger.
    AtMost(f64, Unit),
    /// A lower bound: holds if ours is not smaller.
    AtLeast(f64, Unit),
    /// A share that words say, and the smallest that they can mean.
    Part(&'static str, f64),
    /// Numbers that grow: holds if ours do. So many are loads, as many are stores, more are stores.
    Rising([f64; 3], Unit),
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A fraction, shown in percent.
    Percent,
    /// How many times as much.
    Times,
    /// Seconds.
    Seconds,
    /// Things.
    Count,
}

impl Unit {
    /// A number in it.
    pub fn shown(self, number: f64) -> String {
        match self {
            Unit::Percent => percent(number),
            Unit::Times => times(number),
            Unit::Seconds => seconds(number),
            Unit::Count => format!("{number:.0}"),
        }
    }
}

/// How far a share is from 0 or 1, whichever is next.
fn rare(share: f64) -> f64 {
    share.min(1.0 - share)
}

/// A fraction in percent.
pub fn percent(share: f64) -> String {
    let percent = format!("{:.2}", share * 100.0);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    format!("{percent} %")
}

/// How many times as much.
pub fn times(ratio: f64) -> String {
    match ratio {
        large if large >= 100.0 => format!("{large:.0} times"),
        middle if middle >= 10.0 => format!("{middle:.1} times"),
        small => format!("{small:.2} times"),
    }
}

/// A time.
pub fn seconds(number: f64) -> String {
    match number {
        long if long >= 100.0 => format!("{long:.0} s"),
        middle if middle >= 1.0 => format!("{middle:.1} s"),
        short if short >= 0.001 => format!("{:.1} ms", short * 1e3),
        tiny => format!("{:.1} µs", tiny * 1e6),
    }
}

impl Figure {
    const fn percent(value: f64, within: f64) -> Figure {
        Figure::About {
            value,
            within,
            unit: Unit::Percent,
        }
    }

    /// The paper's number, if it gives one.
    pub fn value(self) -> Option<f64> {
        match self {
            Figure::Words(_) | Figure::Rising(..) => None,
            Figure::About { value, .. }
            | Figure::AtMost(value, _)
            | Figure::AtLeast(value, _)
            | Figure::Part(_, value)
            | Figure::Rare(value) => Some(value),
        }
    }

    /// How rare something is, if that is what it says.
    pub(super) fn rate(self) -> Option<f64> {
        match self {
            Figure::Rare(value) => Some(rare(value)),
            _ => None,
        }
    }

    /// What a number of ours is in its unit.
    pub(super) fn shown(self, ours: Estimate) -> String {
        let unit = match self {
            Figure::Words(_) => Unit::Count,
            Figure::Part(..) | Figure::Rare(_) => Unit::Percent,
            Figure::About { unit, .. }
            | Figure::AtMost(_, unit)
            | Figure::AtLeast(_, unit)
            | Figure::Rising(_, unit) => unit,
        };
        ours.shown(|number| unit.shown(number))
    }

    /// Whether a number of ours bears it out, if that can be told.
    pub(super) fn admits(self, ours: Estimate) -> Option<bool> {
        let within = |low: f64, high: f64| match () {
            () if ours.low >= low && ours.high <= high => Some(true),
            () if ours.high < low || ours.low > high => Some(false),
            () => None,
        };
        match self {
            Figure::Words(_) | Figure::Rising(..) => None,
            // What is on the bound counts, however it is rounded.
            Figure::About {
                value, within: by, ..
            } => within(value - by - f64::EPSILON, value + by + f64::EPSILON),
            Figure::Rare(value) if value > 0.5 => {
                let rate = rare(value);
                within(1.0 - rate * RARE, 1.0 - rate / RARE)
            }
            Figure::Rare(value) => within(value / RARE, value * RARE),
            Figure::AtMost(value, _) => within(f64::NEG_INFINITY, value),
            Figure::AtLeast(value, _) | Figure::Part(_, value) => within(value, f64::INFINITY),
        }
    }

    /// The rule for that, as a sentence.
    pub(super) fn rule(self) -> String {
        match self {
            Figure::About {
                within,
                unit: Unit::Percent,
                ..
            } => format!("Holds within {} percentage points.", within * 100.0),
            Figure::About { within, unit, .. } => format!("Holds within {}.", unit.shown(within)),
            Figure::Rare(value) if value > 0.5 => {
                format!(
                    "Holds if what is missing is within a factor of {RARE}, and not if nothing is."
                )
            }
            Figure::Rare(_) => {
                format!("Holds within a factor of {RARE}, and not if there is none.")
            }
            Figure::Part(_, least) if least < 1.0 => format!("Holds from {}.", percent(least)),
            // The claim says it, or who compares.
            _ => String::new(),
        }
    }

    /// How a number of ours differs, as a sentence with a blank behind.
    pub(super) fn difference(self, ours: Estimate) -> String {
        let Some(value) = self.value() else {
            return String::new();
        };
        let direction = if ours.low > value { "higher" } else { "lower" };
        format!("Ours is {direction}. ")
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Words(words) => out.write_str(words),
            Figure::About { value, unit, .. } => out.write_str(&unit.shown(*value)),
            Figure::AtMost(value, unit) => write!(out, "at most {}", unit.shown(*value)),
            Figure::AtLeast(value, unit) => write!(out, "at least {}", unit.shown(*value)),
            Figure::Part(words, _) => out.write_str(words),
            Figure::Rare(value) => out.write_str(&percent(*value)),
            Figure::Rising(values, unit) => {
                let values = values.map(|value| unit.shown(value));
                out.write_str(&values.join(", "))
            }
        }
    }
}

/// Makes the table: a constant for each claim, and all of them in a list.
macro_rules! stated {
    ($($name:ident: $id:literal, $paper:ident, $place:literal, $experiment:literal, $statement:literal, $figure:expr;)*) => {
        $(#[doc = $statement]
        pub const $name: Stated = Stated {
            id: $id,
            paper: $paper,
            place: $place,
            experiment: $experiment,
            statement: $statement,
            figure: $figure,
        };)*

        /// All that the papers state.
        pub const ALL: &[Stated] = &[$($name),*];
    };
}

stated! {
    GCC_FASTER: "gcc-fig4-faster", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "Gradual checking of SC is faster than a SAT encoding of its axioms", Figure::Words("it scales much better");
    GCC_OPERATIONS: "gcc-fig4-operations", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "The advantage of gradual checking of SC over the SAT encoding grows with the number of operations", Figure::Words("it scales much better");
    GCC_THREADS: "gcc-fig4-threads", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "The advantage of gradual checking of SC over the SAT encoding grows with the number of cpus", Figure::Words("it scales much better");
    GCC_ENUM: "gcc-fig4-enum", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "For SC, enumerating what CCM leaves open takes about as long as SAT does", Figure::Words("the difference is not significant");
    GCC_UNORDERED_CCM: "gcc-unordered-ccm", GRADUAL, "Section 5.1", "gcc-unordered",
        "Pairs of writes that CCM leaves unordered, on average over valid histories", Figure::percent(0.066, 0.05);
    GCC_UNORDERED_CCV: "gcc-unordered-ccv", GRADUAL, "Section 5.1", "gcc-unordered",
        "Pairs of writes that CCv leaves unordered, on average over valid histories", Figure::percent(0.5775, 0.1);
    GCC_UNORDERED_MORE: "gcc-unordered-more", GRADUAL, "Section 5.1", "gcc-unordered",
        "CCv leaves far more pairs of writes unordered than CCM", Figure::Words("a drastic increase");
    GCC_UNORDERED_WCCM: "gcc-unordered-wccm", GRADUAL, "Introduction", "gcc-unordered",
        "Pairs of writes that wCCM leaves unordered under TSO, on average over valid histories", Figure::percent(0.066, 0.05);
    GCC_VIOLATIONS: "gcc-fig5-ccm", GRADUAL, "Section 5.1, Figure 5", "gcc-fig5",
        "Violations of SC by a mutated MI protocol that violate CCM too", Figure::Part("all", 1.0);
    GCC_CAUSAL: "gcc-fig5-causal", GRADUAL, "Section 5.1", "gcc-fig5",
        "Violations of SC by a mutated MI protocol that violate CC or CCv", Figure::percent(0.5, 0.1);
    GCC_SAME: "gcc-fig5-same", GRADUAL, "Section 5.1, Figure 5", "gcc-fig5",
        "On violations, enumerating and SAT take the same time, since CCM refutes them before", Figure::Words("the same");
    GCC_TSO_FASTER: "gcc-fig6-faster", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "Gradual checking of TSO is faster than a SAT encoding of its axioms", Figure::Words("it scales better");
    GCC_TSO_OPERATIONS: "gcc-fig6-operations", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "The advantage of gradual checking of TSO over the SAT encoding grows with the number of operations", Figure::Words("it scales better");
    GCC_TSO_THREADS: "gcc-fig6-threads", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "The advantage of gradual checking of TSO over the SAT encoding grows with the number of cpus", Figure::Words("it scales better");
    GCC_TSO_ENUM: "gcc-fig6-enum", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "For TSO, SAT over what wCCM leaves open is faster than enumerating it", Figure::Words("SAT outperforms enumeration");

    WSC_EXACT: "wsc-kernel-exact", BOOSTING, "Section 6", "wsc-kernel",
        "Histories of which wSC computes the whole kernel", Figure::percent(0.7424, 0.1);
    WSC_REST: "wsc-kernel-rest", BOOSTING, "Section 6", "wsc-kernel",
        "Part of the kernel that wSC computes of the other histories, on average", Figure::Rare(0.9997);
    CCM_EXACT: "wsc-kernel-ccm", BOOSTING, "Section 6", "wsc-kernel",
        "Histories of which CCM computes the whole kernel", Figure::Rare(0.007);
    KERNEL_MORE: "wsc-kernel-more", BOOSTING, "Section 6", "wsc-kernel",
        "wSC computes the whole kernel of most histories, CCM of few", Figure::Words("most against very few");
    WSC_PAIRS: "wsc-pairs-wsc", BOOSTING, "Section 6", "wsc-kernel",
        "Pairs of writes that wSC orders, on average over histories", Figure::percent(0.9851, 0.02);
    CCM_PAIRS: "wsc-pairs-ccm", BOOSTING, "Section 6", "wsc-kernel",
        "Pairs of writes that CCM orders, on average over histories", Figure::percent(0.9789, 0.02);
    PAIRS_MORE: "wsc-pairs-more", BOOSTING, "Section 6", "wsc-kernel",
        "wSC orders more pairs of writes than CCM, and not many more", Figure::Words("CCM is not far from wSC");
    FIG6_DBCOP: "wsc-fig6-dbcop", BOOSTING, "Section 6, Figure 6", "wsc-fig6",
        "With few threads, DBCOP is the fastest", Figure::Words("it has the best performances");
    FIG6_ENUM: "wsc-fig6-enum", BOOSTING, "Section 6, Figure 6", "wsc-fig6",
        "wsc-enum is faster than ccm-enum when the number of operations grows", Figure::Words("clearly superior");
    FIG7_DBCOP: "wsc-fig7-dbcop", BOOSTING, "Section 6, Figure 7", "wsc-fig7",
        "Beyond 8 threads DBCOP degrades, more than the algorithms that saturate", Figure::Words("DBCOP degrades, the others are more scalable");
    FIG7_BEST: "wsc-fig7-best", BOOSTING, "Section 6, Figure 7", "wsc-fig7",
        "wsc-dbcop is the fastest", Figure::Words("it achieves the best performances");
    FIG7_ENUM: "wsc-fig7-enum", BOOSTING, "Section 6, Figure 7", "wsc-fig7",
        "wsc-enum is faster than ccm-enum when the number of threads grows", Figure::Words("it performs better");
    FIG8_SIMILAR: "wsc-fig8-similar", BOOSTING, "Section 6, Figure 8", "wsc-fig8",
        "With half of the histories invalid, times are similar to those of valid ones", Figure::Words("very similar");
    FIG9_ALL: "wsc-fig9-all", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "Violations of SC that violate wSC", Figure::Part("all", 1.0);
    FIG9_CCM: "wsc-fig9-ccm", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "wSC saturation is faster than CCM's on violations", Figure::Words("more efficient");
    FIG9_MISSES: "wsc-fig9-misses", BOOSTING, "Section 6", "wsc-fig9",
        "Violations of SC that CCM does not refute", Figure::Rare(0.0125);
    FIG9_MORE: "wsc-fig9-more", BOOSTING, "Section 6", "wsc-fig9",
        "wSC refutes violations that CCM does not", Figure::Words("it captures more");
    FIG9_DBCOP: "wsc-fig9-dbcop", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "How many times as long as wSC DBCOP takes for violations of 8 threads", Figure::AtLeast(70.0, Unit::Times);
    FIG9_BEYOND: "wsc-fig9-beyond", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "Beyond 8 threads the advantage of wSC over DBCOP on violations is higher still", Figure::Words("by that factor and higher");
    FIG9_SECONDS: "wsc-fig9-seconds", BOOSTING, "Section 6", "wsc-fig9",
        "The longest time that wSC takes for a violation", Figure::AtMost(8.0, Unit::Seconds);

    FIG3_BETTER: "tsotool-fig3-better", HPCA, "Section 5, Figure 3", "tsotool-fig3",
        "Deriv finds an order more often than Heu", Figure::Words("a significant improvement");
    FIG3_INCOMPLETE: "tsotool-fig3-incomplete", HPCA, "Section 5, Figure 3", "tsotool-fig3",
        "Deriv does not always find an order", Figure::Words("incomplete when sharing is intense");
    FIG3_SHARING: "tsotool-fig3-sharing", HPCA, "Sections 4.2.1 and 5, Figure 3", "tsotool-fig3",
        "Heu and Deriv find an order less often with more threads for each location", Figure::Words("adequate only for low p/a");
    FIG3_LONGER: "tsotool-fig3-longer", HPCA, "Section 5", "tsotool-fig4",
        "Heu and Deriv find an order less often in longer programs", Figure::Words("effectiveness decreases with n");
    BACK_ALWAYS: "tsotool-always", HPCA, "Section 5", "tsotool-fig3",
        "Histories of which Deriv+Back finds an order", Figure::Part("all", 1.0);
    BACK_BACKTRACKS: "tsotool-backtracks", HPCA, "Section 5", "tsotool-fig3",
        "The most backtracks of Deriv+Back", Figure::AtMost(75.0, Unit::Count);
    BACK_DEPTH: "tsotool-depth", HPCA, "Section 5", "tsotool-fig3",
        "The most choices that Deriv+Back takes back at a time", Figure::AtMost(1.0, Unit::Count);
    HEU_BACK: "tsotool-heu-back", HPCA, "Section 5", "tsotool-fig3",
        "Heu+Back does not finish but with few threads", Figure::Words("not in a reasonable amount of time");
    HEU_OVERHEAD: "tsotool-heu", HPCA, "Section 5", "tsotool-fig3",
        "Time that Heu takes beyond the baseline", Figure::percent(0.1, 0.1);
    BACK_SLOWDOWN: "tsotool-slowdown", HPCA, "Abstract, Section 5", "tsotool-fig4",
        "How many times as long as the baseline Deriv+Back takes, on average", Figure::AtMost(2.6, Unit::Times);
    BACK_LARGEST: "tsotool-largest", HPCA, "Section 5", "tsotool-fig4",
        "Time of Deriv+Back beyond the baseline for 512K operations, 60 threads, 256 locations, if it backtracks", Figure::percent(1.18, 0.4);
    DERIV_LARGEST: "tsotool-largest-deriv", HPCA, "Section 5", "tsotool-fig4",
        "Time beyond the baseline for 512K operations, 60 threads, 256 locations, without backtracking", Figure::percent(1.08, 0.4);
    BACK_FEW: "tsotool-few", HPCA, "Section 5", "tsotool-fig4",
        "Time that Deriv+Back usually takes beyond the baseline with 16 threads and fewer", Figure::AtMost(0.8, Unit::Percent);
    BACK_OPERATIONS: "tsotool-grows-operations", HPCA, "Section 5, Figure 4b", "tsotool-fig4",
        "The slowdown of Deriv+Back grows with the number of operations", Figure::Words("it grows with all of p, n, and a");
    BACK_THREADS: "tsotool-grows-threads", HPCA, "Section 5, Figure 4b", "tsotool-fig4",
        "The slowdown of Deriv+Back grows with the number of threads", Figure::Words("it grows with all of p, n, and a");
    BACK_LOCATIONS: "tsotool-grows-locations", HPCA, "Section 5, Figure 4b", "tsotool-fig4",
        "The slowdown of Deriv+Back grows with the number of locations", Figure::Words("it grows with all of p, n, and a");
    BACK_SCALES: "tsotool-scales", HPCA, "Section 5, Figure 4", "tsotool-fig4",
        "The slowdown grows less with the number of operations than the time of the baseline", Figure::Words("the slope is less");
    BACK_MINUTES: "tsotool-minutes", HPCA, "Section 5", "tsotool-fig4",
        "The longest time of Deriv+Back for 512K operations of 60 threads", Figure::AtMost(300.0, Unit::Seconds);
    MIX_BASELINE: "tsotool-table1-baseline", HPCA, "Table 1", "tsotool-table1",
        "The baseline takes longer the more stores there are", Figure::Rising([14.9, 16.5, 17.5], Unit::Seconds);
    MIX_SLOWDOWN: "tsotool-table1-slowdown", HPCA, "Table 1", "tsotool-table1",
        "The slowdown of Deriv+Back grows with the number of stores", Figure::Rising([1.45, 1.73, 2.05], Unit::Times);

    SIMPLE: "qadeer-simple", QADEER, "Section 5.2", "qadeer-cycles",
        "Runs of protocols for which the order in which writes happen is a witness", Figure::Part("all", 1.0);
    NICE: "qadeer-nice", QADEER, "Section 6, Theorem 6.1", "qadeer-cycles",
        "Violations that show a nice cycle of at most as many edges as there are threads or locations", Figure::Part("all", 1.0);
    SHORT: "qadeer-short", QADEER, "Section 8", "qadeer-cycles",
        "Cycles are short: the median length of the nice cycles that violations show, here beside that of the paper's own error",
        Figure::About { value: 2.0, within: 1.0, unit: Unit::Count };

    BURNIM_TSO: "burnim-tso", BURNIM, "Section 7, Tables 1 and 2", "burnim-table1",
        "The data structures have no violation of SC under TSO", Figure::Words("none of 5");
    BURNIM_PSO: "burnim-pso", BURNIM, "Section 7, Tables 1 and 2", "burnim-table1",
        "All benchmarks have violations of SC under PSO", Figure::Words("7 of 7");
    BURNIM_OVERHEAD: "burnim-overhead", BURNIM, "Section 7", "burnim-table1",
        "Monitoring takes little beyond exploring", Figure::Words("20 % for data structures, 100 % for mutual exclusion");

    CAMPAIGN_CAUSAL: "mutants-causal", GRADUAL, "Section 5.1", "mutants",
        "Violations by mutants that break CC or CCv", Figure::percent(0.5, 0.1);
    CAMPAIGN_CCM: "mutants-ccm", GRADUAL, "Introduction", "mutants",
        "Violations of SC by mutants that break CCM", Figure::Part("most", 0.5);
    CAMPAIGN_WCCM: "mutants-wccm", GRADUAL, "Introduction", "mutants",
        "Violations of TSO by mutants that break wCCM", Figure::Part("most", 0.5);
    CAMPAIGN_WSC: "mutants-wsc", BOOSTING, "Section 7", "mutants",
        "Violations of SC by mutants that break wSC", Figure::Part("almost all", 0.95);
    CAMPAIGN_ESCAPING: "mutants-escaping", BOOSTING, "Section 6", "mutants",
        "Violations by mutants that escape CCM and are caught by wSC", Figure::Rare(0.0125);
}
