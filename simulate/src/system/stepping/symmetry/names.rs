//! New names for cores, lines, and what belongs to them.

use super::super::values::Values;
use super::places::Places;
use super::words::WordKind;

/// A permutation of cores and lines, with the new places of all that belongs to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permutation {
    /// The cores. Controllers of the permuted machine types have the numbers of their cores.
    pub cores: Places,
    /// The cores and the DMA devices, which stay where they are.
    pub agents: Places,
    pub lines: Places,
    /// The addresses of the lines.
    pub addresses: Vec<u64>,
    /// The values that cores store.
    pub values: Values,
    /// For each number of a machine type, whether its controllers move with the cores.
    pub moves: Vec<bool>,
    pub controllers: Places,
    pub buffers: Places,
    pub caches: Places,
    /// The tables of transactions and entries.
    pub tables: Places,
    pub directories: Places,
    /// The tables of timers.
    pub timers: Places,
    /// The tables of persistent requests.
    pub persistents: Places,
}

impl Permutation {
    /// The new name of a word that is not a block's content.
    #[inline]
    pub fn word(&self, kind: WordKind, word: u64) -> u64 {
        match kind {
            WordKind::Plain | WordKind::Block => word,
            WordKind::Address => self.address(word),
            WordKind::Machine => self.machine(word),
            WordKind::Machines(kind) if !self.moves_with_cores(kind) => word,
            WordKind::Machines(_) | WordKind::Numbers => self.cores.bits(word),
        }
    }

    /// The new name of an address, which stays the same if it is in none of the lines.
    #[inline]
    pub fn address(&self, address: u64) -> u64 {
        match self.addresses.iter().position(|&line| line == address) {
            Some(line) => self.addresses[self.lines.to(line)],
            None => address,
        }
    }

    /// The new name of a machine.
    #[inline]
    pub fn machine(&self, machine: u64) -> u64 {
        let (kind, number) = (machine >> 32, machine & 0xFFFF_FFFF);
        if self.moves_with_cores(kind as u32) {
            kind << 32 | self.cores.to(number as usize) as u64
        } else {
            machine
        }
    }

    /// The new name of the content of a block.
    #[inline]
    pub fn value(&self, value: u64) -> u64 {
        self.values.moved(value, &self.agents, &self.lines)
    }

    fn moves_with_cores(&self, kind: u32) -> bool {
        self.moves.get(kind as usize).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_bits_move() {
        let places = Places::new(vec![1, 2, 0]).expect("a permutation");
        assert_eq!(places.bits(0b001), 0b010);
        assert_eq!(places.bits(0b110), 0b101);
        assert_eq!(places.bits(0b1111), 0b1111);
        assert_eq!((places.to(2), places.from(2)), (0, 1));
        assert_eq!(Places::new(vec![0, 0]), None);
    }

    #[test]
    fn machines_and_addresses_get_new_names() {
        let permutation = Permutation {
            cores: Places::new(vec![1, 0]).expect("a permutation"),
            lines: Places::new(vec![1, 0]).expect("a permutation"),
            addresses: vec![0, 16],
            moves: vec![false, true],
            ..Permutation::default()
        };
        assert_eq!(permutation.word(WordKind::Machine, 1 << 32), 1 << 32 | 1);
        assert_eq!(permutation.word(WordKind::Machine, 9 << 32), 9 << 32);
        assert_eq!(permutation.word(WordKind::Address, 0), 16);
        assert_eq!(permutation.word(WordKind::Address, u64::MAX), u64::MAX);
        assert_eq!(permutation.word(WordKind::Machines(1), 0b01), 0b10);
        assert_eq!(permutation.word(WordKind::Machines(0), 0b01), 0b01);
    }
}
