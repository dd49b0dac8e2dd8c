//! Opens protocols by name or path, and finds their mutants by name. [`examined`] says what is wrong or odd about one.

pub mod examined;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use mutate::repair::{self, Repaired};
use mutate::{Misfit, Mutant, made, named};
use simulate::config::{Options, Plan, absent, most_threads, unhandled};
use simulate::program::Extras;
use simulate::simulation::Simulation;
use slicc::builtin::{builtin, load_files, open};
use slicc::disk;
use slicc::load::{Failure, Modification};
use slicc::outline::Outline;
use slicc::protocol::{BLOCK_BYTES, Protocol};
use slicc::setting::Setting;
use slicc::source::Diagnostic;

use crate::error::{Error, Refusal};
use crate::text::{quoted, tame, written_at};

/// A protocol that can run, with the name by which the user referred to it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// A built-in name, or a path.
    pub given: String,
    /// The protocol.
    pub protocol: Protocol,
    /// The repairs that were asked for as `all` and left out because they would overwrite the user's own changes, each with the reason.
    pub refused: Vec<String>,
}

/// The repairs of known faults that are applied to a protocol before it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repairs {
    /// None: the protocol is taken as it is.
    #[default]
    None,
    /// Every repair of the protocol's name that fits.
    All,
    /// Every repair that fits all of the versions that are compared, so that the difference between them stays.
    Common,
    /// The repairs of these names, applied in this order; each must fit.
    Named(Vec<String>),
}

impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repairs::None => f.write_str("none"),
            Repairs::All => f.write_str("all"),
            Repairs::Common => f.write_str("common"),
            Repairs::Named(names) => f.write_str(&names.join(",")),
        }
    }
}

impl FromStr for Repairs {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Repairs, Self::Err> {
        Ok(match text {
            "none" => Repairs::None,
            "all" => Repairs::All,
            "common" => Repairs::Common,
            names => Repairs::Named(names.split(',').map(str::to_owned).collect()),
        })
    }
}

impl Opened {
    /// Opens a protocol: a built-in name or the path of a `.slicc` file; or a mutant of it.
    ///
    /// # Errors
    /// Fails if there is no such protocol or mutant, or it has errors.
    pub fn new(given: &str, mutant: Option<&str>) -> Result<Opened, Error> {
        Opened::repaired(given, &Repairs::None, mutant)
    }

    /// Opens a protocol, applies repairs of known faults, and then a mutant.
    ///
    /// # Errors
    /// Fails if there is no such protocol, repair or mutant, if a named repair does not fit, or if the protocol has errors.
    pub fn repaired(given: &str, repairs: &Repairs, mutant: Option<&str>) -> Result<Opened, Error> {
        if let (Repairs::None, Some(name)) = (repairs, mutant)
            && let Some(mutant) = named::find(name)
        {
            return Opened::named(given, name, &mutant);
        }
        let protocol = Protocol::open(given).map_err(|failure| refused(given, failure))?;
        let mut opened = Opened { given: given.to_owned(), protocol, refused: Vec::new() };
        match repairs {
            Repairs::None => {}
            Repairs::All | Repairs::Common => opened.repair_all_but(&BTreeSet::new()),
            Repairs::Named(names) => {
                names.iter().try_for_each(|name| opened.apply_repair(name))?;
            }
        }
        if let Some(name) = mutant {
            let mutant = find_mutant(name, given, &opened.protocol)?;
            opened.protocol = opened.with(&mutant)?;
        }
        Ok(opened)
    }

    /// Opens a protocol as it is and, if known repairs fit it, also with these.
    ///
    /// # Errors
    /// Fails if there is no such protocol, or it has errors.
    pub fn also_repaired(given: &str) -> Result<(Opened, Option<Opened>), Error> {
        let repaired = Opened::repaired(given, &Repairs::All, None)?;
        let is_other = !repaired.protocol.loaded.repairs.is_empty();
        Ok((Opened::new(given, None)?, is_other.then_some(repaired)))
    }

    /// Opens a named mutant of a protocol, which is compiled as the mutant only. `name` is the mutant's name or an alias.
    fn named(given: &str, name: &str, mutant: &Mutant) -> Result<Opened, Error> {
        let failed = |failure| refused(given, failure);
        let original = open(given).map_err(failed)?;
        if original.protocol != mutant.protocol {
            // An error in the protocol is reported first.
            let protocol = Protocol::new(original, BLOCK_BYTES).map_err(failed)?;
            return Err(other_mutant(name, mutant, given, &protocol));
        }
        match mutant.load(&original).and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES)) {
            Ok(protocol) => Ok(Opened { given: given.to_owned(), protocol, refused: Vec::new() }),
            Err(failure) => {
                Protocol::new(original, BLOCK_BYTES).map_err(failed)?;
                Err(failed(failure))
            }
        }
    }

    /// Opens protocols, and repairs known faults. A named repair must fit at least one of them: another one may have it
    /// already, or no such fault. Of all repairs, those that one of the protocols refuses because of the user's own changes are applied to none, so
    /// that versions stay comparable.
    ///
    /// # Errors
    /// Fails if there is no such protocol, if a named repair fits none or would overwrite the user's own change in one, or if a protocol has
    /// errors.
    pub fn all_repaired(given: &[&str], repairs: &Repairs) -> Result<Vec<Opened>, Error> {
        let opened = given.iter().map(|given| Opened::new(given, None));
        let mut opened: Vec<Opened> = opened.collect::<Result<_, Error>>()?;
        match repairs {
            Repairs::None => {}
            Repairs::All => {
                let own = opened.iter().flat_map(|one| one.refusals().into_keys()).collect();
                opened.iter_mut().for_each(|one| one.repair_all_but(&own));
            }
            Repairs::Common => repair_in_common(&mut opened),
            Repairs::Named(names) => {
                names.iter().try_for_each(|name| repair_some(&mut opened, name))?;
            }
        }
        Ok(opened)
    }

    /// Applies all repairs that fit but those of some names, and notes which are refused.
    fn repair_all_but(&mut self, without: &BTreeSet<String>) {
        let refusals = self.refusals();
        self.refused = refusals.iter().map(|(name, why)| format!("{name}: {why}")).collect();
        let fits = |name: &&String| {
            let found = repair::of(self.protocol.name()).find(|one| one.name == **name);
            found.is_some_and(|one| one.fits(&self.protocol.loaded).is_ok())
        };
        let others = without.iter().filter(fits);
        self.refused.extend(others.map(|name| {
            format!("{name}: it was left out here, too, since another version refuses it")
        }));
        self.protocol = repair::all_that_fit_but(&self.protocol, without).protocol;
    }

    /// The repairs that would overwrite the user's own changes, with the reasons.
    fn refusals(&self) -> BTreeMap<String, Misfit> {
        let all = repair::of(self.protocol.name());
        let refusal = |one: Mutant| match one.fits(&self.protocol.loaded) {
            Err(why @ Misfit::Changed { .. }) => Some((one.name.into_owned(), why)),
            _ => None,
        };
        all.filter_map(refusal).collect()
    }

    /// Applies the repair of this name to the protocol.
    ///
    /// # Errors
    /// Fails if there is no such repair of the protocol, or it does not fit. The protocol is unchanged then.
    pub(crate) fn apply_repair(&mut self, name: &str) -> Result<(), Error> {
        let repair = find_repair(name, &self.given, &self.protocol)?;
        self.protocol = self.with(&repair)?;
        Ok(())
    }

    /// Applies a mutant to the protocol.
    ///
    /// # Errors
    /// Fails if the mutant does not fit the protocol.
    pub fn with(&self, mutant: &Mutant) -> Result<Protocol, Error> {
        with(&self.given, &self.protocol, mutant)
    }

    /// The name that was given, and the mutant that the protocol is.
    pub fn title(&self) -> String {
        match self.mutant() {
            Some(mutant) => format!("{} with {mutant}", self.given),
            None => self.given.clone(),
        }
    }

    /// The command-line option for the repairs that were applied to the protocol, with a space before it; empty if there were none.
    pub fn repair_option(&self, repairs: &Repairs) -> String {
        match (repairs, &self.protocol.loaded.repairs[..]) {
            (_, []) => String::new(),
            (Repairs::Named(_), applied) => format!(" --repair {}", applied.join(",")),
            _ => format!(" --repair {repairs}"),
        }
    }

    /// The repairs as commands about this protocol alone name them.
    pub(crate) fn repairs_in_commands(&self, asked: &Repairs) -> Repairs {
        match (asked, &self.protocol.loaded.repairs[..]) {
            (Repairs::Common, []) => Repairs::None,
            (Repairs::Common, _) if repair::all_that_fit(&self.protocol).applied.is_empty() => {
                Repairs::All
            }
            (Repairs::Common, applied) => Repairs::Named(applied.to_vec()),
            (asked, _) => asked.clone(),
        }
    }

    /// What the user should know before the protocol runs with these settings: the repairs that were left out because they would overwrite
    /// the user's own changes, which buffers are assumed to be ordered, and why, if no script of gem5 says it, and the machines to which it
    /// sends and that the system lacks.
    pub fn notices(&self, settings: &[Setting]) -> Vec<String> {
        let refused = self.refused.iter();
        let refused = refused.map(|refused| format!("{}: repair {refused}", self.given));
        let order = self.protocol.order_notice(settings);
        // If there is no such system, the error comes from the runs, which may have other sizes.
        let plan = self.plan_of(&Options { settings: settings.to_vec(), ..Options::default() });
        let absent = plan.map(|plan| absent(&self.protocol, &plan)).unwrap_or_default();
        let absent = absent.into_iter().map(|warning| {
            let place = written_at(warning.span, self.protocol.sources());
            let place = place.map_or(String::new(), |(file, line, _)| format!("{file}:{line}: "));
            let hint = warning.hint.unwrap_or_default();
            format!("{place}{}; {hint}", warning.message)
        });
        refused.chain(order).chain(absent).map(|notice| tame(&notice)).collect()
    }

    /// The mutant that the protocol is, if it is one.
    pub fn mutant(&self) -> Option<&str> {
        self.protocol.loaded.mutant.as_deref()
    }

    /// Checks that the protocol handles the requests that programs are to make in addition to their accesses.
    ///
    /// # Errors
    /// Fails if it does not, for example if DMA devices are asked for and no machine serves them.
    pub fn check_extras(&self, extras: Extras) -> Result<(), Error> {
        match unhandled(&self.protocol, extras) {
            Some(error) => Err(refusal(&self.protocol, &self.given)(vec![error])),
            None => Ok(()),
        }
    }

    /// Plans the system of a simulation.
    ///
    /// # Errors
    /// Fails if no such system can be built.
    pub fn plan(&self, simulation: &Simulation) -> Result<Plan, Error> {
        plan(&self.protocol, &self.given, simulation)
    }

    /// Plans a system from options alone, without a simulation. It has no more threads than work on the protocol.
    ///
    /// # Errors
    /// Fails if no such system can be built.
    pub fn plan_of(&self, options: &Options) -> Result<Plan, Error> {
        let threads = options.threads.min(most_threads(&self.protocol).unwrap_or(u32::MAX));
        let plan = Plan::of(&self.protocol, &Options { threads, ..options.clone() });
        plan.map_err(refusal(&self.protocol, &self.given))
    }
}

/// The words of a command that name a protocol: as it was given, with the folders and descriptions that the user allowed for it.
pub fn words_of(given: &str) -> String {
    let option = |name: &str, paths: Vec<PathBuf>| {
        let words =
            paths.iter().map(|path| format!(" --{name} {}", quoted(&path.display().to_string())));
        words.collect::<String>()
    };
    let include = option("include", disk::allowed());
    format!("{}{include}{}", quoted(given), option("library", disk::libraries()))
}

/// Applies the repairs that fit all protocols. A repair may fit only with others, so what is left out for one protocol can
/// take others out.
fn repair_in_common(opened: &mut [Opened]) {
    let mut without = BTreeSet::new();
    loop {
        let repaired = opened.iter().map(|one| repair::all_that_fit_but(&one.protocol, &without));
        let repaired: Vec<Repaired> = repaired.collect();
        let names = |one: &Repaired| -> BTreeSet<String> {
            one.applied.iter().map(|repair| repair.name.to_string()).collect()
        };
        let all: BTreeSet<String> = repaired.iter().flat_map(names).collect();
        let fits_all = |name: &String| repaired.iter().all(|one| names(one).contains(name));
        let lacking: Vec<String> = all.into_iter().filter(|name| !fits_all(name)).collect();
        if lacking.is_empty() {
            let pairs = opened.iter_mut().zip(repaired);
            return pairs.for_each(|(one, repaired)| one.protocol = repaired.protocol);
        }
        without.extend(lacking);
    }
}

/// Applies a repair to all protocols that it fits, which must be at least one.
///
/// # Errors
/// Fails if it fits none, or would overwrite the user's own change in one.
fn repair_some(opened: &mut [Opened], name: &str) -> Result<(), Error> {
    let overwrites = |one: &&Opened| one.refusals().contains_key(name);
    if let Some(one) = opened.iter().find(overwrites) {
        return one.clone().apply_repair(name);
    }
    let applied: Vec<Result<(), Error>> =
        opened.iter_mut().map(|one| one.apply_repair(name)).collect();
    if applied.iter().all(Result::is_err) { applied.into_iter().collect() } else { Ok(()) }
}

/// Plans the system of a simulation. `given` is the protocol's name in error messages.
///
/// # Errors
/// Fails if no such system can be built.
pub(crate) fn plan(
    protocol: &Protocol,
    given: &str,
    simulation: &Simulation,
) -> Result<Plan, Error> {
    simulation.plan(protocol).map_err(refusal(protocol, given))
}

/// Makes the error of a protocol for which no system can be built. `given` is its name in messages.
pub(crate) fn refusal(protocol: &Protocol, given: &str) -> impl Fn(Vec<Diagnostic>) -> Error {
    |diagnostics| {
        Error::Protocol(Box::new(Refusal {
            given: given.to_owned(),
            sources: protocol.sources().clone(),
            diagnostics,
        }))
    }
}

fn with(given: &str, protocol: &Protocol, mutant: &Mutant) -> Result<Protocol, Error> {
    let mutated = protocol.with(mutant);
    mutated.map_err(|failure| refused(given, failure))
}

/// The error of a protocol that cannot be read.
pub fn refused(given: &str, failure: Failure) -> Error {
    Error::Protocol(Box::new(Refusal {
        given: given.to_owned(),
        sources: failure.sources,
        diagnostics: failure.diagnostics,
    }))
}

/// The mutant of a protocol with a name or id.
///
/// # Errors
/// Fails if there is none. The error lists similar names.
pub fn find_mutant(name: &str, given: &str, protocol: &Protocol) -> Result<Mutant, Error> {
    if let Some(mutant) = named::find(name) {
        return if protocol.name() == mutant.protocol {
            Ok(mutant)
        } else {
            Err(other_mutant(name, &mutant, given, protocol))
        };
    }
    made::find(protocol, name).ok_or_else(|| {
        let is_id = name.contains('/');
        Error::NoMutant {
            name: name.to_owned(),
            near: if is_id {
                made::nearest(protocol, name)
            } else {
                named::nearest(name).into_iter().map(str::to_owned).collect()
            },
        }
    })
}

/// The error that a mutant is one of another protocol.
fn other_mutant(name: &str, mutant: &Mutant, given: &str, protocol: &Protocol) -> Error {
    Error::OtherMutant {
        name: name.to_owned(),
        of: mutant.protocol.to_string(),
        given: given.to_owned(),
        protocol: protocol.name().to_owned(),
    }
}

/// The repair of a protocol with a name.
///
/// # Errors
/// Fails if there is none, or it is one of another protocol. The error lists similar names.
pub fn find_repair(name: &str, given: &str, protocol: &Protocol) -> Result<Mutant, Error> {
    match repair::find(name) {
        Some(found) if repair::is_of(&found, protocol.name()) => Ok(found),
        Some(found) => Err(Error::OtherRepair {
            name: name.to_owned(),
            of: found.protocol.to_string(),
            given: given.to_owned(),
            protocol: protocol.name().to_owned(),
        }),
        None => Err(Error::NoRepair { name: name.to_owned(), near: repair::nearest(name) }),
    }
}

/// Whether a system has controllers of a machine.
pub fn has_controllers(plan: &Plan, machine: &str) -> bool {
    let mut machines = plan.machines.iter();
    machines.any(|one| &*one.name == machine && !one.instances.is_empty())
}

/// Returns a function from the names of a machine and a state to the state's access permission in a built-in protocol, such as `Read_Only`.
/// It returns `None` for machines other than the cores' own caches, for unknown states, and for everything if no built-in protocol has the
/// name `protocol`.
pub fn core_permissions(protocol: Option<&str>) -> impl Fn(&str, &str) -> Option<String> + use<> {
    let loaded = protocol.and_then(builtin).map(load_files);
    let outline = loaded.and_then(|loaded| Outline::of(&loaded.ok()?).ok());
    move |machine, state| {
        let machine = outline.as_ref()?.machine(machine)?;
        // Only a core's own cache has the queue that its sequencer fills.
        if !(machine.in_ports.iter()).any(|port| port.buffer == "mandatoryQueue") {
            return None;
        }
        let state = machine.states.iter().find(|known| known.name == state)?;
        Some(state.permission_name().to_owned())
    }
}
