//! The results of a campaign: which mutants were found, by which criteria, after how many operations, and which were not.
//!
//! Everything here is computed from rows of [`CampaignRun`] alone, for all clients together, for each model, for each
//! client, and, if there are several, for each protocol ([`Scope`]). The caller says which criteria count for which
//! client: those that follow from the model that the client guarantees, since cores with store buffers violate SC with
//! any protocol. Violations and faults of unmutated protocols are [`Alarms`]. If an unmutated protocol fails with some
//! client and program, the runs of its mutants with these show nothing, and do not count. Neither do mutants that are
//! equivalent to their protocol, or named ones that are known to do no harm.
//!
//! ```
//! use report::answers::Answers;
//! use tables::{CampaignRun, Finding, RunOutcome};
//!
//! let mut run = CampaignRun {
//!     protocol: "MI_example".to_owned(),
//!     mutant: Some("a".to_owned()),
//!     operator: Some("drop-action".to_owned()),
//!     model: "sc".to_owned(),
//!     outcome: RunOutcome::Violation,
//!     ..CampaignRun::default()
//! };
//! run.checked_mut("sc").unwrap().finding = Some(Finding::Violation);
//! let answers = Answers::of(&[run], &[], &|model, criterion| model == criterion);
//! assert_eq!(answers.kills[0].total.killed, 1);
//! assert!(answers.survivors.is_empty());
//! ```

mod alarms;
mod caught;
mod clients;
mod equivalents;
mod generators;
mod harmless;
mod kills;
mod operations;
mod protocols;
mod rates;
mod survivors;
#[cfg(test)]
mod testing;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use tables::{CRITERIA, CampaignRun, Equivalent, Finding, RunOutcome};

pub use alarms::{Alarm, Alarms, Unmutated};
pub use caught::CaughtMutant;
pub use clients::ClientResult;
pub use equivalents::EquivalentMutant;
pub use generators::{Comparison, Effort};
pub use harmless::known_harmless;
pub use kills::{FINDERS, KillMatrix, KillRow, Kills};
pub use operations::{Detection, OperationsToDetection};
pub use protocols::{OperatorResult, ProtocolResult};
pub use rates::{ClaimedShare, Rate, Rates};
pub use survivors::Survivor;

/// The results of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Answers {
    /// The mutants found by operator and finder, for each scope.
    pub kills: Vec<KillMatrix>,
    /// The share of violating runs that each criterion refutes, for each scope.
    pub rates: Vec<Rates>,
    /// The number of operations until detection, for each scope.
    pub operations: Vec<OperationsToDetection>,
    /// Mutants that something found, and the run that did.
    pub caught: Vec<CaughtMutant>,
    /// Mutants that nothing found, the most suspicious first.
    pub survivors: Vec<Survivor>,
    /// Mutants that cannot be found: those that are equivalent to their protocol, and the named ones that are known to be harmless.
    pub equivalents: Vec<EquivalentMutant>,
    /// Unguided programs compared with guided ones, on the named mutants.
    pub generators: Vec<Comparison>,
    /// The alarms in unmutated protocols.
    pub alarms: Alarms,
    /// The results of each protocol.
    pub protocols: Vec<ProtocolResult>,
    /// The results of each protocol on each kind of core.
    pub clients: Vec<ClientResult>,
}

impl Answers {
    /// Computes the answers. `counts(model, criterion)` says whether a criterion follows from a model; both are names as in the table.
    pub fn of(
        runs: &[CampaignRun],
        equivalents: &[Equivalent],
        counts: &dyn Fn(&str, &str) -> bool,
    ) -> Answers {
        let harmless = harmless::harmless(&Campaign::new(runs, equivalents, counts));
        let excluded = [equivalents, &harmless].concat();
        let campaign = Campaign::new(runs, &excluded, counts);
        let scopes = campaign.scopes();
        Answers {
            kills: scopes.par_iter().map(|scope| kills::matrix(&campaign, scope)).collect(),
            rates: scopes.par_iter().map(|scope| rates::rates(&campaign, scope)).collect(),
            operations: scopes
                .par_iter()
                .map(|scope| operations::operations(&campaign, scope))
                .collect(),
            caught: caught::caught(&campaign),
            survivors: survivors::survivors(&campaign),
            equivalents: equivalents::equivalents(&campaign),
            generators: generators::comparisons(&campaign),
            alarms: alarms::alarms(&campaign),
            protocols: protocols::protocols(&campaign),
            clients: clients::clients(&campaign),
        }
    }
}

impl Answers {
    /// Selects from a list such as [`Answers::kills`] the results that pages, figures and text show. If there are
    /// several protocols, these are the results about single protocols, since protocols have different mutants.
    pub fn shown<'a, T>(
        &'a self,
        all: &'a [T],
        scope: impl Fn(&T) -> &Scope,
    ) -> impl Iterator<Item = &'a T> {
        let has_several = self.kills.iter().any(|matrix| !matrix.scope.is_of_all_protocols());
        all.iter().filter(move |one| scope(one).is_of_all_protocols() != has_several)
    }
}

/// Returns the share of violating runs that each criterion refutes, among the runs with cores that guarantee `model`;
/// `None` if there are no such runs of mutants. The other parameters are those of [`Answers::of`].
pub fn rates_of_model(
    runs: &[CampaignRun],
    equivalents: &[Equivalent],
    counts: &dyn Fn(&str, &str) -> bool,
    model: &str,
) -> Option<Rates> {
    let campaign = Campaign::new(runs, equivalents, counts);
    let scope = Scope::Model(model.to_owned());
    campaign.scopes().contains(&scope).then(|| rates::rates(&campaign, &scope))
}

/// The runs that a result is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// All runs.
    All,
    /// The runs with cores that guarantee this model.
    Model(String),
    /// The runs with this client.
    Client(String),
    /// The runs of this protocol.
    Protocol(String),
    /// The runs of a protocol with cores that guarantee a model.
    Cores {
        /// The protocol.
        protocol: String,
        /// The model.
        model: String,
    },
}

impl Scope {
    fn has(&self, run: &CampaignRun) -> bool {
        match self {
            Scope::All => true,
            Scope::Model(model) => run.model == *model,
            Scope::Client(client) => run.client == *client,
            Scope::Protocol(protocol) => run.protocol == *protocol,
            Scope::Cores { protocol, model } => run.protocol == *protocol && run.model == *model,
        }
    }

    /// Whether the scope covers all protocols together, which have different mutants.
    fn is_of_all_protocols(&self) -> bool {
        !matches!(self, Scope::Protocol(_) | Scope::Cores { .. })
    }
}

/// The names of a protocol and of one of its mutants.
type Mutant<'a> = (&'a str, &'a str);

/// The runs of a campaign, with the mutants and criteria that count.
struct Campaign<'a> {
    runs: &'a [CampaignRun],
    equivalents: BTreeMap<Mutant<'a>, &'a Equivalent>,
    /// The runs of mutants that count: the mutant is not known to be equivalent, and the unmutated protocol does not fail in the
    /// corresponding run.
    tried: Vec<(Mutant<'a>, &'a CampaignRun)>,
    /// For each model, which of [`CRITERIA`] follow from it. There are few models and many runs.
    counting: Vec<(&'a str, [bool; CRITERIA.len()])>,
}

impl<'a> Campaign<'a> {
    fn new(
        runs: &'a [CampaignRun],
        equivalents: &'a [Equivalent],
        counts: &dyn Fn(&str, &str) -> bool,
    ) -> Campaign<'a> {
        let named = equivalents.iter();
        let named = named.map(|row| ((row.protocol.as_str(), row.mutant.as_str()), row));
        let models: BTreeSet<&str> = runs.iter().map(|run| run.model.as_str()).collect();
        let models = models.into_iter();
        let counting = models.map(|model| (model, CRITERIA.map(|name| counts(model, name))));
        let mut campaign = Campaign {
            runs,
            equivalents: named.collect(),
            tried: Vec::new(),
            counting: counting.collect(),
        };
        let originals = runs.iter().filter(|run| run.mutant.is_none());
        let failing = originals.filter(|run| campaign.detects(run));
        // Protocol, client and lineage of the runs in which an unmutated protocol fails.
        let spoilt: BTreeSet<[&str; 3]> = failing.map(origin).collect();
        let tried = campaign.mutated().filter(|(mutant, run)| {
            !spoilt.contains(&origin(run)) && !campaign.equivalents.contains_key(mutant)
        });
        campaign.tried = tried.collect();
        campaign
    }

    /// The scopes: all runs, those of each model, those of each client, and, if there are several protocols, those of each, with any cores and
    /// with the cores of each model.
    fn scopes(&self) -> Vec<Scope> {
        // The names as references, since there are many runs and few scopes.
        let runs = self.mutated().map(|(_, run)| run);
        let models: BTreeSet<&str> = runs.clone().map(|run| run.model.as_str()).collect();
        let clients: BTreeSet<&str> = runs.clone().map(|run| run.client.as_str()).collect();
        let cores: BTreeSet<(&str, &str)> =
            runs.map(|run| (run.protocol.as_str(), run.model.as_str())).collect();
        let protocols: BTreeSet<&str> = cores.iter().map(|(protocol, _)| *protocol).collect();
        let has_several = protocols.len() > 1;

        let models = models.into_iter().map(|model| Scope::Model(model.to_owned()));
        let clients = clients.into_iter().map(|client| Scope::Client(client.to_owned()));
        let protocols = protocols.into_iter().map(|one| Scope::Protocol(one.to_owned()));
        let cores = cores.into_iter().map(|(protocol, model)| Scope::Cores {
            protocol: protocol.to_owned(),
            model: model.to_owned(),
        });
        let each = protocols.chain(cores).filter(|_| has_several);
        std::iter::once(Scope::All).chain(models).chain(clients).chain(each).collect()
    }

    /// The runs of mutants, including those that do not count.
    fn mutated(&self) -> impl Iterator<Item = (Mutant<'a>, &'a CampaignRun)> + Clone + use<'a> {
        let runs = self.runs.iter();
        runs.filter_map(|run| Some(((run.protocol.as_str(), run.mutant.as_deref()?), run)))
    }

    /// The runs of mutants in a scope that count.
    fn tried(&self, scope: &Scope) -> impl Iterator<Item = (Mutant<'a>, &'a CampaignRun)> {
        self.tried.iter().copied().filter(|(_, run)| scope.has(run))
    }

    /// Whether the criterion with this index in [`CRITERIA`] counts for the client of a run.
    fn counts(&self, run: &CampaignRun, criterion: usize) -> bool {
        let mut known = self.counting.iter();
        known.find(|(model, _)| *model == run.model).is_some_and(|(_, all)| all[criterion])
    }

    /// The finding of a criterion, if it counts.
    fn finding(&self, run: &CampaignRun, criterion: usize) -> Option<Finding> {
        let finding = run.criteria[criterion].finding;
        finding.filter(|_| self.counts(run, criterion))
    }

    /// Whether a criterion that counts is violated.
    fn breaks(&self, run: &CampaignRun, criterion: usize) -> bool {
        self.finding(run, criterion) == Some(Finding::Violation)
    }

    /// Whether a run violates anything that its client guarantees.
    fn violates(&self, run: &CampaignRun) -> bool {
        run.outcome == RunOutcome::Violation
            || (0..CRITERIA.len()).any(|criterion| self.breaks(run, criterion))
    }

    /// Whether a run shows that something is wrong with the protocol.
    fn detects(&self, run: &CampaignRun) -> bool {
        let failed = matches!(run.outcome, RunOutcome::ProtocolError | RunOutcome::Deadlock);
        failed || self.violates(run)
    }
}

/// The columns by which a run of a mutant corresponds to a run of the unmutated protocol.
fn origin(run: &CampaignRun) -> [&str; 3] {
    [&run.protocol, &run.client, &run.lineage]
}
