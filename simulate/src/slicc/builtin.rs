//! The protocols that come with the program.

use std::io;
use std::path::Path;

use super::load::{Failure, Loaded, load, load_with};
use super::meant;

/// A protocol whose files are part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its files, each with its text, the `.slicc` file first.
    pub files: &'static [(&'static str, &'static str)],
}

/// A protocol of the fixtures, with its files.
macro_rules! protocol {
    ($name:literal: $($file:literal),* $(,)?) => {
        Builtin {
            name: $name,
            files: &[
                $(($file, include_str!(concat!("../../../fixtures/protocols/", $file)))),*
            ],
        }
    };
}

/// All of them.
pub const BUILTINS: &[Builtin] = &[
    protocol!(
        "MI_example":
        "MI_example.slicc",
        "MI_example-msg.sm",
        "MI_example-cache.sm",
        "MI_example-dir.sm",
        "MI_example-dma.sm",
    ),
    protocol!(
        "MESI_Two_Level":
        "MESI_Two_Level.slicc",
        "MESI_Two_Level-msg.sm",
        "MESI_Two_Level-L1cache.sm",
        "MESI_Two_Level-L2cache.sm",
        "MESI_Two_Level-dir.sm",
        "MESI_Two_Level-dma.sm",
    ),
    protocol!(
        "MOESI_hammer":
        "MOESI_hammer.slicc",
        "MOESI_hammer-msg.sm",
        "MOESI_hammer-cache.sm",
        "MOESI_hammer-dir.sm",
        "MOESI_hammer-dma.sm",
    ),
    protocol!(
        "MOESI_AMD_Base":
        "MOESI_AMD_Base.slicc",
        "MOESI_AMD_Base-msg.sm",
        "MOESI_AMD_Base-CorePair.sm",
        "MOESI_AMD_Base-L3cache.sm",
        "MOESI_AMD_Base-dir.sm",
    ),
];

/// The one of this name.
pub fn builtin(name: &str) -> Option<Builtin> {
    BUILTINS.iter().copied().find(|one| one.name == name)
}

/// Reads a protocol: that of a built-in name, or a `.slicc` file. A file that has a built-in name
/// is meant if its path is written with a folder, such as `./MI_example`.
pub fn open(name_or_path: &str) -> Result<Loaded, Failure> {
    match builtin(name_or_path) {
        Some(builtin) => builtin.load(),
        None => {
            load(Path::new(name_or_path)).map_err(|failure| meant::hinted(failure, name_or_path))
        }
    }
}

impl Builtin {
    /// Reads it.
    ///
    /// # Errors
    /// None, as long as our own protocols are right.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let root = self.files.first().map_or("", |(path, _)| path);
        load_with(Path::new(root), &mut |path| {
            let mut files = self.files.iter();
            match files.find(|(name, _)| Path::new(name) == path) {
                Some((_, text)) => Ok(text.as_bytes().to_vec()),
                None => Err(io::ErrorKind::NotFound.into()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_protocol_loads_under_its_name() {
        for one in BUILTINS {
            let loaded = open(one.name).unwrap_or_else(|failure| {
                panic!("{}: {:?}", one.name, failure.diagnostics);
            });
            assert_eq!(loaded.protocol, one.name);
            assert_eq!(loaded.warnings, []);
            assert_eq!(loaded.sources.files().len(), one.files.len() + 1);
        }
    }

    #[test]
    fn an_unknown_name() {
        let failure = open("MI_exmaple").unwrap_err();
        assert_eq!(
            failure.diagnostics[0].message,
            "MI_exmaple: there is no such file"
        );
        assert!(failure.diagnostics[0].hint.is_some());
    }
}
