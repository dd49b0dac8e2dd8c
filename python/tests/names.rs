//! The names of the package: each name that the compiled part exports has a stub and is part of the package. `python/test.sh`
//! also compares the signatures, if Python and its packages are installed.

use std::collections::BTreeSet;

const LIBRARY: &str = include_str!("../src/lib.rs");
const STUBS: &str = include_str!("../rubric/_rubric.pyi");
const PACKAGE: &str = include_str!("../rubric/__init__.py");

/// The names that the compiled part exports.
fn exported() -> BTreeSet<&'static str> {
    let mut lines = LIBRARY.lines();
    let mut names = BTreeSet::new();
    while lines.by_ref().any(|line| line.trim() == "#[pymodule_export]") {
        let line = lines.next().expect("an attribute is followed by what it is for");
        let path = line.trim().trim_start_matches("use ").trim_end_matches(';');
        let last = path.rsplit("::").next().unwrap_or(path);
        let several = last.trim_start_matches('{').trim_end_matches('}');
        let several =
            path.split_once("::{").map_or(several, |(_, names)| names.trim_end_matches('}'));
        names.extend(several.split(", "));
    }
    names
}

/// The names of top-level classes and functions in the stubs.
fn stubbed() -> BTreeSet<&'static str> {
    let name = |line: &'static str| {
        let rest = line.strip_prefix("class ").or_else(|| line.strip_prefix("def "))?;
        rest.split(['(', ':']).next()
    };
    STUBS.lines().filter_map(name).collect()
}

/// The names in `__all__` of the package.
fn listed() -> BTreeSet<&'static str> {
    let (_, list) = PACKAGE.split_once("__all__ = [").expect("the package lists its names");
    let (list, _) = list.split_once(']').expect("the list ends");
    let names = list.lines().map(|line| line.trim().trim_matches([',', '"']));
    names.filter(|name| !name.is_empty() && !name.starts_with("__")).collect()
}

#[test]
fn everything_has_a_stub() {
    assert_eq!(exported(), stubbed());
}

#[test]
fn everything_is_part_of_the_package() {
    assert_eq!(exported(), listed());
}
