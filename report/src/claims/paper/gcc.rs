//! The claims of Zennou, Bouajjani, Enea, Erradi: *Gradual Consistency Checking*, CAV 2019.

use super::{GRADUAL, PublishedClaim, PublishedResult, Rule};
use crate::claims::gcc;
use crate::claims::measure::Axis;

published! {
    GCC_FASTER: "gcc-fig4-faster", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "Gradual checking of SC is faster than a SAT encoding of its axioms", PublishedResult::Words("it scales much better", Rule::Faster),
        |_, at| gcc::faster(at, &gcc::SC);
    GCC_OPERATIONS: "gcc-fig4-operations", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "The advantage of gradual checking of SC over the SAT encoding grows with the number of operations", PublishedResult::Words("it scales much better", Rule::Grows),
        |_, at| gcc::grows(at, &gcc::SC, Axis::Operations);
    GCC_THREADS: "gcc-fig4-threads", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "The advantage of gradual checking of SC over the SAT encoding grows with the number of cpus", PublishedResult::Words("it scales much better", Rule::Grows),
        |_, at| gcc::grows(at, &gcc::SC, Axis::Threads);
    GCC_ENUM: "gcc-fig4-enum", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "For SC, enumerating what CCM leaves open takes about as long as SAT does", PublishedResult::Words("the difference is not significant", Rule::Alike),
        |_, at| gcc::alike(at);
    GCC_UNORDERED_CCM: "gcc-unordered-ccm", GRADUAL, "Section 5.1", "gcc-unordered",
        "Pairs of writes that CCM leaves unordered, on average over valid histories", PublishedResult::percent(0.066),
        |claim, at| gcc::unordered(at, *claim, "sc", "ccm");
    GCC_UNORDERED_CCV: "gcc-unordered-ccv", GRADUAL, "Section 5.1", "gcc-unordered",
        "Pairs of writes that CCv leaves unordered, on average over valid histories", PublishedResult::percent(0.5775),
        |_, at| gcc::unordered_ccv(at);
    GCC_UNORDERED_MORE: "gcc-unordered-more", GRADUAL, "Section 5.1", "gcc-unordered",
        "CCv leaves far more pairs of writes unordered than CCM", PublishedResult::Words("a drastic increase", Rule::FarMore),
        |_, at| gcc::unordered_more(at);
    GCC_UNORDERED_WCCM: "gcc-unordered-wccm", GRADUAL, "Introduction", "gcc-unordered",
        "Pairs of writes that wCCM leaves unordered under TSO, on average over valid histories", PublishedResult::percent(0.066),
        |claim, at| gcc::unordered(at, *claim, "tso", "wccm");
    GCC_VIOLATIONS: "gcc-fig5-ccm", GRADUAL, "Section 5.1, Figure 5", "gcc-fig5-reordered",
        "Violations of SC by MI with reordered statements that violate CCM too", PublishedResult::Part("all", 1.0),
        |_, at| gcc::refuted(at);
    GCC_CAUSAL: "gcc-fig5-causal", GRADUAL, "Section 5.1", "gcc-fig5-reordered",
        "Violations of SC by MI with reordered statements that violate CC or CCv", PublishedResult::percent(0.5),
        |_, at| gcc::causal(at);
    GCC_SAME: "gcc-fig5-same", GRADUAL, "Section 5.1, Figure 5", "gcc-fig5",
        "On violations, enumerating and SAT take the same time, since CCM refutes them before", PublishedResult::Words("the same", Rule::Alike),
        |_, at| gcc::same(at);
    GCC_TSO_FASTER: "gcc-fig6-faster", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "Gradual checking of TSO is faster than a SAT encoding of its axioms", PublishedResult::Words("it scales better", Rule::Faster),
        |_, at| gcc::faster(at, &gcc::TSO);
    GCC_TSO_OPERATIONS: "gcc-fig6-operations", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "The advantage of gradual checking of TSO over the SAT encoding grows with the number of operations", PublishedResult::Words("it scales better", Rule::Grows),
        |_, at| gcc::grows(at, &gcc::TSO, Axis::Operations);
    GCC_TSO_THREADS: "gcc-fig6-threads", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "The advantage of gradual checking of TSO over the SAT encoding grows with the number of cpus", PublishedResult::Words("it scales better", Rule::Grows),
        |_, at| gcc::grows(at, &gcc::TSO, Axis::Threads);
    GCC_TSO_ENUM: "gcc-fig6-enum", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "For TSO, SAT over what wCCM leaves open is faster than enumerating it", PublishedResult::Words("SAT outperforms enumeration", Rule::Faster),
        |_, at| gcc::outperforms(at);
}
