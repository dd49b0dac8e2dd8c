//! Settings of CHI's controllers that contradict each other.
//!
//! gem5 accepts them, and mostly fails an assertion as soon as a controller handles a request to which both apply. Here they
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

/// The slots of the MiscNode, and how many of them are for invalidations alone.
const SLOTS: [&str; 2] = ["number_of_DVM_TBEs", "number_of_non_sync_TBEs"];

/// The first value of a controller that gem5 stops for, or that leaves requests without an answer, if there is one. `number` gives the
/// value of a parameter, if the machine has it, and `line` the bytes of a line.
pub(super) fn find_number(
    machine: &str,
    line: u64,
    number: impl Fn(&str) -> Option<u64>,
) -> Option<Diagnostic> {
    let refused = |message: String| Some(anywhere(format!("{machine}.{message}")));
    if let Some(policy) = number("policy_type").filter(|policy| *policy > 2) {
        return refused(format!("policy_type={policy}: 0, 1 or 2 was expected"));
    }
    let width = number("data_channel_size");
    if let Some(width) = width.filter(|width| *width == 0 || !line.is_multiple_of(*width)) {
        return refused(format!(
            "data_channel_size={width}: messages of {width} bytes do not make up a line of {line} bytes"
        ));
    }
    let [all, reserved] = SLOTS.map(|name| (name, number(name)));
    match (all, reserved) {
        ((all, Some(slots)), (name, Some(reserved))) if reserved >= slots => refused(format!(
            "{name}={reserved} and {machine}.{all}={slots}: no slot is left for a sync, which would wait for ever"
        )),
        _ => None,
    }
}

/// The flag that says whether a controller has a prefetcher.
pub(super) const PREFETCHES: &str = "use_prefetcher";

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
    if is_home && is_set(PREFETCHES) {
        let message = format!(
            "{name}.{PREFETCHES} and {name}.{IS_HOME} are both true: home nodes send none of the requests of a prefetch"
        );
        return Some(anywhere(message).hint(format!("leave {PREFETCHES} to the caches above")));
    }
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
    fn numbers_that_leave_requests_without_an_answer_are_errors() {
        let found = |machine: &str, values: &[(&str, u64)]| {
            let number = |name: &str| values.iter().find(|one| one.0 == name).map(|one| one.1);
            find_number(machine, 64, number).map_or(String::new(), |it| it.message)
        };
        let slots = |all, reserved| [(SLOTS[0], all), (SLOTS[1], reserved)];
        assert_eq!(found("MiscNode", &slots(16, 1)), "");
        let message = found("MiscNode", &slots(1, 1));
        assert!(SLOTS.iter().all(|name| message.contains(name)), "{message}");
        for (size, fits) in
            [(8, true), (32, true), (64, true), (24, false), (128, false), (0, false)]
        {
            assert_eq!(found("Cache", &[("data_channel_size", size)]).is_empty(), fits, "{size}");
        }
        assert!(found("Cache", &[("policy_type", 3)]).contains("0, 1 or 2"));
        assert_eq!(found("Cache", &[("policy_type", 2)]), "");
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
            (Role::Hnf, PREFETCHES, true),
        ];
        for (role, flag, value) in refused {
            let found = with(role, flag, value).map(|it| it.message).unwrap_or_default();
            assert!(found.contains(flag), "{} {flag}: {found}", role.name());
        }
        assert_eq!(with(Role::Hnf, "alloc_on_readshared", false).map(|it| it.message), None);
    }
}
