//! Certificates: a verdict with its proof, as text.
//!
//! ```text
//! rubric certificate 1
//! file litmus.axe               optional, as are the next three lines: they help a reader identify the
//! history SB                    history and appear in messages about a mismatch, and are not verified
//! threads 2
//! operations 4
//! digest 1f0c…                  of the history (History::digest)
//! model tso
//! pso-rmw own                   with model pso only
//! criterion ccv                 only if the certificate refutes this weaker criterion
//! source axe
//! sizes cells
//! initial zero
//! options --addresses 0x0-0x80  the options with which the history was read, if not the defaults
//! verdict consistent
//! ```
//!
//! For `consistent`, the steps of the operational machine follow, with operations named by thread and
//! index: `x 0:3` executes an operation, `c 0:3` commits it from the store buffer. Under a weak model, which has no
//! machine, the `x` steps list the accesses in memory order. Before the steps, `reads-from 1:0 0:3` names the source
//! of a read whose value several writes have.
//!
//! The verdict may be proved case by case, if an operation may have written or failed as a compare-and-swap: `case 0:1=wrote`
//! precedes the proof of the case that it wrote, `case 0:1=failed` that of the other. In further cases more is supposed,
//! `case 0:1=wrote 0:3=failed`; the cases are in the order of a tree, *wrote* first.
//!
//! For `violation`, the numbered steps of a proof follow. Each derives a fact from the history and from
//! the facts that it cites by number after the colon:
//!
//! | step | derives |
//! |---|---|
//! | `R1 a b`, `R2 a b`, `R3 a b` | a < b: program order that the model preserves (a reads; a is a plain store; a fence is involved) |
//! | `ppo-NAME a b` | a < b: program order that a weak model preserves by [the rule of that name](memory::weak::PpoRule) |
//! | `R4 s l` | s < l: l reads from s, which is not earlier in its own thread |
//! | `R5 s l` | s < the source of l: s is an earlier write of l's thread and location |
//! | `R6 s l : …` | s < the source of l: the cited facts are a path from s to l |
//! | `R7 l s : …` | l < s: the cited facts are a path from the source of l to s; none is needed from the initial write |
//! | `first s` | the initial write of the location < s |
//! | `final s` | s < the write of the location's final value (cited, if several wrote it) |
//! | `suppose a<b`, `suppose l=s` | the literal, until the next contradiction |
//! | `candidates l` | the clause l=s₁ ∨ l=s₂ ∨ … over all writes that l can have read from |
//! | `one-initial l m` | the clause l!=i ∨ m!=i, i the initial write: the two reads return different values of one location |
//! | `clause x y … : …` | the clause x ∨ y ∨ …: its opposite contradicts the cited clauses and facts by unit propagation |
//! | `cycle : …` | a contradiction: the cited facts are a path from an event to itself |
//! | `thin-air l` | a contradiction: no write has the value that l read |
//! | `thin-final a` | a contradiction: the location at address a cannot end with its final value |
//!
//! A contradiction closes the block that the last `suppose` steps opened: its number then stands for the
//! clause of their opposites, and later steps cannot cite the facts of the block. A contradiction
//! outside a block ends the proof. In `R6` and `R7` a store-conditional counts as a reader of what its
//! load-linked read. A literal is `a<b`, `l=s` or `l!=s`; an operation is `thread:index`, a further part of an access
//! that was split, or the write of an atomic that the model splits, `thread:index.part`, an initial write
//! `initial@address`, and `final@address` reads the location's final value. Where the values do not determine a read's
//! source, steps about the read cite a fact `l=s`; `ppo-reads-apart` is about the sources of both a and b. The last line is `end`.
//!
//! The proof that a criterion (CAV 2019) is violated is a numbered list of pairs of its relations, and a cycle of
//! them. In the table, π is `po`, or under wccm `ppo` or `po-loc`; `ww` stands for any of `hb^π@o`, `cf`, `pww`
//! (under wccm `cf_e`, `wpww`). Paths and cycles consist of the cited facts. In the steps with `via`, and in `pww`
//! and `wpww`, a and b are different writes of one location.
//!
//! | step | says that (a, b) is in |
//! |---|---|
//! | `po a b`, `ppo a b`, `po-loc a b` | program order; program order that TSO preserves in its own right; program order of one location |
//! | `wr a b`, `wr_e a b` | b reads from a; b reads from a, which is not earlier in b's own thread |
//! | `hb@o a b via r : …` | `hb_o`: there is a path from a to r over `po`, `wr` and `hb@o`; r reads from b, and is o or before it |
//! | `hb^ppo@o …`, `hb^po-loc@o …` | `hb^π_o`, the same with π, `wr_e` and `hb^π@o` |
//! | `cf a b via r : …` | `cf`: the same with paths over `po`, `wr` and, for ccm, `hb` of any operation |
//! | `cf_e a b via r : …` | `cf_e`: the same with one π, `wr_e` and `hb^π` of any operation, r reading externally |
//! | `pww a b : …`, `wpww a b : …` | the store order: a path from a to b over `po`, `wr`, `hb` (wccm: `ppo`, `po-loc`, `wr_e`, `hb^π`), or `ww` |
//! | `rw a b : …` | `rw`: b is another write than the source of a, and there is a path from that source to b over `ww` (cc, ccv, cm: `po`, `wr`) |
//! | `cycle R : …` | (no pair) there is a cycle in R, which the criterion requires to be acyclic or irreflexive |
//!
//! R is `po|wr`, `rw[co];co`, `po|wr|cf`, `hb@o`, `po|wr|pww|rw[pww]`, `ppo|wr_e|wpww|rw[wpww]` or
//! `po-loc|wr_e|wpww|rw[wpww]`, where `co` is causality. A store-conditional reads from the write that its load-linked
//! reads from. An initial write is before everything in `po`, and so in `ppo` before all but plain loads.

mod read;
mod relations;

use std::fmt;
use std::io::{self, Write};

use history::{History, OpId};

pub use read::{ReadError, read};
pub use relations::RelationStatement;

use memory::Model;
use memory::machine::Step;

use crate::criterion::Criterion;
use crate::rule::Rule;

/// The history, the model and the assumptions that a certificate's verdict is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Name of the file that the history was read from, without its folder, if that is known. It identifies the history for the
    /// reader and is not verified, since a file may be renamed or converted.
    pub file: Option<String>,
    /// Number of threads of the history. Older certificates do not have it.
    pub threads: Option<u32>,
    /// Number of operations of the history. Older certificates do not have it.
    pub operations: Option<u64>,
    /// Name of the history, if it has one.
    pub history: Option<String>,
    /// The digest of the history under the model ([`Model::digest`]).
    pub digest: String,
    /// The model of the claim.
    pub model: Model,
    /// The criterion, if the claim is about one that is weaker than the model.
    pub criterion: Option<Criterion>,
    /// Name of the kind of input that the history was read from, as in [`history::Source::name`].
    pub source: String,
    /// Sizes known or assumed, as [`history::Sizes`] prints them.
    pub sizes: String,
    /// How initial values are known, as in [`history::InitialMode::name`].
    pub initial: String,
    /// The options with which the history was read from its file, if any.
    pub options: String,
}

impl Claim {
    /// The claim about a history as it was read with these options. Cost: linear, for the digest.
    pub fn new(history: &History, model: Model, options: &str) -> Claim {
        let provenance = &history.provenance;
        Claim {
            file: None,
            threads: u32::try_from(history.threads().len()).ok(),
            operations: u64::try_from(history.operations()).ok(),
            history: history.name.clone(),
            digest: model.digest(history),
            model,
            criterion: None,
            source: provenance.source.name().to_owned(),
            sizes: provenance.sizes.to_string(),
            initial: provenance.initial.name().to_owned(),
            options: options.to_owned(),
        }
    }
}

/// An event that memory order orders, identified by numbers of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// An operation.
    Op(OpId),
    /// The initial write of a location.
    Initial(u32),
    /// The end of a run, as the reader of a location's final value.
    Final(u32),
}

/// An event, identified by the names that appear in traces: thread labels and addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// An operation, or the first part of an access that was split: thread label and index of the access.
    Op(u32, u32),
    /// A further part of an access that was split: thread label and index of the access, and number of the part.
    Part(u32, u32, u32),
    /// The initial write of the location at this address.
    Initial(u64),
    /// The end of a run, which reads the final value of the location at this address.
    Final(u64),
}

impl Name {
    /// The name of an operation.
    pub fn of(history: &History, op: OpId) -> Name {
        let thread = history.threads()[history.thread_of(op)];
        let index = history.access_index(op);
        match history.part(op) {
            0 => Name::Op(thread.label, index),
            part => Name::Part(thread.label, index, part),
        }
    }

    /// The operation of this name, if the history has it and the name is not that of an initial or final value.
    pub fn operation(self, history: &History) -> Option<OpId> {
        match self {
            Name::Op(thread, index) => history.find_part(thread, index, 0),
            Name::Part(thread, index, part) => history.find_part(thread, index, part),
            Name::Initial(_) | Name::Final(_) => None,
        }
    }

    /// The name of a node of a proof.
    pub fn of_node(history: &History, node: Node) -> Name {
        let address = |location: u32| history.locations()[location as usize].address;
        match node {
            Node::Op(op) => Name::of(history, op),
            Node::Initial(location) => Name::Initial(address(location)),
            Node::Final(location) => Name::Final(address(location)),
        }
    }
}

impl Name {
    /// Parses a name as [`fmt::Display`] writes it; `None` if the text is not a name.
    fn parse(text: &str) -> Option<Name> {
        if let Some(address) = text.strip_prefix("initial@") {
            return address.parse().ok().map(Name::Initial);
        }
        if let Some(address) = text.strip_prefix("final@") {
            return address.parse().ok().map(Name::Final);
        }
        if text.contains('+') {
            return None;
        }
        let (thread, index) = text.split_once(':')?;
        let thread = thread.parse().ok()?;
        match index.split_once('.') {
            None => Some(Name::Op(thread, index.parse().ok()?)),
            Some((index, part)) => {
                let part = part.parse().ok().filter(|&part| part > 0)?;
                Some(Name::Part(thread, index.parse().ok()?, part))
            }
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Op(thread, index) => write!(f, "{thread}:{index}"),
            Name::Part(thread, index, part) => write!(f, "{thread}:{index}.{part}"),
            Name::Initial(address) => write!(f, "initial@{address}"),
            Name::Final(address) => write!(f, "final@{address}"),
        }
    }
}

/// A statement that a proof supposes or derives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// The first precedes the second.
    Before(Name, Name),
    /// A read takes its value from this write.
    From(Name, Name),
    /// A read does not take its value from this write.
    NotFrom(Name, Name),
}

impl Literal {
    /// The negation of the literal. Memory order is total, so the negation of `a < b` is `b < a`.
    pub fn opposite(self) -> Literal {
        match self {
            Literal::Before(a, b) => Literal::Before(b, a),
            Literal::From(a, b) => Literal::NotFrom(a, b),
            Literal::NotFrom(a, b) => Literal::From(a, b),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Before(a, b) => write!(f, "{a}<{b}"),
            Literal::From(a, b) => write!(f, "{a}={b}"),
            Literal::NotFrom(a, b) => write!(f, "{a}!={b}"),
        }
    }
}

/// The statement of a step of a model's refutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// One event precedes another, by `R1` to `R7`, `first` or `final`.
    Order {
        /// The rule by which one event precedes the other.
        rule: Rule<Name>,
        /// The event that precedes; `None` if [the rule implies it](Rule::written_ends).
        before: Option<Name>,
        /// The event that follows; `None` if the rule implies it.
        after: Option<Name>,
    },
    /// `suppose`: the literal holds until the next contradiction.
    Suppose(Literal),
    /// `candidates`: this read takes its value from one of the writes that it can have read from.
    Candidates(Name),
    /// `one-initial`: these two reads do not both return the initial value of their location.
    OneInitial(Name, Name),
    /// `clause`: one of the literals holds.
    Clause(Vec<Literal>),
    /// `cycle`: the cited facts are a cycle, a contradiction.
    Cycle,
    /// `thin-air`: no write has the value of this read, a contradiction.
    ThinAir(Name),
    /// `thin-final`: the location at this address cannot end with its final value, a contradiction.
    ThinFinal(u64),
}

/// A numbered step of a refutation. `S` is the type of its statement: [`Statement`] for models,
/// [`RelationStatement`] for criteria.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedStep<S> {
    /// The number of the step; numbers ascend.
    pub number: u32,
    /// The statement of the step.
    pub statement: S,
    /// The numbers of the steps that it cites.
    pub premises: Vec<u32>,
}

/// A step of a refutation of a model.
pub type ProofStep = NumberedStep<Statement>;

/// A step of a refutation of a criterion.
pub type RelationStep = NumberedStep<RelationStatement>;

/// The proof of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A run of the machine, or a memory order of a weak model.
    Consistent {
        /// The sources of ambiguous reads, as (read, source).
        reads_from: Vec<(Name, Name)>,
        /// The steps of the run: whether the operation is committed rather than executed, and the
        /// operation. Under a weak model, the accesses in memory order, none of them committed.
        steps: Vec<(bool, Name)>,
    },
    /// The refutation of a model.
    Violation(Vec<ProofStep>),
    /// The refutation of a criterion.
    CriterionViolation(Vec<RelationStep>),
}

impl Evidence {
    /// Whether nothing is given.
    fn is_empty(&self) -> bool {
        match self {
            Evidence::Consistent { reads_from, steps } => reads_from.is_empty() && steps.is_empty(),
            Evidence::Violation(steps) => steps.is_empty(),
            Evidence::CriterionViolation(steps) => steps.is_empty(),
        }
    }
}

/// The proof of a verdict if something is supposed of some read-modify-writes that write back what they read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// These operations have written (true) or failed (false).
    pub supposed: Vec<(Name, bool)>,
    /// The proof: a run, a memory order, or the steps of a refutation.
    pub evidence: Evidence,
}

/// A certificate as read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The history, the model and the assumptions that the verdict is about.
    pub claim: Claim,
    /// The proofs: one in which nothing is supposed, or one for each case.
    pub cases: Vec<Case>,
}

/// What is supposed of an operation in a case, in words.
const WROTE: &str = "wrote";
const FAILED: &str = "failed";

/// Writes the header lines, up to that of the verdict.
///
/// # Errors
/// Returns the errors of writing to `out`.
pub fn write_header(out: &mut impl Write, claim: &Claim, verdict: &str) -> io::Result<()> {
    writeln!(out, "rubric certificate 1")?;
    let line = |text: &str| text.replace(['\n', '\r'], " ");
    if let Some(file) = &claim.file {
        writeln!(out, "file {}", line(file))?;
    }
    if let Some(name) = &claim.history {
        writeln!(out, "history {}", line(name))?;
    }
    if let Some(threads) = claim.threads {
        writeln!(out, "threads {threads}")?;
    }
    if let Some(operations) = claim.operations {
        writeln!(out, "operations {operations}")?;
    }
    writeln!(out, "digest {}", claim.digest)?;
    writeln!(out, "model {}", claim.model.name())?;
    if let Some(rmw) = claim.model.rmw() {
        writeln!(out, "pso-rmw {}", rmw.name())?;
    }
    if let Some(criterion) = claim.criterion {
        writeln!(out, "criterion {}", criterion.name())?;
    }
    writeln!(out, "source {}", claim.source)?;
    writeln!(out, "sizes {}", claim.sizes)?;
    writeln!(out, "initial {}", claim.initial)?;
    if !claim.options.is_empty() {
        writeln!(out, "options {}", claim.options)?;
    }
    writeln!(out, "verdict {verdict}")
}

/// Writes a certificate for a consistent history. `reads_from` has (read, source) for the reads whose
/// values do not determine their source. Cost: linear.
///
/// # Errors
/// Returns the errors of writing to `out`.
pub fn write_consistent(
    out: &mut impl Write,
    history: &History,
    claim: &Claim,
    reads_from: &[(Name, Name)],
    steps: &[Step],
) -> io::Result<()> {
    write_header(out, claim, "consistent")?;
    write_run(out, history, reads_from, steps)?;
    write_end(out)
}

impl Certificate {
    /// A certificate in which nothing is supposed.
    pub fn new(claim: Claim, evidence: Evidence) -> Certificate {
        Certificate { claim, cases: vec![Case { supposed: Vec::new(), evidence }] }
    }
}

/// Writes the line that begins a case: what is supposed in it.
///
/// # Errors
/// Returns the errors of writing to `out`.
pub fn write_case(out: &mut impl Write, supposed: &[(Name, bool)]) -> io::Result<()> {
    out.write_all(b"case")?;
    for (name, wrote) in supposed {
        write!(out, " {name}={}", if *wrote { WROTE } else { FAILED })?;
    }
    writeln!(out)
}

/// Writes the last line of a certificate.
///
/// # Errors
/// Returns the errors of writing to `out`.
pub fn write_end(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "end")
}

/// Writes a run, or a memory order, as [`write_consistent`] does.
///
/// # Errors
/// Returns the errors of writing to `out`.
pub fn write_run(
    out: &mut impl Write,
    history: &History,
    reads_from: &[(Name, Name)],
    steps: &[Step],
) -> io::Result<()> {
    for (read, source) in reads_from {
        writeln!(out, "reads-from {read} {source}")?;
    }
    let mut line = Vec::new();
    for step in steps {
        let (mark, op) = match *step {
            Step::Execute(op) => (b"x ", op),
            Step::Commit(op) => (b"c ", op),
        };
        line.clear();
        line.extend(mark);
        push_number(&mut line, history.threads()[history.thread_of(op)].label);
        line.push(b':');
        push_number(&mut line, history.access_index(op));
        let part = history.part(op);
        if part > 0 {
            line.push(b'.');
            push_number(&mut line, part);
        }
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

/// Appends a number in decimal. The machinery of `fmt` would take most of the time of writing a certificate.
fn push_number(line: &mut Vec<u8>, number: u32) {
    if number >= 10 {
        push_number(line, number / 10);
    }
    line.push(b'0' + (number % 10) as u8);
}

/// Writes a certificate for a violation of the claim's model, or of its criterion if it has one.
///
/// # Errors
/// Returns the errors of writing to `out`.
pub fn write_violation<S: fmt::Display>(
    out: &mut impl Write,
    claim: &Claim,
    proof: &[NumberedStep<S>],
) -> io::Result<()> {
    write_header(out, claim, "violation")?;
    write_proof(out, proof)?;
    write_end(out)
}

/// Writes the steps of a proof.
///
/// # Errors
/// Returns the errors of writing to `out`.
pub fn write_proof<S: fmt::Display>(
    out: &mut impl Write,
    proof: &[NumberedStep<S>],
) -> io::Result<()> {
    proof.iter().try_for_each(|step| writeln!(out, "{step}"))
}

impl<S: fmt::Display> fmt::Display for NumberedStep<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number, self.statement)?;
        if !self.premises.is_empty() {
            f.write_str(" :")?;
            for premise in &self.premises {
                write!(f, " {premise}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Order { rule, before, after } => {
                write!(f, "{rule}")?;
                let mut names = before.iter().chain(rule.read()).chain(after);
                names.try_for_each(|name| write!(f, " {name}"))
            }
            Statement::Suppose(literal) => write!(f, "suppose {literal}"),
            Statement::Candidates(l) => write!(f, "candidates {l}"),
            Statement::OneInitial(l, m) => write!(f, "one-initial {l} {m}"),
            Statement::Clause(literals) => {
                f.write_str("clause")?;
                let mut literals = literals.iter();
                literals.try_for_each(|literal| write!(f, " {literal}"))
            }
            Statement::Cycle => f.write_str("cycle"),
            Statement::ThinAir(l) => write!(f, "thin-air {l}"),
            Statement::ThinFinal(address) => write!(f, "thin-final {address}"),
        }
    }
}
