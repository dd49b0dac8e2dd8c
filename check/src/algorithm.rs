//! The table of all algorithms: this program's own stages, and the papers' algorithms.
//!
//! The row of an algorithm has its name, a description, where it is published, which answers it can give, and
//! the models it applies to. Names, help texts and lists all come from the table. To add an algorithm, add its
//! row, and the function that runs it in [`crate::papers`].

use certify::criterion::Criterion;
use memory::Model;

/// The answers that an algorithm can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// The algorithm decides whether the history satisfies the model, given enough time and memory.
    Complete,
    /// The algorithm finds only violations of the model.
    Refutes,
    /// The algorithm finds only that the history satisfies the model.
    Proves,
    /// The algorithm finds both, but may give up.
    Incomplete,
    /// The algorithm decides a criterion that is weaker than the model.
    Criterion {
        /// The weakest model whose histories all satisfy the criterion.
        follows_from: Model,
    },
}

/// The definition of an algorithm: a row of the table.
struct AlgorithmRow {
    /// The name on the command line and in tables.
    name: &'static str,
    /// What the algorithm does, as a sentence.
    title: &'static str,
    power: Power,
    /// The models that the algorithm applies to; `None` for all.
    models: Option<&'static [Model]>,
    /// The paper and section that define the algorithm; empty for a stage.
    paper: &'static str,
}

const SC: Option<&[Model]> = Some(&[Model::SC]);
const TSO: Option<&[Model]> = Some(&[Model::TSO]);
const SC_AND_TSO: Option<&[Model]> = Some(&[Model::SC, Model::TSO]);

const fn below(criterion: Criterion) -> Power {
    Power::Criterion { follows_from: criterion.weakest_model() }
}

const BELOW_SC: Power = Power::Criterion { follows_from: Model::SC };
const BELOW_TSO: Power = Power::Criterion { follows_from: Model::TSO };

macro_rules! algorithms {
    ($(#[doc = $title:literal] $(#[$attribute:ident])? $variant:ident = $name:literal, $power:expr, $models:expr, $paper:literal;)*) => {
        /// An algorithm that decides histories. The stages of this program come first, then the
        /// algorithms of [papers](crate::papers), paper by paper.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub enum Algorithm {
            $(#[doc = $title] $(#[$attribute])? $variant,)*
        }

        const TABLE: &[AlgorithmRow] = &[$(AlgorithmRow {
            name: $name,
            title: $title,
            power: $power,
            models: $models,
            paper: $paper,
        },)*];

        impl Algorithm {
            /// Every algorithm, in the order of the table.
            pub const ALL: [Algorithm; TABLE.len()] = [$(Algorithm::$variant,)*];
        }
    };
}

algorithms! {
    /// Runs the stages in turn, until one decides.
    #[default]
    Stages = "stages", Power::Complete, None, "";
    /// Tries the trace's own order of completions as a run.
    TraceOrder = "trace-order", Power::Proves, None, "";
    /// Derives the order that the reads force.
    Saturate = "saturate", Power::Refutes, None, "";
    /// Derives forced order, then searches for a memory order.
    Complete = "complete", Power::Complete, None, "";
    /// Derives forced order, then asks a SAT solver about the pairs of writes that are left unordered.
    Sat = "sat", Power::Complete, None, "";
    /// Checks causal consistency, CC.
    Cc = "cc", below(Criterion::Cc), SC_AND_TSO, "CAV 2019, section 3.1";
    /// Checks causal convergence, CCv.
    Ccv = "ccv", below(Criterion::Ccv), SC_AND_TSO, "CAV 2019, section 3.1";
    /// Checks causal memory, CM.
    Cm = "cm", below(Criterion::Cm), SC, "CAV 2019, section 3.1";
    /// Checks convergent causal memory, CCM.
    Ccm = "ccm", below(Criterion::Ccm), SC, "CAV 2019, section 3.2";
    /// Checks weak convergent causal memory, wCCM.
    Wccm = "wccm", below(Criterion::Wccm), TSO, "CAV 2019, section 4.1";
    /// Solves the axioms of SC as one formula.
    ScSat = "sc-sat", Power::Complete, SC, "CAV 2019, section 5";
    /// Solves the axioms of TSO as one formula.
    TsoSat = "tso-sat", Power::Complete, TSO, "CAV 2019, section 5";
    /// Checks CC, CCv and CCM, then enumerates store orders.
    ScCcmEnum = "sc-ccm-enum", Power::Complete, SC, "CAV 2019, Algorithm 1";
    /// Checks CC, CCv and CCM, then solves the rest by SAT.
    ScCcmSat = "sc-ccm-sat", Power::Complete, SC, "CAV 2019, section 5.1";
    /// Checks wCCM, then enumerates store orders.
    TsoWccmEnum = "tso-wccm-enum", Power::Complete, TSO, "CAV 2019, Algorithm 2";
    /// Checks wCCM, then solves the rest by SAT.
    TsoWccmSat = "tso-wccm-sat", Power::Complete, TSO, "CAV 2019, section 5.1";
    /// Checks weak sequential consistency, wSC.
    Wsc = "wsc", BELOW_SC, SC, "Boosting, section 3";
    /// Checks the counterpart of wSC for TSO.
    Wtso = "wtso", BELOW_TSO, TSO, "Boosting, section 3";
    /// Checks wSC with the six-write pattern.
    WscPattern = "wsc-pattern", BELOW_SC, SC, "Boosting, section 4";
    /// Checks wSC while guessing the order of one pair of writes.
    WscGuess1 = "wsc-guess1", BELOW_SC, SC, "Boosting, section 4";
    /// Checks wSC, then solves the rest by SAT.
    WscEnum = "wsc-enum", Power::Complete, SC, "Boosting, section 5";
    /// Checks CCM, then solves the rest by SAT.
    CcmEnum = "ccm-enum", Power::Complete, SC, "Boosting, section 5";
    /// Searches interleavings with memoized frontiers.
    Dbcop = "dbcop", Power::Complete, SC, "Boosting, section 5";
    /// Searches interleavings that keep the order of wSC.
    WscDbcop = "wsc-dbcop", Power::Complete, SC, "Boosting, section 5";
    /// Applies rules R1 to R7.
    TsoBaseline = "tso-baseline", Power::Refutes, SC_AND_TSO, "HPCA 2006, section 4.1";
    /// Applies rules R1 to R8.
    HpcaR8 = "hpca-r8", Power::Refutes, SC_AND_TSO, "HPCA 2006, section 4.2";
    /// Sorts topologically with active stores.
    Heu = "heu", Power::Incomplete, SC_AND_TSO, "HPCA 2006, section 4.2.1";
    /// Sorts topologically and derives edges after each store.
    Deriv = "deriv", Power::Incomplete, SC_AND_TSO, "HPCA 2006, section 4.2.2";
    /// Sorts as `heu` does, with backtracking.
    HeuBack = "heu-back", Power::Complete, SC_AND_TSO, "HPCA 2006, section 4.2.3";
    /// Sorts as `deriv` does, with backtracking.
    DerivBack = "deriv-back", Power::Complete, SC_AND_TSO, "HPCA 2006, section 4.2.3";
    /// Tries the order of completions as store order.
    SimpleWitness = "simple-witness", Power::Proves, SC, "Qadeer, section 5.2";
    /// Looks for a k-nice cycle relative to the order of completions.
    NiceCycle = "nice-cycle", Power::Proves, SC, "Qadeer, section 6";
}

impl Algorithm {
    fn row(self) -> &'static AlgorithmRow {
        &TABLE[self as usize]
    }

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The algorithm of that name, which may be a former name.
    pub fn from_name(name: &str) -> Option<Algorithm> {
        let is_named = |it: &Algorithm| it.name() == name || it.former_name() == Some(name);
        Algorithm::ALL.into_iter().find(is_named)
    }

    /// The name that the algorithm had in earlier versions, which is still accepted.
    pub fn former_name(self) -> Option<&'static str> {
        (self == Algorithm::TraceOrder).then_some("temporal")
    }

    /// What the algorithm does, as a sentence.
    pub fn title(self) -> &'static str {
        self.row().title.trim()
    }

    /// Where the algorithm is published; empty for a stage.
    pub fn paper(self) -> &'static str {
        self.row().paper
    }

    /// Whether the algorithm is this program's own, and not that of a paper.
    pub fn is_stage(self) -> bool {
        self.row().paper.is_empty()
    }

    /// The answers that the algorithm can give.
    pub fn power(self) -> Power {
        self.row().power
    }

    /// Whether the algorithm can be run for a model.
    pub fn applies_to(self, model: Model) -> bool {
        self.row().models.is_none_or(|models| models.contains(&model))
    }

    /// The model that the algorithm is run for by default.
    pub fn default_model(self) -> Model {
        if self.applies_to(Model::SC) { Model::SC } else { Model::TSO }
    }

    /// The name of the criterion that the algorithm decides; `None` if it decides a model.
    pub fn criterion(self) -> Option<&'static str> {
        matches!(self.power(), Power::Criterion { .. }).then(|| self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_algorithm_has_a_model() {
        for (at, algorithm) in Algorithm::ALL.into_iter().enumerate() {
            let others = &Algorithm::ALL[..at];
            assert!(others.iter().all(|other| other.name() != algorithm.name()));
            assert!(algorithm.applies_to(algorithm.default_model()));
            assert_eq!(algorithm.paper().is_empty(), algorithm.is_stage());
        }
    }

    #[test]
    fn pso_is_for_the_stages() {
        let pso = Model::PSO;
        let applicable = Algorithm::ALL.into_iter().filter(|a| a.applies_to(pso));
        assert_eq!(applicable.count(), 5);
    }
}
