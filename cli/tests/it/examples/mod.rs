//! Runs every example of every `--help`, of the README and of `docs`, in a folder with the files that it names.
//!
//! - [`pages`]: finds the examples: the lines after `Examples:` in a help, and lines that begin with `$` in the README and
//!   `docs`;
//! - [`place`]: the folder in which they run;
//! - [`run`]: runs an example; [`long`]: the examples that take too long to run to their end;
//! - [`expected`]: compares their output with what the pages show.
//!
//! An example is broken if `rubric` ends with status 2 (bad usage or input) or panics, if it takes too long, or if it prints
//! other lines than the page shows. Statuses 1 and 3 are verdicts and no failures: verdicts on a page are compared by their text.

mod expected;
mod long;
mod pages;
mod place;
mod run;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pages::Page;
use place::Place;

/// Number of pages that are processed at a time.
const WORKERS: usize = 2;

/// Runs all examples of some pages and describes the broken ones. Each page has a folder of its own, because examples use files
/// of earlier examples.
fn broken(pages: &[Page]) -> Vec<String> {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let template = Place::new();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let place = template.copy();
                    place.fit(&page.name);
                    for example in &page.examples {
                        if let Err(what) = run::run(&place, example) {
                            let failure = format!("{}: {}\n{what}", page.name, example.command);
                            failures.lock().unwrap().push(failure);
                        }
                    }
                }
            });
        }
    });
    failures.into_inner().unwrap()
}

#[track_caller]
fn all_work(pages: &[Page]) {
    let failures = broken(pages);
    assert!(
        failures.is_empty(),
        "{} examples do not work:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

#[test]
fn examples_of_every_help() {
    let pages = pages::of_help();
    let count: usize = pages.iter().map(|page| page.examples.len()).sum();
    assert!(pages.len() > 20 && count > 80, "{count} examples of {} commands", pages.len());
    all_work(&pages);
}

#[test]
fn examples_of_the_readme_and_docs() {
    let pages = pages::of_documentation();
    let examples = || pages.iter().flat_map(|page| &page.examples);
    let compared = examples().filter(|example| !example.output.is_empty());
    assert!(pages.len() > 8 && examples().count() > 50 && compared.count() > 15);
    all_work(&pages);
}

/// The pictures in the README are those that its commands draw. `RUBRIC_DRAW=1` draws them anew.
#[test]
fn pictures_of_the_readme() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let violation =
        "rubric explain fixtures/traces/mi-fwdgetx-keeps-m-3x60-41.trace.gz -o violation.svg";
    let figures = "mkdir scale && cp fixtures/results/scale.parquet scale && rubric report scale --figures figures && cp figures/scale-operations.svg scale.svg";
    for (name, command) in [("violation.svg", violation), ("scale.svg", figures)] {
        let page = pages::of_text("README.md", &format!("```\n$ {command}\n"));
        run::run(&place, &page.examples[0]).unwrap();
        let drawn = std::fs::read(place.path("here").join(name)).unwrap();
        let kept = root.join("docs/pictures").join(name);
        if std::env::var_os("RUBRIC_DRAW").is_some() {
            std::fs::write(&kept, &drawn).unwrap();
        }
        let is_same = std::fs::read(&kept).is_ok_and(|kept| kept == drawn);
        assert!(
            is_same,
            "docs/pictures/{name} is not what `{command}` draws: run this test with RUBRIC_DRAW=1"
        );
    }
}

/// Long examples are listed as they stand on a page. A listed example that is on no page must be removed.
#[test]
fn what_is_listed_as_long_is_an_example() {
    let mut pages = pages::of_help();
    pages.extend(pages::of_documentation());
    for (command, _) in long::LONG {
        let mut all = pages.iter().flat_map(|page| &page.examples);
        assert!(all.any(|example| example.words() == *command), "{command}");
    }
}

/// The harness detects broken examples.
#[test]
fn a_broken_example_is_found() {
    let text = "```\n\
        $ rubric check nowhere.gz\n\
        $ rubric simulate MI_example --operators 5 | head -1\n\
        $ rubric check fixtures/litmus/none.axe | cat\n\
        $ nothing-of-this-name\n\
        $ rubric stats fixtures/traces/mi-2x50-io-11.trace.gz\n\
        threads       2\n\
        $ rubric stats fixtures/traces/mi-2x50-io-11.trace.gz\n\
        …\n\
        threads       2\n\
        …\n\
        ```\n";
    let page = pages::of_text("broken", text);
    assert_eq!(page.examples.len(), 6);
    let failures = broken(&[page]);
    let first: Vec<&str> = failures.iter().filter_map(|one| one.lines().next()).collect();
    assert_eq!(first.len(), 5, "{failures:#?}");
    assert!(failures[0].contains("status 2"), "{}", failures[0]);
    assert!(failures[3].contains("not found"), "{}", failures[3]);
    assert!(failures[4].contains("line 1 of the output"), "{}", failures[4]);
}
