//! [`Corpus`]: corpora of histories with exact verdicts. A sample of each is in `fixtures`. The whole corpora are
//! beside this repository, and tests of them are ignored if they are absent (see the Makefile).

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use history::History;

/// A corpus: a folder with the file `histories.axe` and tables of verdicts.
#[derive(Clone, Debug)]
pub(crate) struct Corpus(PathBuf);

/// Makes two tests from a function that takes a corpus: `sample`, and `whole`, which needs the data beside this
/// repository.
#[macro_export]
macro_rules! on_corpus {
    ($test:ident, $folder:literal, $check:expr) => {
        mod $test {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn sample() {
                $check(&$crate::common::corpus::Corpus::sample($folder));
            }

            #[test]
            #[ignore = "needs ../shared"]
            fn whole() {
                $check(&$crate::common::corpus::Corpus::whole($folder));
            }
        }
    };
}

impl Corpus {
    /// The sample in the repository.
    pub(crate) fn sample(folder: &str) -> Corpus {
        Corpus::of("../fixtures", folder)
    }

    /// The whole corpus, beside the repository.
    pub(crate) fn whole(folder: &str) -> Corpus {
        Corpus::of("../../shared", folder)
    }

    fn of(place: &str, folder: &str) -> Corpus {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        Corpus(root.join(place).join(folder))
    }

    /// Whether this is the sample in the repository.
    pub(crate) fn is_sample(&self) -> bool {
        self.0.parent().is_some_and(|parent| parent.ends_with("fixtures"))
    }

    /// The histories of the corpus.
    pub(crate) fn histories(&self) -> Vec<History> {
        let file = std::fs::File::open(self.0.join("histories.axe")).unwrap();
        let mut lines = ingest::input::Lines::new(file, "histories.axe", false).unwrap();
        ingest::axe::parse(&mut lines, &Default::default()).unwrap()
    }

    /// The history of this name.
    pub(crate) fn named(&self, name: &str) -> History {
        let mut all = self.histories().into_iter();
        all.find(|history| history.name.as_deref() == Some(name))
            .unwrap_or_else(|| panic!("{self:?} has no {name}"))
    }

    /// The rows of a table by the names of histories, each as its values by the names of columns.
    pub(crate) fn table(&self, file: &str) -> HashMap<String, HashMap<String, String>> {
        let text = std::fs::read_to_string(self.0.join(file)).unwrap();
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        lines
            .map(|line| {
                let row: HashMap<String, String> = header
                    .iter()
                    .map(|name| (*name).to_owned())
                    .zip(line.split(',').map(str::to_owned))
                    .collect();
                (row["name"].clone(), row)
            })
            .collect()
    }

    /// The kernels in a table, by the names of histories.
    pub(crate) fn kernels(&self, file: &str) -> HashMap<String, Pairs> {
        let pair = |text: &str| {
            let (location, values) = text.split_once(':').unwrap();
            let (first, second) = values.split_once('<').unwrap();
            let number = |text: &str| text.parse::<u64>().unwrap();
            (number(location), number(first), number(second))
        };
        self.table(file)
            .into_iter()
            .map(|(name, row)| (name, row["pairs"].split_whitespace().map(pair).collect()))
            .collect()
    }
}

/// Pairs of writes, each as the location, the value of the first write and the value of the second.
pub(crate) type Pairs = BTreeSet<(u64, u64, u64)>;
