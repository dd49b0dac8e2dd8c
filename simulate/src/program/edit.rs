//! Small changes of random programs, which derive further programs from one whose run was
//! interesting.
//!
//! An edit is a kind and a seed. The places where it applies are drawn from the seed within the bounds of the program,
//! so an edit fits a program of any size.

use history::random::Rng;

use super::{Bytes, Maker, Operation, Popular, Program, ProgramSize, Step};

/// A change of a program, at places that a seed determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The kind of edit.
    pub kind: EditKind,
    /// Seed of the pseudo-random generator that decides its details.
    pub seed: u64,
}

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// Draws some of the steps again.
    Redraw,
    /// Replaces a stretch of one thread by a stretch of another.
    Transplant,
    /// Restricts a stretch of all threads to few locations.
    Narrow,
    /// Moves accesses of two threads to the same line.
    Share,
    /// Copies a stretch of one thread over the steps after it, once or several times.
    Repeat,
    /// Makes a stretch of one thread access in turn lines that lie a power of two apart, so that they evict each other
    /// from caches.
    Crowd,
    /// Changes the pace of a stretch of one thread: no ticks between its steps, or another pause before the first.
    Pace,
    /// Turns loads of a stretch of one thread into stores, and stores into loads.
    Flip,
}

impl EditKind {
    /// Every kind of edit.
    pub const ALL: [EditKind; 8] = [
        EditKind::Redraw,
        EditKind::Transplant,
        EditKind::Narrow,
        EditKind::Share,
        EditKind::Repeat,
        EditKind::Crowd,
        EditKind::Pace,
        EditKind::Flip,
    ];
}

/// Separates the random choices of an edit from those of the program with the same seed.
const PURPOSE: u64 = 0x45_44_49_54;
/// Bound of the pause before a step, in ticks.
const PAUSE: u64 = 2000;
/// Distances of the lines that evict each other, in lines: powers of two.
const APART: [u32; 3] = [2, 4, 8];

impl Edit {
    /// Changes a program of a size. The values that it writes are numbered after all edits.
    pub(super) fn apply(self, program: &mut Program, shape: &ProgramSize, popular: &Popular) {
        let mut editor = Editor {
            threads: &mut program.threads,
            shape,
            popular,
            rng: Rng::new(self.seed, PURPOSE),
        };
        if editor.threads.iter().all(Vec::is_empty) {
            return;
        }
        match self.kind {
            EditKind::Redraw => editor.redraw(),
            EditKind::Transplant => editor.transplant(),
            EditKind::Narrow => editor.narrow(),
            EditKind::Share => editor.share(),
            EditKind::Repeat => editor.repeat(),
            EditKind::Crowd => editor.crowd(),
            EditKind::Pace => editor.pace(),
            EditKind::Flip => editor.flip(),
        }
    }
}

/// A program that is being edited.
struct Editor<'a> {
    threads: &'a mut [Vec<Step>],
    shape: &'a ProgramSize,
    popular: &'a Popular,
    rng: Rng,
}

/// A range of steps of a thread; `to` is excluded.
#[derive(Clone, Copy)]
struct Stretch {
    from: usize,
    to: usize,
}

impl Editor<'_> {
    /// A random thread.
    fn thread(&mut self) -> usize {
        self.rng.index(self.threads.len())
    }

    /// A random stretch of this many steps: between an eighth and half of them.
    fn stretch(&mut self, steps: usize) -> Stretch {
        let least = steps as u64 / 8;
        let length = (least + self.rng.up_to(steps as u64 / 2 - least)) as usize;
        let from = self.rng.up_to((steps - length) as u64) as usize;
        let to = from + length;
        Stretch { from, to }
    }

    /// The steps of a random stretch of a random thread.
    fn steps(&mut self) -> &mut [Step] {
        let thread = self.thread();
        let Stretch { from, to } = self.stretch(self.threads[thread].len());
        &mut self.threads[thread][from..to]
    }

    fn address(&mut self) -> u64 {
        self.popular.choose(&mut self.rng)
    }

    fn redraw(&mut self) {
        let share = 5 + self.rng.below(36) as u32;
        let mut maker = Maker {
            shape: self.shape,
            popular: self.popular,
            rng: Rng::new(self.rng.below(u64::MAX), PURPOSE),
            next_value: 0,
        };
        for step in self.threads.iter_mut().flatten() {
            if self.rng.percent(share) {
                *step = maker.step();
            }
        }
    }

    fn transplant(&mut self) {
        let donor = self.thread();
        let Stretch { from, to } = self.stretch(self.threads[donor].len());
        let stretch = self.threads[donor][from..to].to_vec();
        let thread = self.thread();
        // In half of the cases at the same place, so that both threads do the same at the same
        // time.
        let place =
            if self.rng.percent(50) { from } else { self.rng.index(self.threads[thread].len()) };
        let steps = self.threads[thread].iter_mut().skip(place);
        steps.zip(stretch).for_each(|(step, new)| *step = new);
    }

    fn narrow(&mut self) {
        let count = 1 + self.rng.below(3);
        let few: Vec<u64> = (0..count).map(|_| self.address()).collect();
        let steps = self.threads.iter().map(Vec::len).max().unwrap_or(0);
        let Stretch { from, to } = self.stretch(steps);
        for thread in self.threads.iter_mut() {
            for step in thread.iter_mut().take(to).skip(from) {
                let chosen = few[self.rng.below(count) as usize];
                step.operation.move_to(Bytes::word(chosen));
            }
        }
    }

    fn share(&mut self) {
        let address = self.address();
        let line = address - (address - self.shape.base) % self.shape.line_bytes;
        let is_near = |at: &u64| (line..line + self.shape.line_bytes).contains(at);
        let near: Vec<u64> = self.popular.addresses.iter().copied().filter(is_near).collect();
        let share = 20 + self.rng.below(70) as u32;
        for _ in 0..2 {
            let thread = self.thread();
            for step in &mut self.threads[thread] {
                if self.rng.percent(share) {
                    let chosen = near.get(self.rng.index(near.len()));
                    step.operation.move_to(Bytes::word(chosen.copied().unwrap_or(address)));
                }
            }
        }
    }

    fn repeat(&mut self) {
        let thread = self.thread();
        let steps = &self.threads[thread];
        let length = 2 + self.rng.below(15) as usize;
        let from = self.rng.index(steps.len());
        let stretch: Vec<Step> = steps.iter().copied().skip(from).take(length).collect();
        let times = 1 + self.rng.below(4) as usize;
        let copies = stretch.iter().copied().cycle().take(stretch.len() * times);
        let after = self.threads[thread].iter_mut().skip(from + stretch.len());
        after.zip(copies).for_each(|(step, new)| *step = new);
    }

    fn crowd(&mut self) {
        let apart = self.rng.one_of(&APART);
        let apart = u64::from(apart) * self.shape.line_bytes;
        let first = self.address();
        let is_far = |at: &u64| at.abs_diff(first).is_multiple_of(apart);
        let far: Vec<u64> = self.popular.addresses.iter().copied().filter(is_far).collect();
        let count = (far.len() as u64).min(2 + self.rng.below(4));
        let from = self.rng.below(far.len() as u64);
        let round = (0..count).map(|n| far[((from + n) % far.len() as u64) as usize]);
        let round: Vec<u64> = round.collect();
        for (step, &address) in self.steps().iter_mut().zip(round.iter().cycle()) {
            step.operation.move_to(Bytes::word(address));
        }
    }

    fn pace(&mut self) {
        let pause = if self.rng.percent(50) { None } else { Some(self.rng.below(PAUSE) as u32) };
        let steps = self.steps();
        match (pause, steps.first_mut()) {
            (Some(pause), Some(step)) => step.think = pause,
            _ => steps.iter_mut().for_each(|step| step.think = 0),
        }
    }

    fn flip(&mut self) {
        for step in self.steps() {
            step.operation = match step.operation {
                Operation::Load(bytes) => Operation::Store(bytes, 0),
                Operation::Store(bytes, _) => Operation::Load(bytes),
                other => other,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> ProgramSize {
        ProgramSize {
            threads: 3,
            operations: 200,
            locations: 16,
            per_line: 2,
            rmws: 10,
            fences: 5,
            fetches: 10,
            code_lines: 2,
            ..ProgramSize::default()
        }
    }

    fn edited(kind: EditKind, seed: u64) -> Program {
        Program::random(&ProgramSize { edits: vec![Edit { kind, seed }], ..shape() })
    }

    #[test]
    fn edits_change_a_part_and_keep_values_unique() {
        let original = Program::random(&shape());
        for kind in EditKind::ALL {
            for seed in 0..20 {
                let program = edited(kind, seed);
                assert_eq!(program, edited(kind, seed), "{kind:?} {seed}");
                let steps = || program.threads.iter().flatten();
                assert_eq!(program.operations(), original.operations());
                let same = steps().zip(original.threads.iter().flatten());
                let changed = same.filter(|(new, old)| new != old).count();
                assert!(changed < 600, "{kind:?} {seed}: {changed}");
                let mut values = std::collections::BTreeSet::new();
                let written = steps().filter_map(|step| match step.operation {
                    Operation::Store(_, value) | Operation::Rmw { value, .. } => Some(value),
                    _ => None,
                });
                assert!(written.into_iter().all(|value| value != 0 && values.insert(value)));
                let known = (0..16).map(|one| shape().address(one));
                let known: Vec<u64> = known.chain([0, 1].map(|one| shape().code(one))).collect();
                let mut used = steps().filter_map(|step| step.operation.address());
                assert!(used.all(|address| known.contains(&address)), "{kind:?}");
            }
            let differs = (0..20).any(|seed| edited(kind, seed) != original);
            assert!(differs, "{kind:?} changes nothing");
        }
    }

    #[test]
    fn edits_fit_programs_without_room() {
        for kind in EditKind::ALL {
            for (threads, operations) in [(0, 0), (1, 0), (1, 1), (2, 1), (1, 2), (3, 7)] {
                let shape =
                    ProgramSize { threads, operations, locations: 1, ..ProgramSize::default() };
                for seed in 0..10 {
                    let program = Program::random(&ProgramSize {
                        edits: vec![Edit { kind, seed }],
                        ..shape.clone()
                    });
                    assert_eq!(program.operations() as u32, threads * operations);
                }
            }
        }
    }

    #[test]
    fn narrow_stretches_meet() {
        let stretch = |program: &Program| {
            let mut counts = std::collections::BTreeMap::new();
            for step in program.threads.iter().flatten() {
                if let Some(address) = step.operation.address() {
                    *counts.entry(address).or_insert(0) += 1;
                }
            }
            counts.values().max().copied().unwrap_or(0)
        };
        let before = stretch(&Program::random(&shape()));
        assert!((0..20).any(|seed| stretch(&edited(EditKind::Narrow, seed)) > 2 * before));
        assert!((0..20).any(|seed| stretch(&edited(EditKind::Share, seed)) > 2 * before));
    }

    /// Users rely on runs that never change: a failure of this test breaks that promise.
    #[test]
    fn an_edit_is_fixed_by_its_seed() {
        let digest = |kind| {
            let program = edited(kind, 1);
            let steps = program.threads.iter().flatten();
            steps.fold(0_u64, |sum, step| {
                let word = step.operation.address().unwrap_or(1) + u64::from(step.think);
                sum.rotate_left(5) ^ word
            })
        };
        assert_eq!(EditKind::ALL.map(digest), DIGESTS);
    }

    const DIGESTS: [u64; 8] = [
        4414149402009284840,
        14846843899519630982,
        16692051937143462140,
        454605917350466659,
        6672689487617223849,
        13082724114855292028,
        15210043723436197375,
        2199833350830154921,
    ];
}
