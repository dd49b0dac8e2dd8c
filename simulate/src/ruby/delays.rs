//! Random delays, the same for a seed on every machine.
//!
//! The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014): the stream is defined by its few lines, so no library can change it,
//! and it costs about a nanosecond.
//!
//! Programs are drawn with [`history::random`] instead. Traces pin both streams, so the two cannot
//! become one; and a system draws at every message, where ChaCha8 would cost more.

use slicc::error::ParseError;
use std::fmt;
use std::str::FromStr;

/// A source of random delays.
#[derive(Clone, Debug)]
pub struct Delays {
    state: u64,
}

impl Delays {
    /// Creates the source of a seed.
    pub fn new(seed: u64) -> Delays {
        Delays { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`; 0 if that is 0. The probability of each number differs from `1 / bound` by less than
    /// 2^-64.
    pub fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.bits()) * u128::from(bound);
        (wide >> 64) as u64
    }

    /// The delay of a message in a randomised buffer (`docs/slicc.md`, "Message buffers"): 1 to 4 ticks, and with
    /// probability 1/8 another 101 to 115.
    pub fn of_message(&mut self) -> u64 {
        // One draw serves three choices, which depend on different bits.
        let bits = self.bits();
        let short = 1 + (bits & 3);
        if bits >> 61 == 0 { short + 101 + ((bits >> 8) & 0xFFFF_FFFF) % 15 } else { short }
    }
}

/// How long something takes, in cycles. Written `6`, or `1-18` for a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// A constant number of cycles.
    Constant(u64),
    /// A random number of cycles from the first to the second number, each equally likely.
    Between(u64, u64),
}

impl Latency {
    /// Draws a latency, in cycles.
    #[inline]
    pub fn draw(self, delays: &mut Delays) -> u64 {
        match self {
            Latency::Constant(cycles) => cycles,
            Latency::Between(least, most) => {
                least + delays.below(most.saturating_sub(least).saturating_add(1))
            }
        }
    }

    /// Whether the latency is always the same.
    pub fn is_constant(self) -> bool {
        match self {
            Latency::Constant(_) => true,
            Latency::Between(least, most) => least >= most,
        }
    }
}

impl FromStr for Latency {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Latency, ParseError> {
        const EXPECTED: &str =
            "a number of cycles was expected, such as 6, or a range, such as 1-18";
        // A limit that keeps ticks far from their end.
        let cycles = |text: &str| text.parse().ok().filter(|&cycles| cycles <= 1 << 32);
        let latency = match text.split_once('-') {
            None => cycles(text).map(Latency::Constant),
            Some((least, most)) => match (cycles(least), cycles(most)) {
                (Some(least), Some(most)) if least <= most => Some(Latency::Between(least, most)),
                _ => None,
            },
        };
        latency.ok_or_else(|| ParseError::new(text, EXPECTED))
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Latency::Constant(cycles) => write!(f, "{cycles}"),
            Latency::Between(least, most) => write!(f, "{least}-{most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Traces are promised to be the same forever: if this fails, the promise is broken. The
    /// numbers are those of the generator's authors for this seed.
    #[test]
    fn the_stream_of_a_seed_is_fixed() {
        let mut delays = Delays::new(1234567);
        let bits: Vec<u64> = (0..3).map(|_| delays.bits()).collect();
        assert_eq!(bits, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn messages_are_delayed_as_gem5_delays_them() {
        let mut delays = Delays::new(7);
        let mut short = [0; 5];
        let mut long = [0; 16];
        for _ in 0..80_000 {
            match delays.of_message() {
                delay @ 1..=4 => short[delay as usize] += 1,
                // The sum of two draws: 102 to 119.
                delay @ 102..=119 => long[(delay - 102) as usize % 16] += 1,
                delay => panic!("{delay}"),
            }
        }
        assert!(short[1..].iter().all(|count| (16_900..18_100).contains(count)), "{short:?}");
        let long: i32 = long.iter().sum();
        assert!((9_600..10_400).contains(&long), "{long}");
    }

    #[test]
    fn latencies_are_read_as_they_are_written() {
        for text in ["6", "0", "1-18", "5-5"] {
            assert_eq!(text.parse::<Latency>().unwrap().to_string(), text);
        }
        for wrong in ["", "-1", "3-2", "1-", "x", "1-2-3", "99999999999999"] {
            assert!(wrong.parse::<Latency>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn latencies_reach_both_ends() {
        let mut delays = Delays::new(3);
        assert_eq!(Latency::Constant(6).draw(&mut delays), 6);
        let mut seen = [false; 6];
        for _ in 0..200 {
            seen[Latency::Between(2, 5).draw(&mut delays) as usize] = true;
        }
        assert_eq!(seen, [false, false, true, true, true, true]);
        assert!(Latency::Between(4, 4).is_constant());
        assert_eq!(Latency::Between(4, 4).draw(&mut delays), 4);
    }
}
