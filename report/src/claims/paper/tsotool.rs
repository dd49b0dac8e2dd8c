//! The claims of Manovit, Hangal: *Completely Verifying Memory Consistency of Test Program Executions*, HPCA 2006.

use super::{HPCA, PublishedClaim, PublishedResult, Rule, Unit};
use crate::claims::measure::Axis;
use crate::claims::tsotool;

published! {
    FIG3_BETTER: "tsotool-fig3-better", HPCA, "Section 5, Figure 3", "tsotool-fig3",
        "Deriv finds an order more often than Heu", PublishedResult::Words("a significant improvement", Rule::FindsMore),
        |_, at| tsotool::better(at);
    FIG3_INCOMPLETE: "tsotool-fig3-incomplete", HPCA, "Section 5, Figure 3", "tsotool-fig3",
        "Deriv does not always find an order", PublishedResult::Words("incomplete when sharing is intense", Rule::Incomplete),
        |_, at| tsotool::incomplete(at);
    FIG3_SHARING: "tsotool-fig3-sharing", HPCA, "Sections 4.2.1 and 5, Figure 3", "tsotool-fig3",
        "Heu and Deriv find an order less often with more threads for each location", PublishedResult::Words("adequate only for low p/a", Rule::FindsLess),
        |_, at| tsotool::sharing(at);
    FIG3_LONGER: "tsotool-fig3-longer", HPCA, "Section 5", "tsotool-fig4",
        "Heu and Deriv find an order less often in longer programs", PublishedResult::Words("effectiveness decreases with n", Rule::FindsLess),
        |_, at| tsotool::longer(at);
    BACK_ALWAYS: "tsotool-always", HPCA, "Section 5", "tsotool-fig3",
        "Histories of which Deriv+Back finds an order", PublishedResult::Part("all", 1.0),
        |_, at| tsotool::always(at);
    BACK_BACKTRACKS: "tsotool-backtracks", HPCA, "Section 5", "tsotool-fig3",
        "The most backtracks of Deriv+Back", PublishedResult::AtMost(75.0, Unit::Count),
        |claim, at| tsotool::most(at, *claim, |row| row.backtracks);
    BACK_DEPTH: "tsotool-depth", HPCA, "Section 5", "tsotool-fig3",
        "The most choices that Deriv+Back takes back at a time", PublishedResult::AtMost(1.0, Unit::Count),
        |claim, at| tsotool::most(at, *claim, |row| row.depth);
    HEU_BACK: "tsotool-heu-back", HPCA, "Section 5", "tsotool-fig3",
        "Heu+Back does not finish but with few threads", PublishedResult::Words("not in a reasonable amount of time", Rule::SeldomFinishes),
        |_, at| tsotool::heu_back(at);
    HEU_OVERHEAD: "tsotool-heu", HPCA, "Section 5", "tsotool-fig3",
        "Time that Heu takes beyond the baseline", PublishedResult::percent(0.1),
        |_, at| tsotool::times::heu(at);
    BACK_SLOWDOWN: "tsotool-slowdown", HPCA, "Abstract, Section 5", "tsotool-fig4",
        "How many times as long as the baseline Deriv+Back takes, on average", PublishedResult::AtMost(2.6, Unit::Times),
        |_, at| tsotool::times::slowdown(at);
    BACK_LARGEST: "tsotool-largest", HPCA, "Section 5", "tsotool-fig4",
        "Time of Deriv+Back beyond the baseline for 512K operations, 60 threads, 256 locations, if it backtracks", PublishedResult::percent(1.18),
        |claim, at| tsotool::times::largest(at, *claim, true);
    DERIV_LARGEST: "tsotool-largest-deriv", HPCA, "Section 5", "tsotool-fig4",
        "Time beyond the baseline for 512K operations, 60 threads, 256 locations, without backtracking", PublishedResult::percent(1.08),
        |claim, at| tsotool::times::largest(at, *claim, false);
    BACK_FEW: "tsotool-few", HPCA, "Section 5", "tsotool-fig4",
        "Time that Deriv+Back usually takes beyond the baseline with 16 threads and fewer", PublishedResult::AtMost(0.8, Unit::Percent),
        |_, at| tsotool::times::few(at);
    BACK_OPERATIONS: "tsotool-grows-operations", HPCA, "Section 5, Figure 4b", "tsotool-fig4",
        "The slowdown of Deriv+Back grows with the number of operations", PublishedResult::Words("it grows with all of p, n, and a", Rule::SlowdownGrows),
        |_, at| tsotool::times::grows(at, Axis::Operations);
    BACK_THREADS: "tsotool-grows-threads", HPCA, "Section 5, Figure 4b", "tsotool-fig4",
        "The slowdown of Deriv+Back grows with the number of threads", PublishedResult::Words("it grows with all of p, n, and a", Rule::SlowdownGrows),
        |_, at| tsotool::times::grows(at, Axis::Threads);
    BACK_LOCATIONS: "tsotool-grows-locations", HPCA, "Section 5, Figure 4b", "tsotool-fig4",
        "The slowdown of Deriv+Back grows with the number of locations", PublishedResult::Words("it grows with all of p, n, and a", Rule::SlowdownGrows),
        |_, at| tsotool::times::grows(at, Axis::Locations);
    BACK_SCALES: "tsotool-scales", HPCA, "Section 5, Figure 4", "tsotool-fig4",
        "The slowdown grows less with the number of operations than the time of the baseline", PublishedResult::Words("the slope is less", Rule::Scales),
        |_, at| tsotool::times::scales(at);
    BACK_MINUTES: "tsotool-minutes", HPCA, "Section 5", "tsotool-fig4",
        "The longest time of Deriv+Back for 512K operations of 60 threads", PublishedResult::AtMost(300.0, Unit::Seconds),
        |_, at| tsotool::times::minutes(at);
    HEU_FAILS: "tsotool-heu-fails", HPCA, "Section 1", "tsotool-fig3",
        "The most programs of 16 threads for which Heu finds no order", PublishedResult::percent(0.8),
        |claim, at| tsotool::fails(at, *claim);
    UNAIDED_LESS: "tsotool-no-baseline-less", HPCA, "Section 5", "tsotool-no-baseline",
        "Without the baseline Heu and Deriv find an order less often", PublishedResult::Words("effectiveness reduced dramatically", Rule::FindsMore),
        |_, at| tsotool::unaided::less_often(at);
    UNAIDED_TIME: "tsotool-no-baseline-time", HPCA, "Section 5", "tsotool-no-baseline",
        "Without the baseline Deriv+Back takes far longer, since it backtracks more", PublishedResult::Words("the time exploded", Rule::Explodes),
        |_, at| tsotool::unaided::explodes(at);
    TIPPING: "tsotool-stores", HPCA, "Section 5", "tsotool-stores",
        "With ever more stores, and at last no loads, the time of the analysis begins to fall", PublishedResult::Words("a tipping point is expected", Rule::Tips),
        |_, at| tsotool::unaided::tips(at);
    MIX_BASELINE: "tsotool-table1-baseline", HPCA, "Table 1", "tsotool-table1",
        "The baseline takes longer the more stores there are", PublishedResult::Rising([14.9, 16.5, 17.5], Unit::Seconds),
        |claim, at| tsotool::times::mixes(at, tsotool::times::baselines, *claim);
    MIX_SLOWDOWN: "tsotool-table1-slowdown", HPCA, "Table 1", "tsotool-table1",
        "The slowdown of Deriv+Back grows with the number of stores", PublishedResult::Rising([1.45, 1.73, 2.05], Unit::Times),
        |claim, at| tsotool::times::mixes(at, tsotool::times::ratios, *claim);
}
