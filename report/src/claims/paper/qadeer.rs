//! The claims of Qadeer: *Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking*.

use super::{PublishedClaim, PublishedResult, QADEER, Rule, Unit};
use crate::claims::qadeer;

published! {
    SIMPLE: "qadeer-simple", QADEER, "Section 5.2", "qadeer-cycles",
        "Runs of protocols for which the order in which writes happen is a witness", PublishedResult::Part("all", 1.0),
        |_, at| qadeer::simple(at);
    NICE: "qadeer-nice", QADEER, "Section 6, Theorem 6.1", "qadeer-cycles",
        "Violations that show a nice cycle of at most as many edges as there are threads or locations", PublishedResult::Part("all", 1.0),
        |_, at| qadeer::nice(at);
    PIRANHA: "qadeer-piranha", QADEER, "Section 8, Figure 1", "qadeer-systems",
        "The memory system of Figure 1 is SC with two processors and two locations", PublishedResult::Words("it is", Rule::NoCycle),
        |_, at| qadeer::piranha(at);
    PIRANHA_ERROR: "qadeer-error", QADEER, "Section 8", "qadeer-systems",
        "Events of the run in which its earlier version has a 2-nice cycle", PublishedResult::About(12.0, Unit::Count),
        |claim, at| qadeer::error(at, *claim);
    LAZY: "qadeer-lazy", QADEER, "Section 10", "qadeer-systems",
        "The simple witness is not correct for lazy caching; the method can be used if writes are ordered before they are read",
        PublishedResult::Words("ordering decisions are made before", Rule::OtherWitness),
        |_, at| qadeer::lazy(at);
}
