//! [`Collector`]: collects the mutants that operators make.

use std::borrow::Cow;
use std::sync::Arc;

use slicc::outline::Entry;
use slicc::setting::Setting;

use crate::edit::{Edit, EditedFile, File};
use crate::mutant::{Change, Mutant};
use crate::operator::Operator;
use crate::scene::Scene;
use crate::site::{Origin, Site};

/// Collects the mutants that operators make.
pub(crate) struct Collector<'a> {
    pub protocol: &'a str,
    pub files: Vec<Option<Arc<File>>>,
    pub machine: &'a str,
    pub operator: Operator,
    pub mutants: Vec<Mutant>,
}

impl Collector<'_> {
    /// Adds a mutant that edits one row. `what` identifies the edit within the row and may be
    /// empty; `about` is a sentence that continues `In L1Cache, (IS, Inv)`.
    pub(crate) fn row(
        &mut self,
        scene: &Scene,
        entry: &Entry,
        what: &str,
        about: &str,
        edits: Vec<Edit>,
    ) {
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

    /// Adds a mutant that edits another place, such as `action:send_data`. `number` counts, from 0,
    /// the sites of the operator in that place; `what` tells several edits of one site apart and
    /// may be empty.
    pub(crate) fn place(
        &mut self,
        place: &str,
        number: usize,
        what: &str,
        about: &str,
        edits: Vec<Edit>,
    ) {
        let number = number + 1;
        let colon = if what.is_empty() { "" } else { ":" };
        let detail = format!("{colon}{what}@{number}");
        let place_in = format!("{place}@{number}");
        let id = self.id(place, &detail);
        let site = self.site(place_in);
        self.add(id, site, about, edits, Vec::new());
    }

    /// Adds a mutant that changes a port or buffer as a whole.
    pub(crate) fn whole(
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

    /// Groups the edits with their file; `None` if that is not a file of the protocol.
    fn edited(&self, edits: Vec<Edit>) -> Option<EditedFile> {
        let number = edits.first()?.span.file;
        let file = self.files.get(number as usize)?.clone()?;
        debug_assert!(edits.iter().all(|edit| edit.span.file == number));
        Some(EditedFile { file, edits })
    }
}
