//! Compares the criteria of CAV 2019 with their definitions and with each other, and tests their certificates.

use crate::literal;

use std::path::Path;
use std::time::Duration;

use crate::common::corpus::Corpus;
use crate::common::{Mix, change_reads, decide, print, program, run, seeded};
use certify::certificate::{
    self, Certificate, Claim, Evidence, Name, RelationStatement, RelationStep,
};
use certify::criterion::Criterion;
use certify::verify::{Rejection, Verified, verify};
use check::criterion_violation::CriterionViolation;
use check::engine::relation::Relation;
use check::generate::{Recipe, generate};
use check::{Algorithm, Bounds, Model, Options, Reason, Verdict, check};
use history::{Ambiguity, History, OpId, ReadsFrom};
use literal::{Literal, Pairs, literal};
use papers::criteria::{NotDerived, causal, convergent, weak};
use papers::execution::Execution;
use papers::kernel::conflicting;
use rand::RngExt;
use rand::rngs::StdRng;

/// The model for which a criterion is decided.
fn model(criterion: Criterion) -> Model {
    algorithm_of(criterion).default_model()
}

fn algorithm_of(criterion: Criterion) -> Algorithm {
    papers::from_name(criterion.name()).unwrap()
}

/// Whether a criterion holds. The certificate of a violation is written, read back and verified.
fn holds(history: &History, criterion: Criterion) -> bool {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let options = Options { algorithm: algorithm_of(criterion), ..Options::default() };
    match check(history, &reads_from, model(criterion), &options).verdict {
        Verdict::Satisfied => true,
        Verdict::CriterionViolation(violation) => {
            assert_eq!(violation.criterion, criterion);
            certified(history, &violation);
            false
        }
        other => panic!("{other:?}\n{}", print(history)),
    }
}

fn claim(history: &History, criterion: Criterion) -> Claim {
    Claim { criterion: Some(criterion), ..Claim::new(history, model(criterion), "") }
}

fn certified(history: &History, violation: &CriterionViolation) -> Certificate {
    let claim = claim(history, violation.criterion);
    let mut file = Vec::new();
    certificate::write_violation(&mut file, &claim, &violation.steps(history)).unwrap();
    let certificate = certificate::read(file.as_slice()).unwrap();
    let verified = verify(history, &certificate);
    assert!(
        matches!(verified, Ok(Verified::CriterionViolation { criterion, .. }) if criterion == violation.criterion),
        "{verified:?}\n{}\n{}",
        print(history),
        String::from_utf8_lossy(&file)
    );
    certificate
}

fn random_history(random: &mut StdRng) -> Option<History> {
    let mix = Mix {
        threads: random.random_range(2..=4),
        operations: random.random_range(3..=12),
        locations: random.random_range(1..=3),
        linked: random.random_bool(0.3),
    };
    let mut accesses = program(random, mix);
    if random.random_bool(0.5) {
        // With plain loads and stores only, reads force more order.
        accesses.retain(|access| access.kind.may_be_forwarded() || access.kind.may_be_buffered());
    }
    let machine = [Model::SC, Model::TSO][random.random_range(0..2)];
    let history = run(random, &accesses, machine, false).filter(|history| !history.is_empty())?;
    let changes = random.random_range(0..=2);
    Some(change_reads(random, &history, changes))
}

fn said(literal: &Literal, criterion: Criterion) -> bool {
    match criterion {
        Criterion::Cc => literal.cc,
        Criterion::Ccv => literal.ccv,
        Criterion::Cm => literal.cm,
        Criterion::Ccm => literal.ccm,
        Criterion::Wccm => literal.wccm,
    }
}

fn same(relation: &Relation, pairs: &Pairs, what: &str, history: &History) {
    for (a, row) in pairs.iter().enumerate() {
        for (b, &there) in row.iter().enumerate() {
            let found = relation.contains(a as u32, b as u32);
            assert_eq!(found, there, "{what} {a} {b}\n{}", print(history));
        }
    }
}

/// The number of pairs of writes of one location in a relation, without initial writes.
fn write_pairs(exec: &Execution<'_>, pairs: &Pairs) -> u64 {
    let mut count = 0;
    for location in 0..exec.locations() {
        let writes = &exec.writes.of(location)[1..];
        for &a in writes {
            count += writes.iter().filter(|&&b| pairs[a as usize][b as usize]).count() as u64;
        }
    }
    count
}

fn ordered(history: &History, reads_from: &ReadsFrom, criterion: Criterion) -> Option<u64> {
    let options = Options { algorithm: algorithm_of(criterion), ..Options::default() };
    let outcome = check(history, reads_from, model(criterion), &options);
    outcome.statistics.ordered
}

#[test]
fn the_criteria_are_what_their_definitions_say() {
    let mut broken = [0; 5];
    for seed in 0..6000 {
        let mut random = seeded(seed);
        let Some(history) = random_history(&mut random) else {
            continue;
        };
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let exec = Execution::new(&history, &reads_from);
        let literal = literal(&exec);
        for (at, criterion) in Criterion::ALL.into_iter().enumerate() {
            let expected = said(&literal, criterion);
            let found = holds(&history, criterion);
            assert_eq!(found, expected, "{criterion:?}\n{}", print(&history));
            broken[at] += usize::from(!found);
        }
        derived_orders(&history, &reads_from, &literal);
    }
    assert!(broken.iter().all(|&broken| broken > 100), "{broken:?}");
}

fn derived_orders(history: &History, reads_from: &ReadsFrom, literal: &Literal) {
    let exec = Execution::new(history, reads_from);
    let none = Bounds::none();
    let pairs = |criterion| ordered(history, reads_from, criterion);
    match convergent::convergent_memory(&exec, &none) {
        Ok(order) => same(&order.relation(), &literal.pww, "pww", history),
        Err(stop) => assert!(stop != NotDerived::Exceeded && !literal.ccm),
    }
    match weak::weak_memory(&exec, reads_from, &none) {
        Ok(order) => same(&order.relation(), &literal.wpww, "wpww", history),
        Err(stop) => assert!(stop != NotDerived::Exceeded && !literal.wccm),
    }
    if literal.cc {
        assert_eq!(pairs(Criterion::Cc), Some(write_pairs(&exec, &literal.causality)));
    }
    if let Ok(pasts) = causal::convergent(&exec, &none) {
        let mut order = Relation::new(exec.len());
        for first in 0..exec.len() as u32 {
            for second in (0..exec.operations).filter(|&op| pasts.before(&exec, first, op)) {
                order.insert(first, second);
            }
        }
        same(&order, &literal.convergence, "ccv", history);
        assert_eq!(
            conflicting(history, reads_from, &none),
            Some(write_pairs(&exec, &literal.conflicts))
        );
        assert_eq!(pairs(Criterion::Ccv), Some(write_pairs(&exec, &literal.convergence)));
    }
    if literal.ccm {
        assert_eq!(pairs(Criterion::Ccm), Some(write_pairs(&exec, &literal.pww)));
    }
    if literal.wccm {
        assert_eq!(pairs(Criterion::Wccm), Some(write_pairs(&exec, &literal.wpww)));
    }
}

#[test]
fn theorems_of_the_lattice() {
    use Criterion::{Cc, Ccm, Ccv, Cm, Wccm};
    for seed in 10_000..16_000 {
        let mut random = seeded(seed);
        let Some(history) = random_history(&mut random) else {
            continue;
        };
        let [cc, ccv, cm, ccm, wccm] =
            [Cc, Ccv, Cm, Ccm, Wccm].map(|criterion| holds(&history, criterion));
        let sc = decide(&history, Model::SC, Algorithm::Complete).unwrap();
        let tso = decide(&history, Model::TSO, Algorithm::Complete).unwrap();
        let implications = [
            ("SC ⇒ CCM", sc, ccm),
            ("CCM ⇒ CCv", ccm, ccv),
            ("CCM ⇒ CM", ccm, cm),
            ("CCM ⇒ wCCM", ccm, wccm),
            ("CCv ⇒ CC", ccv, cc),
            ("CM ⇒ CC", cm, cc),
            ("TSO ⇒ wCCM", tso, wccm),
            ("TSO ⇒ CCv", tso, ccv),
            ("TSO ⇒ CC", tso, cc),
        ];
        for (theorem, from, to) in implications {
            assert!(!from || to, "{theorem}, seed {seed}\n{}", print(&history));
        }
    }
}

/// The paper conjectures that TSO implies CC and CCv; [`papers::criteria::causal`] has the proof.
#[test]
fn runs_of_the_tso_machine_satisfy_what_tso_implies() {
    for seed in 30_000..33_000 {
        let mut random = seeded(seed);
        let mix = Mix {
            threads: random.random_range(2..=6),
            operations: random.random_range(8..=60),
            locations: random.random_range(1..=5),
            linked: random.random_bool(0.5),
        };
        let accesses = program(&mut random, mix);
        let Some(history) = run(&mut random, &accesses, Model::TSO, false) else {
            continue;
        };
        for criterion in [Criterion::Cc, Criterion::Ccv, Criterion::Wccm] {
            let printed = || print(&history);
            assert!(holds(&history, criterion), "{criterion:?}, seed {seed}\n{}", printed());
        }
    }
}

/// Changes a name, a number or a relation of a step, or drops the step.
fn tamper(random: &mut StdRng, steps: &mut Vec<RelationStep>, history: &History) {
    let at = random.random_range(0..steps.len());
    let op = OpId(random.random_range(0..history.len() as u32));
    let any = Name::of(history, op);
    let (number, other) = (steps[at].number, steps[random.random_range(0..steps.len())].statement);
    match (random.random_range(0..7), &mut steps[at].statement) {
        (0, RelationStatement::Pair { before, .. }) => *before = any,
        (1, RelationStatement::Pair { after, .. }) => *after = any,
        (2, RelationStatement::Pair { via: Some(read), .. }) => *read = any,
        (3, RelationStatement::Pair { relation, .. }) => {
            if let RelationStatement::Pair { relation: other, .. } = other {
                *relation = other;
            }
        }
        (4, _) => {
            steps.remove(at);
        }
        (5, _) => {
            for premise in &mut steps[at].premises {
                *premise = random.random_range(1..=number);
            }
        }
        _ => steps[at].premises.retain(|_| random.random_bool(0.5)),
    }
}

/// Offers steps as a refutation of a criterion that holds.
fn offer(history: &History, criterion: Criterion, steps: Vec<RelationStep>) {
    let evidence = Evidence::CriterionViolation(steps);
    let certificate = Certificate::new(claim(history, criterion), evidence);
    let verified = verify(history, &certificate);
    assert!(verified.is_err(), "{criterion:?}\n{}\n{certificate:?}", print(history));
}

#[test]
fn what_holds_is_not_refuted_by_tampered_certificates() {
    let mut tried = 0;
    for seed in 20_000..30_000 {
        let mut random = seeded(seed);
        let Some(history) = random_history(&mut random) else {
            continue;
        };
        let hold = Criterion::ALL.map(|criterion| holds(&history, criterion));
        for strong in (0..5).filter(|&at| !hold[at]) {
            let steps = violation(&history, Criterion::ALL[strong]).steps(&history);
            for weak in (0..5).filter(|&at| hold[at]) {
                offer(&history, Criterion::ALL[weak], steps.clone());
                for _ in 0..20 {
                    let mut steps = steps.clone();
                    for _ in 0..random.random_range(1..=3) {
                        tamper(&mut random, &mut steps, &history);
                        if steps.is_empty() {
                            break;
                        }
                    }
                    offer(&history, Criterion::ALL[weak], steps);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 8_000, "{tried}");
}

fn violation(history: &History, criterion: Criterion) -> CriterionViolation {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let options = Options { algorithm: algorithm_of(criterion), ..Options::default() };
    match check(history, &reads_from, model(criterion), &options).verdict {
        Verdict::CriterionViolation(violation) => violation,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_criterion_that_does_not_follow_from_the_model_refutes_nothing() {
    let stale = axe("a", "0: M[0] := 1\n0: M[0] == 0\ncheck\n");
    let certificate = certified(&stale, &violation(&stale, Criterion::Ccm));
    for (criterion, model) in
        [(Some(Criterion::Ccm), Model::TSO), (Some(Criterion::Cc), Model::PSO), (None, Model::SC)]
    {
        let mut other = certificate.clone();
        other.claim.criterion = criterion;
        other.claim.model = model;
        let verified = verify(&stale, &other);
        assert_eq!(verified, Err(Rejection::OtherCriterion(model)));
    }
    let mut other = certificate.clone();
    other.claim.criterion = Some(Criterion::Cc);
    assert!(verify(&stale, &other).is_err());
}

#[test]
fn bounds_end_in_no_verdict() {
    let history = generate(&Recipe { operations: 40_000, ..Recipe::default() });
    let history = history.unwrap();
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    for criterion in Criterion::ALL {
        let options = Options { algorithm: algorithm_of(criterion), ..Options::default() };
        for (time, memory, reason) in
            [(Some(Duration::ZERO), None, Reason::Timeout), (None, Some(1), Reason::Memory)]
        {
            let bounds = Bounds::new(time, memory);
            let model = model(criterion);
            let outcome = check::decide(&history, &reads_from, model, &options, &bounds);
            assert_eq!(outcome.verdict, Verdict::Undecided(reason), "{criterion:?}");
        }
    }
}

/// The histories of a text in the axe format.
fn histories(path: &Path) -> Vec<History> {
    let file = std::fs::File::open(path).unwrap();
    parsed(file, &path.display().to_string())
}

fn parsed(text: impl std::io::Read + 'static + Send, name: &str) -> Vec<History> {
    let mut lines = ingest::input::Lines::new(text, name, false).unwrap();
    ingest::axe::parse(&mut lines, &Default::default()).unwrap()
}

fn axe(name: &str, text: &str) -> History {
    let text = std::io::Cursor::new(text.to_owned());
    parsed(text, name).remove(0)
}

/// The rows of a CSV table, each as the names of its columns with the values.
fn table(path: &Path) -> Vec<Vec<(String, String)>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let named = |(name, value): (&&str, &str)| ((*name).to_owned(), value.to_owned());
    lines.map(|line| header.iter().zip(line.split(',')).map(named).collect()).collect()
}

/// Whether a history is allowed by the model or criterion that a column of the table of figures is about.
fn allowed(history: &History, column: &str) -> bool {
    let saturated = |model| decide(history, model, Algorithm::Saturate) != Some(false);
    let complete = |model| decide(history, model, Algorithm::Complete).unwrap();
    match column {
        "wsc" => saturated(Model::SC),
        "wtso" => saturated(Model::TSO),
        "sc" => complete(Model::SC),
        "tso" => complete(Model::TSO),
        criterion => holds(history, Criterion::from_name(criterion).unwrap()),
    }
}

#[test]
fn the_papers_figures_are_told_apart() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/criteria");
    let histories = histories(&folder.join("figures.axe"));
    let rows = table(&folder.join("verdicts.csv"));
    assert_eq!(histories.len(), rows.len());
    for (history, row) in histories.iter().zip(&rows) {
        assert_eq!(history.name.as_deref(), Some(row[0].1.as_str()));
        assert_eq!(row.len(), 10);
        for (column, value) in &row[1..] {
            let found = allowed(history, column);
            assert_eq!(found, value == "1", "{} {column}", row[0].1);
        }
    }
}

on_corpus!(oracle_histories_obey_the_theorems, "oracle", theorems_hold);

fn theorems_hold(corpus: &Corpus) {
    let verdicts = corpus.table("verdicts.csv");
    for history in &corpus.histories() {
        let name = history.name.as_deref().unwrap();
        let said = |column: &str| verdicts[name][column] == "1";
        let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
        let literal = literal(&Execution::new(history, &reads_from));
        for criterion in Criterion::ALL {
            let found = holds(history, criterion);
            assert_eq!(found, self::said(&literal, criterion), "{name} {criterion:?}");
            for (column, model) in [("sc", Model::SC), ("tso", Model::TSO)] {
                let follows = said(column) && criterion.follows_from(model);
                assert!(!follows || found, "{name}: {column} but not {criterion:?}");
            }
        }
    }
}

/// The pairs of writes of a partial store order, without initial writes, as location and values.
fn values(exec: &Execution<'_>, order: &Relation) -> Vec<(u64, u64, u64)> {
    let history = exec.history;
    let mut pairs = Vec::new();
    for first in history.ops() {
        for second in order.successors(first.0).map(OpId) {
            let location = history.locations()[history.location(first).unwrap() as usize];
            let value = |op| history.written(op).unwrap();
            pairs.push((location.address, value(first), value(second)));
        }
    }
    pairs
}

on_corpus!(partial_store_orders_are_part_of_the_kernel, "oracle", only_the_kernel_is_ordered);

fn only_the_kernel_is_ordered(corpus: &Corpus) {
    let (sc, tso) = (corpus.kernels("kernel_sc.csv"), corpus.kernels("kernel_tso.csv"));
    let none = Bounds::none();
    for history in &corpus.histories() {
        let name = history.name.as_deref().unwrap();
        let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
        let exec = Execution::new(history, &reads_from);
        if let Some(kernel) = sc.get(name) {
            let order = convergent::convergent_memory(&exec, &none).unwrap().relation();
            let inside = values(&exec, &order).iter().all(|pair| kernel.contains(pair));
            assert!(inside, "{name}: pww is not part of the SC kernel");
        }
        if let Some(kernel) = tso.get(name) {
            let order = weak::weak_memory(&exec, &reads_from, &none).unwrap().relation();
            let inside = values(&exec, &order).iter().all(|pair| kernel.contains(pair));
            assert!(inside, "{name}: wpww is not part of the TSO kernel");
        }
    }
}
