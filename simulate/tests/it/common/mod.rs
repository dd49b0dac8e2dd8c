//! An atomic memory with random latencies, in place of a protocol: cores and sequencers run on it.
//!
//! A write invalidates the line in the caches of all other cores and is performed, in one step. A
//! read may take its copy of the line a while before it completes, as in protocols in which data
//! and invalidations race.

#![allow(dead_code, reason = "each test file uses a part")]

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use history::random::Rng;
use history::{Ambiguity, History, ReadsFrom};
use simulate::client::{Client, Core, CorePort};
use simulate::program::{Program, ProgramSize};
use simulate::record;
use simulate::request::{Refusal, Request, Response, TlbRequest, Transfer};
use simulate::sequencer::{Config, Effects, Issue, Line, Sequencer, ruby_type};
use simulate::trace::{Layout, Options, Output, Trace};

type Block = [u64; 8];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Wake,
    Answer(usize),
    /// A request reaches memory.
    Access(usize),
    /// A read completes with the copy that it took.
    Finish(usize),
}

/// The memory, the sequencers and the scheduled events: the system except for the cores.
pub(crate) struct Memory {
    now: u64,
    rng: Rng,
    events: BinaryHeap<Reverse<(u64, u64, usize, Event)>>,
    scheduled: u64,
    answers: Vec<Response>,
    issues: Vec<Issue>,
    copies: BTreeMap<usize, Block>,
    sequencers: Vec<Sequencer>,
    lines: BTreeMap<u64, Block>,
    /// The lines in the cache of each core, each with its reservation.
    held: BTreeMap<(usize, u64), Option<u32>>,
    locked: BTreeMap<u64, usize>,
    moment: u64,
    trace: Option<Trace>,
}

/// The memory as one core sees it.
struct View<'a> {
    memory: &'a mut Memory,
    core: usize,
}

impl CorePort for View<'_> {
    fn send(&mut self, request: Request) -> Result<(), Refusal> {
        let memory = &mut *self.memory;
        let sequencer = &mut memory.sequencers[self.core];
        let line = sequencer.line_of(request.address);
        let is_blocked = memory.locked.get(&line) == Some(&self.core);
        let issue = sequencer.request(memory.now, request, is_blocked, memory.trace.as_mut())?;
        if let Some(issue) = issue {
            memory.issue(self.core, issue, 1);
        }
        Ok(())
    }

    fn transfer(&mut self, transfer: Transfer) -> Result<(), Refusal> {
        panic!("there are no DMA devices: {transfer:?}");
    }

    fn translations(&mut self, kind: TlbRequest) -> Result<(), Refusal> {
        panic!("the memory knows no translations: {kind:?}");
    }

    fn unfinished_translations(&self) -> usize {
        0
    }

    fn wake_at(&mut self, tick: u64) {
        assert!(tick > self.memory.now, "a core asks to be woken at once");
        self.memory.schedule(tick, self.core, Event::Wake);
    }

    fn is_flushing(&self, address: u64) -> bool {
        let sequencer = &self.memory.sequencers[self.core];
        sequencer.is_flushing(sequencer.line_of(address))
    }

    fn moment(&mut self) -> u64 {
        self.memory.moment += 1;
        self.memory.moment
    }

    fn trace(&mut self) -> Option<&mut Trace> {
        self.memory.trace.as_mut()
    }
}

impl Memory {
    fn schedule(&mut self, tick: u64, core: usize, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((tick, self.scheduled, core, event)));
    }

    fn issue(&mut self, core: usize, issue: Issue, least: u64) {
        // Some requests are hits.
        let latency = if self.rng.percent(40) { least } else { least + self.rng.up_to(100) };
        self.issues.push(issue);
        let at = self.issues.len() - 1;
        self.schedule(self.now + latency, core, Event::Access(at));
    }
}

/// The settings of a run.
#[derive(Clone)]
pub(crate) struct Run {
    pub client: Client,
    pub shape: ProgramSize,
    /// Whether cores are notified of evictions.
    pub evictions: bool,
    /// Whether reads may complete later than they take their copy of the line.
    pub late_reads: bool,
    /// The tick at which the run is aborted.
    pub abort: u64,
}

impl Run {
    pub(crate) fn new(client: Client, shape: ProgramSize) -> Run {
        Run { client, shape, evictions: true, late_reads: true, abort: u64::MAX }
    }
}

/// The results of a run.
pub(crate) struct Ran {
    pub history: History,
    pub text: Vec<u8>,
    pub repeated: u64,
}

struct System {
    memory: Memory,
    cores: Vec<Box<dyn Core>>,
    evictions: bool,
    late_reads: bool,
    effects: Effects,
}

pub(crate) fn run(run: &Run) -> Ran {
    let program = Program::random(&run.shape);
    let threads = run.shape.threads;
    let options = Options {
        fetch_port: program.has_fetches(),
        packets: run.shape.seed.is_multiple_of(2),
        ..Options::new(threads, Layout::Single)
    };
    let memory = Memory {
        now: 0,
        rng: Rng::new(run.shape.seed, 1 << 40),
        events: BinaryHeap::new(),
        scheduled: 0,
        answers: Vec::new(),
        issues: Vec::new(),
        copies: BTreeMap::new(),
        sequencers: (0..threads).map(|v| Sequencer::new(Config::new(v, 0))).collect(),
        lines: BTreeMap::new(),
        held: BTreeMap::new(),
        locked: BTreeMap::new(),
        moment: 0,
        trace: Some(Trace::new(options, Output::Memory)),
    };
    let mut system = System {
        memory,
        cores: run.client.cores(program, run.shape.seed, 64, 0),
        evictions: run.evictions,
        late_reads: run.late_reads,
        effects: Effects::default(),
    };
    system.run(run.abort);
    let is_done = system.cores.iter().all(|core| core.is_done());
    assert!(is_done || run.abort < u64::MAX, "{}: a core is stuck", run.client);
    let records: Vec<_> = system.cores.iter().map(|core| core.records()).collect();
    Ran {
        history: record::history(records).unwrap(),
        repeated: system.cores.iter().map(|core| core.repeated()).sum(),
        text: system.memory.trace.take().unwrap().finish().unwrap(),
    }
}

impl System {
    fn run(&mut self, abort: u64) {
        for core in 0..self.cores.len() {
            self.memory.schedule(0, core, Event::Wake);
        }
        while let Some(Reverse((tick, count, core, event))) = self.memory.events.pop() {
            if tick >= abort {
                return;
            }
            assert!(count < 10_000_000, "the run does not end");
            self.memory.now = tick;
            match event {
                Event::Wake => self.with_core(core, |core, port| core.step(tick, port)),
                Event::Answer(at) => {
                    let answer = self.memory.answers[at];
                    self.with_core(core, |core, port| core.respond(tick, &answer, port));
                }
                Event::Access(at) => self.access(core, at),
                Event::Finish(at) => self.finish(core, at),
            }
        }
    }

    fn with_core(&mut self, at: usize, act: impl FnOnce(&mut dyn Core, &mut dyn CorePort)) {
        let mut view = View { memory: &mut self.memory, core: at };
        act(&mut *self.cores[at], &mut view);
    }

    fn access(&mut self, core: usize, at: usize) {
        let issue = self.memory.issues[at];
        let now = self.memory.now;
        let locked = self.memory.locked.get(&issue.line);
        if locked.is_some_and(|&by| by != core) {
            return self.memory.schedule(now + 3, core, Event::Access(at));
        }
        if issue.kind == ruby_type::ST {
            for other in (0..self.cores.len()).filter(|&other| other != core) {
                self.evict(other, issue.line);
            }
            self.memory.held.entry((core, issue.line)).or_insert(None);
            return self.complete(core, issue.line, None);
        }
        self.memory.held.entry((core, issue.line)).or_insert(None);
        if !self.late_reads || self.memory.rng.percent(50) {
            return self.complete_read(core, issue.line, None);
        }
        let copy = self.memory.lines.get(&issue.line).copied().unwrap_or_default();
        self.memory.copies.insert(at, copy);
        let later = now + 1 + self.memory.rng.up_to(60);
        self.memory.schedule(later, core, Event::Finish(at));
    }

    fn finish(&mut self, core: usize, at: usize) {
        let line = self.memory.issues[at].line;
        let copy = self.memory.copies.remove(&at);
        self.complete_read(core, line, copy);
        if self.memory.rng.percent(10) {
            self.evict(core, line);
        }
    }

    /// Evicts a line from a cache.
    fn evict(&mut self, core: usize, line: u64) {
        let now = self.memory.now;
        if self.memory.held.remove(&(core, line)).is_some() && self.evictions {
            self.with_core(core, |core, port| core.evicted(now, line, port));
        }
    }

    fn complete_read(&mut self, core: usize, line: u64, copy: Option<Block>) {
        // Without a copy of its own it reads memory, which it does not change.
        let copy = copy.or_else(|| Some(self.memory.lines.get(&line).copied().unwrap_or_default()));
        self.complete(core, line, copy);
    }

    /// Completes a request at the sequencer: a read with a copy of the line, a write with the block
    /// of memory.
    fn complete(&mut self, core: usize, line: u64, copy: Option<Block>) {
        let memory = &mut self.memory;
        let is_read = copy.is_some();
        let mut block =
            copy.unwrap_or_else(|| memory.lines.get(&line).copied().unwrap_or_default());
        let place = Line {
            now: memory.now,
            address: line,
            block: &mut block,
            monitor: memory.held.get_mut(&(core, line)),
        };
        self.effects.clear();
        let sequencer = &mut memory.sequencers[core];
        let trace = memory.trace.as_mut();
        if is_read {
            sequencer.read_done(place, trace, &mut self.effects)
        } else {
            sequencer.write_done(place, trace, &mut self.effects)
        }
        .unwrap();
        if !is_read {
            memory.lines.insert(line, block);
        }
        match self.effects.lock {
            Some(true) => drop(memory.locked.insert(line, core)),
            Some(false) => drop(memory.locked.remove(&line)),
            None => {}
        }
        if let Some(issue) = self.effects.issue {
            memory.issue(core, issue, 1);
        }
        let now = memory.now;
        let answers = std::mem::take(&mut self.effects.responses);
        for answer in &answers {
            self.with_core(core, |core, port| core.performed(now, answer, port));
            self.memory.answers.push(*answer);
            let at = self.memory.answers.len() - 1;
            self.memory.schedule(now + 1, core, Event::Answer(at));
        }
        self.effects.responses = answers;
    }
}

/// The history that a reader makes of a trace.
pub(crate) fn reread(text: &[u8]) -> History {
    let trace = ingest::read(text, "trace", &ingest::Options::default());
    trace.unwrap().histories.remove(0)
}

/// Whether a history satisfies a model.
pub(crate) fn satisfies(history: &History, model: &str) -> bool {
    decide(history, model).0
}

/// Whether a history satisfies a model, and whether the order in which its operations were
/// performed is enough to show it.
pub(crate) fn decide(history: &History, model: &str) -> (bool, bool) {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let model = check::Model::from_name(model, memory::PsoRmw::Own).unwrap();
    let options = check::Options::default();
    let bounds = check::Bounds::new(None, None);
    let outcome = check::decide(history, &reads_from, model, &options, &bounds);
    let holds = match outcome.verdict {
        check::Verdict::Consistent(_) => true,
        check::Verdict::Violation(_) => false,
        verdict => panic!("{verdict:?}"),
    };
    (holds, outcome.decided_by == check::verdict::Stage::By(check::Algorithm::TraceOrder))
}
