//! What a memory may be asked to guarantee: the three models, and the criteria below them.

use crate::algorithm::Algorithm;
use certify::criterion::Criterion;
use memory::Model;

/// A model or a weaker criterion, as a question that one algorithm answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guarantee {
    /// A criterion of CAV 2019: CC, CCv, CM, CCM, or for TSO wCCM.
    Criterion(Criterion),
    /// Weak sequential consistency.
    Wsc,
    /// Its counterpart for TSO.
    Wtso,
    /// A model itself.
    Model(Model),
}

impl Guarantee {
    /// All of them: what is below SC and SC, then what is below TSO and TSO, then PSO, of which
    /// the weaker reading.
    pub const ALL: [Guarantee; 10] = [
        Guarantee::Criterion(Criterion::Cc),
        Guarantee::Criterion(Criterion::Ccv),
        Guarantee::Criterion(Criterion::Cm),
        Guarantee::Criterion(Criterion::Ccm),
        Guarantee::Wsc,
        Guarantee::Model(Model::SC),
        Guarantee::Criterion(Criterion::Wccm),
        Guarantee::Wtso,
        Guarantee::Model(Model::TSO),
        Guarantee::Model(Model::PSO),
    ];

    /// The name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Guarantee::Criterion(criterion) => criterion.name(),
            Guarantee::Wsc => Algorithm::Wsc.name(),
            Guarantee::Wtso => Algorithm::Wtso.name(),
            Guarantee::Model(model) => model.name(),
        }
    }

    /// The guarantee of that name.
    pub fn from_name(name: &str) -> Option<Guarantee> {
        let mut all = Guarantee::ALL.into_iter();
        all.find(|guarantee| guarantee.name() == name)
    }

    /// What decides it.
    pub fn algorithm(self) -> Algorithm {
        match self {
            Guarantee::Criterion(criterion) => Algorithm::of(criterion),
            Guarantee::Wsc => Algorithm::Wsc,
            Guarantee::Wtso => Algorithm::Wtso,
            Guarantee::Model(_) => Algorithm::Stages,
        }
    }

    /// The model that the algorithm is to be asked about.
    pub fn model(self) -> Model {
        match self {
            Guarantee::Model(model) => model,
            _ => self.algorithm().default_model(),
        }
    }

    /// Whether every history of a model satisfies it: for cores that keep the model, a violation of
    /// it is a fault, and a history that satisfies the model need not be asked about it. Nothing but
    /// itself follows from PSO, under which stores may overtake each other and so break causality.
    pub fn follows_from(self, model: Model) -> bool {
        match self {
            Guarantee::Criterion(criterion) => criterion.follows_from(model),
            Guarantee::Wsc => Model::SC.includes(model),
            Guarantee::Wtso => Model::TSO.includes(model),
            Guarantee::Model(guaranteed) => guaranteed.includes(model),
        }
    }

    /// What every history of a model satisfies.
    pub fn of_model(model: Model) -> impl Iterator<Item = Guarantee> {
        let all = Guarantee::ALL.into_iter();
        all.filter(move |guarantee| guarantee.follows_from(model))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_tables() {
        let names = Guarantee::ALL.map(Guarantee::name);
        let expected = [
            "cc", "ccv", "cm", "ccm", "wsc", "sc", "wccm", "wtso", "tso", "pso",
        ];
        assert_eq!(names, expected);
        for guarantee in Guarantee::ALL {
            assert_eq!(Guarantee::from_name(guarantee.name()), Some(guarantee));
            assert!(guarantee.algorithm().applies_to(guarantee.model()));
        }
        assert_eq!(Guarantee::from_name("stages"), None);
    }

    #[test]
    fn what_follows_from_the_models() {
        let names =
            |model| -> Vec<&str> { Guarantee::of_model(model).map(Guarantee::name).collect() };
        assert_eq!(names(Model::SC).len(), 10);
        let tso = ["cc", "ccv", "wccm", "wtso", "tso", "pso"];
        assert_eq!(names(Model::TSO), tso);
        assert_eq!(names(Model::PSO), ["pso"]);
        assert_eq!(names(Model::PSO_RMW_ALL), ["pso"]);
    }
}
