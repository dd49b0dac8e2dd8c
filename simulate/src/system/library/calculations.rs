//! Functions of numbers: addresses, machines and types of requests.

use slicc::compile::types::MOST_TOKENS;
use slicc::library::{CalculationFunction, TopologyFunction};

use crate::config::Group;
use crate::ruby::Misuse;
use crate::system::System;
use crate::system::fault::Trap;
use crate::system::library::Arguments;

/// Numbers of the values of `RubyRequestType` on which functions depend.
mod request {
    pub(super) const LD: u64 = 0;
    pub(super) const ST: u64 = 1;
    pub(super) const ATOMICS: std::ops::RangeInclusive<u64> = 2..=4;
    pub(super) const IFETCH: u64 = 5;
    pub(super) const LOAD_LINKED: u64 = 8;
    pub(super) const WRITES: std::ops::RangeInclusive<u64> = 9..=13;
    pub(super) const FLUSH: u64 = 16;
    pub(super) const HTM: std::ops::RangeInclusive<u64> = 21..=24;
    pub(super) const TLBI: std::ops::RangeInclusive<u64> = 25..=28;
}

impl System {
    /// Carries out a function of numbers.
    pub(super) fn calculation(
        &mut self,
        function: CalculationFunction,
        [a, b, c, d, cluster]: Arguments,
    ) -> Result<u64, Trap> {
        use CalculationFunction::*;
        let block = self.block_words;
        Ok(match function {
            Zero | Nothing => 0,
            Identity | NumberOfNode | NodeOfNumber | NumberOfAddress | AddressOfNumber => a,
            MaxTokens => MOST_TOKENS,
            LineAddress => self.set_address(a)? & !(block as u64 * 8 - 1),
            LineAddressOfBits => self.set_address(a)? & (!0_u64).checked_shl(b as u32).unwrap_or(0),
            LineOffset => self.set_address(a)? & (block as u64 * 8 - 1),
            AddressOffset => self.set_address(a)?.wrapping_sub(b),
            Modulo => {
                (a as i64).checked_rem(b as i64).ok_or(Trap::Other("a division by zero"))? as u64
            }
            BitSelect => bits(self.set_address(a)?, b, c),
            MaskLowBits => match 1_u64.checked_shl(b as u32) {
                Some(bit) => self.set_address(a)? & !(bit - 1),
                None => 0,
            },
            NextStride => self.set_address(a)?.wrapping_add((block as u64 * 8).wrapping_mul(b)),
            Now => self.now,
            Later => self.now.saturating_add(a),

            MapToMachine => self.home(a, b)?,
            MapToRange => b << 32 | bits_of_range(self.set_address(a)?, c, d),
            MapToCluster => {
                let shift = 1_u64.checked_shl(d as u32).unwrap_or(0);
                b << 32
                    | (bits_of_range(self.set_address(a)?, c, d) + cluster * shift) & 0xFFFF_FFFF
            }
            MachineCount => self.machines.count(a),
            MachineNumber => a & 0xFFFF_FFFF,
            MachineKind => a >> 32,
            MachineMake => a << 32 | b & 0xFFFF_FFFF,

            IsWrite => u64::from(
                a == request::ST
                    || request::ATOMICS.contains(&a)
                    || request::WRITES.contains(&a)
                    || a == request::FLUSH,
            ),
            IsDataRead => u64::from(a == request::LD || a == request::LOAD_LINKED),
            IsRead => u64::from([request::LD, request::LOAD_LINKED, request::IFETCH].contains(&a)),
            IsHtm => u64::from(request::HTM.contains(&a)),
            IsTlbi => u64::from(request::TLBI.contains(&a)),
        })
    }

    /// Carries out a function that asks which controllers the current one is connected to.
    pub(super) fn topology(&mut self, function: TopologyFunction, a: u64) -> Result<u64, Trap> {
        use TopologyFunction::*;
        let controller = &self.controllers[self.current];
        match function {
            MapDownstream | MapDownstreamType => self.downstream(a),
            AllUpstream => self.every_member(controller.upstream, a),
            AllDownstream => self.every_member(controller.downstream, a),
            RespondsTo => Ok(u64::from(self.responds_to(a))),
        }
    }

    /// The controller to which the current one sends requests for an address.
    fn downstream(&self, address: u64) -> Result<u64, Trap> {
        let address = self.set_address(address)?;
        let missing = Misuse::NoDownstream(address);
        let group = self.controllers[self.current].downstream.ok_or(missing)?;
        match group.interleaving.home(address) {
            home if home < u64::from(group.count) => {
                let number = u64::from(group.first) + home * u64::from(group.step);
                Ok((u64::from(group.kind) << 32) | number)
            }
            _ => Err(missing.into()),
        }
    }

    /// Writes all controllers of a group to the set at an address.
    fn every_member(&mut self, group: Option<Group>, to: u64) -> Result<u64, Trap> {
        let to = to as usize..to as usize + self.machines.words();
        self.words.words[to.clone()].fill(0);
        let Some(group) = group else {
            return Ok(0);
        };
        for at in 0..group.count {
            let id = u64::from(group.kind) << 32 | u64::from(group.first + at * group.step);
            self.machines.add(&mut self.words.words[to.clone()], id)?;
        }
        Ok(0)
    }

    /// Whether an address belongs to the current controller.
    fn responds_to(&self, address: u64) -> bool {
        let controller = &self.controllers[self.current];
        let kind = self.program.machines[controller.machine].kind as usize;
        let interleaving = self.homes.get(kind).copied().flatten();
        interleaving.is_some_and(|of| of.home(address) == u64::from(controller.version))
    }
}

/// Bits `low` to `high` of an address.
fn bits(address: u64, low: u64, high: u64) -> u64 {
    let width = high.saturating_sub(low).saturating_add(1);
    let shifted = address.checked_shr(low as u32).unwrap_or(0);
    match 1_u64.checked_shl(width as u32) {
        Some(bit) if high >= low => shifted & (bit - 1),
        _ if high < low => 0,
        _ => shifted,
    }
}

/// `width` bits of an address from `low` on.
pub(super) fn bits_of_range(address: u64, low: u64, width: u64) -> u64 {
    match width {
        0 => 0,
        _ => bits(address, low, low + width - 1),
    }
}
