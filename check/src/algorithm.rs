//! What can decide: the stages of this program, and the papers' algorithms beside them.

use certify::criterion::Criterion;
use memory::Model;

/// What decides. Those that a paper describes are in [`crate::papers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// Every stage in turn.
    #[default]
    Stages,
    /// The trace's order as a guess; can only find consistency.
    Temporal,
    /// Forced order; can only find violations.
    Saturate,
    /// Saturation and search, without the temporal guess; complete.
    Complete,
    /// Saturation, then SAT over the pairs of writes that it leaves unordered; complete.
    Sat,
    /// Causal consistency (CAV 2019, section 3.1).
    Cc,
    /// Causal convergence.
    Ccv,
    /// Causal memory.
    Cm,
    /// Convergent causal memory (section 3.2).
    Ccm,
    /// Weak convergent causal memory (section 4.1).
    Wccm,
    /// Weak sequential consistency (Boosting, section 3).
    Wsc,
    /// Its counterpart for TSO.
    Wtso,
    /// wSC with the six-write pattern of Boosting, section 4.
    WscPattern,
    /// wSC with guessing the order of one pair of writes (section 4).
    WscGuess1,
    /// The axioms of SC as one formula (CAV 2019, section 5).
    ScSat,
    /// The axioms of TSO as one formula.
    TsoSat,
    /// Gradual checking with enumeration (CAV 2019, Algorithm 1).
    ScCcmEnum,
    /// Gradual checking with SAT.
    ScCcmSat,
    /// Gradual checking of TSO with enumeration (Algorithm 2).
    TsoWccmEnum,
    /// Gradual checking of TSO with SAT.
    TsoWccmSat,
    /// wSC, then SAT over the rest (Boosting, section 5).
    WscEnum,
    /// CCM, then SAT over the rest.
    CcmEnum,
    /// Search over interleavings with memoized frontiers (Boosting, section 5).
    Dbcop,
    /// The same with the saturated order.
    WscDbcop,
    /// Rules R1-R7 as HPCA 2006 applies them (section 4.1, Figure 1).
    TsoBaseline,
    /// The same with rule R8 (section 4.2).
    HpcaR8,
    /// Topological sort with active stores (section 4.2.1).
    Heu,
    /// Topological sort with derived edges (section 4.2.2).
    Deriv,
    /// `Heu` with backtracking (section 4.2.3).
    HeuBack,
    /// `Deriv` with backtracking.
    DerivBack,
    /// The order of completions as store order (Qadeer, section 5.2).
    SimpleWitness,
    /// A k-nice cycle relative to that order (section 6).
    NiceCycle,
}

/// What an algorithm can find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// Whether the model holds, given time and memory.
    Complete,
    /// Violations of the model only.
    Refutes,
    /// That the model holds only.
    Proves,
    /// Both, but it may give up.
    Incomplete,
    /// Whether a criterion holds that is weaker than the model.
    Criterion,
}

impl Algorithm {
    /// Every algorithm: the stages first, then by paper.
    pub const ALL: [Algorithm; 32] = [
        Algorithm::Stages,
        Algorithm::Temporal,
        Algorithm::Saturate,
        Algorithm::Complete,
        Algorithm::Sat,
        Algorithm::Cc,
        Algorithm::Ccv,
        Algorithm::Cm,
        Algorithm::Ccm,
        Algorithm::Wccm,
        Algorithm::ScSat,
        Algorithm::TsoSat,
        Algorithm::ScCcmEnum,
        Algorithm::ScCcmSat,
        Algorithm::TsoWccmEnum,
        Algorithm::TsoWccmSat,
        Algorithm::Wsc,
        Algorithm::Wtso,
        Algorithm::WscPattern,
        Algorithm::WscGuess1,
        Algorithm::WscEnum,
        Algorithm::CcmEnum,
        Algorithm::Dbcop,
        Algorithm::WscDbcop,
        Algorithm::TsoBaseline,
        Algorithm::HpcaR8,
        Algorithm::Heu,
        Algorithm::Deriv,
        Algorithm::HeuBack,
        Algorithm::DerivBack,
        Algorithm::SimpleWitness,
        Algorithm::NiceCycle,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Stages => "stages",
            Algorithm::Temporal => "temporal",
            Algorithm::Saturate => "saturate",
            Algorithm::Complete => "complete",
            Algorithm::Sat => "sat",
            Algorithm::Cc => "cc",
            Algorithm::Ccv => "ccv",
            Algorithm::Cm => "cm",
            Algorithm::Ccm => "ccm",
            Algorithm::Wccm => "wccm",
            Algorithm::Wsc => "wsc",
            Algorithm::Wtso => "wtso",
            Algorithm::WscPattern => "wsc-pattern",
            Algorithm::WscGuess1 => "wsc-guess1",
            Algorithm::ScSat => "sc-sat",
            Algorithm::TsoSat => "tso-sat",
            Algorithm::ScCcmEnum => "sc-ccm-enum",
            Algorithm::ScCcmSat => "sc-ccm-sat",
            Algorithm::TsoWccmEnum => "tso-wccm-enum",
            Algorithm::TsoWccmSat => "tso-wccm-sat",
            Algorithm::WscEnum => "wsc-enum",
            Algorithm::CcmEnum => "ccm-enum",
            Algorithm::Dbcop => "dbcop",
            Algorithm::WscDbcop => "wsc-dbcop",
            Algorithm::TsoBaseline => "tso-baseline",
            Algorithm::HpcaR8 => "hpca-r8",
            Algorithm::Heu => "heu",
            Algorithm::Deriv => "deriv",
            Algorithm::HeuBack => "heu-back",
            Algorithm::DerivBack => "deriv-back",
            Algorithm::SimpleWitness => "simple-witness",
            Algorithm::NiceCycle => "nice-cycle",
        }
    }

    /// Whether it is this program's own, or that of a paper.
    pub fn is_stage(self) -> bool {
        use Algorithm::*;
        matches!(self, Stages | Temporal | Saturate | Complete | Sat)
    }

    /// What it can find out.
    pub fn power(self) -> Power {
        use Algorithm::*;
        match self {
            Stages | Complete | Sat | ScSat | TsoSat | ScCcmEnum | ScCcmSat | TsoWccmEnum
            | TsoWccmSat | WscEnum | CcmEnum | Dbcop | WscDbcop | HeuBack | DerivBack => {
                Power::Complete
            }
            Temporal | SimpleWitness | NiceCycle => Power::Proves,
            Saturate | TsoBaseline | HpcaR8 => Power::Refutes,
            Heu | Deriv => Power::Incomplete,
            Cc | Ccv | Cm | Ccm | Wccm | Wsc | Wtso | WscPattern | WscGuess1 => Power::Criterion,
        }
    }

    /// Whether it says something about a model.
    pub fn applies_to(self, model: Model) -> bool {
        use Algorithm::*;
        match self {
            Stages | Temporal | Saturate | Complete | Sat => true,
            Cm | Ccm | Wsc | WscPattern | WscGuess1 | ScSat | ScCcmEnum | ScCcmSat | WscEnum
            | CcmEnum | Dbcop | WscDbcop | SimpleWitness | NiceCycle => model == Model::SC,
            TsoSat | TsoWccmEnum | TsoWccmSat | Wtso | Wccm => model == Model::TSO,
            Cc | Ccv | TsoBaseline | HpcaR8 | Heu | Deriv | HeuBack | DerivBack => {
                model == Model::SC || model == Model::TSO
            }
        }
    }

    /// The model that it is about if none is named.
    pub fn default_model(self) -> Model {
        if self.applies_to(Model::SC) {
            Model::SC
        } else {
            Model::TSO
        }
    }

    /// The algorithm that decides a criterion of CAV 2019.
    pub fn of(criterion: Criterion) -> Algorithm {
        match criterion {
            Criterion::Cc => Algorithm::Cc,
            Criterion::Ccv => Algorithm::Ccv,
            Criterion::Cm => Algorithm::Cm,
            Criterion::Ccm => Algorithm::Ccm,
            Criterion::Wccm => Algorithm::Wccm,
        }
    }

    /// The name of the criterion it decides, if that is weaker than the model.
    pub fn criterion(self) -> Option<&'static str> {
        (self.power() == Power::Criterion).then(|| self.name())
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
        }
    }

    #[test]
    fn pso_is_for_the_stages() {
        let pso = Model::PSO;
        let applicable = Algorithm::ALL.into_iter().filter(|a| a.applies_to(pso));
        assert_eq!(applicable.count(), 5);
    }
}
