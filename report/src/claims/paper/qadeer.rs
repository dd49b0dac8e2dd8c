//! The claims of Qadeer: *Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking*.

use super::{PublishedClaim, PublishedResult, QADEER};
use crate::claims::qadeer;

published! {
    SIMPLE: "qadeer-simple", QADEER, "Section 5.2", "qadeer-cycles",
        "Runs of protocols for which the order in which writes happen is a witness", PublishedResult::Part("all", 1.0),
        |_, at| qadeer::simple(at);
    NICE: "qadeer-nice", QADEER, "Section 6, Theorem 6.1", "qadeer-cycles",
        "Violations that show a nice cycle of at most as many edges as there are threads or locations", PublishedResult::Part("all", 1.0),
        |_, at| qadeer::nice(at);
}
