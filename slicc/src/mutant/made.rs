//! The mutants that operators make of a protocol, each with an id that says what is done.
//!
//! ```
//! use slicc::mutant::made;
//! use slicc::protocol::Protocol;
//!
//! let protocol = Protocol::open("MI_example").unwrap();
//! let mutant = made::find(&protocol, "MI_example/L1Cache/IM.Data/drop-action:fill_entry").unwrap();
//! let patch = mutant.patch(&protocol.loaded).unwrap();
//! assert!(patch.contains("\n+  transition(IM, Data, M) {write_miss_done,"));
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use super::edit::{self, Edit, Edited, File};
use super::scene::Scene;
use super::{Change, Mutant, Operator, Origin, Site, operators};
use crate::near::near;
use crate::outline::Entry;
use crate::protocol::Protocol;
use crate::setting::Setting;

/// All mutants of a protocol: machine by machine, operator by operator, in the order of the text.
/// Their patches are made when they are asked for.
pub fn all(protocol: &Protocol) -> Vec<Mutant> {
    some(protocol, |_, _| true)
}

/// The mutants that these operators make of a protocol; all operators if none is named.
pub fn by(protocol: &Protocol, operators: &[Operator]) -> Vec<Mutant> {
    some(protocol, |_, one| operators.is_empty() || operators.contains(&one))
}

/// The mutant of a protocol with this id.
pub fn find(protocol: &Protocol, id: &str) -> Option<Mutant> {
    let wanted = id.split('/').nth(1)?;
    let detail = id.rsplit('/').next()?;
    let operator: Operator = detail.split([':', '@']).next()?.parse().ok()?;
    let near = some(protocol, |machine, one| machine == wanted && one == operator);
    near.into_iter().find(|one| one.name == id)
}

/// The mutants that some operators make of some machines.
fn some(protocol: &Protocol, is_wanted: impl Fn(&str, Operator) -> bool) -> Vec<Mutant> {
    let mut found = Found {
        protocol: protocol.name(),
        files: edit::files(&protocol.loaded),
        machine: "",
        operator: Operator::SwapActions,
        mutants: Vec::new(),
    };
    for scene in Scene::all(protocol) {
        found.machine = &scene.tables.name;
        for &operator in Operator::ALL {
            if is_wanted(found.machine, operator) {
                found.operator = operator;
                operators::enumerate(operator, &scene, &mut found);
            }
        }
    }
    found.mutants
}

/// Similar ids of mutants of a protocol, the most similar first.
pub fn nearest(protocol: &Protocol, id: &str) -> Vec<String> {
    let all = all(protocol);
    let near = near(id, all.iter().map(|one| &*one.name));
    near.into_iter().map(str::to_owned).collect()
}

/// What operators have found so far.
pub(super) struct Found<'a> {
    protocol: &'a str,
    files: Vec<Option<Arc<File>>>,
    machine: &'a str,
    operator: Operator,
    mutants: Vec<Mutant>,
}

impl Found<'_> {
    /// A mutant that differs in one row. `what` says where in the row, and may be empty if nothing is
    /// left to say; `about` is a sentence that goes on behind `In L1Cache, (IS, Inv)`.
    pub fn row(&mut self, scene: &Scene, entry: &Entry, what: &str, about: &str, edits: Vec<Edit>) {
        let (state, event) = scene.names(entry);
        let (operator, machine) = (self.operator, self.machine);
        let mut id = format!("{}/{machine}/{state}.{event}/{operator}", self.protocol);
        if !what.is_empty() {
            id.push(':');
            id.push_str(what);
        }
        let site = Site {
            machine: machine.to_owned(),
            state: Some(state.to_owned()),
            event: Some(event.to_owned()),
            place: what.to_owned(),
        };
        let about = format!("({state}, {event}) {about}");
        self.add(id, site, &about, edits, Vec::new());
    }

    /// A mutant that differs at another place, such as `action:send_data`. `number` counts where in it
    /// the edit could be made, from 0; `what` says which of several edits it is, and may be empty.
    pub fn place(&mut self, place: &str, number: usize, what: &str, about: &str, edits: Vec<Edit>) {
        let number = number + 1;
        let colon = if what.is_empty() { "" } else { ":" };
        let detail = format!("{colon}{what}@{number}");
        let place_in = format!("{place}@{number}");
        let id = self.id(place, &detail);
        let site = self.site(place_in);
        self.add(id, site, about, edits, Vec::new());
    }

    /// A mutant that differs in a port or buffer as a whole.
    pub fn whole(
        &mut self,
        place: &str,
        what: &str,
        about: &str,
        edits: Vec<Edit>,
        settings: Vec<Setting>,
    ) {
        let colon = if what.is_empty() { "" } else { ":" };
        let id = self.id(place, &format!("{colon}{what}"));
        let site = self.site(place.to_owned());
        self.add(id, site, about, edits, settings);
    }

    fn id(&self, place: &str, detail: &str) -> String {
        let (operator, machine) = (self.operator, self.machine);
        format!("{}/{machine}/{place}/{operator}{detail}", self.protocol)
    }

    fn site(&self, place: String) -> Site {
        Site { machine: self.machine.to_owned(), state: None, event: None, place }
    }

    fn add(
        &mut self,
        id: String,
        site: Site,
        about: &str,
        edits: Vec<Edit>,
        settings: Vec<Setting>,
    ) {
        let change = match self.edited(edits) {
            Some(edited) => Change::Edited(vec![edited]),
            None if !settings.is_empty() => Change::Edited(Vec::new()),
            None => return,
        };
        let (operator, machine) = (self.operator, self.machine);
        let description = format!("In {machine}, {about} {}", operator.effect());
        self.mutants.push(Mutant {
            name: Cow::Owned(id),
            aliases: Vec::new(),
            protocol: Cow::Owned(self.protocol.to_owned()),
            description: description.trim_end().to_owned(),
            origin: Origin::Made { operator, site },
            change,
            settings,
        });
    }

    /// The edits with their file, unless that is none of the protocol's own.
    fn edited(&self, edits: Vec<Edit>) -> Option<Edited> {
        let number = edits.first()?.span.file;
        let file = self.files.get(number as usize)?.clone()?;
        debug_assert!(edits.iter().all(|edit| edit.span.file == number));
        Some(Edited { file, edits })
    }
}
