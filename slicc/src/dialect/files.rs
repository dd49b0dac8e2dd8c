//! `.slicc` files that are lists of files, as they were until July 2011.

use std::path::Path;

use crate::ast::{Declaration, Name, ProtocolLine};
use crate::parser::{File, Include};
use crate::source::Span;

/// Reads a `.slicc` file that has the name of a file on each line, and no `protocol` line. The name
/// of the protocol is that of the file. Returns `None` for any other text.
pub(crate) fn list_of_files(index: u32, path: &Path, text: &str) -> Option<File> {
    let stem = path.file_stem()?.to_str()?;
    let mut includes = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let name = line.trim();
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        if name.is_empty() || name.starts_with("//") || name.starts_with('#') {
            continue;
        }
        if !name.ends_with(".sm") || name.contains(['"', '\'', ' ', ';']) {
            return None;
        }
        let span = Span { file: index, start: at as u32, end: (at + name.len()) as u32 };
        includes.push(Include { path: Name { text: name.into(), span }, span });
    }
    let first = includes.first()?.span;
    let protocol = Name { text: stem.into(), span: Span { end: first.start, ..first } };
    let declarations =
        vec![Declaration::Protocol(ProtocolLine { name: protocol, options: Vec::new() })];
    Some(File { declarations, includes, diagnostics: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_files_is_no_text_in_slicc() {
        let file = list_of_files(3, Path::new("x/MI.slicc"), "a.sm\n//\n  b-c.sm\r\n").unwrap();
        let names: Vec<&str> = file.includes.iter().map(|one| &*one.path.text).collect();
        assert_eq!(names, ["a.sm", "b-c.sm"]);
        assert_eq!(file.includes[1].span, Span { file: 3, start: 10, end: 16 });
        assert!(list_of_files(0, Path::new("MI.slicc"), "include \"a.sm\";").is_none());
        assert!(list_of_files(0, Path::new("MI.slicc"), "\n").is_none());
    }
}
