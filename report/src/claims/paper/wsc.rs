//! The claims of Zennou, Atig, Biswas, Bouajjani, Enea, Erradi: *Boosting Sequential Consistency Checking using Saturation*.

use super::{BOOSTING, PublishedClaim, PublishedResult, Rule, Unit};
use crate::claims::measure::Axis;
use crate::claims::wsc;

published! {
    WSC_EXACT: "wsc-kernel-exact", BOOSTING, "Section 6", "wsc-kernel",
        "Histories of which wSC computes the whole kernel", PublishedResult::percent(0.7424),
        |claim, at| wsc::kernel(at, *claim, "wsc");
    WSC_REST: "wsc-kernel-rest", BOOSTING, "Section 6", "wsc-kernel",
        "Part of the kernel that wSC computes of the other histories, on average", PublishedResult::percent(0.9997),
        |_, at| wsc::rest(at);
    CCM_EXACT: "wsc-kernel-ccm", BOOSTING, "Section 6", "wsc-kernel",
        "Histories of which CCM computes the whole kernel", PublishedResult::percent(0.007),
        |claim, at| wsc::kernel(at, *claim, "ccm");
    KERNEL_MORE: "wsc-kernel-more", BOOSTING, "Section 6", "wsc-kernel",
        "wSC computes the whole kernel of most histories, CCM of few", PublishedResult::Words("most against very few", Rule::MostAgainstFew),
        |_, at| wsc::kernel_more(at);
    WSC_PAIRS: "wsc-pairs-wsc", BOOSTING, "Section 6", "wsc-kernel",
        "Pairs of writes that wSC orders, on average over histories", PublishedResult::percent(0.9851),
        |claim, at| wsc::pairs(at, *claim, "wsc");
    CCM_PAIRS: "wsc-pairs-ccm", BOOSTING, "Section 6", "wsc-kernel",
        "Pairs of writes that CCM orders, on average over histories", PublishedResult::percent(0.9789),
        |claim, at| wsc::pairs(at, *claim, "ccm");
    PAIRS_MORE: "wsc-pairs-more", BOOSTING, "Section 6", "wsc-kernel",
        "wSC orders more pairs of writes than CCM, and not many more", PublishedResult::Words("CCM is not far from wSC", Rule::NotFar),
        |_, at| wsc::pairs_more(at);
    FIG6_DBCOP: "wsc-fig6-dbcop", BOOSTING, "Section 6, Figure 6", "wsc-fig6",
        "With few threads, DBCOP is the fastest", PublishedResult::Words("it has the best performances", Rule::Fastest),
        |_, at| wsc::fastest(at, "wsc-fig6", Axis::Operations, "dbcop");
    FIG6_ENUM: "wsc-fig6-enum", BOOSTING, "Section 6, Figure 6", "wsc-fig6",
        "wsc-enum is faster than ccm-enum when the number of operations grows", PublishedResult::Words("clearly superior", Rule::Faster),
        |_, at| wsc::enumerating(at, "wsc-fig6", Axis::Operations);
    FIG7_DBCOP: "wsc-fig7-dbcop", BOOSTING, "Section 6, Figure 7", "wsc-fig7",
        "Beyond 8 threads DBCOP degrades, more than the algorithms that saturate", PublishedResult::Words("DBCOP degrades, the others are more scalable", Rule::Degrades),
        |_, at| wsc::degrades(at);
    FIG7_BEST: "wsc-fig7-best", BOOSTING, "Section 6, Figure 7", "wsc-fig7",
        "wsc-dbcop is the fastest", PublishedResult::Words("it achieves the best performances", Rule::Fastest),
        |_, at| wsc::fastest(at, "wsc-fig7", Axis::Threads, wsc::WSC_DBCOP);
    FIG7_ENUM: "wsc-fig7-enum", BOOSTING, "Section 6, Figure 7", "wsc-fig7",
        "wsc-enum is faster than ccm-enum when the number of threads grows", PublishedResult::Words("it performs better", Rule::Faster),
        |_, at| wsc::enumerating(at, "wsc-fig7", Axis::Threads);
    FIG8_SIMILAR: "wsc-fig8-similar", BOOSTING, "Section 6, Figure 8", "wsc-fig8",
        "With half of the histories invalid, times are similar to those of valid ones", PublishedResult::Words("very similar", Rule::Similar),
        |_, at| wsc::similar(at);
    FIG9_ALL: "wsc-fig9-all", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "Violations of SC that violate wSC", PublishedResult::Part("all", 1.0),
        |_, at| wsc::all_refuted(at);
    FIG9_CCM: "wsc-fig9-ccm", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "wSC saturation is faster than CCM's on violations", PublishedResult::Words("more efficient", Rule::Faster),
        |_, at| wsc::saturating(at);
    FIG9_MISSES: "wsc-fig9-misses", BOOSTING, "Section 6", "wsc-fig9",
        "Violations of SC that CCM does not refute", PublishedResult::percent(0.0125),
        |_, at| wsc::misses(at);
    FIG9_MORE: "wsc-fig9-more", BOOSTING, "Section 6", "wsc-fig9",
        "wSC refutes violations that CCM does not", PublishedResult::Words("it captures more", Rule::RefutesMore),
        |_, at| wsc::more(at);
    FIG9_DBCOP: "wsc-fig9-dbcop", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "How many times as long as wSC DBCOP takes for violations of 8 threads", PublishedResult::AtLeast(70.0, Unit::Times),
        |_, at| wsc::dbcop(at);
    FIG9_BEYOND: "wsc-fig9-beyond", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "Beyond 8 threads the advantage of wSC over DBCOP on violations is higher still", PublishedResult::Words("by that factor and higher", Rule::Grows),
        |_, at| wsc::beyond(at);
    FIG9_SECONDS: "wsc-fig9-seconds", BOOSTING, "Section 6", "wsc-fig9",
        "The longest time that wSC takes for a violation", PublishedResult::AtMost(8.0, Unit::Seconds),
        |_, at| wsc::longest(at);
}
