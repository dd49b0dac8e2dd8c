//! Runs of a campaign in binaries of gem5, each of which has a protocol or a mutant of one built in.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use history::{History, Provenance};
use memory::Model;
use settings::Setting;
use sha2::{Digest, Sha256};
use simulate::client::Client;
use simulate::program::{Extras, Heading};
use simulate::recipe::{Lineage, Recipe};
use simulate::system::triple_of;
use slicc::builtin::builtin;
use tables::{CampaignRun, Finding, RunOutcome};

use super::Options;
use super::bench::{Bench, BenchSession, Title};
use super::judge::Ended;
use super::log::Entry;
use super::rounds::Stream;
use super::runner::{about, kept};
use crate::error::Error;
use crate::gem5::{
    Binary, Ending, Given, Idle, Kept, Played, Request, Session, System, command, has_cores,
};
use crate::protocols::{Opened, find_mutant, words_of};
use crate::shard::Shard;
use crate::text::{quoted, tame};

/// A binary of gem5, with its protocol and its mutant.
pub(crate) struct Gem5Subject<'a> {
    /// The name in tables.
    pub title: Title,
    binary: &'a Binary,
    /// Index of the binary's protocol among those that were opened.
    pub protocol: usize,
    opened: &'a Opened,
    /// The columns about the mutant.
    about: CampaignRun,
}

/// Asks the binaries of the options which protocols they are built with, and removes the opened protocols that no binary has.
///
/// # Errors
/// Fails if a binary is not gem5, if none of the protocols is that of a binary, or if the plug-in lacks a kind of core.
pub(crate) fn binaries(options: &Options, opened: &mut Vec<Opened>) -> Result<Vec<Binary>, Error> {
    if options.gem5.is_empty() {
        return Ok(Vec::new());
    }
    check(options)?;
    let binaries = probe(&options.gem5, opened)?;
    for binary in &binaries {
        opened_of(binary, opened)?;
    }
    opened.retain(|one| binaries.iter().any(|binary| binary.protocol == one.protocol.name()));
    Ok(binaries)
}

/// Asks binaries which protocols they are built with. A binary with several protocols is returned once for each of them that is opened.
///
/// # Errors
/// Fails as [`Binary::probe`] does.
pub(crate) fn probe(given: &[Given], opened: &[Opened]) -> Result<Vec<Binary>, Error> {
    let names: Vec<&str> = opened.iter().map(|one| one.protocol.name()).collect();
    let probed = given.iter().map(|given| Binary::probe(given, &names));
    let binaries: Vec<Vec<Binary>> = probed.collect::<Result<_, Error>>()?;
    Ok(binaries.concat())
}

/// Refuses kinds of cores that the plug-in does not have.
fn check(options: &Options) -> Result<(), Error> {
    match options.clients.iter().find(|client| !has_cores(**client)) {
        Some(client) => Err(Error::NotInGem5(format!(
            "RubricTester has no cores {client}: choose in-order, store-buffer-N, per-location-N, \
             early-N, early-N-buffer-N or MODEL-ooo-N with {}",
            Setting::Client
        ))),
        None => Ok(()),
    }
}

/// The protocol of a binary, with its number among those that were opened.
///
/// # Errors
/// Fails if it is not among those that were opened.
pub(crate) fn opened_of<'a>(
    binary: &Binary,
    opened: &'a [Opened],
) -> Result<(usize, &'a Opened), Error> {
    let mut numbered = opened.iter().enumerate();
    let found = numbered.find(|(_, one)| one.protocol.name() == binary.protocol);
    found.ok_or_else(|| {
        let what = format!(
            "is built with {name}, which is not among the protocols of the command: give the path of \
             gem5's {name}.slicc as well",
            name = binary.protocol
        );
        Error::gem5(&binary.path, what)
    })
}

/// Refuses what the cores of the plug-in cannot do.
///
/// # Errors
/// Fails if programs for binaries of gem5 are to have TLB invalidations.
pub(crate) fn check_extras(binaries: &[Binary], extras: Extras) -> Result<(), Error> {
    match binaries.first() {
        Some(first) if extras.dvm > 0 => {
            let what = format!("the cores in gem5 invalidate no TLBs: leave {} out", Setting::Dvm);
            Err(Error::gem5(&first.path, what))
        }
        _ => Ok(()),
    }
}

/// The subjects: unmutated protocols, then mutants.
///
/// # Errors
/// Fails if two binaries have the same protocol and mutant, or if a binary is named after a mutant of another protocol.
pub(crate) fn subjects<'a>(
    opened: &'a [Opened],
    binaries: &'a [Binary],
) -> Result<Vec<Gem5Subject<'a>>, Error> {
    let mut subjects = Vec::new();
    let mut known = HashSet::new();
    for binary in binaries {
        let (protocol, opened) = opened_of(binary, opened)?;
        let subject = Gem5Subject {
            title: Title {
                protocol: opened.given.clone(),
                mutant: binary.mutant().map(str::to_owned),
            },
            about: about_mutant(binary, opened)?,
            protocol,
            binary,
            opened,
        };
        if !known.insert(subject.title.clone()) {
            let what = format!(
                "another binary is {} of {}, too: give each a name, as in NAME=PATH",
                binary.mutant().unwrap_or("the unmutated protocol"),
                binary.protocol
            );
            return Err(Error::gem5(&binary.path, what));
        }
        subjects.push(subject);
    }
    subjects.sort_by_key(|subject| subject.title.mutant.is_some());
    Ok(subjects)
}

/// A row with the columns about the mutant of a binary. A mutant that rubric does not know counts as a named one.
///
/// # Errors
/// Fails if it is a mutant of another protocol.
fn about_mutant(binary: &Binary, opened: &Opened) -> Result<CampaignRun, Error> {
    let Some(name) = binary.mutant() else {
        return Ok(CampaignRun::default());
    };
    // Ids begin with the protocol.
    let of = name.split_once('/').map(|(protocol, _)| protocol).and_then(builtin);
    match find_mutant(name, &opened.given, &opened.protocol) {
        Ok(mutant) => Ok(about(Some(&mutant))),
        Err(Error::OtherMutant { of, .. }) => Err(other_mutant(binary, &of)),
        Err(_) => match of {
            Some(of) if of.name != binary.protocol => Err(other_mutant(binary, of.name)),
            _ => Ok(CampaignRun {
                mutant: Some(name.to_owned()),
                operator: Some("named".to_owned()),
                ..CampaignRun::default()
            }),
        },
    }
}

/// The error of a binary that was given the name of a mutant of another protocol.
fn other_mutant(binary: &Binary, of: &str) -> Error {
    let Binary { given, path, protocol, .. } = binary;
    let what = format!(
        "{} is a mutant of {of}, and this binary is built with {protocol}: give it the name of the mutant that was built in, or a \
         name of your own",
        given.name.as_deref().unwrap_or_default()
    );
    Error::gem5(path, what)
}

/// Keeps the mutants of a shard, and all unmutated protocols.
pub(crate) fn keep(subjects: &mut Vec<Gem5Subject<'_>>, shard: Shard) {
    let mut mutants = 0..;
    subjects.retain(|subject| {
        subject.title.mutant.is_none() || mutants.next().is_some_and(|number| shard.has(number))
    });
}

/// A digest of the names of the binaries and of when they were compiled.
pub(crate) fn digest(subjects: &[Gem5Subject<'_>]) -> String {
    let mut hash = Sha256::new();
    for subject in subjects {
        let Binary { given, protocol, compiled, .. } = subject.binary;
        for text in [&given.to_string(), protocol, compiled] {
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text of a program for a kind of core, and the number of its threads.
///
/// # Errors
/// Fails if the protocol does not handle what the program asks for.
pub(crate) fn program(
    opened: &Opened,
    client: Client,
    lineage: &Lineage,
) -> Result<(String, u32), Error> {
    let simulation = Recipe::of(lineage).simulation(&opened.protocol, client);
    opened.plan(&simulation)?;
    let name = format!("{} --recipe {lineage}", opened.protocol.name());
    let heading = Heading {
        name: &name,
        seed: simulation.timing(),
        line_bytes: simulation.shape.line_bytes,
        model: Some(client.model()).filter(|model| model.is_weak()),
    };
    let mut text = Vec::new();
    let written = simulation.program(&opened.protocol).write(heading, &mut text);
    written.map_err(Error::run(&opened.given))?;
    Ok((String::from_utf8_lossy(&text).into_owned(), simulation.shape.threads))
}

/// Makes runs in gem5.
pub(crate) struct Gem5Bench<'a> {
    /// The binaries.
    pub subjects: &'a [Gem5Subject<'a>],
    /// The options of the campaign.
    pub options: &'a Options,
    /// The folder for logs, if they are kept.
    pub traces: Option<&'a Path>,
    /// Processes that have run all of their programs.
    pub idle: Idle<'a>,
}

/// Runs of a binary on one kind of core.
struct Gem5Runs<'b, 'a> {
    bench: &'b Gem5Bench<'a>,
    subject: &'b Gem5Subject<'a>,
    client: Client,
    /// The number of programs that run at once.
    jobs: usize,
    /// The running process with its system, if there is one.
    session: Option<(System, Session<'a>)>,
    /// The programs that the process has still to run, each with the number of its threads.
    ahead: VecDeque<(Lineage, u32)>,
}

impl Bench for Gem5Bench<'_> {
    fn pace(&self) -> (u32, u32) {
        (8, 64)
    }

    fn session<'b>(
        &'b self,
        subject: usize,
        client: Client,
        streams: usize,
    ) -> Box<dyn BenchSession + 'b> {
        Box::new(Gem5Runs {
            bench: self,
            subject: &self.subjects[subject],
            client,
            // One more than its share, so that no processor waits for the last programs of another stream.
            jobs: rayon::current_num_threads().div_ceil(streams.max(1)) + 1,
            session: None,
            ahead: VecDeque::new(),
        })
    }
}

impl Gem5Runs<'_, '_> {
    /// Gives a process of gem5 the next programs of a stream, up to the first one that needs another system.
    fn begin(&mut self, lineages: impl Iterator<Item = Lineage>) -> Result<(), Error> {
        let Gem5Subject { binary, opened, .. } = self.subject;
        let (mut programs, mut system) = (Vec::new(), None);
        for lineage in lineages {
            let own = System::of(&lineage, &opened.protocol);
            if *system.get_or_insert_with(|| own.clone()) != own {
                break;
            }
            let (text, threads) = program(opened, self.client, &lineage)?;
            programs.push(text);
            self.ahead.push_back((lineage, threads));
        }
        self.leave();
        if let Some(system) = system {
            let mut session = match self.bench.idle.take(binary, &system) {
                Some(session) => session,
                None => Session::start(Request {
                    binary,
                    system: system.clone(),
                    timeout: self.bench.options.timeout,
                    jobs: self.jobs,
                    counts_transitions: self.subject.title.mutant.is_none(),
                })?,
            };
            session.add(self.client, &programs);
            self.session = Some((system, session));
        }
        Ok(())
    }

    /// Releases the process: other streams may use it if it has run all of its programs, else it is ended.
    fn leave(&mut self) {
        if let Some((system, session)) = self.session.take()
            && session.is_idle()
        {
            self.bench.idle.put(self.subject.binary.clone(), system, session);
        }
    }

    /// Waits for the result of the next program of the process, and returns it with the number of the program's threads.
    fn next(&mut self) -> Result<(Played, u32), Error> {
        match (&mut self.session, self.ahead.pop_front()) {
            (Some((_, session)), Some((_, threads))) => Ok((session.play()?, threads)),
            _ => Err(Error::gem5(&self.subject.binary.path, "was given no program")),
        }
    }

    /// The row of a run, without the columns about its stream: generator, repetition and number.
    fn row(&self, played: &Played, lineage: &Lineage, threads: u32) -> Result<CampaignRun, Error> {
        let Gem5Subject { title, binary, about, .. } = self.subject;
        let command = self.command(lineage);
        let model = self.client.model();
        let empty = History::empty(Provenance::made());
        let history = played.history.as_ref().unwrap_or(&empty);
        let judged = judged(history, model, &self.bench.options.for_checking())
            .map_err(|error| error.of(&title.protocol, &command))?;
        let (verdict, criteria, digest) = judged;
        let (outcome, fault, message) = outcome(&played.ending, verdict);
        Ok(CampaignRun {
            protocol: title.protocol.clone(),
            client: self.client.to_string(),
            model: model.name().to_owned(),
            seed: lineage.seed(),
            lineage: lineage.to_string(),
            threads,
            operations: history.operations() as u32,
            ticks: ticks(&played.ending, history),
            outcome,
            fault,
            message: message.map(|message| tame(&message)),
            criteria,
            trace_hash: Some(digest),
            simulate_seconds: played.seconds,
            command,
            gem5: Some(binary.given.path.display().to_string()),
            ..about.clone()
        })
    }

    /// The command that repeats a run and keeps its log.
    fn command(&self, lineage: &Lineage) -> String {
        let Gem5Subject { binary, opened, .. } = self.subject;
        format!(
            "rubric campaign {} --gem5 {} --client {} --seed {} --runs 1{} --keep-traces -o again",
            words_of(&opened.given),
            quoted(&binary.given.to_string()),
            self.client,
            lineage.seed(),
            words(lineage.extras()),
        )
    }

    /// The folder in which a run is kept; none if traces are not kept.
    fn kept(&self, row: &CampaignRun) -> Option<Kept> {
        let traces = self.bench.traces?;
        let folder = kept(traces, row, None);
        Some(Kept { folder, shared: traces.to_owned() })
    }

    /// Keeps program, log, output and command line of a run, if traces are kept.
    fn store(&self, played: &Played, lineage: &Lineage, row: &CampaignRun) -> Result<(), Error> {
        let Some(kept) = self.kept(row) else {
            return Ok(());
        };
        let Gem5Subject { binary, opened, .. } = self.subject;
        let (text, _) = program(opened, self.client, lineage)?;
        let system = System::of(lineage, &opened.protocol);
        kept.write(played, &text, |script| command(binary, &system, self.client, script))
    }
}

impl BenchSession for Gem5Runs<'_, '_> {
    fn run(&mut self, stream: &Stream, lineage: &Lineage, aim: usize) -> Result<Entry, Error> {
        let number = stream.entries.len();
        if self.ahead.front().is_none_or(|(next, _)| next != lineage) {
            self.ahead.clear();
            self.begin((number..aim).map(|number| stream.blind(number)))?;
        }
        let (played, threads) = self.next()?;
        let row = CampaignRun {
            generator: stream.generator,
            repetition: stream.repetition,
            number: number as u32,
            ..self.row(&played, lineage, threads)?
        };
        if row.outcome != RunOutcome::Clean {
            self.store(&played, lineage, &row)?;
        }
        let program = &self.subject.opened.protocol;
        let reached = played.transitions.iter().filter_map(|one| {
            let triple = triple_of(program, &one.machine, &one.state, &one.event)?;
            Some((triple, one.count))
        });
        Ok(Entry { row, reached: reached.collect() })
    }

    fn keep(&mut self, lineage: &Lineage, row: &CampaignRun) -> Result<(), Error> {
        let is_kept = self.kept(row).is_none_or(|kept| kept.exists());
        if is_kept || row.outcome == RunOutcome::Clean {
            return Ok(());
        }
        self.ahead.clear();
        self.begin(std::iter::once(lineage.clone()))?;
        let (played, _) = self.next()?;
        self.store(&played, lineage, row)
    }
}

impl Drop for Gem5Runs<'_, '_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Why there is no verdict about a history.
pub(crate) enum NoVerdict {
    /// A value is written twice.
    History(history::WrittenTwice),
    /// A certificate is rejected.
    Certificate(crate::certify::CertifyError),
}

impl NoVerdict {
    /// The error about a run of a protocol.
    pub(crate) fn of(self, protocol: &str, command: &str) -> Error {
        match self {
            NoVerdict::History(twice) => Error::run(protocol)(twice),
            NoVerdict::Certificate(error) => {
                Error::Certificate { command: command.to_owned(), error }
            }
        }
    }
}

/// The verdict about a history, the results of the criteria, and the digest of the history.
///
/// # Errors
/// Fails if a value is written twice, or if a certificate is rejected.
pub(crate) fn judged(
    history: &History,
    model: Model,
    options: &check::Options,
) -> Result<(Finding, [tables::Checked; 10], String), NoVerdict> {
    let ended = Ended::new(history, model).map_err(NoVerdict::History)?;
    let judged = ended.judge(options).map_err(NoVerdict::Certificate)?;
    Ok((judged.0, judged.1, ended.history().digest()))
}

/// The outcome of a run, the kind of its fault and its message. A fault takes precedence over the verdict about the history.
pub(crate) fn outcome(
    ending: &Ending,
    verdict: Finding,
) -> (RunOutcome, Option<String>, Option<String>) {
    let fault = |outcome, kind: &str, message: &str| {
        (outcome, Some(kind.to_owned()), Some(message.to_owned()))
    };
    // The part of the log that was written is a part of the run, so a violation in it is one of the run.
    let unless_violated = |kind, message| match verdict {
        Finding::Violation => (RunOutcome::Violation, None, None),
        _ => fault(RunOutcome::Undecided, kind, message),
    };
    match ending {
        Ending::Complete => match verdict {
            Finding::Violation => (RunOutcome::Violation, None, None),
            Finding::Undecided => (RunOutcome::Undecided, None, None),
            Finding::Consistent => (RunOutcome::Clean, None, None),
        },
        Ending::Crashed(crash) => {
            let outcome = match crash.kind {
                history::CrashKind::Deadlock => RunOutcome::Deadlock,
                _ => RunOutcome::ProtocolError,
            };
            fault(outcome, crash.kind.name(), &crash.headline())
        }
        Ending::Stuck => {
            let message = "gem5 has nothing left to do, and operations have not completed";
            fault(RunOutcome::Deadlock, "deadlock", message)
        }
        Ending::Ended(how) => fault(RunOutcome::ProtocolError, "abort", how),
        Ending::TimedOut => {
            unless_violated("time limit", "gem5 was stopped at the time limit of the program")
        }
        Ending::CutLog => unless_violated("cut log", "the log does not reach the end of the run"),
    }
}

/// The tick at which a run ended, as far as it is known.
pub(crate) fn ticks(ending: &Ending, history: &History) -> u64 {
    let last = history.ops().filter_map(|op| history.completed(op)).max();
    let crashed = match ending {
        Ending::Crashed(crash) => crash.tick,
        _ => None,
    };
    crashed.or(last).unwrap_or(0)
}

/// The command-line options for the requests that programs make in addition to their accesses.
fn words(extras: Extras) -> String {
    let Extras { devices, flushes, atomics, dvm, partial, .. } = extras;
    let options = [
        ("--dma", devices),
        ("--flush", flushes),
        ("--atomics", atomics),
        ("--dvm", dvm),
        ("--partial", partial),
    ];
    let given = options.iter().filter(|(_, number)| *number > 0);
    given.map(|(name, number)| format!(" {name} {number}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_the_options_of_all_extras() {
        let extras = Extras {
            devices: 2,
            flushes: 10,
            atomics: 50,
            dvm: 5,
            partial: 30,
            ..Extras::default()
        };
        assert_eq!(words(extras), " --dma 2 --flush 10 --atomics 50 --dvm 5 --partial 30");
        assert_eq!(words(Extras { devices: 1, ..Extras::default() }), " --dma 1");
    }
}
