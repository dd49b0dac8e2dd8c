//! Methods of the values with several words: masks, blocks, vectors of flags, and sets.

use slicc::compile::trackers::flags as words_of_flags;
use slicc::library::ValueFunction;

use crate::ruby::sets::{bits as union, set};
use crate::ruby::{Misuse, block, flags};
use crate::system::System;
use crate::system::fault::Trap;
use crate::system::library::Arguments;

impl System {
    /// Carries out a method of a mask, block, vector of flags or set.
    pub(super) fn value_method(
        &mut self,
        function: ValueFunction,
        [a, b, c, d, _]: Arguments,
    ) -> Result<u64, Trap> {
        use ValueFunction::*;
        let (i, j) = (a as usize, b as usize);
        let block = self.block_words;
        // These ranges are used only if the first argument is an address.
        let own = i..i.wrapping_add(2);
        let words = self.machines.words();
        let dest = i..i.wrapping_add(words);
        let mask = i..i.wrapping_add(self.mask.words());
        let shape = self.mask;
        let flag = i..i.wrapping_add(words_of_flags::WIDTH);
        Ok(match function {
            MaskClear => self.done(|it| shape.clear(&mut it.words.words[mask])),
            MaskFill => self.done(|it| shape.fill(&mut it.words.words[mask])),
            MaskSet => self.tried(|it| shape.set(&mut it.words.words[mask], b, c, true))?,
            MaskSetTo => self.tried(|it| shape.set(&mut it.words.words[mask], b, c, d != 0))?,
            MaskGet => u64::from(shape.get(&self.words.words[mask], b, c)?),
            MaskTest => u64::from(shape.test(&self.words.words[mask], b)?),
            MaskIsEmpty => u64::from(shape.is_empty(&self.words.words[mask])),
            MaskIsFull => u64::from(shape.is_full(&self.words.words[mask])),
            MaskCompare => {
                let other = j..j + shape.bit_words();
                u64::from(self.words.words[i..i + shape.bit_words()] == self.words.words[other])
            }
            MaskOverlaps => u64::from(
                shape.is_overlap(&self.words.words[mask], &self.words.words[j..j + shape.words()]),
            ),
            MaskContains => u64::from(
                shape.contains(&self.words.words[mask], &self.words.words[j..j + shape.words()]),
            ),
            MaskAnd => self.done(|it| shape.and(&mut it.words.words, i, j)),
            MaskOr => self.done(|it| shape.or(&mut it.words.words, i, j)),
            MaskInvert => self.done(|it| shape.set_inverted(&mut it.words.words, i, j)),
            MaskBlockSize => block as u64 * 8,
            MaskBlockBits => u64::from((block as u64 * 8).ilog2()),
            MaskFirst => shape.first_bit_set(&self.words.words[mask], b != 0, 0),
            MaskFirstFrom => shape.first_bit_set(&self.words.words[mask], b != 0, c),
            MaskCount => shape.count(&self.words.words[mask], 0),
            MaskCountFrom => shape.count(&self.words.words[mask], b),

            BlockClear => self.done(|it| it.words.words[i..i + block].fill(0)),
            BlockCopyRange => {
                self.tried(|it| block::copy_partial(&mut it.words.words, i, j, block, c, d))?
            }
            BlockAtomic => {
                self.tried(|it| shape.apply_atomic(&mut it.words.words, i, j, c as usize))?
            }
            BlockCopyMasked => {
                self.done(|it| block::copy_masked(&mut it.words.words, i, j, block, c as usize))
            }

            FlagsAt => u64::from(flags::get(&self.words.words[flag], b)?),
            FlagsPut => self.tried(|it| flags::put(&mut it.words.words[flag], b, c != 0))?,
            FlagsSize => self.words.words[i + words_of_flags::LENGTH],
            FlagsResize => self.tried(|it| flags::resize(&mut it.words.words[flag], b))?,
            FlagsClear => self.tried(|it| flags::resize(&mut it.words.words[flag], 0))?,
            FlagsCount => flags::count(&self.words.words[flag]),

            SetSize => self.tried(|it| set::set_size(&mut it.words.words[own], b))?,
            SetAdd => self.tried(|it| set::add(&mut it.words.words[own], b))?,
            SetRemove => self.tried(|it| set::remove(&mut it.words.words[own], b))?,
            SetClear => self.done(|it| set::clear(&mut it.words.words[own])),
            SetBroadcast => self.done(|it| set::broadcast(&mut it.words.words[own])),
            SetHas => u64::from(set::is_element(&self.words.words[own], b)?),
            SetSmallest => set::smallest(&self.words.words[own])?,
            SetAddSet => {
                self.check_sizes(i, j)?;
                self.done(|it| union::add(&mut it.words.words, i + 1, j + 1, 1))
            }
            SetRemoveSet => {
                self.check_sizes(i, j)?;
                self.done(|it| union::remove(&mut it.words.words, i + 1, j + 1, 1))
            }
            SetCount => union::count(&self.words.words[i + 1..i + 2]),
            SetIsEmpty => u64::from(self.words.words[i + 1] == 0),
            SetEqual => {
                self.check_sizes(i, j)?;
                u64::from(self.words.words[i + 1] == self.words.words[j + 1])
            }
            SetSuperset => {
                self.check_sizes(i, j)?;
                u64::from(union::is_superset(
                    &self.words.words[i + 1..i + 2],
                    &self.words.words[j + 1..j + 2],
                ))
            }
            SetDisjoint => u64::from(self.words.words[i + 1] & self.words.words[j + 1] == 0),

            DestAdd => self.tried(|it| it.machines.add(&mut it.words.words[dest], b))?,
            DestRemove => self.tried(|it| it.machines.remove(&mut it.words.words[dest], b))?,
            DestAddAll => self.done(|it| union::add(&mut it.words.words, i, j, words)),
            DestRemoveAll => self.done(|it| union::remove(&mut it.words.words, i, j, words)),
            DestAssign => {
                let from = [self.words.words[c as usize], self.words.words[c as usize + 1]];
                self.tried(|it| it.machines.set_net_dest(&mut it.words.words[dest], b, &from))?
            }
            DestBroadcast => self.done(|it| it.machines.broadcast(&mut it.words.words[dest])),
            DestBroadcastType => {
                self.done(|it| it.machines.broadcast_type(&mut it.words.words[dest], b))
            }
            DestClear => self.done(|it| it.words.words[dest].fill(0)),
            DestCount => union::count(&self.words.words[dest]),
            DestHas => u64::from(self.machines.is_element(&self.words.words[dest], b)?),
            DestSuperset => u64::from(union::is_superset(
                &self.words.words[dest],
                &self.words.words[j..j + words],
            )),
            DestEqual => u64::from(self.words.words[dest] == self.words.words[j..j + words]),
            DestIsEmpty => u64::from(union::is_empty(&self.words.words[dest])),
            DestDisjoint => u64::from(union::are_disjoint(
                &self.words.words[dest],
                &self.words.words[j..j + words],
            )),
            DestSmallest => self.machines.smallest(&self.words.words[dest])?,
            DestSmallestType => self.machines.smallest_of(&self.words.words[dest], b)?,
            DestOr | DestAnd => {
                let to = c as usize;
                self.words.words.copy_within(dest, to);
                match function {
                    DestOr => self.done(|it| union::add(&mut it.words.words, to, j, words)),
                    _ => self.done(|it| union::intersect(&mut it.words.words, to, j, words)),
                }
            }
            BroadcastTo => {
                let to = j..j + words;
                self.words.words[to.clone()].fill(0);
                self.done(|it| it.machines.broadcast_type(&mut it.words.words[to], a))
            }
        })
    }

    /// Checks that the sets at two addresses have the same size.
    fn check_sizes(&self, one: usize, other: usize) -> Result<(), Misuse> {
        let words = &self.words.words;
        set::check_sizes(&words[one..one + 1], &words[other..other + 1])
    }
}
