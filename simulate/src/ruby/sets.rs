//! Sets of nodes and of machines (Set and NetDest), as words of the flat memory.
//!
//! A [`Set`](set) is two words: its size, which is 0 in a fresh set, and a bit for each node. A
//! NetDest has a word for each machine type of the protocol (listed by [`Machines`]), with a bit
//! for each controller. Both are plain data: copying the words copies the set, and comparing the
//! words compares sets of one kind.

use super::Misuse;

/// Largest number of elements of a set.
pub(crate) const MOST: u64 = 64;

/// The number of machine types, which is also the type of "no machine".
pub(crate) const MACHINE_TYPES: usize = slicc::outline::MOST_MACHINE_TYPES;

/// The bits of the elements below a size.
#[inline]
fn below(size: u64) -> u64 {
    if size >= MOST { !0 } else { (1 << size) - 1 }
}

/// Operations that sets and NetDests share, on one or more words of bits.
pub(crate) mod bits {
    /// Number of elements.
    #[inline]
    pub(crate) fn count(set: &[u64]) -> u64 {
        set.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether there are no elements.
    #[inline]
    pub(crate) fn is_empty(set: &[u64]) -> bool {
        set.iter().all(|&word| word == 0)
    }

    /// Whether `set` has all elements of `other`.
    #[inline]
    pub(crate) fn is_superset(set: &[u64], other: &[u64]) -> bool {
        set.iter().zip(other).all(|(&set, &other)| other & !set == 0)
    }

    /// Whether the sets have no common element.
    #[inline]
    pub(crate) fn are_disjoint(set: &[u64], other: &[u64]) -> bool {
        set.iter().zip(other).all(|(&set, &other)| other & set == 0)
    }

    /// Adds the elements of the set at `from` to the one at `to`, both of `words` words.
    #[inline]
    pub(crate) fn add(memory: &mut [u64], to: usize, from: usize, words: usize) {
        (0..words).for_each(|word| memory[to + word] |= memory[from + word]);
    }

    /// Removes the elements of the set at `from` from the one at `to`.
    #[inline]
    pub(crate) fn remove(memory: &mut [u64], to: usize, from: usize, words: usize) {
        (0..words).for_each(|word| memory[to + word] &= !memory[from + word]);
    }

    /// Intersects the set at `to` with the one at `from`.
    #[inline]
    pub(crate) fn intersect(memory: &mut [u64], to: usize, from: usize, words: usize) {
        (0..words).for_each(|word| memory[to + word] &= memory[from + word]);
    }
}

/// Operations on a Set: a word with its size, and one with its elements.
///
/// As in gem5, the size does not limit what can be added: elements are bits of a word of the
/// build's size ([`MOST`]). The size matters to `broadcast` and `smallestElement`, and where two
/// sets have to be of one size. `addSet`, `removeSet`, `isSuperset`, `count` and `isEmpty` are
/// those of [`bits`], for the second word.
pub(crate) mod set {
    use super::{MOST, Misuse, below};

    /// Sets the size of a set and clears it.
    #[inline]
    pub(crate) fn set_size(set: &mut [u64], size: u64) -> Result<(), Misuse> {
        if size > MOST {
            return Err(Misuse::SetTooLarge(size));
        }
        set[0] = size;
        set[1] = 0;
        Ok(())
    }

    /// The bit of an element, which has to be below [`MOST`].
    #[inline]
    fn bit(element: u64) -> Result<u64, Misuse> {
        if element >= MOST {
            return Err(Misuse::NoBit(element));
        }
        Ok(1 << element)
    }

    /// Checks that two sets have the same size.
    #[inline]
    pub(crate) fn check_sizes(one: &[u64], other: &[u64]) -> Result<(), Misuse> {
        if one[0] != other[0] {
            return Err(Misuse::SetSizes { one: one[0], other: other[0] });
        }
        Ok(())
    }

    /// Adds an element, regardless of the size.
    #[inline]
    pub(crate) fn add(set: &mut [u64], element: u64) -> Result<(), Misuse> {
        set[1] |= bit(element)?;
        Ok(())
    }

    /// Removes an element, regardless of the size.
    #[inline]
    pub(crate) fn remove(set: &mut [u64], element: u64) -> Result<(), Misuse> {
        set[1] &= !bit(element)?;
        Ok(())
    }

    /// Removes all elements.
    #[inline]
    pub(crate) fn clear(set: &mut [u64]) {
        set[1] = 0;
    }

    /// Adds all elements below the size.
    #[inline]
    pub(crate) fn broadcast(set: &mut [u64]) {
        set[1] = below(set[0]);
    }

    /// Whether `element` is in the set.
    #[inline]
    pub(crate) fn is_element(set: &[u64], element: u64) -> Result<bool, Misuse> {
        Ok(set[1] & bit(element)? != 0)
    }

    /// The smallest element below the size.
    #[inline]
    pub(crate) fn smallest(set: &[u64]) -> Result<u64, Misuse> {
        match set[1] & below(set[0]) {
            0 => Err(Misuse::EmptySet),
            elements => Ok(u64::from(elements.trailing_zeros())),
        }
    }
}

/// The machine types of a protocol, each with its word in NetDests and the number of its
/// controllers. A machine is identified by `type << 32 | number`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Machines {
    /// For each type, the index of its word, if the protocol has machines of that type.
    words: [Option<u8>; MACHINE_TYPES],
    /// For each word, the type and the number of controllers.
    types: Vec<(u64, u64)>,
}

impl Machines {
    /// Creates the table from the types and the numbers of their controllers.
    pub(crate) fn new(types: &[(u64, u64)]) -> Result<Machines, Misuse> {
        let mut types = types.to_vec();
        types.sort_unstable();
        let mut words = [None; MACHINE_TYPES];
        for (word, &(machine, count)) in types.iter().enumerate() {
            if count > MOST {
                return Err(Misuse::SetTooLarge(count));
            }
            let slot = words.get_mut(machine as usize);
            *slot.ok_or(Misuse::NoMachineType(machine))? = Some(word as u8);
        }
        Ok(Machines { words, types })
    }

    /// Number of words of a NetDest.
    pub(crate) fn words(&self) -> usize {
        self.types.len()
    }

    /// The types and the numbers of their controllers, in the order of the words.
    pub(crate) fn types(&self) -> &[(u64, u64)] {
        &self.types
    }

    /// The number of controllers of a type (`machineCount`).
    pub(crate) fn count(&self, machine: u64) -> u64 {
        self.word(machine).map_or(0, |word| self.types[word].1)
    }

    /// The index of the word of a type.
    #[inline]
    pub(crate) fn word(&self, machine: u64) -> Option<usize> {
        let word = *self.words.get(machine as usize)?;
        word.map(usize::from)
    }

    /// The word and the bit of a machine, which has to exist.
    #[inline]
    fn bit(&self, machine: u64) -> Result<(usize, u64), Misuse> {
        let (kind, number) = (machine >> 32, machine & 0xFFFF_FFFF);
        let word = self.word(kind).ok_or(Misuse::NoMachineType(kind))?;
        let size = self.types[word].1;
        if number >= size {
            return Err(Misuse::NoElement { element: number, size });
        }
        Ok((word, 1 << number))
    }

    /// Checks that a machine exists.
    pub(crate) fn check(&self, machine: u64) -> Result<(), Misuse> {
        self.bit(machine).map(|_| ())
    }

    /// Adds a machine.
    #[inline]
    pub(crate) fn add(&self, dest: &mut [u64], machine: u64) -> Result<(), Misuse> {
        let (word, bit) = self.bit(machine)?;
        dest[word] |= bit;
        Ok(())
    }

    /// The word and the bit of a machine that need not exist; none if the protocol has no machine
    /// of its type.
    #[inline]
    fn any_bit(&self, machine: u64) -> Result<Option<(usize, u64)>, Misuse> {
        let (kind, number) = (machine >> 32, machine & 0xFFFF_FFFF);
        if kind as usize >= MACHINE_TYPES {
            return Err(Misuse::NoMachineType(kind));
        }
        if number >= MOST {
            return Err(Misuse::NoBit(number));
        }
        Ok(self.word(kind).map(|word| (word, 1 << number)))
    }

    /// Removes a machine; one that does not exist is ignored.
    #[inline]
    pub(crate) fn remove(&self, dest: &mut [u64], machine: u64) -> Result<(), Misuse> {
        if let Some((word, bit)) = self.any_bit(machine)? {
            dest[word] &= !bit;
        }
        Ok(())
    }

    /// Whether a machine is in the set; one that does not exist is not.
    #[inline]
    pub(crate) fn is_element(&self, dest: &[u64], machine: u64) -> Result<bool, Misuse> {
        let bit = self.any_bit(machine)?;
        Ok(bit.is_some_and(|(word, bit)| dest[word] & bit != 0))
    }

    /// Replaces the machines of a type by those in a Set, which has to have the size of the type
    /// unless it is empty.
    ///
    /// gem5 takes over the size as well, and stops as soon as the destination meets another one of
    /// the right size, at the latest when the message is routed. Here the error is immediate.
    pub(crate) fn set_net_dest(
        &self,
        dest: &mut [u64],
        kind: u64,
        set: &[u64],
    ) -> Result<(), Misuse> {
        let size = self.count(kind);
        if set[1] != 0 && set[0] != size {
            return Err(Misuse::DestinationSize { set: set[0], machines: size });
        }
        if set[1] & !below(size) != 0 {
            let element = 63 - u64::from(set[1].leading_zeros());
            return Err(Misuse::NoElement { element, size });
        }
        if let Some(word) = self.word(kind) {
            dest[word] = set[1];
        }
        Ok(())
    }

    /// Adds all machines.
    pub(crate) fn broadcast(&self, dest: &mut [u64]) {
        for (word, &(_, count)) in dest.iter_mut().zip(&self.types) {
            *word = below(count);
        }
    }

    /// Adds all machines of a type; none if the protocol does not have the type.
    pub(crate) fn broadcast_type(&self, dest: &mut [u64], kind: u64) {
        if let Some(word) = self.word(kind) {
            dest[word] = below(self.types[word].1);
        }
    }

    /// The smallest machine: the lowest type, then the lowest number.
    pub(crate) fn smallest(&self, dest: &[u64]) -> Result<u64, Misuse> {
        self.iter(dest).next().ok_or(Misuse::EmptySet)
    }

    /// The smallest machine of a type.
    pub(crate) fn smallest_of(&self, dest: &[u64], kind: u64) -> Result<u64, Misuse> {
        let bits = self.word(kind).map_or(0, |word| dest[word]);
        if bits == 0 {
            return Err(Misuse::EmptySet);
        }
        Ok(kind << 32 | u64::from(bits.trailing_zeros()))
    }

    /// The machines in the set, in ascending order.
    #[inline]
    pub(crate) fn iter<'a>(&'a self, dest: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        let words = dest.iter().zip(&self.types);
        words.flat_map(|(&word, &(kind, _))| ones(word).map(move |number| kind << 32 | number))
    }
}

/// The elements of a word, in ascending order.
fn ones(mut word: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let element = u64::from(word.trailing_zeros());
        word &= word.wrapping_sub(1);
        (element < MOST).then_some(element)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::ruby::delays::Delays;

    #[test]
    fn sets_do_what_tree_sets_do() {
        let mut random = Delays::new(1);
        // Two sets of two words each, and their models.
        let mut memory = [0; 4];
        let mut naive = [BTreeSet::new(), BTreeSet::new()];
        set::set_size(&mut memory[..2], 64).unwrap();
        set::set_size(&mut memory[2..], 64).unwrap();
        for _ in 0..10_000 {
            let which = random.below(2) as usize;
            let other = naive[1 - which].clone();
            let (at, from) = (2 * which, 2 - 2 * which);
            let element = random.below(64);
            let words = &mut memory[at..at + 2];
            match random.below(20) {
                0 => {
                    bits::add(&mut memory, at + 1, from + 1, 1);
                    naive[which].extend(&other);
                }
                1 => {
                    bits::remove(&mut memory, at + 1, from + 1, 1);
                    naive[which].retain(|element| !other.contains(element));
                }
                2 => {
                    bits::intersect(&mut memory, at + 1, from + 1, 1);
                    naive[which].retain(|element| other.contains(element));
                }
                3 if random.below(9) == 0 => {
                    set::broadcast(words);
                    naive[which].extend(0..64);
                }
                4 => {
                    set::clear(words);
                    naive[which].clear();
                }
                5..=9 => {
                    set::remove(words, element).unwrap();
                    naive[which].remove(&element);
                }
                _ => {
                    set::add(words, element).unwrap();
                    naive[which].insert(element);
                }
            }
            let (left, right) = memory.split_at(2);
            let elements: Vec<_> =
                (0..64).filter(|&element| set::is_element(left, element).unwrap()).collect();
            assert!(naive[0].iter().eq(&elements));
            assert_eq!(bits::count(&left[1..]), naive[0].len() as u64);
            assert_eq!(set::smallest(left).ok(), naive[0].first().copied());
            assert_eq!(bits::is_superset(&left[1..], &right[1..]), naive[0].is_superset(&naive[1]));
            assert_eq!(
                bits::are_disjoint(&left[1..], &right[1..]),
                naive[0].is_disjoint(&naive[1])
            );
            assert_eq!(left == right, naive[0] == naive[1]);
        }
    }

    #[test]
    fn a_set_has_a_size() {
        let mut words = [0; 2];
        assert_eq!(set::set_size(&mut words, 65), Err(Misuse::SetTooLarge(65)));
        set::set_size(&mut words, 3).unwrap();
        set::broadcast(&mut words);
        assert_eq!(words, [3, 7]);
        assert_eq!(set::check_sizes(&words, &[4, 0]), Err(Misuse::SetSizes { one: 3, other: 4 }));
        set::set_size(&mut words, 3).unwrap();
        let empty = set::smallest(&words).unwrap_err();
        assert_eq!(empty.to_string(), "No smallest element of an empty set.");
    }

    #[test]
    fn the_size_does_not_limit_what_is_added() {
        // A set whose size was never set.
        let mut words = [0; 2];
        set::add(&mut words, 63).unwrap();
        set::add(&mut words, 1).unwrap();
        assert_eq!(set::is_element(&words, 63), Ok(true));
        assert_eq!(bits::count(&words[1..]), 2);
        // No element lies below its size.
        assert_eq!(set::smallest(&words), Err(Misuse::EmptySet));
        set::remove(&mut words, 63).unwrap();
        assert_eq!(words, [0, 2]);
        let outside = Err(Misuse::NoBit(64));
        assert_eq!(set::add(&mut words, 64), outside);
        assert_eq!(set::remove(&mut words, 64), outside);
        assert_eq!(set::is_element(&words, 64), Err(Misuse::NoBit(64)));
    }

    fn machine(kind: u64, number: u64) -> u64 {
        kind << 32 | number
    }

    #[test]
    fn destinations_do_what_tree_sets_do() {
        let machines = Machines::new(&[(4, 1), (1, 64), (2, 3)]).unwrap();
        let mut random = Delays::new(2);
        let mut dest = vec![0; machines.words()];
        let mut naive = BTreeSet::new();
        for _ in 0..5000 {
            let (kind, count) = machines.types()[random.below(3) as usize];
            let node = machine(kind, random.below(count));
            if random.below(2) == 0 {
                machines.add(&mut dest, node).unwrap();
                naive.insert(node);
            } else {
                machines.remove(&mut dest, node).unwrap();
                naive.remove(&node);
            }
            assert!(machines.iter(&dest).eq(naive.iter().copied()));
            assert_eq!(machines.is_element(&dest, node), Ok(naive.contains(&node)));
            assert_eq!(machines.smallest(&dest).ok(), naive.first().copied());
            let mut of_kind = naive.range(machine(kind, 0)..machine(kind + 1, 0));
            assert_eq!(machines.smallest_of(&dest, kind).ok(), of_kind.next().copied());
            assert_eq!(bits::count(&dest), naive.len() as u64);
        }
    }

    #[test]
    fn destinations_know_their_machines() {
        let machines = Machines::new(&[(4, 2), (1, 3)]).unwrap();
        let mut dest = [0; 2];
        let absent = machines.add(&mut dest, machine(4, 2));
        assert_eq!(absent, Err(Misuse::NoElement { element: 2, size: 2 }));
        assert_eq!(machines.add(&mut dest, machine(64, 0)), Err(Misuse::NoMachineType(64)));
        // Machines that do not exist can be removed and looked up, as long as they have a type and
        // a bit.
        assert_eq!(machines.remove(&mut dest, machine(4, 2)), Ok(()));
        assert_eq!(machines.is_element(&dest, machine(9, 63)), Ok(false));
        assert_eq!(machines.remove(&mut dest, machine(64, 0)), Err(Misuse::NoMachineType(64)));
        assert_eq!(machines.is_element(&dest, machine(9, 64)), Err(Misuse::NoBit(64)));
        machines.broadcast_type(&mut dest, 4);
        machines.broadcast_type(&mut dest, 9);
        assert_eq!(machines.iter(&dest).collect::<Vec<_>>(), [machine(4, 0), machine(4, 1)]);
        machines.set_net_dest(&mut dest, 1, &[3, 5]).unwrap();
        assert_eq!(bits::count(&dest), 4);
        assert!(machines.set_net_dest(&mut dest, 1, &[8, 9]).is_err());
        assert_eq!(machines.set_net_dest(&mut dest, 9, &[0, 0]), Ok(()));
        assert!(machines.set_net_dest(&mut dest, 9, &[1, 1]).is_err());
        machines.broadcast(&mut dest);
        assert!(machines.count(1) == 3 && machines.count(9) == 0);
        assert_eq!(Machines::new(&[(1, 65)]), Err(Misuse::SetTooLarge(65)));
    }
}
