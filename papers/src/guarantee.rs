//! [`Guarantee`]: a model, or a criterion that is weaker than a model, that a memory system may guarantee.

use check::Algorithm;
use check::algorithm::Power;
use memory::{Model, PsoRmw};

use crate::algorithms::{CC, CCM, CCV, CM, WCCM, WSC, WTSO};

/// A model or a weaker criterion, with the algorithm that decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guarantee {
    algorithm: Algorithm,
    /// The model that is guaranteed; `None` for a criterion.
    model: Option<Model>,
}

const fn criterion(algorithm: Algorithm) -> Guarantee {
    Guarantee { algorithm, model: None }
}

const fn model(model: Model) -> Guarantee {
    Guarantee { algorithm: Algorithm::Stages, model: Some(model) }
}

impl Guarantee {
    /// All guarantees: the criteria weaker than SC, then SC, those weaker than TSO, then TSO, then PSO, in
    /// its weaker variant.
    pub const ALL: [Guarantee; 10] = [
        criterion(CC),
        criterion(CCV),
        criterion(CM),
        criterion(CCM),
        criterion(WSC),
        model(Model::SC),
        criterion(WCCM),
        criterion(WTSO),
        model(Model::TSO),
        model(Model::PSO),
    ];

    /// The name in tables and on the command line.
    pub fn name(self) -> &'static str {
        self.model.map_or_else(|| self.algorithm.name(), |model| model.name())
    }

    /// The guarantee of that name.
    pub fn from_name(name: &str) -> Option<Guarantee> {
        let mut all = Guarantee::ALL.into_iter();
        all.find(|guarantee| guarantee.name() == name)
    }

    /// Whether the guarantee named `guarantee` follows from the model named `model`; `false` if either name is unknown.
    pub fn is_implied(model: &str, guarantee: &str) -> bool {
        let model = Model::from_name(model, PsoRmw::default());
        let guarantee = Guarantee::from_name(guarantee);
        model.zip(guarantee).is_some_and(|(model, guarantee)| guarantee.follows_from(model))
    }

    /// The algorithm that decides the guarantee.
    pub fn algorithm(self) -> Algorithm {
        self.algorithm
    }

    /// The model to run the algorithm for.
    pub fn model(self) -> Model {
        self.model.unwrap_or_else(|| self.algorithm.default_model())
    }

    /// Whether every history that a model allows satisfies the guarantee. On cores that implement the
    /// model, a violation of the guarantee is then a fault, and a history that satisfies the model need not
    /// be checked for it. From PSO only PSO follows: it lets stores overtake each other, which breaks
    /// causality.
    pub fn follows_from(self, model: Model) -> bool {
        let weakest = match self.algorithm.power() {
            Power::Criterion { follows_from } => follows_from,
            _ => self.model(),
        };
        weakest.includes(model)
    }

    /// The guarantees that every history of a model satisfies.
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
        let expected = ["cc", "ccv", "cm", "ccm", "wsc", "sc", "wccm", "wtso", "tso", "pso"];
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
