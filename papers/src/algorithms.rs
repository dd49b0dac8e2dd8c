//! The table of the papers' algorithms: each has its name, a description, where it is published, which answers it can give, the models that it
//! applies to, and the function that runs it. Names, help texts and lists all come from the table. To add an algorithm, add its row and its
//! function.

use certify::criterion::Criterion;
use check::Algorithm;
use check::algorithm::Power;
use check::published::{Answer, Problem, Published, Report, may_start};
use memory::Model;

use crate::execution::Execution;
use crate::{criteria, dbcop, gradual, hpca, qadeer, saturation};

const SC: Option<&[Model]> = Some(&[Model::SC]);
const TSO: Option<&[Model]> = Some(&[Model::TSO]);
const SC_AND_TSO: Option<&[Model]> = Some(&[Model::SC, Model::TSO]);

const fn below(criterion: Criterion) -> Power {
    Power::Criterion { follows_from: criterion.weakest_model() }
}

const BELOW_SC: Power = Power::Criterion { follows_from: Model::SC };
const BELOW_TSO: Power = Power::Criterion { follows_from: Model::TSO };

macro_rules! algorithms {
    ($(#[doc = $title:literal] $constant:ident = $name:literal, $power:expr, $models:expr, $paper:literal, $run:path;)*) => {
        $(
            #[doc = $title]
            pub const $constant: Algorithm = Algorithm::Published(&Published {
                name: $name,
                title: $title,
                power: $power,
                models: $models,
                paper: $paper,
                run: |problem| run(problem, $run),
            });
        )*

        /// The algorithms of the papers, paper by paper.
        const PUBLISHED: &[Algorithm] = &[$($constant),*];
    };
}

algorithms! {
    /// Checks causal consistency, CC.
    CC = "cc", below(Criterion::Cc), SC_AND_TSO, "CAV 2019, section 3.1", criteria::causal::cc;
    /// Checks causal convergence, CCv.
    CCV = "ccv", below(Criterion::Ccv), SC_AND_TSO, "CAV 2019, section 3.1", criteria::causal::ccv;
    /// Checks causal memory, CM.
    CM = "cm", below(Criterion::Cm), SC, "CAV 2019, section 3.1", criteria::convergent::cm;
    /// Checks convergent causal memory, CCM.
    CCM = "ccm", below(Criterion::Ccm), SC, "CAV 2019, section 3.2", criteria::convergent::ccm;
    /// Checks weak convergent causal memory, wCCM.
    WCCM = "wccm", below(Criterion::Wccm), TSO, "CAV 2019, section 4.1", criteria::weak::wccm;
    /// Checks CCM from the relations of all operations, as published.
    CCM_PUBLISHED = "ccm-published", BELOW_SC, SC, "CAV 2019, section 3.2", criteria::published::ccm;
    /// Checks wCCM from the relations of all operations, as published.
    WCCM_PUBLISHED = "wccm-published", BELOW_TSO, TSO, "CAV 2019, section 4.1", criteria::published::wccm;
    /// Solves the axioms of SC as one formula.
    SC_SAT = "sc-sat", Power::Complete, SC, "CAV 2019, section 5", gradual::axioms;
    /// Solves the axioms of TSO as one formula.
    TSO_SAT = "tso-sat", Power::Complete, TSO, "CAV 2019, section 5", gradual::axioms;
    /// Checks CC, CCv and CCM, then enumerates store orders.
    SC_CCM_ENUM = "sc-ccm-enum", Power::Complete, SC, "CAV 2019, Algorithm 1", gradual::sc_ccm_enum;
    /// Checks CC, CCv and CCM, then solves the rest by SAT.
    SC_CCM_SAT = "sc-ccm-sat", Power::Complete, SC, "CAV 2019, section 5.1", gradual::sc_ccm_sat;
    /// Checks wCCM, then enumerates store orders.
    TSO_WCCM_ENUM = "tso-wccm-enum", Power::Complete, TSO, "CAV 2019, Algorithm 2", gradual::tso_wccm_enum;
    /// Checks wCCM, then solves the rest by SAT.
    TSO_WCCM_SAT = "tso-wccm-sat", Power::Complete, TSO, "CAV 2019, section 5.1", gradual::one_criterion_sat;
    /// Checks CC, CCv and CCM as published, then enumerates store orders.
    SC_CCM_ENUM_PUBLISHED = "sc-ccm-enum-published", Power::Complete, SC, "CAV 2019, Algorithm 1", gradual::sc_ccm_enum_published;
    /// Checks CC, CCv and CCM as published, then solves the rest by SAT.
    SC_CCM_SAT_PUBLISHED = "sc-ccm-sat-published", Power::Complete, SC, "CAV 2019, section 5.1", gradual::sc_ccm_sat_published;
    /// Checks wCCM as published, then enumerates store orders.
    TSO_WCCM_ENUM_PUBLISHED = "tso-wccm-enum-published", Power::Complete, TSO, "CAV 2019, Algorithm 2", gradual::tso_wccm_enum_published;
    /// Checks wCCM as published, then solves the rest by SAT.
    TSO_WCCM_SAT_PUBLISHED = "tso-wccm-sat-published", Power::Complete, TSO, "CAV 2019, section 5.1", gradual::one_criterion_sat_published;
    /// Checks weak sequential consistency, wSC.
    WSC = "wsc", BELOW_SC, SC, "Boosting, section 3", saturation::clocks::decide;
    /// Checks the counterpart of wSC for TSO.
    WTSO = "wtso", BELOW_TSO, TSO, "Boosting, section 3", saturation::clocks::decide;
    /// Checks wSC with the six-write pattern.
    WSC_PATTERN = "wsc-pattern", BELOW_SC, SC, "Boosting, section 4", saturation::pattern::decide;
    /// Checks wSC while guessing the order of one pair of writes.
    WSC_GUESS1 = "wsc-guess1", BELOW_SC, SC, "Boosting, section 4", saturation::guess::decide;
    /// Checks wSC, then solves the rest by SAT.
    WSC_ENUM = "wsc-enum", Power::Complete, SC, "Boosting, section 5", gradual::wsc_enum;
    /// Checks CCM, then solves the rest by SAT.
    CCM_ENUM = "ccm-enum", Power::Complete, SC, "Boosting, section 5", gradual::one_criterion_sat;
    /// Checks wSC by the fixpoint as published.
    WSC_PUBLISHED = "wsc-published", BELOW_SC, SC, "Boosting, section 3", saturation::published;
    /// Checks CCM as published, then solves the rest by SAT.
    CCM_ENUM_PUBLISHED = "ccm-enum-published", Power::Complete, SC, "Boosting, section 5", gradual::one_criterion_sat_published;
    /// Searches interleavings that keep the order of wSC as published.
    WSC_DBCOP_PUBLISHED = "wsc-dbcop-published", Power::Complete, SC, "Boosting, section 5", dbcop::wsc_dbcop_published;
    /// Searches interleavings with memoized frontiers.
    DBCOP = "dbcop", Power::Complete, SC, "Boosting, section 5", dbcop::dbcop;
    /// Searches interleavings that keep the order of wSC.
    WSC_DBCOP = "wsc-dbcop", Power::Complete, SC, "Boosting, section 5", dbcop::wsc_dbcop;
    /// Applies rules R1 to R7.
    TSO_BASELINE = "tso-baseline", Power::Refutes, SC_AND_TSO, "HPCA 2006, section 4.1", hpca::tso_baseline;
    /// Applies rules R1 to R7 as Figure 1 does, with swaps as stores alone.
    TSO_BASELINE_FIGURE = "tso-baseline-figure", Power::Refutes, SC_AND_TSO, "HPCA 2006, Figure 1", hpca::tso_baseline_figure;
    /// Applies rules R1 to R8.
    HPCA_R8 = "hpca-r8", Power::Refutes, SC_AND_TSO, "HPCA 2006, section 4.2", hpca::hpca_r8;
    /// Sorts topologically with active stores.
    HEU = "heu", Power::Incomplete, SC_AND_TSO, "HPCA 2006, section 4.2.1", hpca::heu;
    /// Sorts topologically and derives edges after each store.
    DERIV = "deriv", Power::Incomplete, SC_AND_TSO, "HPCA 2006, section 4.2.2", hpca::deriv;
    /// Sorts as `heu` does, with backtracking.
    HEU_BACK = "heu-back", Power::Complete, SC_AND_TSO, "HPCA 2006, section 4.2.3", hpca::heu_back;
    /// Sorts as `deriv` does, with backtracking.
    DERIV_BACK = "deriv-back", Power::Complete, SC_AND_TSO, "HPCA 2006, section 4.2.3", hpca::deriv_back;
    /// Tries the order of completions as store order.
    SIMPLE_WITNESS = "simple-witness", Power::Proves, SC, "Qadeer, section 5.2", qadeer::simple;
    /// Looks for a k-nice cycle relative to the order of completions.
    NICE_CYCLE = "nice-cycle", Power::Proves, SC, "Qadeer, section 6", qadeer::nice;
}

/// Every algorithm: the stages of this program, then the algorithms of the papers, paper by paper.
pub const ALL: [Algorithm; Algorithm::STAGES.len() + PUBLISHED.len()] = {
    let mut all = [Algorithm::Stages; Algorithm::STAGES.len() + PUBLISHED.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = match at.checked_sub(Algorithm::STAGES.len()) {
            None => Algorithm::STAGES[at],
            Some(at) => PUBLISHED[at],
        };
        at += 1;
    }
    all
};

/// The algorithm of that name, which may be a former name.
pub fn from_name(name: &str) -> Option<Algorithm> {
    let is_named = |it: &Algorithm| it.name() == name || it.former_name() == Some(name);
    ALL.into_iter().find(is_named)
}

/// Runs an algorithm, if the bounds allow it to start.
fn run(problem: &Problem<'_>, algorithm: fn(&Problem<'_>) -> Report) -> Report {
    if !may_start(problem.bounds, Execution::bytes(problem.history)) {
        return Answer::Exceeded.into();
    }
    algorithm(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_algorithm_has_a_model() {
        for (at, algorithm) in ALL.into_iter().enumerate() {
            let others = &ALL[..at];
            assert!(others.iter().all(|other| other.name() != algorithm.name()));
            assert!(algorithm.applies_to(algorithm.default_model()));
            assert_eq!(algorithm.paper().is_empty(), algorithm.is_stage());
            assert_eq!(from_name(algorithm.name()), Some(algorithm));
        }
    }

    #[test]
    fn pso_is_for_the_stages() {
        let pso = Model::PSO;
        let applicable = ALL.into_iter().filter(|algorithm| algorithm.applies_to(pso));
        assert_eq!(applicable.count(), 5);
    }
}
