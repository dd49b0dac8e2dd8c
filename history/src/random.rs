//! The pseudo-random generator [`Rng`] of histories and programs, and [`Weighted`] choices.
//!
//! The generator is ChaCha8, whose stream is part of its definition. The functions that make numbers and choices of the
//! stream are written out here, since libraries reserve the right to change theirs.

use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, SeedableRng};

/// A pseudo-random generator. A seed gives the same numbers on every machine.
#[derive(Debug)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// Creates the generator of a seed. Generators with one seed and different `purpose` are
    /// independent of each other. The key of ChaCha8 is the seed, then the purpose, little-endian.
    pub fn new(seed: u64, purpose: u64) -> Rng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&purpose.to_le_bytes());
        Rng(ChaCha8Rng::from_seed(key))
    }

    /// A number below `bound`; 0 if `bound` is 0. The probability of a number deviates from the uniform one by less
    /// than 2^-64.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.0.next_u64()) * u128::from(bound);
        (wide >> 64) as u64
    }

    /// A number from 0 to `most`, inclusive.
    pub fn up_to(&mut self, most: u64) -> u64 {
        match most {
            0 => 0,
            _ => self.below(most.saturating_add(1)),
        }
    }

    /// An index into a sequence of this length; 0 if the length is 0.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// True with a probability of `percent` in 100.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// One of the choices, each with the same probability.
    pub fn one_of<T: Copy, const N: usize>(&mut self, choices: &[T; N]) -> T {
        const { assert!(N > 0, "there must be a choice") };
        choices[self.index(N)]
    }

    /// Moves `count` elements, drawn at random, to the front of a slice in random order; all of them if the slice is
    /// shorter.
    pub fn draw<T>(&mut self, slice: &mut [T], count: usize) {
        let length = slice.len();
        for at in 0..count.min(length) {
            let other = at + self.index(length - at);
            slice.swap(at, other);
        }
    }

    /// Shuffles a slice from its front, as generated histories need it.
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        self.draw(slice, slice.len());
    }

    /// Shuffles a slice from its back, as simulated programs need it. With the same seed the order differs from that of
    /// [`Rng::shuffle`].
    pub fn shuffle_from_back<T>(&mut self, slice: &mut [T]) {
        for at in (1..slice.len()).rev() {
            let other = self.index(at + 1);
            slice.swap(at, other);
        }
    }
}

/// A random choice among the numbers from 0 on, with given weights.
#[derive(Debug)]
pub struct Weighted {
    /// For each number, the sum of the weights of all numbers up to and including it.
    sums: Vec<u64>,
    uniform: bool,
}

impl Weighted {
    /// The choice with these weights, of which at least one must not be 0.
    pub fn new(weights: impl Iterator<Item = u64>) -> Weighted {
        let mut sum = 0;
        let sums = weights.map(|weight| {
            sum += weight;
            sum
        });
        let sums: Vec<u64> = sums.collect();
        let uniform = (1u64..).zip(&sums).all(|(number, &sum)| sum == number);
        Weighted { sums, uniform }
    }

    /// The choice among `count` numbers by Zipf's law: the weight of the n-th is proportional to n^-`skew`. Weights are
    /// rounded to integers, at least 1, because the last bits of a power differ between machines.
    pub fn zipf(count: u32, skew: f64) -> Weighted {
        const MOST: f64 = (1u64 << 31) as f64;
        if skew == 0.0 {
            return Weighted::new((0..count).map(|_| 1));
        }
        Weighted::new((1..=count).map(|rank| {
            let weight = MOST * f64::from(rank).powf(-skew);
            (weight.round() as u64).max(1)
        }))
    }

    /// A random number. Cost: logarithmic in the number of weights.
    pub fn choose(&self, rng: &mut Rng) -> usize {
        let total = self.sums.last().copied().unwrap_or(1);
        let point = rng.below(total);
        if self.uniform {
            return point as usize;
        }
        self.sums.partition_point(|&sum| sum <= point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A seed must give the same histories and runs in every version of rubric. This test fails if a change breaks
    /// that.
    #[test]
    fn the_stream_of_a_seed_is_fixed() {
        let mut rng = Rng::new(1, 0);
        let numbers: Vec<u64> = (0..4).map(|_| rng.below(1 << 32)).collect();
        assert_eq!(numbers, [1638484553, 1266703218, 3428475886, 3934848116]);
        assert_ne!(Rng::new(1, 1).below(1 << 32), numbers[0]);
    }

    #[test]
    fn bounds_are_kept() {
        let mut rng = Rng::new(2, 0);
        assert!((0..1000).all(|_| rng.up_to(3) <= 3));
        assert_eq!((rng.up_to(0), rng.below(0)), (0, 0));
        let hits = (0..1000).filter(|_| rng.percent(30)).count();
        assert!((250..350).contains(&hits), "{hits}");
        assert!(!rng.percent(0) && rng.percent(100));
    }

    #[test]
    fn shuffling_reaches_every_order() {
        let mut rng = Rng::new(2, 0);
        let orders: [fn(&mut Rng, &mut [u8]); 2] =
            [|rng, slice| rng.shuffle(slice), |rng, slice| rng.shuffle_from_back(slice)];
        for order in orders {
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..200 {
                let mut slice = [0, 1, 2];
                order(&mut rng, &mut slice);
                seen.insert(slice);
            }
            assert_eq!(seen.len(), 6);
        }
    }

    #[test]
    fn choices_follow_their_weights() {
        let mut rng = Rng::new(3, 0);
        let weighted = Weighted::new([0, 3, 0, 1].into_iter());
        let mut counts = [0; 4];
        for _ in 0..4000 {
            counts[weighted.choose(&mut rng)] += 1;
        }
        assert_eq!([counts[0], counts[2]], [0, 0]);
        assert!((2850..3150).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn skew_makes_the_first_popular() {
        let mut rng = Rng::new(4, 0);
        let share = |rng: &mut Rng, skew| {
            let zipf = Weighted::zipf(100, skew);
            (0..10_000).filter(|_| zipf.choose(rng) == 0).count()
        };
        // The first number has probability 1/100, or 1/H(100) with the 100th harmonic number, 5.19.
        assert!((60..140).contains(&share(&mut rng, 0.0)));
        assert!((1800..2050).contains(&share(&mut rng, 1.0)));
    }
}
