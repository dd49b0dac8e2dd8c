//! Settings of CHI's controllers that contradict each other.
//!
//! gem5 accepts them, and fails an assertion as soon as a controller handles a request to which both apply. Here they
//! are an error before anything runs.

use slicc::source::Diagnostic;

use super::chi::Role;
use super::complaints::anywhere;

/// Flags that contradict each other: the first says that the line of a request is kept, the second that it is dropped.
/// The third element names the request.
const OPPOSITES: [(&str, &str, &str); 2] = [
    ("alloc_on_readshared", "dealloc_on_shared", "ReadShared"),
    ("alloc_on_readunique", "dealloc_on_unique", "ReadUnique"),
];

/// The flag that says whether a controller is a home node.
const IS_HOME: &str = "is_HN";

/// The first contradiction between the flags of a controller of this role, if there is one. `flag` gives the value of a flag, if the
/// machine has it.
pub(super) fn find(role: Role, flag: impl Fn(&str) -> Option<bool>) -> Option<Diagnostic> {
    let name = role.name();
    let is_home = role == Role::Hnf;
    if flag(IS_HOME) == Some(!is_home) {
        let message = format!("{name}.{IS_HOME}={}: HNF alone are home nodes", !is_home);
        return Some(anywhere(message).hint(format!("leave {IS_HOME} out")));
    }
    let is_set = |name: &str| flag(name) == Some(true);
    let (keep, drop, request) =
        OPPOSITES.iter().find(|(keep, drop, _)| is_set(keep) && is_set(drop))?;
    let message = format!(
        "{name}.{keep} and {name}.{drop} are both true: the controller would keep the line of a {request}, and drop it"
    );
    let setting = settings::Setting::Set.to(format!("{name}.{drop}=false"));
    Some(anywhere(message).hint(format!("set one of them to false: {setting}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gem5s_own_settings_do_not_contradict_each_other() {
        for role in Role::ALL {
            let own = |flag: &str| role.value(flag).map(|value| value == 1);
            assert_eq!(find(role, own).map(|it| it.message), None, "{}", role.name());
        }
    }

    #[test]
    fn what_gem5_stops_for_is_an_error() {
        let with = |role: Role, set: &str, value: bool| {
            let own = |flag: &str| role.value(flag).map(|value| value == 1);
            find(role, |flag| if flag == set { Some(value) } else { own(flag) })
        };
        let refused = [
            (Role::Hnf, "alloc_on_readunique", true),
            (Role::L2, "dealloc_on_unique", true),
            (Role::L2, "dealloc_on_shared", true),
            (Role::Hnf, IS_HOME, false),
            (Role::L2, IS_HOME, true),
        ];
        for (role, flag, value) in refused {
            let found = with(role, flag, value).map(|it| it.message).unwrap_or_default();
            assert!(found.contains(flag), "{} {flag}: {found}", role.name());
        }
        assert_eq!(with(Role::Hnf, "alloc_on_readshared", false).map(|it| it.message), None);
    }
}
