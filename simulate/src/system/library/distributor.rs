//! `MN_TBETable.chooseNewDistributor`: which transaction of CHI's MiscNode sends its snoops next.
//!
//! gem5's function is C++ for this one protocol, and names the states and fields of its transactions. One that is distributing goes
//! on. Otherwise there must be fewer than four that wait for responses. A sync does not begin while another waits, nor while an
//! invalidation of the same requestor that arrived before it has not completed.
//!
//! Of the candidates, gem5 means the oldest. But it compares two ages by their difference, which is true as soon as they differ, so
//! that `std::min_element` returns the last candidate of its list whose age differs from that of the one before: syncs stand
//! behind the other operations, and within both the order is that of a hash table, in which a new entry is usually
//! the first. Here, too, a sync comes before every invalidation, and of both the oldest is the first.

use slicc::compile::types::Type;

use crate::ruby::Misuse;
use crate::system::System;
use crate::system::fault::Trap;

/// The most transactions that wait for responses to their snoops at one time.
const MOST_WAITING: usize = 4;

/// What the choice depends on of a transaction.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    tbe: u64,
    state: &'a str,
    arrived: u64,
    requestor: u64,
}

impl System {
    /// The TBE of a table that sends its snoops next; 0 if none does.
    pub(super) fn choose_distributor(&self, table: usize) -> Result<u64, Trap> {
        let found = self.candidates(table)?;
        let is_in = |state: &'static str| found.iter().filter(move |one| one.state == state);
        let mut distributing =
            is_in("DvmSync_Distributing").chain(is_in("DvmNonSync_Distributing"));
        if let Some(one) = distributing.next() {
            return Ok(one.tbe);
        }
        let waiting = is_in("DvmSync_Waiting").chain(is_in("DvmNonSync_Waiting")).count();
        if waiting > MOST_WAITING {
            return Err(Misuse::TooManyWaiting(waiting).into());
        }
        if waiting == MOST_WAITING {
            return Ok(0);
        }
        let unfinished = || is_in("DvmNonSync_ReadyToDist").chain(is_in("DvmNonSync_Waiting"));
        let depends = |sync: &Candidate<'_>| {
            let is_earlier = |one: &Candidate<'_>| one.arrived < sync.arrived;
            unfinished().any(|one| one.requestor == sync.requestor && is_earlier(one))
        };
        let another_waits = is_in("DvmSync_Waiting").next().is_some();
        let sync = is_in("DvmSync_ReadyToDist").filter(|one| !another_waits && !depends(one));
        let oldest = sync.min_by_key(|one| one.arrived);
        let other = || is_in("DvmNonSync_ReadyToDist").min_by_key(|one| one.arrived);
        Ok(oldest.or_else(other).map_or(0, |one| one.tbe))
    }

    /// The transactions of a table, by id.
    fn candidates(&self, table: usize) -> Result<Vec<Candidate<'_>>, Trap> {
        let of = &self.program.types[self.elements[table]];
        let states = &self.program.machines[self.controllers[self.current].machine].states;
        let offsets = ["state", "timestamp", "requestor"].map(|name| offset(of, name));
        let [Some(state), Some(timestamp), Some(requestor)] = offsets else {
            return Err(Trap::Other(
                "the transactions of an MN_TBETable need the fields state, timestamp and requestor",
            ));
        };
        let entries = self.line_tables.tables[table].sorted();
        let word = |tbe: u64, offset: usize| self.words.words[tbe as usize + offset];
        let candidate = |(_, tbe): (u64, u64)| Candidate {
            tbe,
            state: states.get(word(tbe, state) as usize).map_or("", |name| name),
            arrived: word(tbe, timestamp),
            requestor: word(tbe, requestor),
        };
        Ok(entries.into_iter().map(candidate).collect())
    }
}

fn offset(of: &Type, name: &str) -> Option<usize> {
    of.fields.get(name).map(|field| usize::from(field.offset))
}
