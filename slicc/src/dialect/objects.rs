//! Rewrites the objects of older machines: buffers, caches and sequencers that a machine declares in its body become
//! its parameters, as today, and the memory controller becomes two buffers.

use super::{Context, ECHO, ORDERED_AS_DECLARED, Older, PEERS, is_older, machines};
use crate::ast::{Declaration, Expression, ExpressionKind, Machine, Name, Object, Pair, PairKind};
use crate::source::Span;

/// Types of objects that are parameters today.
const PARAMETERS: [&str; 6] = [
    "MessageBuffer",
    "Sequencer",
    "CacheMemory",
    "DirectoryMemory",
    "DMASequencer",
    "MemoryControl",
];

const IN_BODY: Older =
    Older { until: (2015, 9), what: "buffers declared in the bodies of machines" };
const ORDERED: Older = Older { until: (2015, 8), what: "buffers ordered by their attribute" };
const CONTROLLER: Older =
    Older { until: (2014, 11), what: "a MemoryControl, with the data in the directory's entries" };

const LATENCIES: Older =
    Older { until: (2010, 1), what: "latencies without a value, taken to be 2 cycles" };
const PHYSICAL: Older =
    Older { until: (2014, 9), what: "buffers that connect two machines by a `physical_network`" };
const UNDECLARED: Older =
    Older { until: (2015, 9), what: "`responseFromMemory` without a declaration" };

/// The buffer of the memory's responses.
const RESPONSES: &str = "responseFromMemory";

/// Moves the objects of all machines.
pub(super) fn rewrite(declarations: &mut [Declaration], context: &mut Context) {
    for machine in machines(declarations) {
        let from = if is_older(machine) { 0 } else { machine.parameters.len() };
        move_to_parameters(machine, context);
        order_as_declared(&mut machine.parameters[from..], context);
        if is_older(machine) {
            latencies(&mut machine.parameters, context);
        }
        replace_controller(machine, context);
        declare_responses(machine, context);
    }
    connect_peers(declarations, context);
}

/// Names the direct connections between the two machines whose buffers have a `physical_network`: controllers of the same
/// number were each other's `peer`.
fn connect_peers(declarations: &mut [Declaration], context: &mut Context) {
    let has_some = |machine: &Machine| {
        machine.parameters.iter().any(|one| attribute(one, "physical_network").is_some())
    };
    let peers: Vec<Box<str>> = machines(declarations)
        .filter(|machine| has_some(machine))
        .map(|machine| machine.name.text.clone())
        .collect();
    let [one, other] = &peers[..] else { return };
    for machine in machines(declarations).filter(|machine| has_some(machine)) {
        let (own, peer) = if machine.name.text == *one { (one, other) } else { (other, one) };
        for buffer in &mut machine.parameters {
            let Some(number) = attribute(buffer, "physical_network") else { continue };
            let is_sent = attribute(buffer, "network").is_some_and(|to| &*to.text == "To");
            let connection = format!("{} {}", if is_sent { own } else { peer }, number.text);
            let span = number.span;
            context.found(PHYSICAL, span);
            let value = word(&connection, span);
            buffer.pairs.push(Pair { key: word(PEERS, span), value, kind: PairKind::Text });
        }
    }
}

/// The value of an attribute.
fn attribute<'a>(object: &'a Object, key: &str) -> Option<&'a Name> {
    object.pairs.iter().find(|pair| &*pair.key.text == key).map(|pair| &pair.value)
}

/// Gives a value to latencies without one, whose values were only in gem5's configuration.
fn latencies(parameters: &mut [Object], context: &mut Context) {
    for object in parameters {
        let has_value =
            object.value.is_some() || object.pairs.iter().any(|pair| &*pair.key.text == "default");
        if object.name.text.ends_with("_latency") && !object.pointer && !has_value {
            let span = object.name.span;
            context.found(LATENCIES, span);
            object.value = Some(Expression { kind: ExpressionKind::Number(2), span });
        }
    }
}

/// Declares the buffer of the memory's responses, which for some months every machine had without declaring it.
fn declare_responses(machine: &mut Machine, context: &mut Context) {
    let mut reads = machine.body.iter().filter_map(|declaration| match declaration {
        Declaration::InPort(port) if &*port.buffer.text == RESPONSES => Some(port.buffer.span),
        _ => None,
    });
    let Some(span) = reads.next() else { return };
    if machine.parameters.iter().any(|parameter| &*parameter.name.text == RESPONSES) {
        return;
    }
    context.found(UNDECLARED, span);
    machine.parameters.push(Object {
        kind: word("MessageBuffer", span),
        name: word(RESPONSES, span),
        pairs: Vec::new(),
        pointer: true,
        value: None,
        span,
    });
}

/// Makes the objects of a machine's body its last parameters.
fn move_to_parameters(machine: &mut Machine, context: &mut Context) {
    let body = std::mem::take(&mut machine.body);
    for declaration in body {
        match declaration {
            Declaration::Object(object)
                if PARAMETERS.contains(&&*object.kind.text) && !object.pointer =>
            {
                context.found(IN_BODY, object.span);
                machine.parameters.push(Object { pointer: true, ..object });
            }
            other => machine.body.push(other),
        }
    }
}

/// Lets the attribute `ordered` decide for parameters of the time when gem5's scripts did not.
fn order_as_declared(parameters: &mut [Object], context: &mut Context) {
    for object in parameters {
        let mut pairs = object.pairs.iter();
        let ordered = pairs.find(|pair| &*pair.key.text == "ordered").map(|pair| pair.value.span);
        if let Some(span) = ordered
            && &*object.kind.text == "MessageBuffer"
        {
            context.found(ORDERED, span);
            object.pairs.push(mark(ORDERED_AS_DECLARED, span));
        }
    }
}

/// Replaces the memory controller, which a machine read and wrote like a buffer.
fn replace_controller(machine: &mut Machine, context: &mut Context) {
    let is_controller = |object: &Object| &*object.kind.text == "MemoryControl";
    let Some(at) = machine.parameters.iter().position(is_controller) else {
        return;
    };
    let controller = machine.parameters.remove(at);
    context.found(CONTROLLER, controller.span);
    let buffer = |name: &str, pairs| Object {
        kind: word("MessageBuffer", controller.kind.span),
        name: word(name, controller.name.span),
        pairs,
        pointer: true,
        value: None,
        span: controller.span,
    };
    let echo = vec![mark(ECHO, controller.span)];
    machine.parameters.push(buffer("requestToMemory", echo));
    machine.parameters.push(buffer(RESPONSES, Vec::new()));
    for declaration in &mut machine.body {
        let (end, now) = match declaration {
            Declaration::InPort(port) => (&mut port.buffer, RESPONSES),
            Declaration::OutPort(port) => (&mut port.buffer, "requestToMemory"),
            _ => continue,
        };
        if end.text == controller.name.text {
            end.text = now.into();
        }
    }
}

fn word(text: &str, span: Span) -> Name {
    Name { text: text.into(), span }
}

/// An attribute that marks what the older dialect decides. Its key is one that protocols do not use.
fn mark(key: &str, span: Span) -> Pair {
    Pair { key: word(key, span), value: word("true", span), kind: PairKind::Word }
}
