//! Finds the examples on pages and in help texts.

use std::path::{Path, PathBuf};

use crate::common::output;

/// The examples of a page or of a command's help, which run in one folder.
pub(super) struct Page {
    /// The name of the page.
    pub name: String,
    /// The examples, in their order.
    pub examples: Vec<Example>,
}

/// An example of a page.
#[derive(Clone)]
pub(super) struct Example {
    /// The command for a shell.
    pub command: String,
    /// The lines that the command prints, if the page shows them.
    pub output: Vec<String>,
}

impl Example {
    /// The command without a shell comment.
    pub(super) fn words(&self) -> &str {
        let command = self.command.split(" # ").next().unwrap_or_default();
        command.split("  #").next().unwrap_or_default().trim_end()
    }
}

/// The examples of the help of the program and of each of its commands.
pub(super) fn of_help() -> Vec<Page> {
    let mut pages = Vec::new();
    visit(&mut Vec::new(), &mut pages);
    pages
}

fn visit(command: &mut Vec<String>, pages: &mut Vec<Page>) {
    let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
    words.push("--help");
    let help = output(&words);
    let examples: Vec<Example> = section(&help, "Examples:")
        .map(|line| Example { command: line.to_owned(), output: Vec::new() })
        .collect();
    if !examples.is_empty() {
        pages.push(Page { name: format!("rubric {}", words.join(" ")), examples });
    }
    for line in section(&help, "Commands:") {
        // An option may follow a command's name after a comma, as a second name.
        let name = line.split([' ', ',']).next().unwrap_or_default();
        if name != "help" {
            command.push(name.to_owned());
            visit(command, pages);
            command.pop();
        }
    }
}

/// The lines below a heading that are indented by two columns. Lines that are indented further continue them and are left out.
fn section<'t>(help: &'t str, heading: &'t str) -> impl Iterator<Item = &'t str> {
    let below = help.lines().skip_while(move |line| *line != heading).skip(1);
    let own = below.take_while(|line| line.starts_with("  "));
    own.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '))
}

/// The examples of the README and of the pages in `docs`.
pub(super) fn of_documentation() -> Vec<Page> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![root.join("README.md")];
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    files.extend(docs.map(|entry| entry.unwrap().path()));
    files.retain(|file| file.extension().is_some_and(|ending| ending == "md"));
    files.sort();
    let page = |file: &PathBuf| {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        of_text(&name, &std::fs::read_to_string(file).unwrap())
    };
    files.iter().map(page).collect()
}

/// The lines in code blocks that begin with `$`, each with the output below it.
pub(super) fn of_text(name: &str, text: &str) -> Page {
    let mut examples: Vec<Example> = Vec::new();
    let (mut is_code, mut is_output) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            (is_code, is_output) = (!is_code, false);
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| is_code) {
            is_output = true;
            examples.push(Example { command: command.to_owned(), output: Vec::new() });
        } else if is_output && let Some(example) = examples.last_mut() {
            example.output.push(line.to_owned());
        }
    }
    Page { name: name.to_owned(), examples }
}
