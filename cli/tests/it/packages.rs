//! Crates can be published: a package has a name that is free, and all that its code embeds. `make package` builds the packages.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folders of all crates.
fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    folders.filter(|folder| folder.join("Cargo.toml").exists()).collect()
}

/// All files of Rust below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(extension) if extension == "rs" => vec![path],
        _ => Vec::new(),
    };
    entries.flat_map(of).collect()
}

/// The paths that a file embeds, as it names them. Of a path that a macro puts together, what is written out at its beginning.
fn embedded(text: &str) -> Vec<&str> {
    let calls = ["include_str!(", "include_bytes!("];
    let after = calls.iter().flat_map(|call| text.split(call).skip(1));
    after.map(|rest| rest.split('"').nth(1).unwrap()).collect()
}

/// A path without `..`, by its names alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn crates_embed_files_of_their_own_folder_only() {
    let mut found = 0;
    for folder in crates() {
        for file in sources(&folder.join("src")) {
            for path in embedded(&fs::read_to_string(&file).unwrap()) {
                let path = plain(&file.with_file_name(path));
                assert!(path.starts_with(&folder), "{} embeds {}", file.display(), path.display());
                found += 1;
            }
        }
    }
    assert!(found > 30, "{found} embedded files");
}

#[test]
fn packages_have_names_of_their_own() {
    for folder in crates() {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(manifest.starts_with("[package]\nname = \"rubric-"), "{}", folder.display());
    }
}

/// Cargo does not say so if a crate has unit tests that it builds for nobody.
#[test]
fn crates_that_build_no_unit_tests_have_none() {
    let mut found = 0;
    for folder in crates() {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let (_, library) = manifest.split_once("[lib]").unwrap_or_default();
        let library = library.split("\n[").next().unwrap_or_default();
        if library.contains("test = false") {
            found += 1;
            for file in sources(&folder.join("src")) {
                let text = fs::read_to_string(&file).unwrap();
                assert!(!text.contains("#[test]"), "{} is not run", file.display());
            }
        }
    }
    assert!(found > 3, "{found} crates without unit tests");
}
