//! Expands the names of files, folders and patterns on a command line to the paths of traces.

use std::fs;
use std::path::{Path, PathBuf};

use ingest::FORMATS;

use crate::error::Error;
use crate::order;

/// Files that gem5 writes into the folder of a run, by the beginnings of their names.
const OF_GEM5: [&str; 6] =
    ["config.json", "config.ini", "stats.txt", "simout", "simerr", "citations.bib"];

/// Endings of the names of Parquet tables that stand beside a table of operations and hold no histories.
const NO_HISTORIES: [&str; 1] = [".transitions.parquet"];

/// Expands paths to traces, each returned once.
///
/// - A file, or standard input (`-`), is one trace.
/// - A pattern with `*`, `?` or `[…]` is expanded to the files that match; `**` matches any folders.
/// - A folder is one trace if it has gem5's files, as gem5's output folder of a run, or if a single trace is all that it contains.
/// - Any other folder is expanded to the traces in it and its subfolders: files whose names end as those of traces do, and output folders
///   of gem5. They are sorted by name, `t2` before `t10`.
///
/// A path without traces yields an error in its place. The files that are found count as inputs from now on ([`host::inputs`]).
pub fn traces(paths: &[PathBuf]) -> Vec<Result<PathBuf, Error>> {
    let mut found = Vec::new();
    let mut known = std::collections::HashSet::new();
    for path in paths {
        for one in expand(path) {
            let is_new = one.as_ref().map_or(true, |one| known.insert(one.clone()));
            one.iter().for_each(|path| host::inputs::declare(path));
            found.extend(is_new.then_some(one));
        }
    }
    found
}

/// Whether the paths are a single trace: one file, or one folder that holds a single run.
pub fn is_one(paths: &[PathBuf]) -> bool {
    matches!(paths, [path] if !is_pattern(path) && (!path.is_dir() || is_run(path)))
}

fn expand(path: &Path) -> Vec<Result<PathBuf, Error>> {
    let found = if is_pattern(path) {
        matching(path)
    } else if path.is_dir() && !is_run(path) {
        let mut found = Vec::new();
        collect(path, &mut found).map(|()| found)
    } else {
        Ok(vec![path.to_owned()])
    };
    match found {
        Ok(found) if found.is_empty() => vec![Err(Error::NoTraces(path.to_owned()))],
        Ok(found) => found.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    }
}

/// Whether a path has the characters of a pattern, and no file has this name.
fn is_pattern(path: &Path) -> bool {
    let has_signs = path.to_str().is_some_and(|text| text.contains(['*', '?', '[']));
    has_signs && !path.exists()
}

fn matching(pattern: &Path) -> Result<Vec<PathBuf>, Error> {
    let wrong = |what: String| Error::Pattern { pattern: pattern.to_owned(), what };
    let text = pattern.to_str().unwrap_or_default();
    let paths = glob::glob(text).map_err(|error| wrong(error.to_string()))?;
    let mut found = Vec::new();
    for path in paths {
        let path = path.map_err(|error| wrong(error.to_string()))?;
        if path.is_dir() && !is_run(&path) {
            // A folder that matches is not expanded: its contents have to match the pattern, too.
            continue;
        }
        found.push(path);
    }
    found.sort_by(|one, other| order::of_paths(one, other));
    Ok(found)
}

/// Whether a folder holds a single run. A folder that cannot be read counts as one, so that the attempt to read it reports why.
fn is_run(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return true;
    };
    let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let traces = paths.iter().filter(|path| path.is_file() && is_trace(path)).count();
    is_run_of_several_files(folder) || traces <= 1 && paths.iter().all(|path| path.is_file())
}

/// Whether a folder is read as one run although it has several files that may be traces.
fn is_run_of_several_files(folder: &Path) -> bool {
    is_output_folder(folder) || ingest::has_logs_of_harts(folder)
}

/// Whether a folder is gem5's output folder of one run. The output folder of several programs, which the plug-in runs in processes of their
/// own, is none: it has a folder or a log for each program.
fn is_output_folder(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let (mut has_gem5_files, mut logs) = (false, 0);
    for entry in entries {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        has_gem5_files |= is_of_gem5(&path);
        let number = name.strip_prefix(PROGRAM).and_then(|number| number.parse::<u32>().ok());
        if number.is_some() && path.is_dir() {
            return false;
        }
        logs += usize::from(is_log(&path));
    }
    has_gem5_files && logs <= 1
}

/// Whether a file is one that gem5 writes beside a trace.
fn is_of_gem5(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    OF_GEM5.iter().any(|known| name.starts_with(known))
}

/// The name of a program's folder, before its number.
const PROGRAM: &str = "program-";

/// Adds the traces of a folder and its subfolders. Links to folders are not followed.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = Error::file(folder);
    let mut entries: Vec<_> =
        fs::read_dir(folder).and_then(Iterator::collect::<Result<_, _>>).map_err(&failed)?;
    entries.sort_by(|one, other| order::of_paths(&one.path(), &other.path()));
    for entry in entries {
        let path = entry.path();
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let kind = entry.file_type().map_err(&failed)?;
        match () {
            () if is_hidden => {}
            () if kind.is_dir() && is_run_of_several_files(&path) => found.push(path),
            () if kind.is_dir() => collect(&path, found)?,
            () if path.is_file() && is_trace(&path) && !is_of_gem5(&path) => found.push(path),
            () => {}
        }
    }
    Ok(())
}

/// Whether a file is a log of the plug-in for gem5, whose names have the extension `.log` or none.
fn is_log(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, None | Some("log")) && path.is_file() && ingest::tester::is_log(path)
}

/// Whether a file's name is one that traces and files of histories have. A Parquet file must not be another table of rubric's.
fn is_trace(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let extension = Path::new(plain).extension().and_then(|extension| extension.to_str());
    match extension {
        Some("parquet") => {
            let is_other = NO_HISTORIES.iter().any(|end| name.ends_with(end));
            !is_other && !matches!(tables::kind(path), Ok(Some(_)))
        }
        Some(extension)
            if FORMATS.iter().any(|format| format.info().extensions.contains(&extension)) =>
        {
            true
        }
        _ => {
            plain.starts_with("debug.out")
                || plain.contains("trace") && name.ends_with(".gz")
                || is_log(path)
        }
    }
}
