//! Reads the files of a protocol from the disk, within its folder: [`load`].
//!
//! A protocol may come from a stranger, and an error about one of its files shows lines of that file. So the files that it
//! includes have to lie in the folder of the `.slicc` file or below, wherever links and `..` lead, or in a folder that the user
//! allows ([`allow`]). They have to be regular files.

use std::io;
use std::path::{Path, PathBuf};

use host::inputs::{self, LARGEST_TEXT_BYTES};

use crate::allowed::{Outside, described};
pub use crate::allowed::{allow, allowed, describe, libraries};
use crate::load::{Beside, Failure, Loaded, SIGNS, load_beside};

/// Reads a `.slicc` file and the files that it includes from the disk.
///
/// # Errors
/// Fails with the diagnostics of the protocol, or if a file cannot be read.
pub fn load(path: &Path) -> Result<Loaded, Failure> {
    // An overlay has its own protocols, and the shared declarations are in the tree that it is laid over, which the user names.
    let shared = shared_folder(path).into_iter().chain(allowed()).collect();
    let beside = Beside { folders: shared, libraries: libraries() };
    let folders = folders_of(path, &beside.folders);
    let mut is_root = true;
    load_beside(path, beside, &mut |wanted| {
        if std::mem::take(&mut is_root) {
            return read_root(wanted);
        }
        if let Some(text) = described(wanted) {
            return Ok(text);
        }
        check_inside(&folders, wanted)?;
        inputs::read_from(inputs::open_regular(wanted)?, LARGEST_TEXT_BYTES)
    })
}

/// The places of gem5's folder of protocols, as seen from a folder above it.
const SHARED_FOLDERS: [&str; 8] = [
    "",
    "common",
    "protocol",
    "ruby/protocol",
    "mem/protocol",
    "mem/ruby/protocol",
    "src/mem/protocol",
    "src/mem/ruby/protocol",
];

/// The folder with the declarations that all protocols of a tree of gem5 share: that of the protocol, one above it, or gem5's folder
/// of protocols in the same tree.
fn shared_folder(path: &Path) -> Option<PathBuf> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let is_shared = |folder: &Path| SIGNS.iter().any(|name| folder.join(name).is_file());
    if is_shared(&folder) {
        return Some(folder);
    }
    let real = folder.canonicalize().ok()?;
    let above = real.ancestors().flat_map(|above| SHARED_FOLDERS.map(|name| above.join(name)));
    above.into_iter().find(|folder| is_shared(folder))
}

/// The file that the user named, which may be a pipe.
fn read_root(path: &Path) -> io::Result<Vec<u8>> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    inputs::read_from(inputs::open(path)?, LARGEST_TEXT_BYTES)
}

/// The folders, without links, in which the files of a protocol may lie: its own, and `shared`, which has those that the user allows. If the
/// `.slicc` file is a link, the folder of its target is another one.
fn folders_of(root: &Path, shared: &[PathBuf]) -> Vec<PathBuf> {
    let folder = match root.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let target = root.canonicalize().ok();
    let of_target = target.as_deref().and_then(Path::parent).map(Path::to_owned);
    let named = [folder.to_owned()].into_iter().chain(shared.iter().cloned());
    named.filter_map(|folder| folder.canonicalize().ok()).chain(of_target).collect()
}

/// Refuses a file that lies in none of the folders.
fn check_inside(folders: &[PathBuf], path: &Path) -> io::Result<()> {
    let target = path.canonicalize()?;
    if folders.iter().any(|folder| target.starts_with(folder)) {
        Ok(())
    } else {
        Err(io::Error::other(Outside))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A text whose errors would show it.
    const SECRET: &str = "root:x:0:0:secret\n";

    /// The messages of a protocol in the folder `own` with this include line, beside a secret file in the folder above.
    fn messages(include: &str, prepare: impl FnOnce(&Path)) -> String {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        fs::create_dir(&own).unwrap();
        fs::write(folder.path().join("secret.sm"), SECRET).unwrap();
        let include = include.replace("FOLDER", &folder.path().display().to_string());
        fs::write(own.join("p.slicc"), format!("protocol \"P\";\ninclude \"{include}\";\n"))
            .unwrap();
        prepare(folder.path());
        let failure = load(&own.join("p.slicc")).unwrap_err();
        assert!(failure.sources.files().iter().all(|file| !file.text.contains("secret:")));
        let messages =
            failure.diagnostics.iter().map(|one| format!("{} {:?}", one.message, one.hint));
        messages.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn files_outside_are_not_read() {
        for include in ["../secret.sm", "FOLDER/secret.sm", "../own/../secret.sm"] {
            let said = messages(include, |_| {});
            assert!(said.contains("outside") && said.contains("the setting include"), "{said}");
            assert!(!said.contains("root"), "{said}");
        }
        let said = messages("link.sm", |folder| {
            symlink("../secret.sm", folder.join("own/link.sm")).unwrap();
        });
        assert!(said.contains("outside"), "{said}");
        let said = messages("/dev/zero", |_| {});
        assert!(said.contains("outside"), "{said}");
    }

    #[test]
    fn special_files_are_not_read() {
        let said = messages("pipe.sm", |folder| {
            let path = folder.join("own/pipe.sm");
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        });
        assert!(said.contains("no regular file"), "{said}");
    }

    /// Shared declarations are read in the folder of the protocol, above it, and in folders that the user allows; a link does not lead
    /// out of these.
    #[test]
    fn shared_declarations_are_found_in_a_tree_of_gem5() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let machine = "machine(MachineType:Relay, \"x\") : { state_declaration(State) { I, AccessPermission:Invalid; } }";
        let text = format!("protocol \"P\"; include \"common.sm\"; {machine}");
        for name in ["gem5/src/mem/ruby/protocol", "gem5/src/own/deep", "overlay", "linked"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        let exports = "enumeration(MachineType) { Relay; Other; }";
        let shared = "gem5/src/mem/ruby/protocol";
        fs::write(path(&format!("{shared}/RubySlicc_Exports.sm")), exports).unwrap();
        fs::write(path(&format!("{shared}/common.sm")), "structure(A) { Addr addr; }").unwrap();
        for name in ["gem5/src/own/deep", "overlay", "linked"] {
            fs::write(path(&format!("{name}/p.slicc")), &text).unwrap();
        }
        let types = |name: &str| {
            let loaded = load(&path(&format!("{name}/p.slicc"))).ok()?;
            Some(loaded.sources.files().iter().any(|file| file.text == exports))
        };
        assert_eq!(types("gem5/src/own/deep"), Some(true));
        fs::write(path("linked/common.sm"), "structure(A) { Addr addr; }").unwrap();
        let exports_of_another = path(&format!("{shared}/RubySlicc_Exports.sm"));
        symlink(exports_of_another, path("linked/RubySlicc_Exports.sm")).unwrap();
        assert_eq!(types("linked"), Some(false));
        assert_eq!(types("overlay"), None);
        allow(&[path(shared)]);
        assert_eq!(types("overlay"), Some(true));
    }

    #[test]
    fn a_linked_protocol_has_its_targets_files_and_what_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["there", "here", "shared"] {
            fs::create_dir(path(name)).unwrap();
        }
        let text = "protocol \"P\"; include \"a.sm\"; include \"b.sm\";";
        fs::write(path("there/p.slicc"), text).unwrap();
        fs::write(path("there/a.sm"), "structure(A) { Addr addr; }").unwrap();
        fs::write(path("shared/b.sm"), "structure(B) { Addr addr; }").unwrap();
        symlink("../there/p.slicc", path("here/p.slicc")).unwrap();
        symlink("../there/a.sm", path("here/a.sm")).unwrap();
        assert!(load(&path("here/p.slicc")).is_err());
        allow(&[path("shared")]);
        assert_eq!(load(&path("here/p.slicc")).unwrap().protocol, "P");
    }
}
