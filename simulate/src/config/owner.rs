//! Whose parameter a setting sets.

use slicc::setting::Setting;

use super::chi::Role;

/// A controller, or all controllers of a machine or of a role, with a parameter.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub machine: &'a str,
    /// The number of the controller among those of its machine; `None` for all of them.
    pub number: Option<u32>,
    /// The role of a controller of CHI's caches, whose name may stand for the machine's, and its number among those of its role.
    pub role: Option<(Role, Option<u32>)>,
}

impl<'a> Owner<'a> {
    /// All controllers of a machine.
    pub(super) fn all(machine: &'a str) -> Owner<'a> {
        Owner { machine, number: None, role: None }
    }

    /// How closely a setting names the owner: 0 if it is for every machine, 1 for the machine or the role, 2 for the controller; `None` if it
    /// is for others.
    pub(super) fn nearness(self, setting: &Setting) -> Option<u8> {
        let Some(name) = setting.machine.as_deref() else { return Some(0) };
        let role = self.role.map(|(role, number)| (role.name(), number));
        [Some((self.machine, self.number)), role].into_iter().flatten().find_map(|(own, number)| {
            match setting.number {
                _ if name != own => None,
                None => Some(1),
                Some(_) if setting.number == number => Some(2),
                Some(_) => None,
            }
        })
    }
}
