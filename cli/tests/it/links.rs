//! The links between the pages of the repository lead somewhere, and the book has every page of `docs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Pages that are not in `docs`.
const OTHERS: [&str; 9] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "python/README.md",
    "notebooks/README.md",
    "scale/README.md",
    "fixtures/README.md",
    "fixtures/results/README.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All pages, with their text.
fn pages() -> BTreeMap<PathBuf, String> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let others = OTHERS.map(|name| root().join(name));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path.canonicalize().unwrap(), text)
    };
    docs.chain(others).map(read).collect()
}

/// The lines of a page outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The targets of the links of a page.
fn links(text: &str) -> impl Iterator<Item = &str> {
    prose(text).flat_map(|line| {
        line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
    })
}

/// The anchors of a page's headings, as renderers of Markdown make them.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let slug = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(slug).collect()
}

#[test]
fn links_lead_to_pages_files_and_headings() {
    let pages = pages();
    let (mut seen, mut broken) = (0, Vec::new());
    for (path, text) in &pages {
        for link in links(text).filter(|link| !link.contains("://")) {
            seen += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            let found = target.canonicalize().ok();
            let has_anchor = || {
                let text = found.as_ref().and_then(|found| pages.get(found));
                text.is_none_or(|text| anchors(text).iter().any(|one| one == anchor))
            };
            if found.is_none() || !anchor.is_empty() && !has_anchor() {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(seen > 120, "{seen} links");
    assert!(broken.is_empty(), "these links lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn the_book_has_every_page_once() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<&str> = links(&summary).collect();
    listed.sort_unstable();
    let pages = pages();
    let docs = pages.keys().filter(|path| path.parent().is_some_and(|it| it.ends_with("docs")));
    let names = docs.map(|path| path.file_name().unwrap().to_str().unwrap());
    let mut names: Vec<&str> = names.filter(|name| *name != "SUMMARY.md").collect();
    names.sort_unstable();
    assert_eq!(listed, names);
}
