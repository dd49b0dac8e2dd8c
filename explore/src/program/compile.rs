//! The compiler: from the syntax tree to instructions, with the diagnostics of a program that can
//! be parsed.

mod body;
mod expression;
mod globals;
mod live;

use std::collections::{BTreeMap, BTreeSet};

use slicc::source::{Diagnostic, Span};

use super::code::Instruction;
use super::language::{Block, Tree};
use super::parse::parse;
use body::Body;
use globals::Globals;

/// Largest number of threads, so that clocks stay short.
const MOST_THREADS: usize = 64;

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The names of the locations.
    pub locations: Vec<String>,
    /// The values of the locations before `init`.
    pub initial: Vec<i64>,
    /// The accesses and fences in the text.
    pub sites: Vec<Site>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The block that runs before the threads.
    pub init: Thread,
    /// The block that runs after the threads.
    pub finally: Thread,
}

/// The place of an access or fence in the text. A site in a function is the same for all threads
/// that call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The statement.
    pub span: Span,
    /// The line of the statement, from 1.
    pub line: usize,
    /// The text of the statement at the site.
    pub text: String,
}

/// The code of a thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The name of the thread.
    pub name: String,
    /// The instructions; the last one is [`Instruction::End`].
    pub code: Vec<Instruction>,
    /// Number of locals.
    pub locals: usize,
    /// For each access, fence and end, the locals that are not read afterwards; empty for other
    /// instructions.
    pub dead: Vec<Vec<u16>>,
    /// The names and numbers of the locals that are declared outside of blocks and functions.
    pub observed: Vec<(String, u16)>,
}

impl Program {
    /// Parses and compiles a program.
    ///
    /// # Errors
    /// Fails with the diagnostics of the program.
    pub fn read(text: &str) -> Result<Program, Vec<Diagnostic>> {
        let tree = parse(text).map_err(|error| vec![error])?;
        Compiler::new(text).program(&tree)
    }

    /// Adds a fence after each of these sites, with the same site.
    pub fn with_fences(&self, sites: &BTreeSet<u32>) -> Program {
        let mut program = self.clone();
        for thread in &mut program.threads {
            *thread = thread.with_fences(sites);
        }
        program
    }
}

impl Thread {
    fn with_fences(&self, sites: &BTreeSet<u32>) -> Thread {
        let is_before_fence = |it: &Instruction| match it {
            Instruction::Access(access) => sites.contains(&access.site),
            _ => false,
        };
        // The new index of each instruction.
        let mut next = 0;
        let places = self.code.iter().map(|instruction| {
            let place = next;
            next += 1 + u32::from(is_before_fence(instruction));
            place
        });
        let places: Vec<u32> = places.collect();
        let mut code = Vec::new();
        for instruction in &self.code {
            let mut instruction = instruction.clone();
            if let Instruction::Jump(to) | Instruction::Unless(_, to, _) = &mut instruction {
                *to = places[*to as usize];
            }
            let fence = match &instruction {
                Instruction::Access(access) if is_before_fence(&instruction) => Some(access.site),
                _ => None,
            };
            code.push(instruction);
            code.extend(fence.map(Instruction::Fence));
        }
        Thread { dead: live::dead(&code, self.locals, &self.observed), code, ..self.clone() }
    }
}

/// The state of the compiler.
pub(super) struct Compiler<'a> {
    text: &'a str,
    sites: Vec<Site>,
    by_span: BTreeMap<Span, u32>,
    errors: Vec<Diagnostic>,
}

impl<'a> Compiler<'a> {
    fn new(text: &'a str) -> Compiler<'a> {
        Compiler { text, sites: Vec::new(), by_span: BTreeMap::new(), errors: Vec::new() }
    }

    fn program(mut self, tree: &Tree) -> Result<Program, Vec<Diagnostic>> {
        let globals = Globals::of(tree, &mut self);
        // Functions that are never called are checked as well.
        for function in 0..tree.functions.len() {
            Body::new(&globals, &mut self).check_function(function);
        }
        let init = self.single(&globals, "init", &tree.init);
        let finally = self.single(&globals, "finally", &tree.finally);
        self.check_threads(tree);
        let threads = tree.threads.iter().map(|thread| {
            let body = Body::new(&globals, &mut self);
            body.thread(&thread.name.text, Some(&thread.body))
        });
        let threads = threads.collect();
        if !self.errors.is_empty() {
            self.errors.sort_by_key(|error| error.span);
            return Err(self.errors);
        }
        Ok(Program {
            locations: globals.locations,
            initial: globals.initial,
            sites: self.sites,
            threads,
            init,
            finally,
        })
    }

    /// Compiles a block that may occur at most once.
    fn single(&mut self, globals: &Globals, name: &str, blocks: &[Block]) -> Thread {
        if let [first, second, ..] = blocks {
            let message = format!("there are two blocks `{name}`");
            self.error(Diagnostic::error(second.span, message).note(first.span, "the first one"));
        }
        Body::new(globals, self).thread(name, blocks.first())
    }

    fn check_threads(&mut self, tree: &Tree) {
        let mut names: BTreeMap<&str, Span> = BTreeMap::new();
        for thread in &tree.threads {
            if let Some(first) = names.insert(&thread.name.text, thread.name.span) {
                let message = format!("two threads are called `{}`", thread.name.text);
                let error = Diagnostic::error(thread.name.span, message);
                self.error(error.note(first, "the first one"));
            }
        }
        if tree.threads.is_empty() {
            let end = self.text.len() as u32;
            let span = Span { file: 0, start: end, end };
            let error = Diagnostic::error(span, "the program has no thread");
            self.error(error.hint("write one: `thread P0 { store x = 1; }`"));
        }
        if let Some(thread) = tree.threads.get(MOST_THREADS) {
            let message = format!("there are more than {MOST_THREADS} threads");
            self.error(Diagnostic::error(thread.name.span, message));
        }
    }

    /// Records an error unless it is known: functions are compiled at each call.
    pub(super) fn error(&mut self, error: Diagnostic) {
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// The site of a statement.
    pub(super) fn site(&mut self, span: Span) -> u32 {
        let (text, sites) = (self.text, &mut self.sites);
        *self.by_span.entry(span).or_insert_with(|| {
            let (start, end) = (span.start as usize, span.end as usize);
            let words = text[start..end].trim_end_matches(';').split_whitespace();
            sites.push(Site {
                span,
                line: 1 + text[..start].matches('\n').count(),
                text: words.collect::<Vec<_>>().join(" "),
            });
            sites.len() as u32 - 1
        })
    }
}
