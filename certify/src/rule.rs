//! The rules by which one event precedes another in memory order.
//!
//! [`Rule`] names the rule of an edge wherever edges appear: in the engine that derives them, in
//! proofs, certificates and pictures. [`Relation`] is the relation of the literature (po, rf, co, fr)
//! that the derived edge belongs to.

use std::fmt;

use history::Kind;
use memory::weak::PpoRule;

/// A relation between operations, as the literature on memory models names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// `po`: the first is earlier in the thread of the second.
    ProgramOrder,
    /// `rf`: the second takes its value from the first.
    ReadsFrom,
    /// `co`: two writes of one location in the order in which they reach memory.
    Coherence,
    /// `fr`: the first reads a value that the second overwrites.
    FromReads,
}

impl Relation {
    /// All relations.
    pub const ALL: [Relation; 4] =
        [Relation::ProgramOrder, Relation::ReadsFrom, Relation::Coherence, Relation::FromReads];

    /// The usual abbreviation, such as `po`.
    pub fn name(self) -> &'static str {
        match self {
            Relation::ProgramOrder => "po",
            Relation::ReadsFrom => "rf",
            Relation::Coherence => "co",
            Relation::FromReads => "fr",
        }
    }

    /// The relation in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Relation::ProgramOrder => "program order",
            Relation::ReadsFrom => "reads from",
            Relation::Coherence => "coherence order",
            Relation::FromReads => "from-reads (reads before it is overwritten)",
        }
    }
}

/// The reason why one event precedes another. `T` identifies an operation: by its number in a history
/// or among the events of an engine, or by its name in a certificate.
///
/// S is the source of the read L, and S' another write of its location; a store-conditional counts as a
/// reader of what its load-linked read. R1 to R7 are the rules of Manovit & Hangal (HPCA 2006, section
/// 4.1). The last three variants have no step of their own in a certificate: `suppose` and `clause`
/// steps express them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule<T> {
    /// R1 to R3, by number: program order that the model preserves ([`Rule::program_order`]).
    ProgramOrder(u8),
    /// Program order that a weak model preserves by one of its own rules.
    Preserved(PpoRule),
    /// R4: S ≤ L, for S not earlier in L's own thread.
    ReadsFrom,
    /// R5: S' ≤ S, because S' comes before this L in L's thread.
    OwnEarlier(T),
    /// R6: S' ≤ S, because S' ≤ this L by the premises.
    Observed(T),
    /// R7: L ≤ S', because S ≤ S' by the premises (none if S is the initial write).
    Overtaken,
    /// The initial write precedes every write of its location.
    InitialFirst,
    /// S' precedes the write of the final value. If several writes have that value, the premise says which is last.
    Final,
    /// The order is an assumption of this block of the proof.
    Assumed,
    /// This block of the proof assumes that the second event reads from the first.
    Source,
    /// The block of this number forces the order; the premises are the other assumptions of that block.
    Lemma(u32),
}

impl<T> Rule<T> {
    /// The rule for a pair of operations in program order that the model preserves: R3 with a fence,
    /// R2 after a plain store, else R1.
    pub fn program_order(before: Kind, after: Kind) -> Rule<T> {
        Rule::ProgramOrder(if before.is_fence() || after.is_fence() {
            3
        } else if before.may_be_buffered() {
            2
        } else {
            1
        })
    }

    /// The relation that the rule adds a pair to.
    pub fn relation(&self) -> Relation {
        match self {
            Rule::ProgramOrder(_) | Rule::Preserved(_) => Relation::ProgramOrder,
            Rule::ReadsFrom | Rule::Source => Relation::ReadsFrom,
            Rule::Overtaken => Relation::FromReads,
            Rule::OwnEarlier(_)
            | Rule::Observed(_)
            | Rule::InitialFirst
            | Rule::Final
            | Rule::Assumed
            | Rule::Lemma(_) => Relation::Coherence,
        }
    }

    /// The read that justifies the edge, if the rule needs one besides the two events.
    pub fn read(&self) -> Option<&T> {
        match self {
            Rule::OwnEarlier(read) | Rule::Observed(read) => Some(read),
            _ => None,
        }
    }

    /// Whether a certificate spells out the event before, and whether it spells out the event after. An
    /// event that it leaves out is implied: the source of the read, the initial write, or the last write.
    pub fn written_ends(&self) -> (bool, bool) {
        match self {
            Rule::OwnEarlier(_) | Rule::Observed(_) | Rule::Final => (true, false),
            Rule::InitialFirst => (false, true),
            _ => (true, true),
        }
    }

    /// The same rule, with operations identified as `name` says; `None` if `name` returns `None` for the read.
    pub fn try_map<U>(self, name: impl FnOnce(T) -> Option<U>) -> Option<Rule<U>> {
        Some(match self {
            Rule::OwnEarlier(read) => Rule::OwnEarlier(name(read)?),
            Rule::Observed(read) => Rule::Observed(name(read)?),
            Rule::ProgramOrder(number) => Rule::ProgramOrder(number),
            Rule::Preserved(rule) => Rule::Preserved(rule),
            Rule::ReadsFrom => Rule::ReadsFrom,
            Rule::Overtaken => Rule::Overtaken,
            Rule::InitialFirst => Rule::InitialFirst,
            Rule::Final => Rule::Final,
            Rule::Assumed => Rule::Assumed,
            Rule::Source => Rule::Source,
            Rule::Lemma(block) => Rule::Lemma(block),
        })
    }

    /// The same rule, with operations identified as `name` says.
    pub fn map<U>(self, name: impl FnOnce(T) -> U) -> Rule<U> {
        let mapped = self.try_map(|read| Some(name(read)));
        mapped.expect("every operation has a name")
    }
}

impl Rule<()> {
    /// The rule that a certificate writes as `word`, without its read.
    pub(crate) fn from_word(word: &str) -> Option<Rule<()>> {
        if let Some(name) = word.strip_prefix("ppo-") {
            return PpoRule::from_name(name).map(Rule::Preserved);
        }
        let rules = [
            Rule::ProgramOrder(1),
            Rule::ProgramOrder(2),
            Rule::ProgramOrder(3),
            Rule::ReadsFrom,
            Rule::OwnEarlier(()),
            Rule::Observed(()),
            Rule::Overtaken,
            Rule::InitialFirst,
            Rule::Final,
        ];
        rules.into_iter().find(|rule| rule.to_string() == word)
    }
}

/// The word that stands for the rule in certificates.
impl<T> fmt::Display for Rule<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::ProgramOrder(number) => return write!(f, "R{number}"),
            Rule::Preserved(rule) => return write!(f, "ppo-{rule}"),
            Rule::ReadsFrom => "R4",
            Rule::OwnEarlier(_) => "R5",
            Rule::Observed(_) => "R6",
            Rule::Overtaken => "R7",
            Rule::InitialFirst => "first",
            Rule::Final => "final",
            Rule::Assumed | Rule::Source => "suppose",
            Rule::Lemma(_) => "clause",
        })
    }
}
