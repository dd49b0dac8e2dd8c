//! Cores that run a program on a memory system, each of which guarantees a memory model.
//!
//! A core sends requests through a [`CorePort`]. It is told when memory performs them and, a tick
//! later, gets the response. It keeps [`Records`] of its operations, and prints them where Ruby's
//! lines do not show what its program did.

mod atomic;
mod buffered;
mod dma;
mod early;
mod functional;
mod in_order;
mod log;
mod out_of_order;
mod store_buffer;
#[cfg(test)]
mod tests;

pub(crate) use out_of_order::{Constraint, constraints};

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use history::Source;
use history::random::Rng;
use memory::Model;
use thiserror::Error;

use crate::program::{Bytes, Operation, Program, Step, Translations};
use crate::record::Records;
use crate::request::{Refusal, Request, RequestKind, Response, TlbRequest, Transfer};
use crate::trace::Trace;
pub use functional::FunctionalAccess;
use functional::Share;
use log::Log;

/// The interface of the system to a core.
pub trait CorePort {
    /// Offers a request to the sequencer.
    ///
    /// # Errors
    /// Fails if the sequencer refuses the request; the core has to try again later.
    fn send(&mut self, request: Request) -> Result<(), Refusal>;

    /// Offers a request of a DMA device to its DMA sequencer.
    ///
    /// # Errors
    /// Fails if another request of the device is outstanding; the device has to try again later.
    fn transfer(&mut self, transfer: Transfer) -> Result<(), Refusal>;

    /// Offers a request about translations to the sequencer.
    ///
    /// # Errors
    /// Fails if the sequencer refuses the request; the core has to try again later.
    fn translations(&mut self, kind: TlbRequest) -> Result<(), Refusal>;

    /// Number of requests about translations that have not completed. When one completes, the core is called by [`Core::step`].
    fn unfinished_translations(&self) -> usize;

    /// Makes a functional access at once: writes a value, or reads. A port without a memory system behind it makes none.
    fn functional(&mut self, _bytes: Bytes, _written: Option<u64>) -> FunctionalAccess {
        FunctionalAccess::Refused
    }

    /// Schedules a call of [`Core::step`] at a tick after the present one.
    fn wake_at(&mut self, tick: u64);

    /// Whether this core has an outstanding flush of the line that contains an address.
    fn is_flushing(&self, address: u64) -> bool;

    /// Returns the next position in memory order: a larger number at each call.
    fn moment(&mut self) -> u64;

    /// The trace, if there is one.
    fn trace(&mut self) -> Option<&mut Trace>;
}

/// A core, or a DMA device, running its program.
pub trait Core: Send {
    /// Continues the program. Called at tick 0, and whenever the core scheduled it.
    fn step(&mut self, now: u64, port: &mut dyn CorePort);

    /// Memory performs a request now. This is called within a callback of the protocol, so the core
    /// records it and sends nothing; the same response comes to [`Core::respond`] a tick later.
    fn performed(&mut self, now: u64, response: &Response, port: &mut dyn CorePort);

    /// A response arrives.
    fn respond(&mut self, now: u64, response: &Response, port: &mut dyn CorePort);

    /// A line leaves the core's cache, or was invalidated before it arrived there. This is called
    /// within a transition, so the core records it and sends nothing.
    fn evicted(&mut self, _now: u64, _line: u64, _port: &mut dyn CorePort) {}

    /// The index of the current operation, by which the watchdog sees progress.
    fn position(&self) -> usize;

    /// Whether the program has ended and memory has performed all of it.
    fn is_done(&self) -> bool;

    /// The records of its operations.
    fn records(&self) -> &Records;

    /// Number of loads that were performed early and had to be repeated.
    fn repeated(&self) -> u64 {
        0
    }
}

/// A row of the table of kinds of cores. The file of each core declares its row.
struct CoreKind {
    /// The name: `N` and `W` stand for sizes, `MODEL` for the name of a memory model.
    pattern: &'static str,
    /// The memory models that such cores can guarantee.
    models: fn() -> Vec<Model>,
    /// Whether the core completes each operation before it begins the next, so that Ruby's own
    /// lines show its program order.
    is_sequential: bool,
    /// Whether the core has to be told of lines that leave its cache.
    needs_evictions: bool,
    /// Makes a core.
    make: fn(Thread, Options) -> Box<dyn Core>,
}

/// The kinds of cores. To add one, write its file, with the core and its row, and list the row here.
static KINDS: [&CoreKind; 7] = [
    &in_order::KIND,
    &buffered::FIFO,
    &buffered::PER_LOCATION,
    &buffered::OTHER_MODELS,
    &early::KIND,
    &early::WITH_BUFFER,
    &out_of_order::KIND,
];

impl PartialEq for CoreKind {
    fn eq(&self, other: &CoreKind) -> bool {
        self.pattern == other.pattern
    }
}

impl Eq for CoreKind {}

impl Hash for CoreKind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pattern.hash(state);
    }
}

/// A kind of core, with the model that it guarantees and the sizes of its buffers. Its name is the
/// value of the setting `client`: `in-order`, `store-buffer-8`, `early-8-buffer-8` and so on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Client {
    kind: &'static CoreKind,
    model: Model,
    /// The sizes, in the order of the name; unused ones are 0.
    sizes: [u32; 2],
}

/// The model and the sizes of a core.
struct Options {
    model: Model,
    sizes: [u32; 2],
    line_bytes: u64,
}

/// Largest random delay of a store in ticks, after which it may be sent.
const DRAIN: u64 = 40;
/// Number of ticks after which a core tries again to access a line that is locked or that it flushes. The response that
/// ends the lock may go to another core.
const RETRY: u64 = 8;
/// Makes the generator of a thread's core differ from that of its program.
const PURPOSE: u64 = 1 << 32;
/// The size of a window or store buffer that the name of a kind of core leaves out.
const USUAL_SIZE: u32 = 8;

impl Client {
    /// A core that completes each operation before the next one begins, which guarantees SC.
    pub const IN_ORDER: Client = Client::of(&in_order::KIND, Model::SC, [0, 0]);

    const fn of(kind: &'static CoreKind, model: Model, sizes: [u32; 2]) -> Client {
        Client { kind, model, sizes }
    }

    /// A core with a first-in first-out store buffer of `entries` entries, which guarantees TSO.
    pub const fn store_buffer(entries: u32) -> Client {
        Client::of(&buffered::FIFO, Model::TSO, [entries, 0])
    }

    /// A core with a store buffer of `entries` entries, from which stores to different locations
    /// leave in any order, which guarantees PSO.
    pub const fn per_location(entries: u32) -> Client {
        Client::of(&buffered::PER_LOCATION, Model::PSO, [entries, 0])
    }

    /// A core that performs the loads among the next `window` operations early, and repeats those
    /// whose line leaves the cache. All other operations are performed in order, so it guarantees
    /// SC.
    pub const fn early(window: u32) -> Client {
        Client::of(&early::KIND, Model::SC, [window, 0])
    }

    /// A core with early loads and a store buffer, which guarantees TSO.
    pub const fn early_buffer(window: u32, entries: u32) -> Client {
        Client::of(&early::WITH_BUFFER, Model::TSO, [window, entries])
    }

    /// A core that performs its operations out of order as a weak model allows, with at most `window`
    /// operations that memory has not performed.
    pub const fn out_of_order(model: Model, window: u32) -> Client {
        Client::of(&out_of_order::KIND, model, [window, 0])
    }

    /// The same kind of core for another model, if it can guarantee that.
    pub fn with_model(self, model: Model) -> Option<Client> {
        let can_guarantee = (self.kind.models)().contains(&model);
        can_guarantee.then_some(Client { model, ..self })
    }

    /// Whether the trace of a run shows all that decides verdicts about it. A gem5 trace has no room for
    /// the dependencies, annotations and weak fences of the programs for weak models.
    pub fn has_trace(self) -> bool {
        !self.model.is_weak()
    }

    /// The kinds of cores whose names contain no memory model, with the default sizes.
    pub fn all() -> impl Iterator<Item = Client> {
        let named = KINDS.iter().filter(|kind| !kind.pattern.contains("MODEL"));
        named.flat_map(|kind| {
            let sized = |model| Client::of(kind, model, [USUAL_SIZE; 2]).trimmed();
            (kind.models)().into_iter().map(sized)
        })
    }

    /// The same client, with 0 for the sizes that its kind does not have.
    fn trimmed(mut self) -> Client {
        let sizes = self.kind.pattern.split('-').filter(|word| is_size(word));
        self.sizes[sizes.count()..].fill(0);
        self
    }

    /// The memory model that the core guarantees.
    pub fn model(self) -> Model {
        self.model
    }

    /// The lines of a trace that show a program on such cores: Ruby's, if the cores complete one
    /// operation after the other and all operations appear in Ruby's lines.
    pub fn source(self, program: &Program) -> Source {
        if self.kind.is_sequential && program.is_plain() { Source::Ruby } else { Source::Client }
    }

    /// Whether the core has to be told of lines that leave its cache.
    pub fn needs_evictions(self) -> bool {
        self.kind.needs_evictions
    }

    /// Creates the core of a thread.
    pub fn core(self, thread: u32, steps: Vec<Step>, setting: Setting) -> Box<dyn Core> {
        let log = Log::new(thread, setting.source);
        let alarm =
            Alarm { flushes: steps.iter().any(|step| step.flush.is_some()), ..Alarm::default() };
        let thread = Thread {
            ready: steps.first().map_or(0, |step| step.think.into()),
            next: 0,
            steps,
            log,
            rng: Rng::new(setting.seed, PURPOSE + u64::from(thread)),
            alarm,
            awaits_sync: false,
            functional: Share::new(setting.functional, setting.seed, thread),
        };
        let options =
            Options { model: self.model, sizes: self.sizes, line_bytes: setting.line_bytes };
        (self.kind.make)(thread, options)
    }

    /// Whether such cores can make some of their loads and stores functionally: those that complete each operation before they
    /// begin the next.
    pub fn makes_functional_accesses(self) -> bool {
        self.kind.is_sequential
    }

    /// Creates the cores of all threads of a program, and after them its DMA devices. Of 100 loads and stores, cores make
    /// `functional` functionally. Ruby's lines do not show these, so the cores print all operations.
    pub fn cores(
        self,
        program: Program,
        seed: u64,
        line_bytes: u64,
        functional: u32,
    ) -> Vec<Box<dyn Core>> {
        let source = if functional > 0 { Source::Client } else { self.source(&program) };
        let setting = Setting { source, seed, line_bytes, functional };
        let first_device = program.threads.len() as u32;
        let threads = (0..).zip(program.threads);
        let cores = threads.map(|(thread, steps)| self.core(thread, steps, setting));
        let devices = (first_device..).zip(program.devices);
        let devices = devices.map(|(thread, steps)| -> Box<dyn Core> {
            Box::new(dma::Device::new(thread, steps, setting))
        });
        cores.chain(devices).collect()
    }

    /// The client of this kind and model with this name, if there is one.
    fn named(kind: &'static CoreKind, model: Model, name: &str) -> Option<Client> {
        let pattern = kind.pattern.replace("MODEL", model.name());
        let mut words = name.split('-').peekable();
        let mut sizes = [0; 2];
        let mut at = 0;
        for expected in pattern.split('-') {
            if is_size(expected) {
                let is_number =
                    |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
                sizes[at] = match words.next_if(is_number) {
                    Some(word) => word.parse().ok().filter(|size| (1..=1024).contains(size))?,
                    None => USUAL_SIZE,
                };
                at += 1;
            } else if words.next() != Some(expected) {
                return None;
            }
        }
        words.next().is_none().then_some(Client::of(kind, model, sizes))
    }
}

/// Whether a word of a pattern stands for a size.
fn is_size(word: &str) -> bool {
    matches!(word, "N" | "W")
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pattern = self.kind.pattern.replace("MODEL", self.model.name());
        let mut sizes = self.sizes.iter().map(u32::to_string);
        let words = pattern.split('-').map(|word| match word {
            word if is_size(word) => sizes.next().unwrap_or_default(),
            word => word.to_owned(),
        });
        f.write_str(&words.collect::<Vec<_>>().join("-"))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The error that no kind of core has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{name}`: expected {}, with sizes from 1 to 1024", KINDS.map(|kind| kind.pattern).join(", "))]
pub struct UnknownClient {
    name: String,
}

impl FromStr for Client {
    type Err = UnknownClient;

    /// Parses the name that [`fmt::Display`] writes, in any case. A size that is left out is 8, and a memory model that
    /// is left out of the name of an out-of-order core is RVWMO.
    fn from_str(given: &str) -> Result<Client, UnknownClient> {
        let name = given.to_ascii_lowercase();
        let clients = KINDS.iter().flat_map(|kind| {
            let models = (kind.models)().into_iter();
            models.filter_map(|model| Client::named(kind, model, &name))
        });
        let found = { clients }.next().or_else(|| {
            let name = format!("{}-{name}", Model::RVWMO.name());
            Client::named(&out_of_order::KIND, Model::RVWMO, &name)
        });
        found.ok_or_else(|| UnknownClient { name: given.to_owned() })
    }
}

/// The settings that all cores of a run share.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The lines of the trace that show their operations.
    pub source: Source,
    /// The seed of their random choices.
    pub seed: u64,
    /// Size of a cache line in bytes.
    pub line_bytes: u64,
    /// Of 100 loads and stores, how many are made functionally.
    pub functional: u32,
}

/// A thread's program, with the state that every kind of core needs to run it.
#[derive(Debug)]
struct Thread {
    steps: Vec<Step>,
    /// The index of the next operation.
    next: usize,
    /// The tick at which the next operation may begin.
    ready: u64,
    log: Log,
    rng: Rng,
    alarm: Alarm,
    /// Whether the core waits for its sync, and so for all its requests about translations.
    awaits_sync: bool,
    functional: Share,
}

impl Thread {
    /// The next operation, if its time has come; otherwise, the core is woken at that time.
    fn due(&mut self, now: u64, port: &mut dyn CorePort) -> Option<Operation> {
        let step = self.steps.get(self.next)?;
        if now < self.ready {
            self.alarm.set(self.ready, port);
            return None;
        }
        let operation = step.operation;
        self.prepare(now, port).then_some(operation)
    }

    /// Sends the requests that come before the next operation, and waits for those that it waits for. Returns whether the
    /// operation may begin.
    fn prepare(&mut self, now: u64, port: &mut dyn CorePort) -> bool {
        self.flush(now, port) && self.invalidate(now, port)
    }

    /// Sends the requests about translations that come before the next operation. Returns whether the operation may begin: a core
    /// waits for its syncs, but not for an invalidation.
    fn invalidate(&mut self, now: u64, port: &mut dyn CorePort) -> bool {
        use Translations::{Invalidate, InvalidateSync, Sync};
        while let Some(step) = self.steps.get_mut(self.next)
            && let Some(due) = step.translations
        {
            if due == Sync && port.unfinished_translations() > 0 {
                return false;
            }
            let (kind, rest) = match due {
                Invalidate => (TlbRequest::Invalidate, None),
                InvalidateSync => (TlbRequest::Invalidate, Some(Sync)),
                Sync => (TlbRequest::Sync, None),
            };
            if port.translations(kind).is_err() {
                // Requests with addresses are outstanding, whose responses may have been given already.
                self.alarm.set_retry(now, port);
                return false;
            }
            step.translations = rest;
            self.awaits_sync |= kind == TlbRequest::Sync;
        }
        self.awaits_sync &= port.unfinished_translations() > 0;
        !self.awaits_sync
    }

    /// Sends the flush that comes before the next operation, if there is one that was not sent. Returns whether the
    /// operation may begin: a flush is never answered, so the core does not wait for it.
    fn flush(&mut self, now: u64, port: &mut dyn CorePort) -> bool {
        let Some(step) = self.steps.get_mut(self.next) else {
            return true;
        };
        let Some(address) = step.flush else {
            return true;
        };
        let request = Request { tag: 0, kind: RequestKind::Flush, address, size: 8, value: 0 };
        let is_sent = self.alarm.send(port, now, request);
        if is_sent {
            step.flush = None;
        }
        is_sent
    }

    /// Advances to the next operation; the current one ended at the tick `from`.
    fn finish(&mut self, from: u64) {
        self.next += 1;
        let step = self.steps.get(self.next);
        self.ready = from + step.map_or(0, |step| u64::from(step.think));
    }

    /// Whether the program has ended.
    fn is_over(&self) -> bool {
        self.next >= self.steps.len()
    }
}

/// The scheduled wakeups of a core, at most one for each tick.
#[derive(Debug, Default)]
struct Alarm {
    ticks: Vec<u64>,
    /// The tick at which it tries again to send what was refused.
    retry: u64,
    /// Whether the program flushes lines.
    flushes: bool,
}

impl Alarm {
    /// Removes the wakeups up to the present tick.
    fn ring(&mut self, now: u64) {
        self.ticks.retain(|&tick| tick > now);
    }

    /// Schedules a wakeup at a later tick.
    fn set(&mut self, tick: u64, port: &mut dyn CorePort) {
        if !self.ticks.contains(&tick) {
            self.ticks.push(tick);
            port.wake_at(tick);
        }
    }

    /// Sends a request, and returns whether it was accepted. After a refusal, the core is woken or
    /// gets a response.
    fn send(&mut self, port: &mut dyn CorePort, now: u64, request: Request) -> bool {
        if self.must_wait(&request, port) {
            self.set_retry(now, port);
            return false;
        }
        match port.send(request) {
            Ok(()) => true,
            Err(refusal) => {
                // If the buffer is full, requests are outstanding. Of these only flushes get no response.
                if refusal == Refusal::Aliased || self.flushes {
                    self.set_retry(now, port);
                }
                false
            }
        }
    }

    /// Whether a request locks a line that this core is flushing, and so has to wait: the sequencer would complete it
    /// together with the flush, and lock a line that the cache no longer has.
    fn must_wait(&self, request: &Request, port: &dyn CorePort) -> bool {
        let locks = request.kind == RequestKind::LockedRead;
        self.flushes && locks && port.is_flushing(request.address)
    }

    fn set_retry(&mut self, now: u64, port: &mut dyn CorePort) {
        if self.retry <= now {
            self.retry = now + RETRY;
            self.set(self.retry, port);
        }
    }
}
