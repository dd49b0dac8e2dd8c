//! The built-in protocols, which come with the program: [`BUILTINS`] lists them, [`open`] reads one of them or a
//! file.

use std::io;
use std::path::Path;

pub use fixtures::ProtocolFiles;

use super::allowed::{described, libraries};
use super::disk::load;
use super::load::{Beside, Failure, Loaded, load_beside};
use super::suggest;

/// The built-in protocols.
pub const BUILTINS: &[ProtocolFiles] = fixtures::PROTOCOLS;

/// The built-in protocol of this name.
pub fn builtin(name: &str) -> Option<&'static ProtocolFiles> {
    fixtures::protocol(name)
}

/// Reads a built-in protocol by its name, or a `.slicc` file by its path. To read a file that is
/// called like a built-in protocol, write its path with a folder, such as `./MI_example`.
///
/// # Errors
/// Fails with the diagnostics of the protocol; its hints suggest similar names where the file does
/// not exist.
pub fn open(name_or_path: &str) -> Result<Loaded, Failure> {
    match builtin(name_or_path) {
        Some(files) => load_files(files),
        None => {
            load(Path::new(name_or_path)).map_err(|failure| suggest::hinted(failure, name_or_path))
        }
    }
}

/// Reads a built-in protocol.
///
/// # Errors
/// Never fails for the protocols of this program: tests load all of them.
pub fn load_files(protocol: &ProtocolFiles) -> Result<Loaded, Failure> {
    let root = protocol.files.first().map_or("", |(path, _)| path);
    let beside = Beside { folders: Vec::new(), libraries: libraries() };
    load_beside(Path::new(root), beside, &mut |path| {
        let mut files = protocol.files.iter();
        match files.find(|(name, _)| Path::new(name) == path) {
            Some((_, text)) => Ok(text.as_bytes().to_vec()),
            None => described(path).ok_or_else(|| io::ErrorKind::NotFound.into()),
        }
    })
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
        assert_eq!(failure.diagnostics[0].message, "MI_exmaple: there is no such file");
        assert!(failure.diagnostics[0].hint.is_some());
    }
}
