//! Compares wSC, wTSO and their extensions with the literal definitions, the machine, the corpus's kernels and the
//! paper's figures.

use crate::common;
use crate::common::corpus::{Corpus, Pairs};
use crate::common::{change_reads, outcome, print, run, seeded, sized_program};
use check::Exceeded;
use check::engine::relation::Relation;
use check::kernel::write_pairs;
use check::published::{Problem, Report};
use check::{Algorithm, Bounds, Model, Options, Outcome, Reason, Verdict};
use history::{Ambiguity, History, OpId, ReadsFrom};
use memory::machine::explore;
use papers::execution::{Execution, NONE};
use papers::saturation::{ForcedOrder, clocks, guess, pattern};
use rand::RngExt;

/// A history with the inputs that the algorithms need.
struct Case {
    history: History,
    reads_from: ReadsFrom,
    finals: Vec<OpId>,
    bounds: Bounds,
}

impl Case {
    fn new(history: &History) -> Case {
        Case {
            reads_from: ReadsFrom::derive(history, Ambiguity::Refuse).unwrap(),
            finals: finals(history),
            bounds: Bounds::none(),
            history: history.clone(),
        }
    }

    fn execution(&self) -> Execution<'_> {
        Execution::new(&self.history, &self.reads_from)
    }

    fn problem(&self, model: Model) -> Problem<'_> {
        Problem::new(&self.history, &self.reads_from, &self.finals, model, &self.bounds)
    }

    /// Whether a read returns, or a location ends with, a value that no write has. This is decided before any algorithm
    /// runs.
    fn is_thin_air(&self) -> bool {
        let reads_from = &self.reads_from;
        let mut ops = self.history.ops();
        let thin = |op| reads_from.source(op) == Some(history::ReadSource::ThinAir);
        ops.any(thin) || self.finals.len() != constrained_finals(&self.history)
    }
}

fn writes_of_final(history: &History, last: &history::Final) -> Vec<OpId> {
    let writes = history.ops().filter(|&op| {
        history.location(op) == Some(last.location) && history.written(op) == Some(last.value)
    });
    writes.collect()
}

fn finals(history: &History) -> Vec<OpId> {
    let lasts = history.finals().iter();
    lasts.flat_map(|last| writes_of_final(history, last)).collect()
}

/// The number of final values at locations with writes.
fn constrained_finals(history: &History) -> usize {
    let is_written = |location| {
        let mut ops = history.ops();
        ops.any(|op| history.location(op) == Some(location) && history.kind(op).writes())
    };
    let lasts = history.finals().iter();
    lasts.filter(|last| is_written(last.location)).count()
}

/// `hb` of wSC as the paper defines it, by iteration; `None` if cyclic.
fn literal_wsc(execution: &Execution<'_>, finals: &[OpId]) -> Option<Relation> {
    let nodes = || 0..execution.len() as u32;
    let mut hb = Relation::new(execution.len());
    for (a, b) in nodes().flat_map(|a| nodes().map(move |b| (a, b))) {
        if execution.po(a, b) || execution.source[b as usize] == a {
            hb.insert(a, b);
        }
    }
    insert_finals(execution, finals, &mut hb);
    loop {
        hb.close();
        hb.reflexive().is_none().then_some(())?;
        // st = (hb_WR ∘ wr⁻¹ ∪ hb_WW)⁺
        let mut st = Relation::new(execution.len());
        for (a, b) in nodes().flat_map(|a| nodes().map(move |b| (a, b))) {
            if execution.is_write(a) && same_location(execution, a, b) && hb.contains(a, b) {
                let source = execution.source[b as usize];
                if source != NONE && source != a {
                    st.insert(a, source);
                }
                if execution.is_write(b) {
                    st.insert(a, b);
                }
            }
        }
        st.close();
        let mut next = hb.clone();
        next.unite(&st);
        // rw[st] = wr⁻¹ ∘ st
        for (read, write) in nodes().flat_map(|a| nodes().map(move |b| (a, b))) {
            let source = execution.source[read as usize];
            if source != NONE && read != write && st.contains(source, write) {
                next.insert(read, write);
            }
        }
        if next == hb {
            return Some(hb);
        }
        hb = next;
    }
}

/// R1-R7 of Manovit & Hangal as a fixpoint; `None` if cyclic.
fn literal_wtso(execution: &Execution<'_>, finals: &[OpId]) -> Option<Relation> {
    let nodes = || 0..execution.len() as u32;
    let pairs = || nodes().flat_map(move |a| nodes().map(move |b| (a, b)));
    let mut hb = Relation::new(execution.len());
    for (a, b) in pairs() {
        let is_initial = execution.is_initial(a) && !execution.is_initial(b);
        let r4 = execution.source[b as usize] == a && execution.is_external(b);
        if is_initial || execution.preserves(Model::TSO, a, b) || r4 {
            hb.insert(a, b);
        }
        let source = execution.source[b as usize];
        let is_own = execution.thread[a as usize] == execution.thread[b as usize];
        let is_other_write = execution.is_write(a) && same_location(execution, a, b) && source != a;
        if source != NONE && is_own && execution.po(a, b) && is_other_write {
            hb.insert(a, source); // R5
        }
    }
    insert_finals(execution, finals, &mut hb);
    loop {
        hb.close();
        hb.reflexive().is_none().then_some(())?;
        let mut next = hb.clone();
        for (read, write) in pairs() {
            let source = execution.source[read as usize];
            let is_other = read != write && execution.is_write(write) && source != write;
            if source == NONE || !is_other || !same_location(execution, read, write) {
                continue;
            }
            if hb.contains(write, read) {
                next.insert(write, source); // R6
            }
            if hb.contains(source, write) {
                next.insert(read, write); // R7
            }
        }
        if next == hb {
            return Some(hb);
        }
        hb = next;
    }
}

fn same_location(execution: &Execution<'_>, a: u32, b: u32) -> bool {
    execution.location[a as usize] == execution.location[b as usize]
}

fn insert_finals(execution: &Execution<'_>, finals: &[OpId], hb: &mut Relation) {
    for last in finals {
        let writes = execution.writes.of(execution.location[last.at()]);
        for &write in writes.iter().filter(|&&write| write != last.0) {
            hb.insert(write, last.0);
        }
    }
}

/// Random histories: runs of a machine, with the flag `true`, and the same runs with some reads changed.
fn random_histories(
    seeds: std::ops::Range<u64>,
    model: Model,
    linked: bool,
) -> impl Iterator<Item = (u64, History, bool)> {
    seeds.flat_map(move |seed| {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=5, 4..=14, 1..=3), linked);
        let finals = random.random_bool(0.3);
        let valid = run(&mut random, &accesses, model, finals);
        let changes = random.random_range(1..=3);
        let changed = valid.as_ref().map(|history| change_reads(&mut random, history, changes));
        let valid = valid.map(|history| (seed, history, true));
        valid.into_iter().chain(changed.map(|history| (seed, history, false)))
    })
}

/// Compares both implementations with the definition.
fn compare_with_definition(history: &History, model: Model, label: &str) -> bool {
    let case = Case::new(history);
    let execution = case.execution();
    let label = format!("{label} {model}\n{}", print(history));
    let forced = ForcedOrder::new(&execution, model, &case.finals, &case.bounds).unwrap();
    let literal = if model == Model::SC {
        literal_wsc(&execution, &case.finals)
    } else {
        literal_wtso(&execution, &case.finals)
    };
    assert_eq!(forced.is_cyclic(), literal.is_none(), "{label}");
    let problem = case.problem(model);
    let events = clocks::events(&problem).unwrap();
    let saturation = clocks::saturate(&problem, &events);
    assert_eq!(saturation.is_err(), literal.is_none(), "{label}");
    let (Some(literal), Ok(saturation)) = (literal, saturation) else {
        return false;
    };
    assert_eq!(forced.hb(), &literal, "{label}");
    for first in 0..execution.operations {
        for second in 0..execution.operations {
            let expected = literal.contains(first, second);
            assert_eq!(forced.hb_inverse().contains(second, first), expected, "{label}");
            if first != second {
                assert_eq!(saturation.precedes(first, second), expected, "{label}");
            }
        }
    }
    let mut st: Vec<(u32, u32)> =
        forced.st().filter(|&(first, _)| !execution.is_initial(first)).collect();
    st.sort_unstable();
    let mut by_clocks: Vec<(u32, u32)> = clocks::st(&saturation).map(|(a, b)| (a.0, b.0)).collect();
    by_clocks.sort_unstable();
    assert_eq!(st, by_clocks, "{label}");
    assert_eq!(forced.ordered(), check::kernel::count_ordered(&saturation), "{label}");
    assert_eq!(forced.ordered(), st.len() as u64, "{label}");
    let open = forced.unordered().len() as u64;
    assert_eq!(forced.ordered() + open, write_pairs(execution.history), "{label}");
    true
}

#[test]
fn both_implementations_are_the_definition() {
    for model in [Model::SC, Model::TSO] {
        let (mut acyclic, mut cyclic) = (0, 0);
        for (seed, history, valid) in random_histories(0..600, model, true) {
            if Case::new(&history).is_thin_air() {
                continue;
            }
            let holds = compare_with_definition(&history, model, &format!("seed {seed}"));
            assert!(holds || !valid);
            if holds { acyclic += 1 } else { cyclic += 1 }
        }
        assert!(acyclic > 300 && cyclic > 100, "{acyclic} {cyclic}");
    }
}

#[test]
fn larger_histories_too() {
    for seed in 0..12u64 {
        let model = [Model::SC, Model::TSO][seed as usize % 2];
        let recipe = check::generate::Recipe {
            model,
            threads: 2 + seed as u32 % 6,
            operations: 120,
            locations: 2 + seed as u32 % 4,
            seed,
            ..Default::default()
        };
        let history = check::generate::generate(&recipe).unwrap();
        assert!(compare_with_definition(&history, model, "generated"));
    }
}

/// Assuming an order gives the same result as saturating everything with that order.
#[test]
fn assuming_an_order_is_adding_it_to_the_definition() {
    let (mut possible, mut impossible) = (0, 0);
    for (_, history, _) in random_histories(0..400, Model::SC, false) {
        let case = Case::new(&history);
        let execution = case.execution();
        let forced = ForcedOrder::new(&execution, Model::SC, &case.finals, &case.bounds).unwrap();
        if forced.is_cyclic() || case.is_thin_air() {
            continue;
        }
        for (first, second) in forced.unordered() {
            let mut guess = forced.clone();
            guess.assume(first, second).unwrap();
            if guess.is_cyclic() {
                impossible += 1;
                continue;
            }
            possible += 1;
            assert!(guess.hb().contains(first, second));
            // Nothing more follows, and no known order is lost.
            let mut again = guess.hb().clone();
            again.unite(forced.hb());
            again.close();
            assert_eq!(&again, guess.hb());
            for (a, b) in guess.st() {
                let readers = execution.readers.of(a).iter();
                let late = readers.filter(|&&reader| reader != b);
                assert!(late.into_iter().all(|&r| guess.hb().contains(r, b)));
            }
        }
    }
    assert!(possible > 300, "{possible} {impossible}");
}

fn is_refuted(outcome: &Outcome) -> bool {
    match outcome.verdict {
        Verdict::Violation(_) => true,
        Verdict::Satisfied => false,
        ref other => panic!("{other:?}"),
    }
}

const SC_CRITERIA: [Algorithm; 3] = [papers::WSC, papers::WSC_PATTERN, papers::WSC_GUESS1];

#[test]
fn sc_implies_wsc_and_its_extensions() {
    let mut refuted = 0;
    for (seed, history, _) in random_histories(10_000..10_800, Model::SC, true) {
        let Some(run) = explore(&history, Model::SC, 300_000) else {
            continue;
        };
        let found = SC_CRITERIA.map(|algorithm| outcome(&history, Model::SC, algorithm));
        let violations = found.each_ref().map(is_refuted);
        let label = format!("seed {seed}\n{}", print(&history));
        assert!(run.is_none() || violations == [false; 3], "{label}");
        // Each extension refutes what wSC refutes.
        assert!(!violations[0] || violations == [true; 3], "{label}");
        refuted += u32::from(violations[0]);
        if violations == [false; 3] {
            let [wsc, pattern, guess] = found.map(|found| found.statistics.ordered);
            assert!(wsc.is_some() && wsc <= pattern && wsc <= guess, "{label}");
        }
    }
    assert!(refuted > 100, "{refuted}");
}

#[test]
fn tso_implies_wtso() {
    let mut refuted = 0;
    for (seed, history, _) in random_histories(20_000..20_800, Model::TSO, true) {
        let Some(run) = explore(&history, Model::TSO, 300_000) else {
            continue;
        };
        let violation = is_refuted(&outcome(&history, Model::TSO, papers::WTSO));
        assert!(!violation || run.is_none(), "{seed}\n{}", print(&history));
        refuted += u32::from(violation);
    }
    assert!(refuted > 100, "{refuted}");
}

/// The store order that an extension ends with, as pairs of values.
fn store_order(execution: &Execution<'_>, forced: &ForcedOrder<'_>) -> Pairs {
    let value = |node: u32| execution.op(node).and_then(|op| execution.history.written(op));
    let location = |node: u32| execution.location[node as usize] as usize;
    let address = |node: u32| execution.history.locations()[location(node)].address;
    forced
        .st()
        .filter_map(|(first, second)| Some((address(first), value(first)?, value(second)?)))
        .collect()
}

/// The pairs that wSC, the pattern and guessing order; `None` if there is a cycle.
fn store_orders(history: &History, model: Model) -> Option<[Pairs; 3]> {
    let case = Case::new(history);
    let execution = case.execution();
    let forced = ForcedOrder::new(&execution, model, &case.finals, &case.bounds).unwrap();
    let mut with_pattern = forced.clone();
    pattern::saturate(&execution, &mut with_pattern).unwrap();
    let mut with_guess = forced.clone();
    guess::saturate(&execution, &mut with_guess, &mut 0).unwrap();
    let all = [forced, with_pattern, with_guess];
    let cyclic = all.iter().any(ForcedOrder::is_cyclic);
    (!cyclic).then(|| all.map(|forced| store_order(&execution, &forced)))
}

on_corpus!(what_is_ordered_is_in_the_kernel, "oracle", only_the_kernel_is_ordered);

fn only_the_kernel_is_ordered(corpus: &Corpus) {
    let mut all = 0;
    for (model, file) in [(Model::SC, "kernel_sc.csv"), (Model::TSO, "kernel_tso.csv")] {
        let kernels = corpus.kernels(file);
        let (mut complete, mut more) = (0, 0);
        for history in corpus.histories() {
            let name = history.name.as_deref().unwrap();
            let Some(kernel) = kernels.get(name) else {
                continue;
            };
            let [wsc, pattern, guess] = store_orders(&history, model).unwrap();
            assert!(wsc.is_subset(&pattern) && wsc.is_subset(&guess), "{name}");
            assert!(pattern.is_subset(kernel), "{name} {model} pattern");
            assert!(guess.is_subset(kernel), "{name} {model} guess");
            // Assuming the opposite of a pair that the pattern orders gives a cycle.
            assert!(pattern.is_subset(&guess), "{name} {model}");
            complete += usize::from(wsc == *kernel);
            more += u32::from(pattern.len() > wsc.len());
        }
        // Mostly wSC finds the whole kernel, and the pattern finds some of the rest. A sample has the hard
        // histories of the papers' figures, and few of them have the pattern.
        let (part, whole) = if corpus.is_sample() { (3, 4) } else { (4, 5) };
        assert!(complete * whole > kernels.len() * part, "{model}: {complete}");
        assert!(more > 0 || corpus.is_sample(), "{model}");
        all += more;
    }
    assert!(all > 0, "the pattern orders no pair that saturation leaves open");
}

#[test]
fn the_figures_of_the_paper() {
    let corpus = Corpus::sample("oracle");
    // Fig. 1a is SC, 1b (CAV 2019, Fig. 1d) is not wSC, 1c is wSC and not SC.
    let wsc = |name| is_refuted(&outcome(&corpus.named(name), Model::SC, papers::WSC));
    assert!(!wsc("saturation-fig1a"));
    assert!(wsc("gradual-fig1d"));
    assert!(!wsc("saturation-fig1c"));
    let kernels = corpus.kernels("kernel_sc.csv");
    let found = |name| {
        let kernel = &kernels[name];
        let orders = store_orders(&corpus.named(name), Model::SC).unwrap();
        orders.map(|order| order == *kernel)
    };
    assert_eq!(found("saturation-fig1a"), [true, true, true]);
    // The pattern finds the missing pair of Fig. 3 and not that of Fig. 4; guessing one pair finds
    // both.
    assert_eq!(found("saturation-fig3"), [false, true, true]);
    assert_eq!(found("saturation-fig4-3"), [false, false, true]);
    // The paper says that guessing finds nothing in Fig. 5. It finds all: each of its blocks has one
    // conflict for each of the two pairs, so that with one pair guessed, saturation forces the other.
    assert_eq!(found("saturation-fig5"), [false, false, true]);
}

/// Fig. 5 with blocks that have two conflicts for each of the two pairs, so that guessing one pair leaves
/// two conflicts open, as in Fig. 3, and saturation derives nothing.
#[test]
fn guessing_one_pair_is_not_enough() {
    let (x, t) = (0, 1);
    let mut history = Threads::default();
    for (block, orders) in
        [[(x, 2), (t, 2)], [(x, 2), (t, 1)], [(x, 1), (t, 1)]].into_iter().enumerate()
    {
        history.forbid(10 + 4 * block as u64, orders);
    }
    for (write, (location, value)) in [(x, 1), (x, 2), (t, 1), (t, 2)].into_iter().enumerate() {
        history.store(write as u32, location, value);
    }
    let plain = history.build();
    for found in store_orders(&plain, Model::SC).unwrap() {
        let both = found.iter().filter(|&&(location, ..)| location <= t);
        assert_eq!(both.count(), 0);
    }
    // Both pairs are in the kernel: a run can show one order of each, and not the other.
    for (location, first, second, expected) in
        [(x, 1, 2, true), (x, 2, 1, false), (t, 2, 1, true), (t, 1, 2, false)]
    {
        let mut seen = history.clone();
        seen.load(4, location, first);
        seen.load(4, location, second);
        let verdict = common::decide(&seen.build(), Model::SC, Algorithm::Stages);
        assert_eq!(verdict, Some(expected), "{location}: {first}<{second}");
    }
}

/// A history under construction.
#[derive(Clone, Default)]
struct Threads(Vec<history::Access>);

impl Threads {
    fn store(&mut self, thread: u32, location: u64, value: u64) {
        let place = history::Place::Cell(location);
        self.0.push(history::Access {
            written: Some(value),
            ..history::Access::new(thread, history::Kind::Store, place)
        });
    }

    fn load(&mut self, thread: u32, location: u64, value: u64) {
        let place = history::Place::Cell(location);
        self.0.push(history::Access {
            read: Some(value),
            ..history::Access::new(thread, history::Kind::Load, place)
        });
    }

    /// Makes it impossible that both writes are the first of their locations. The write of value v to x
    /// (location 0) is by thread v - 1, and the write of v to t by thread v + 1. Uses four locations from `fresh` on.
    /// If x's write is first, the stores of threads A and C overtake the values that D and B read; if t's write is
    /// first, those of B and D overtake the values that A and C read: A → B → C → D → A.
    fn forbid(&mut self, fresh: u64, orders: [(u64, u64); 2]) {
        for at in 0..4 {
            let (location, first) = orders[at as usize % 2];
            let writer = (2 * location + first) as u32 - 1;
            self.store(writer, fresh + at, 1);
            let observer = 100 + (fresh + at) as u32;
            self.load(observer, location, 3 - first);
            self.store(observer, fresh + at, 2);
            self.load(observer, fresh + (at + 1) % 4, 1);
        }
    }

    fn build(&self) -> History {
        common::build(&self.0, &[])
    }
}

#[test]
fn the_violation_of_fig_1c_needs_an_extension() {
    let history = Corpus::sample("oracle").named("saturation-fig1c");
    let refuted = SC_CRITERIA.map(|algorithm| is_refuted(&outcome(&history, Model::SC, algorithm)));
    assert_eq!(refuted, [false, true, true]);
}

#[test]
fn bounds_end_in_undecided() {
    let history = check::generate::generate(&Default::default()).unwrap();
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let algorithms = SC_CRITERIA.map(|algorithm| (algorithm, Model::SC));
    for (algorithm, model) in algorithms.into_iter().chain([(papers::WTSO, Model::TSO)]) {
        let limited = |timeout, max_memory| {
            let options = Options { algorithm, timeout, max_memory, ..Options::default() };
            check::check(&history, &reads_from, model, &options).verdict
        };
        let timeout = limited(Some(std::time::Duration::ZERO), None);
        assert_eq!(timeout, Verdict::Undecided(Reason::Timeout), "{algorithm:?}");
        let memory = limited(None, Some(1));
        assert_eq!(memory, Verdict::Undecided(Reason::Memory), "{algorithm:?}");
    }
}

#[test]
fn a_bound_that_is_met_on_the_way_is_reported() {
    let history = check::generate::generate(&Default::default()).unwrap();
    let case = Case::new(&history);
    let execution = case.execution();
    let none = Bounds::none();
    let forced = ForcedOrder::new(&execution, Model::SC, &[], &none).unwrap();
    assert!(!forced.is_cyclic());
    let late = Bounds::new(Some(std::time::Duration::ZERO), None);
    let forced = ForcedOrder::new(&execution, Model::SC, &[], &late);
    assert_eq!(forced.err(), Some(Exceeded::Time));
    let report: Report = clocks::decide(&Problem { bounds: &late, ..case.problem(Model::SC) });
    assert!(matches!(report.answer, check::published::Answer::Exceeded));
}
