//! A pseudo-random generator whose choices are the same on every machine.
//!
//! The generator is ChaCha8, whose stream is part of its definition. What is made of the stream is
//! written out here, since libraries reserve the right to change that.

use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, SeedableRng};

/// The pseudo-random generator of programs, delays and recipes. A seed gives the same numbers on every machine.
#[derive(Debug)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// The choices that a seed stands for. Sources with one seed and different `purpose` have
    /// nothing to do with each other.
    pub fn new(seed: u64, purpose: u64) -> Rng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&purpose.to_le_bytes());
        Rng(ChaCha8Rng::from_seed(key))
    }

    /// A number below `bound`; 0 if that is 0. Off uniform by less than `bound` in 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.0.next_u64()) * u128::from(bound);
        (wide >> 64) as u64
    }

    /// A number from 0 to `most`.
    pub fn up_to(&mut self, most: u64) -> u64 {
        match most {
            0 => 0,
            _ => self.below(most.saturating_add(1)),
        }
    }

    /// Whether something happens that does so in `percent` of all cases.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// One of a few, each as likely.
    pub fn one_of<T: Copy, const N: usize>(&mut self, choices: &[T; N]) -> T {
        const { assert!(N > 0, "there must be a choice") };
        choices[self.below(N as u64) as usize]
    }

    /// Puts a slice into random order.
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for at in (1..slice.len()).rev() {
            let other = self.below(at as u64 + 1) as usize;
            slice.swap(at, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs are promised to be the same forever: if this fails, the promise is broken.
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
}
