//! Learns what two caches may see of any run: the smallest set of pairs that contains the first one and is closed under moves.

use rustc_hash::{FxHashMap, FxHashSet};
use simulate::system::stepping::sections::{
    Config, End, Law, Message, Names, OTHERS, Outcome, Section, Sections, Step,
};
use slicc::protocol::Protocol;

use crate::join::{join, with_sender};
use crate::laws::{laws, mover, seen_alone};
use crate::pairs::{FIRST_TWO, Pairs, Single};
use crate::{Options, Problem, Progress};

/// The number of pairs after which progress is reported.
const REPORTED: usize = 256;

/// The third of three caches.
const THIRD: End = End::Cache(2);

/// How a pair came about.
#[derive(Clone, Debug)]
enum Origin {
    /// It is the first one.
    First,
    /// By a move of what a pair sees.
    Pair { before: usize, step: Step },
    /// By a move of a third cache, or one that handles a message of it. The first two see the pair `before`.
    Triple { before: usize, config: Box<Config>, step: Step },
}

/// A run of the abstraction that ends with something wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractRun {
    /// The moves, in words.
    pub steps: Vec<String>,
    /// What is wrong after the last one.
    pub wrong: String,
}

/// Learns the pairs of a protocol.
pub(crate) fn learn(
    protocol: &Protocol,
    sections: &mut Sections,
    options: &Options,
    report: &mut dyn FnMut(Progress),
) -> Result<Pairs, Problem> {
    loop {
        let learnt = Learner::new(protocol, sections, options).run(report);
        // What is learnt of counters changes what pairs say.
        if !sections.learn_counters() {
            return learnt;
        }
    }
}

/// Why moves until now say nothing, in words.
pub(crate) fn refusal(protocol: &Protocol, sections: &Sections) -> Option<String> {
    let (place, why) = sections.refusal()?;
    let Some(span) = place else {
        return Some(why.to_owned());
    };
    let (path, line, _) = protocol.sources().position(span);
    Some(format!("{}:{line}: {why}", path.display()))
}

struct Learner<'a> {
    protocol: &'a Protocol,
    sections: &'a mut Sections,
    options: &'a Options,
    pairs: Pairs,
    origins: Vec<Origin>,
    /// For each pair that was handled, whether its second cache may do something that a cache sees which has no name
    /// in the pair: `None` if the pair was not handled.
    acts: Vec<Option<Acts>>,
    /// All pairs in the order in which they are handled.
    open: Vec<usize>,
    /// The configurations in which a third cache gets a message of a cache without a name, by what it sees alone: further pairs
    /// may say more of these senders.
    awaited: FxHashMap<Single, Vec<Awaited>>,
    /// What a cache is at first.
    idle: Section,
    /// Moves of which some results were excluded by what was known, by what the moving cache sees alone.
    repeated: FxHashMap<Single, Vec<Repeated>>,
}

/// A move that is made again when more is known of the caches that it counts.
struct Repeated {
    origin: Origin,
    config: Config,
    step: Step,
    /// What was known when it was made last.
    laws: Vec<Law>,
}

/// A configuration in which the third cache gets a message of a cache without a name.
struct Awaited {
    /// What the first two caches see.
    before: usize,
    config: Config,
    /// The place of the message.
    at: usize,
    /// The configurations with names for the sender of which the move was made: the third cache and the messages.
    made: FxHashSet<(Option<Section>, Vec<Message>)>,
}

/// What the second cache of a pair may do that others see.
#[derive(Clone, Copy, Debug, Default)]
struct Acts {
    /// A message that it has sent may be handled.
    is_heard: bool,
    /// It may move so that others see it.
    moves: bool,
}

impl<'a> Learner<'a> {
    fn new(
        protocol: &'a Protocol,
        sections: &'a mut Sections,
        options: &'a Options,
    ) -> Learner<'a> {
        Learner {
            protocol,
            sections,
            options,
            pairs: Pairs::default(),
            origins: Vec::new(),
            acts: Vec::new(),
            open: Vec::new(),
            awaited: FxHashMap::default(),
            idle: Section::new(),
            repeated: FxHashMap::default(),
        }
    }

    fn run(mut self, report: &mut dyn FnMut(Progress)) -> Result<Pairs, Problem> {
        let first = self.sections.first();
        self.idle = first.caches[0].clone().unwrap_or_default();
        let first = first.seen_by(&FIRST_TWO);
        self.add(first, &Origin::First);
        let mut next = 0;
        while next < self.open.len() {
            self.handle(self.open[next])?;
            next += 1;
            if let Some(why) = refusal(self.protocol, self.sections) {
                return Err(Problem::Unfit(why));
            }
            if self.pairs.len() > self.options.pairs {
                return Err(Problem::TooMany(self.options.pairs));
            }
            if next.is_multiple_of(REPORTED) {
                report(Progress::Learning(next, self.open.len()));
            }
            if self.options.bounds.passed() {
                return Err(Problem::Stopped);
            }
        }
        Ok(self.pairs)
    }

    fn add(&mut self, pair: Config, origin: &Origin) {
        for number in self.pairs.add(pair) {
            self.origins.push(origin.clone());
            self.acts.push(None);
            self.open.push(number);
        }
    }

    /// Makes the moves of a pair, and those of a third cache with it.
    fn handle(&mut self, number: usize) -> Result<(), Problem> {
        let pair = self.pairs.get(number).clone();
        let acts = self.moves_of(number, &pair)?;
        self.acts[number] = Some(acts);
        self.with_new_sender(number)?;
        self.repeat(number)?;
        self.triples(number)
    }

    /// Makes the moves of what a pair sees.
    fn moves_of(&mut self, number: usize, pair: &Config) -> Result<Acts, Problem> {
        let mut acts = Acts::default();
        for step in self.sections.steps(pair) {
            let (actor, sender) = ends_of(pair, step);
            let is_of_second = actor == End::Cache(1);
            let is_from_others = sender == Some(End::Cache(OTHERS));
            // The sender of a message has a name in a triple; here, it is only asked whether others would notice.
            if is_from_others && !is_of_second {
                continue;
            }
            acts.is_heard |= sender == Some(End::Cache(1)) && !is_of_second;
            let (laws, mut by_law) = (laws(&self.pairs, pair, step), false);
            for outcome in self.sections.take(pair, step, &laws) {
                by_law |= outcome.by_law;
                acts.moves |= is_of_second && is_seen(pair, &outcome);
                if is_from_others {
                    continue;
                }
                let origin = Origin::Pair { before: number, step };
                self.arrive(outcome, &FIRST_TWO, &origin)?;
            }
            if by_law && !is_from_others {
                let origin = Origin::Pair { before: number, step };
                self.keep(Repeated { origin, config: pair.clone(), step, laws });
            }
        }
        Ok(acts)
    }

    /// Takes over what a move leads to.
    fn arrive(&mut self, outcome: Outcome, names: &Names, origin: &Origin) -> Result<(), Problem> {
        match outcome.after {
            Ok(after) => self.add(after.seen_by(names), origin),
            Err(_) if self.sections.refusal().is_some() => {}
            Err(wrong) => {
                let steps = self.steps_to(origin);
                return Err(Problem::Run(Box::new(AbstractRun { steps, wrong })));
            }
        }
        Ok(())
    }

    /// Handles all triples in which a pair is what the first two caches see, or the first and the third.
    fn triples(&mut self, number: usize) -> Result<(), Problem> {
        let (first, second) = self.pairs.ends(number);
        for other in self.pairs.with_first(first).to_vec() {
            let (_, end) = self.pairs.ends(other);
            for last in self.pairs.with_both(second, end).to_vec() {
                self.triple([number, other, last])?;
            }
            if other != number {
                for last in self.pairs.with_both(end, second).to_vec() {
                    self.triple([other, number, last])?;
                }
            }
        }
        // A triple in which it is what the last two see is one of these with the first two in the other order.
        Ok(())
    }

    /// Makes the moves of the third cache of a triple.
    fn triple(&mut self, numbers: [usize; 3]) -> Result<(), Problem> {
        let [one, two, three] = numbers;
        let (Some(_), Some(acts), Some(_)) = (self.acts[one], self.acts[two], self.acts[three])
        else {
            return Ok(());
        };
        if !acts.is_heard && !acts.moves {
            return Ok(());
        }
        let (_, third) = self.pairs.ends(two);
        for config in join(numbers.map(|number| self.pairs.get(number))) {
            for step in self.sections.steps(&config) {
                let (actor, sender) = ends_of(&config, step);
                let is_relevant = match actor {
                    THIRD => acts.moves,
                    _ => sender == Some(THIRD),
                };
                if !is_relevant {
                    continue;
                }
                match (step, sender) {
                    (Step::Arrive(at), Some(End::Cache(OTHERS))) => {
                        self.with_senders(one, third, &config, at)?
                    }
                    _ => self.take(one, &config, step)?,
                }
            }
        }
        Ok(())
    }

    /// Makes the move in which the third cache gets a message of a cache without a name, in all configurations in which that
    /// is a fourth one.
    fn with_senders(
        &mut self,
        before: usize,
        third: Single,
        config: &Config,
        at: usize,
    ) -> Result<(), Problem> {
        let made = FxHashSet::default();
        let mut awaited = Awaited { before, config: config.clone(), at, made };
        for pair in self.pairs.with_first(third).to_vec() {
            self.with_sender(&mut awaited, pair)?;
        }
        self.awaited.entry(third).or_default().push(awaited);
        Ok(())
    }

    fn with_sender(&mut self, awaited: &mut Awaited, pair: usize) -> Result<(), Problem> {
        let pair = self.pairs.get(pair);
        for (four, place) in with_sender(&awaited.config, awaited.at, pair, &self.idle) {
            if awaited.made.insert((four.caches[2].clone(), four.messages.clone())) {
                self.take(awaited.before, &four, Step::Arrive(place))?;
            }
        }
        Ok(())
    }

    /// Makes the moves in which third caches get messages of a fourth one, with which they see a new pair.
    fn with_new_sender(&mut self, number: usize) -> Result<(), Problem> {
        let (third, _) = self.pairs.ends(number);
        let Some(mut all) = self.awaited.remove(&third) else {
            return Ok(());
        };
        for awaited in &mut all {
            self.with_sender(awaited, number)?;
        }
        self.awaited.entry(third).or_default().append(&mut all);
        Ok(())
    }

    /// Makes a move of three or four caches, of which the first two see a pair.
    fn take(&mut self, before: usize, config: &Config, step: Step) -> Result<(), Problem> {
        let origin = Origin::Triple { before, config: Box::new(config.clone()), step };
        let laws = laws(&self.pairs, config, step);
        let mut by_law = false;
        for outcome in self.sections.take(config, step, &laws) {
            by_law |= outcome.by_law;
            self.arrive(outcome, &FIRST_TWO, &origin)?;
        }
        if by_law {
            self.keep(Repeated { origin, config: config.clone(), step, laws });
        }
        Ok(())
    }

    /// Keeps a move that is made again when more is known of the caches that it counts.
    fn keep(&mut self, repeated: Repeated) {
        let mover = mover(&repeated.config, repeated.step);
        if let Some(single) =
            mover.and_then(|mover| self.pairs.single(&seen_alone(&repeated.config, mover)))
        {
            self.repeated.entry(single).or_default().push(repeated);
        }
    }

    /// Makes moves again of which a new pair says more.
    fn repeat(&mut self, number: usize) -> Result<(), Problem> {
        let (mover, _) = self.pairs.ends(number);
        let Some(mut all) = self.repeated.remove(&mover) else {
            return Ok(());
        };
        for one in &mut all {
            let laws = laws(&self.pairs, &one.config, one.step);
            if laws != one.laws {
                for outcome in self.sections.take(&one.config, one.step, &laws) {
                    self.arrive(outcome, &FIRST_TWO, &one.origin)?;
                }
                one.laws = laws;
            }
        }
        self.repeated.entry(mover).or_default().append(&mut all);
        Ok(())
    }

    /// The moves that lead to what has this origin, in words.
    fn steps_to(&mut self, origin: &Origin) -> Vec<String> {
        let mut steps = Vec::new();
        let mut origin = origin.clone();
        loop {
            let before = match &origin {
                Origin::First => break,
                Origin::Pair { before, step } => {
                    let pair = self.pairs.get(*before).clone();
                    steps.push(self.sections.describe(&pair, *step));
                    *before
                }
                Origin::Triple { before, config, step } => {
                    steps.push(self.sections.describe(config, *step));
                    *before
                }
            };
            origin = self.origins[before].clone();
        }
        steps.reverse();
        steps
    }
}

/// The controller that makes a move, and the sender of the message with which it begins.
pub(crate) fn ends_of(config: &Config, step: Step) -> (End, Option<End>) {
    match step {
        Step::Ask { cache, .. } => (End::Cache(cache), None),
        Step::Arrive(at) => {
            let message = &config.messages[at];
            (message.to, Some(message.from))
        }
    }
}

/// Whether a move of the second cache of a pair may be noticed by a cache without a name: it has written, or changed more than its
/// own section, messages to itself, and messages to and from other controllers in which no other cache is named; or it does
/// so depending on others.
fn is_seen(before: &Config, outcome: &Outcome) -> bool {
    let Ok(after) = &outcome.after else {
        return true;
    };
    let shown = |config: &Config| {
        config
            .messages
            .iter()
            .filter(|message| concerns_others(message))
            .cloned()
            .collect::<Vec<_>>()
    };
    outcome.writes
        || outcome.is_open
        || outcome.sends_to_others
        || shown(before) != shown(after)
        || before.shared != after.shared
        || before.caches[0] != after.caches[0]
}

/// Whether a message comes from, goes to or names another cache than the second one.
fn concerns_others(message: &Message) -> bool {
    let only_second: Names = [OTHERS, 0, OTHERS, OTHERS, OTHERS];
    let is_other = |end: End| matches!(end, End::Cache(cache) if cache != 1);
    is_other(message.to)
        || is_other(message.from)
        || message.content.iter().any(|token| token.names_others(&only_second))
}
