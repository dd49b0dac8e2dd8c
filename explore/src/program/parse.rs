//! The parser: from text to a syntax tree.
//!
//! The first word decides what follows, so there is no backtracking. The parser stops at the first
//! error.

mod expression;
mod statement;
mod words;

use slicc::source::{Diagnostic, Span};

use super::language::{Constant, Function, Name, Shared, Thread, Tree};
use words::{Parsed, SyntaxError};

/// Largest depth of nested blocks and parentheses, since the syntax tree is walked recursively.
const DEEPEST: u32 = 100;

/// Most operators in an expression, since a chain of them is a deep tree as well.
const MOST_OPERATORS: u32 = 200;

/// Longest program in bytes.
const LONGEST: usize = 1 << 20;

/// Parses the text of a program.
///
/// # Errors
/// Fails with the first syntax error.
pub(super) fn parse(text: &str) -> Result<Tree, Diagnostic> {
    if text.len() > LONGEST {
        let hint = format!("a program has at most {LONGEST} bytes");
        let start = Span::default();
        return Err(Diagnostic::error(start, "this text is too long").hint(hint));
    }
    let reader = Reader { text, depth: 0.into(), operators: 0.into() };
    reader.program().map_err(|error| match error {
        nom::Err::Error(wrong) | nom::Err::Failure(wrong) => reader.diagnostic(&wrong),
        nom::Err::Incomplete(_) => unreachable!("the text is all there is"),
    })
}

/// The state of the parser.
struct Reader<'a> {
    text: &'a str,
    depth: std::cell::Cell<u32>,
    operators: std::cell::Cell<u32>,
}

impl<'a> Reader<'a> {
    /// Parses a whole program.
    fn program(&self) -> Result<Tree, nom::Err<SyntaxError>> {
        let mut tree = Tree::default();
        let mut rest = words::blank(self.text)?;
        while !rest.is_empty() {
            rest = self.declaration(rest, &mut tree)?;
        }
        Ok(tree)
    }

    fn declaration(
        &self,
        input: &'a str,
        tree: &mut Tree,
    ) -> Result<&'a str, nom::Err<SyntaxError>> {
        let word = words::word("a declaration")(input);
        let (rest, word) = word.map_err(|_| declaration_expected(input))?;
        match word {
            "shared" => {
                let (mut rest, first) = self.shared(rest)?;
                tree.shared.push(first);
                while let Ok((after, _)) = words::symbol(",")(rest) {
                    let (after, another) = self.shared(after)?;
                    tree.shared.push(another);
                    rest = after;
                }
                words::end(rest)
            }
            "const" => {
                let (rest, constant) = self.constant(rest)?;
                tree.constants.push(constant);
                words::end(rest)
            }
            "fn" => {
                let (rest, function) = self.function(rest)?;
                tree.functions.push(function);
                Ok(rest)
            }
            "thread" => {
                let (rest, name) = self.name("the name of the thread", rest)?;
                let (rest, body) = self.block(rest)?;
                tree.threads.push(Thread { name, body });
                Ok(rest)
            }
            "init" | "finally" => {
                let (rest, body) = self.block(rest)?;
                match word {
                    "init" => tree.init.push(body),
                    _ => tree.finally.push(body),
                }
                Ok(rest)
            }
            _ => Err(declaration_expected(input)),
        }
    }

    fn shared(&self, input: &'a str) -> Parsed<'a, Shared> {
        let (rest, name) = self.name("the name of a shared variable", input)?;
        let (rest, length) = match words::symbol("[")(rest) {
            Err(_) => (rest, None),
            Ok((rest, _)) => {
                let (rest, length) = self.expression(rest)?;
                (words::symbol("]")(rest)?.0, Some(length))
            }
        };
        let (rest, initial) = match words::symbol("=")(rest) {
            Err(_) => (rest, None),
            Ok((rest, _)) => {
                let (rest, initial) = self.expression(rest)?;
                (rest, Some(initial))
            }
        };
        let shared = Shared { name, length, initial };
        Ok((rest, shared))
    }

    fn constant(&self, input: &'a str) -> Parsed<'a, Constant> {
        let (rest, name) = self.name("the name of a constant", input)?;
        let (rest, _) = words::symbol("=")(rest)?;
        let (rest, value) = self.expression(rest)?;
        Ok((rest, Constant { name, value }))
    }

    fn function(&self, input: &'a str) -> Parsed<'a, Function> {
        let (rest, name) = self.name("the name of a function", input)?;
        let (rest, parameters) =
            words::list(|input| self.name("the name of a parameter", input))(rest)?;
        let (rest, body) = self.block(rest)?;
        let function = Function { name, parameters, body };
        Ok((rest, function))
    }

    /// Parses a name that is not reserved; `what` says what it is for, in messages.
    fn name(&self, what: &'static str, input: &'a str) -> Parsed<'a, Name> {
        let (rest, word) = words::word(what)(input)?;
        if words::RESERVED.contains(&word) {
            return Err(SyntaxError::expected(input, what));
        }
        let start = self.text.len() - input.len();
        let name = Name { text: word.to_owned(), span: span(start, start + word.len()) };
        Ok((rest, name))
    }

    /// The span from `input` to `rest`, without white space and comments before `rest`.
    fn span(&self, input: &str, rest: &str) -> Span {
        let start = self.text.len() - input.len();
        let read = &self.text[start..self.text.len() - rest.len()];
        span(start, start + words::without_blank(read))
    }

    /// Runs a parser one level deeper.
    fn nested<T>(
        &self,
        input: &'a str,
        parser: impl FnOnce(&'a str) -> Parsed<'a, T>,
    ) -> Parsed<'a, T> {
        if self.depth.get() >= DEEPEST {
            let message = format!("this is nested more than {DEEPEST} levels deep");
            let hint = "move the inner part to a function or to locals of its own";
            return Err(SyntaxError::limit(input, message, hint));
        }
        self.depth.set(self.depth.get() + 1);
        let parsed = parser(input);
        self.depth.set(self.depth.get() - 1);
        parsed
    }

    /// Counts an operator of the current expression.
    fn operator(&self, input: &str) -> Result<(), nom::Err<SyntaxError>> {
        self.operators.set(self.operators.get() + 1);
        if self.operators.get() > MOST_OPERATORS {
            let message = format!("an expression of more than {MOST_OPERATORS} operators");
            return Err(SyntaxError::limit(input, message, "split it with locals"));
        }
        Ok(())
    }

    fn diagnostic(&self, wrong: &SyntaxError) -> Diagnostic {
        let at = self.text.len() - wrong.left;
        let rest = &self.text[at..];
        if let Some((message, hint)) = &wrong.limit {
            return Diagnostic::error(span(at, at + words::length(rest)), message).hint(*hint);
        }
        let found = words::found(rest);
        let message = format!("expected {}, found {found}", wrong.expected);
        let diagnostic = match wrong.expected {
            // A missing semicolon is reported after the preceding token, where it should be.
            "`;`" => {
                let behind = words::without_blank(&self.text[..at]);
                Diagnostic::error(span(behind, behind), message).label("a `;` is missing here")
            }
            expected => Diagnostic::error(span(at, at + words::length(rest)), message)
                .label(format!("expected {expected}")),
        };
        match words::hint(wrong.expected, rest) {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        }
    }
}

fn declaration_expected(input: &str) -> nom::Err<SyntaxError> {
    SyntaxError::expected(input, "`shared`, `const`, `fn`, `thread`, `init` or `finally`")
}

fn span(start: usize, end: usize) -> Span {
    Span { file: 0, start: start as u32, end: end as u32 }
}
