//! The claims of Burnim, Sen, Stergiou: *Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory Models*.

use super::{BURNIM, PublishedClaim, PublishedResult, Rule};
use crate::claims::burnim;

published! {
    BURNIM_TSO: "burnim-tso", BURNIM, "Section 7, Tables 1 and 2", "burnim-table1",
        "The data structures have no violation of SC under TSO", PublishedResult::Words("none of 5", Rule::NoneHas),
        |_, at| burnim::none_under_tso(at);
    BURNIM_PSO: "burnim-pso", BURNIM, "Section 7, Tables 1 and 2", "burnim-table1",
        "All benchmarks have violations of SC under PSO", PublishedResult::Words("7 of 7", Rule::EachHas),
        |_, at| burnim::some_under_pso(at);
    BURNIM_OVERHEAD: "burnim-overhead", BURNIM, "Section 7", "burnim-table1",
        "Time that both monitors take beyond exploring", PublishedResult::Words("20 % for data structures, 100 % for mutual exclusion", Rule::Roughly),
        |_, at| burnim::overhead(at);
}
