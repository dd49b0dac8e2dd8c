//! Changes of ports: the code that looks at the message at the head of a buffer and triggers an event.

use slicc::ast::{Block, Expression, ExpressionKind, InPort, Name, Pair, Statement, StatementKind};
use slicc::source::Span;
use slicc::visit::{self, Node};

use super::clause::PortChange;
use super::draft::{Draft, laid_out};
use super::misfit::{Misfit, nowhere};
use super::outcome::{Outcome, changed};
use super::pattern::{own_expressions, without_spaces};
use crate::edit::Edit;
use crate::walk;

/// Changes the port that reads a buffer.
pub(super) fn port(
    draft: &mut Draft<'_>,
    buffer: &str,
    change: &PortChange,
) -> Result<Outcome, Misfit> {
    let machine = draft.syntax.name();
    let Some(port) = draft.syntax.in_port(buffer) else {
        let wanted = format!("an in_port of {machine} that reads {buffer}");
        return Err(nowhere(wanted, Vec::new()));
    };
    let text = draft.syntax.file(port.span);
    let (edits, already) = match change {
        PortChange::CheckedBefore(event) => (lock_checks(draft, port, event)?, "checks the line"),
        PortChange::BlockOn(field) => (block_on(draft, port, field)?, "waits for locks"),
        PortChange::NoBlockOn => (no_block_on(draft, port), "does not wait for locks"),
        PortChange::Rank(rank) => (ranked(draft, port, rank), "has a rank"),
        PortChange::Read { was, now } => (read_port(draft, port, was, now), "reads it so"),
        PortChange::First(code) => {
            let first = draft.with_ports(code)?;
            (begin(draft, port, &first, None), "begins with it")
        }
        PortChange::If { condition, code } => {
            let start = format!("if ({condition}) {{ {code} }} else {{");
            (begin(draft, port, &draft.with_ports(&start)?, Some("}")), "asks for it")
        }
        PortChange::NoIf(condition) => {
            (without_condition(draft, port, condition), "does not ask for it")
        }
        PortChange::Do(code) => (own_code(draft, port, &draft.with_ports(code)?), "does it"),
        PortChange::UncheckedBefore(event) => (
            checks_before(port, event.as_deref())
                .into_iter()
                .map(|one| Edit::remove(text, one.span))
                .collect(),
            "checks no victim",
        ),
        PortChange::UncheckedLine => (
            checks_of_line(port).into_iter().map(|one| Edit::remove(text, one.span)).collect(),
            "does not wait for a lock of the line itself",
        ),
        PortChange::Untriggered(event) => (untriggered(draft, port, event), "does not trigger it"),
    };
    let outcome = changed(!edits.is_empty(), || {
        let name = &port.name.text;
        let place = draft.syntax.place(port.span);
        let about = match change {
            PortChange::UncheckedBefore(Some(event)) => format!(" before {event}"),
            PortChange::Untriggered(event) | PortChange::CheckedBefore(event) => {
                format!(" ({event})")
            }
            _ => String::new(),
        };
        format!("{machine}'s port {name} ({place}) {already}{about}")
    });
    draft.edits.extend(edits);
    Ok(outcome)
}

/// The block of a port that is about one message: in `if (port.isReady(...))`, and in the `peek`
/// there if there is one.
fn message_block(port: &InPort) -> &Block {
    let mut block = &port.body;
    while let [only] = &block.statements[..] {
        block = match &only.kind {
            StatementKind::If { then, otherwise: None, .. } if is_ready_check(only) => then,
            StatementKind::Peek { body, .. } => return body,
            _ => return block,
        };
    }
    block
}

fn is_ready_check(statement: &Statement) -> bool {
    let mut is = false;
    own_expressions(statement, &mut |one| {
        is |= matches!(&one.kind, ExpressionKind::Method { method, .. }
            if &*method.text == "isReady");
    });
    is
}

/// Inserts `code` at the beginning of the block in which a port handles a message, and `end` at its end.
fn begin(draft: &Draft<'_>, port: &InPort, code: &str, end: Option<&str>) -> Vec<Edit> {
    let block = message_block(port);
    let text = draft.syntax.file(block.span);
    let inside = &text[block.span.start as usize + 1..block.span.end as usize - 1];
    let head: String = without_spaces(inside).chars().take(without_spaces(code).len()).collect();
    let Some(first) = block.statements.first().filter(|_| head != without_spaces(code)) else {
        return Vec::new();
    };
    let indent = crate::row::indent(text, first.span);
    let lines = laid_out(code, indent.len() / 2);
    let Span { file, start, end: close } = block.span;
    let outer = &text[..close as usize - 1];
    let outer = &outer[outer.trim_end_matches(' ').len()..];
    let mut edits = vec![Edit::insert(file, start + 1, format!("\n{}", lines.trim_end()))];
    edits.extend(end.map(|end| Edit::insert(file, close - 1, format!("  {end}\n{outer}"))));
    edits
}

/// Leaves of the `if` statements of a port that have this condition what they do otherwise.
fn without_condition(draft: &Draft<'_>, port: &InPort, condition: &str) -> Vec<Edit> {
    let text = draft.syntax.file(port.span);
    let mut edits = Vec::new();
    for statement in &message_block(port).statements {
        if let StatementKind::If { condition: asked, otherwise: Some(otherwise), .. } =
            &statement.kind
            && without_spaces(draft.syntax.text(asked.span)) == without_spaces(condition)
            && else_if(otherwise).is_none()
        {
            let Span { file, start, end } = statement.span;
            let head = Span { file, start, end: otherwise.span.start + 1 };
            edits.push(Edit::remove(text, head));
            edits.push(Edit::remove(text, Span { file, start: end - 1, end }));
        }
    }
    edits
}

/// Replaces the code with which a port handles a message.
fn own_code(draft: &Draft<'_>, port: &InPort, code: &str) -> Vec<Edit> {
    let block = message_block(port);
    let (Some(first), Some(last)) = (block.statements.first(), block.statements.last()) else {
        return Vec::new();
    };
    let span = first.span.to(last.span);
    if without_spaces(draft.syntax.text(span)) == without_spaces(code) {
        return Vec::new();
    }
    let indent = crate::row::indent(draft.syntax.file(span), span);
    let lines = laid_out(code, indent.len() / 2);
    vec![Edit::replace(span, lines.trim())]
}

/// Adds checks for locks before the triggers of an event.
fn lock_checks(draft: &Draft<'_>, port: &InPort, event: &str) -> Result<Vec<Edit>, Misfit> {
    let mut edits = Vec::new();
    let mut is_found = false;
    for block in blocks(&port.body) {
        for (at, statement) in block.statements.iter().enumerate() {
            if triggered(statement) != Some(event) {
                continue;
            }
            let StatementKind::Expression(Expression {
                kind: ExpressionKind::Call { arguments, .. },
                ..
            }) = &statement.kind
            else {
                continue;
            };
            // An address that is not a variable is that of the message, which `block_on` covers.
            let Some(Expression { kind: ExpressionKind::Name(line), .. }) = arguments.get(1) else {
                continue;
            };
            is_found = true;
            if block.statements[..at].iter().any(|one| check(one) == Some(&line.text)) {
                continue;
            }
            let text = draft.syntax.file(statement.span);
            let indent = crate::row::indent(text, statement.span);
            let name = &port.name.text;
            let code = format!("check_on_cache_probe({name}, {});\n{indent}", line.text);
            edits.push(Edit::insert(statement.span.file, statement.span.start, code));
        }
    }
    if !is_found {
        let wanted = format!("a trigger of {event} for a victim in port {}", port.name.text);
        return Err(nowhere(wanted, Vec::new()));
    }
    Ok(edits)
}

/// The peeks of a port: the type of the message, and the attributes.
fn peeks(port: &InPort) -> impl Iterator<Item = (&Name, &[Pair])> {
    let statements = walk::statements(&port.body).into_iter();
    statements.filter_map(|(one, _)| match &one.kind {
        StatementKind::Peek { message, pairs, .. } => Some((message, &pairs[..])),
        _ => None,
    })
}

/// Lets the messages of a port pass while their line is locked.
fn no_block_on(draft: &Draft<'_>, port: &InPort) -> Vec<Edit> {
    let text = draft.syntax.file(port.span);
    let pairs = peeks(port).flat_map(|(_, pairs)| pairs);
    let waiting = pairs.filter(|pair| &*pair.key.text == "block_on");
    let removed = waiting.map(|pair| {
        let Span { file, start, .. } = pair.key.span;
        let comma = text[..start as usize].rfind(',').map_or(start, |at| at as u32);
        Edit::remove(text, Span { file, start: comma, end: value_end(text, pair) })
    });
    removed.collect()
}

/// The end of the value of an attribute. The span of a value in quotes may leave the last quote out.
fn value_end(text: &str, pair: &Pair) -> u32 {
    let end = pair.value.span.end;
    end + u32::from(text[end as usize..].starts_with('"'))
}

/// Makes the messages of a port wait for locks of the line in a field.
fn block_on(draft: &Draft<'_>, port: &InPort, field: &str) -> Result<Vec<Edit>, Misfit> {
    let Some((message, pairs)) = peeks(port).next() else {
        let wanted = format!("a peek in port {} ({})", port.name.text, draft.syntax.name());
        return Err(nowhere(wanted, Vec::new()));
    };
    if pairs.iter().any(|pair| &*pair.key.text == "block_on") {
        return Ok(Vec::new());
    }
    let Span { file, end, .. } = message.span;
    Ok(vec![Edit::insert(file, end, format!(", block_on=\"{field}\""))])
}

/// Gives a port a rank.
fn ranked(draft: &Draft<'_>, port: &InPort, rank: &str) -> Vec<Edit> {
    if port.pairs.iter().any(|pair| &*pair.key.text == "rank") {
        return Vec::new();
    }
    let text = draft.syntax.file(port.span);
    let file = port.buffer.span.file;
    let end = port.pairs.last().map_or(port.buffer.span.end, |pair| value_end(text, pair));
    vec![Edit::insert(file, end, format!(", rank={rank}"))]
}

/// Replaces an expression in a port, except inside the new one.
fn read_port(draft: &Draft<'_>, port: &InPort, was: &str, now: &str) -> Vec<Edit> {
    let syntax = draft.syntax;
    let (was, new) = (without_spaces(was), without_spaces(now));
    let mut done: Vec<Span> = Vec::new();
    let mut edits = Vec::new();
    for statement in &port.body.statements {
        visit::statement(statement, &mut |node| {
            if let Node::Expression(one) = node {
                let text = without_spaces(syntax.text(one.span));
                let is_inside =
                    done.iter().any(|of| of.start <= one.span.start && one.span.end <= of.end);
                if text == new {
                    done.push(one.span);
                } else if text == was && !is_inside {
                    edits.push(Edit::replace(one.span, now));
                }
            }
        });
    }
    edits.retain(|edit: &Edit| {
        !done.iter().any(|of| of.start <= edit.span.start && edit.span.end <= of.end)
    });
    edits
}

fn blocks(block: &Block) -> Vec<&Block> {
    let mut found = vec![block];
    for statement in &block.statements {
        let inner: Vec<&Block> = match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                std::iter::once(then).chain(otherwise).collect()
            }
            StatementKind::Peek { body, .. } | StatementKind::Enqueue { body, .. } => vec![body],
            _ => Vec::new(),
        };
        found.extend(inner.into_iter().flat_map(blocks));
    }
    found
}

/// The event that a statement triggers, if it names one.
fn triggered(statement: &Statement) -> Option<&str> {
    let StatementKind::Expression(Expression {
        kind: ExpressionKind::Call { function, arguments },
        ..
    }) = &statement.kind
    else {
        return None;
    };
    match arguments.first().map(|one| &one.kind) {
        Some(ExpressionKind::Enumerator { value, .. }) if &*function.text == "trigger" => {
            Some(&value.text)
        }
        _ => None,
    }
}

fn check(statement: &Statement) -> Option<&str> {
    match &statement.kind {
        StatementKind::CheckOnCacheProbe { address, .. } => Some(&address.text),
        _ => None,
    }
}

/// The checks for locks that come before a trigger of an event, or before any.
fn checks_before<'a>(port: &'a InPort, event: Option<&str>) -> Vec<&'a Statement> {
    let mut found = Vec::new();
    for block in blocks(&port.body) {
        for (at, statement) in block.statements.iter().enumerate() {
            let behind = &block.statements[at + 1..];
            let mut leads = event.is_none();
            for one in behind {
                visit::statement(one, &mut |node| {
                    if let Node::Statement(inner) = node {
                        leads |= triggered(inner).is_some() && triggered(inner) == event;
                    }
                });
            }
            if check(statement).is_some() && leads {
                found.push(statement);
            }
        }
    }
    found
}

/// The `if` statements whose body does nothing but check whether the line of the message is locked.
fn checks_of_line(port: &InPort) -> Vec<&Statement> {
    let statements = walk::statements(&port.body).into_iter();
    let is_check = |statement: &&Statement| match &statement.kind {
        StatementKind::If { then, otherwise: None, .. } => {
            let is_quiet = |one: &Statement| {
                check(one).is_some() || matches!(one.kind, StatementKind::Assign { .. })
            };
            then.statements.iter().any(|one| check(one).is_some())
                && then.statements.iter().all(is_quiet)
        }
        _ => false,
    };
    statements.map(|(one, _)| one).filter(is_check).collect()
}

/// A branch of an `if` statement.
struct Branch<'a> {
    /// Where the branch starts in its file: at its `if`, or at the block of the `else` without a condition.
    start: u32,
    block: &'a Block,
    has_condition: bool,
}

/// The branches of a statement: those of its `if`, of each `else if` that follows, and of the `else`.
fn branches(mut statement: &Statement) -> Vec<Branch<'_>> {
    let mut found = Vec::new();
    while let StatementKind::If { then, otherwise, .. } = &statement.kind {
        let start = statement.span.start;
        found.push(Branch { start, block: then, has_condition: true });
        let Some(block) = otherwise else {
            break;
        };
        let Some(next) = else_if(block) else {
            found.push(Branch { start: block.span.start, block, has_condition: false });
            break;
        };
        statement = next;
    }
    found
}

/// The `if` statement after an `else`, which the parser makes a block without braces.
fn else_if(block: &Block) -> Option<&Statement> {
    match &block.statements[..] {
        [only] if only.span == block.span => Some(only),
        _ => None,
    }
}

/// Removes the branches of a port that only trigger an event.
fn untriggered(draft: &Draft<'_>, port: &InPort, event: &str) -> Vec<Edit> {
    let text = draft.syntax.file(port.span);
    let blocks = blocks(&port.body).into_iter().filter(|block| else_if(block).is_none());
    let statements = blocks.flat_map(|block| &block.statements);
    statements.flat_map(|statement| without_branches(text, statement, event)).collect()
}

/// Whether a block declares a variable, which would have another meaning outside of it.
fn declares(block: &Block) -> bool {
    block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Expression(one) | StatementKind::Assign { target: one, .. } => {
            matches!(one.kind, ExpressionKind::Local { .. })
        }
        _ => false,
    })
}

/// Removes the branches of a statement that only trigger an event. If that leaves only an `else`, its statements take
/// the place of the whole statement, or stay in a block if they declare a variable.
fn without_branches(text: &str, statement: &Statement, event: &str) -> Vec<Edit> {
    let branches = branches(statement);
    let is_dropped = |branch: &Branch<'_>| match &branch.block.statements[..] {
        [only] => triggered(only) == Some(event),
        _ => false,
    };
    let span = |start, end| Span { start, end, ..statement.span };
    let Some(last) = branches.iter().rposition(|branch| !is_dropped(branch)) else {
        let has_any = !branches.is_empty();
        return has_any.then(|| Edit::remove(text, statement.span)).into_iter().collect();
    };
    let kept = &branches[last];
    let behind = kept.block.span.end;
    if !kept.has_condition && branches[..last].iter().all(is_dropped) {
        if declares(kept.block) {
            return vec![Edit::replace(span(statement.span.start, kept.start), "if (true) ")];
        }
        let head = Edit::remove(text, span(statement.span.start, kept.start + 1));
        return vec![head, Edit::remove(text, span(behind - 1, behind))];
    }
    let pairs = branches[..=last].windows(2).filter(|pair| is_dropped(&pair[0]));
    let mut edits: Vec<Edit> =
        pairs.map(|pair| Edit::replace(span(pair[0].start, pair[1].start), "")).collect();
    if last + 1 < branches.len() {
        edits.push(Edit::replace(span(behind, statement.span.end), ""));
    }
    edits
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::edit::apply;
    use crate::named::syntax::MachineSyntax;
    use slicc::load::{Loaded, load_with};

    const HEAD: &str = "protocol \"P\"; machine(M:X) : { in_port(p, Msg, in) {";
    const TAIL: &str = "} }";

    fn load(text: &str) -> Loaded {
        load_with(Path::new("p.slicc"), &mut |_| Ok(text.as_bytes().to_vec())).unwrap()
    }

    /// The code of a port without the triggers of `Event:E`.
    fn without_triggers(code: &str) -> String {
        let text = format!("{HEAD}{code}{TAIL}");
        let loaded = load(&text);
        let draft = Draft::new(MachineSyntax::of(&loaded, "X").unwrap());
        let edits = untriggered(&draft, draft.syntax.in_port("in").unwrap(), "E");
        let edited = apply(&text, 0, text.len() as u32, &edits);
        load(&edited);
        edited[HEAD.len()..edited.len() - TAIL.len()].to_owned()
    }

    #[test]
    fn a_port_without_some_triggers_can_be_parsed() {
        for (code, expected) in [
            ("if (a) {trigger(Event:E, x);}", ""),
            ("if (a) {trigger(Event:E, x);} else if (b) {f();}", "if (b) {f();}"),
            ("if (a) {trigger(Event:E, x);} else {if (b) {f();}}", "if (b) {f();}"),
            ("if (a) {trigger(Event:E, x);} else {f(); g();}", "f(); g();"),
            (
                "if (a) {trigger(Event:E, x);} else {Entry x := g(); f(x);}",
                "if (true) {Entry x := g(); f(x);}",
            ),
            ("if (a) {f();} else if (b) {trigger(Event:E, x);}", "if (a) {f();}"),
            ("if (a) {f();} else {trigger(Event:E, x);}", "if (a) {f();}"),
            (
                "if (a) {f();} else if (b) {trigger(Event:E, x);} else {g();}",
                "if (a) {f();} else {g();}",
            ),
            (
                "if (a) {trigger(Event:E, x);} else {f(); if (b) {trigger(Event:E, x);} g();}",
                "f();  g();",
            ),
            ("if (a) {f();} else {g();}", "if (a) {f();} else {g();}"),
        ] {
            assert_eq!(without_triggers(code), expected, "{code}");
        }
        let lines = "\n  if (a) {\n    trigger(Event:E, x);\n  } else {\n    f();\n  }\n";
        assert_eq!(without_triggers(lines), "\n    f();\n");
    }
}
