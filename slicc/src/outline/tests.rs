//! Tests of the tables.

use std::path::Path;

use super::*;
use crate::load::load_with;

/// Loads a protocol with this text in its file.
fn loaded(text: &str) -> Loaded {
    load_with(Path::new("a.slicc"), &mut |_| Ok(format!("protocol \"A\";\n{text}").into_bytes()))
        .unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

fn outline(text: &str) -> Outline {
    Outline::of(&loaded(text)).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

/// The diagnostics about a protocol: line and message, notes, hint.
fn said(text: &str) -> Vec<String> {
    let loaded = loaded(text);
    let line = |span: Span| loaded.sources.position(span).1;
    let wrong = Outline::of(&loaded).err().unwrap_or_default();
    wrong
        .iter()
        .map(|one| {
            let mut said = one.span.map_or_else(String::new, |span| format!("{}: ", line(span)));
            said += &one.message;
            for (span, note) in &one.notes {
                said += &format!("; {}: {note}", line(*span));
            }
            if let Some(hint) = &one.hint {
                said += &format!(" ({hint})");
            }
            said
        })
        .collect()
}

/// The text of a machine with everything that it has to have, and these declarations from line 7
/// on.
fn machine(declarations: &str) -> String {
    format!(
        "machine(MachineType:L1Cache, \"a cache\") : MessageBuffer * b; {{
        state_declaration(State) {{ I, AccessPermission:Invalid, desc=\"nothing\"; M, AccessPermission:Read_Write; }}
        enumeration(Event) {{ Load; Store; Inv, desc=\"give it up\"; }}
        enumeration(RequestType) {{ Tag; Data; }}
        in_port(p, Message, b, rank=2) {{ }} out_port(o, Message, b);\n{declarations}}}"
    )
}

const ACTIONS: &str = "action(go, \"g\", desc=\"goes\") { x(); } action(z_stall, \"z\") { }
    action(again, \"r\") { p.recycle(clockEdge(), 1); } action(park, \"p\") { DPRINTF(a); stall_and_wait(p, address); }
    action(stop, \"s\") { peek(p, Message) { stall_and_wait(p, address); } x(); }\n";

#[test]
fn a_machine_with_everything() {
    let text = machine(&format!(
        "{ACTIONS} transition({{I, M}}, {{Load; Store}}, M) {{Tag, Data}} {{go, stop}}
        transition(I, Inv) {{}} transition(M, Inv, *) {{again}}"
    ));
    let loaded = loaded(&text);
    let outline = Outline::of(&loaded).unwrap();
    let machine = outline.machine("L1Cache").unwrap();
    assert_eq!(machine.description.as_deref(), Some("a cache"));
    let states: Vec<_> = machine
        .states
        .iter()
        .map(|one| (&*one.name, one.permission_name(), one.description.as_deref()))
        .collect();
    assert_eq!(states, [("I", "Invalid", Some("nothing")), ("M", "Read_Write", None)]);
    assert_eq!(machine.events[2].description.as_deref(), Some("give it up"));
    assert_eq!(machine.requests[1].name, "Data");
    let stalls: Vec<_> = machine.actions.iter().map(|one| one.stalls).collect();
    assert_eq!(stalls, [false, true, true, true, false]);
    assert_eq!(machine.actions[0].short.as_deref(), Some("g"));
    assert_eq!(machine.actions[0].description.as_deref(), Some("goes"));
    let port = &machine.in_ports[0];
    assert_eq!(
        (&*port.name, &*port.buffer, &*port.message, port.rank),
        ("p", "b", "Message", Some(2))
    );
    assert_eq!(machine.out_ports[0].name, "o");

    let entries: Vec<_> = machine
        .entries
        .iter()
        .map(|one| {
            (
                one.state,
                one.event,
                one.next,
                one.actions.to_vec(),
                one.requests.to_vec(),
                one.stalls,
            )
        })
        .collect();
    let both = |state, event| (state, event, Next::State(1), vec![0, 4], vec![0, 1], false);
    assert_eq!(
        entries,
        [
            both(0, 0),
            both(0, 1),
            both(1, 0),
            both(1, 1),
            (0, 2, Next::State(0), vec![], vec![], false),
            (1, 2, Next::Computed, vec![2], vec![], true),
        ]
    );

    let syntax = machine.syntax(&loaded).unwrap();
    assert_eq!(&*syntax.name.text, "L1Cache");
    assert_eq!(&*machine.actions[4].syntax(syntax).unwrap().name.text, "stop");
    assert_eq!(machine.state("M"), Some(1));
    assert_eq!(machine.event("Inv"), Some(2));
}

#[test]
fn names_that_do_not_exist() {
    let text = machine(&format!(
        "{ACTIONS}transition({{I, N}}, Lod, Q) {{Tga}} {{gone}}
        transition(I, go, Load) {{again, x}}"
    ));
    assert_eq!(
        said(&text),
        [
            "10: there is no state `N`",
            "10: there is no event `Lod` (did you mean `Load`?)",
            "10: there is no state `Q`",
            "10: there is no request type `Tga` (did you mean `Tag`?)",
            "10: there is no action `gone`",
            "11: there is no event `go` (there is an action of this name)",
            "11: there is no state `Load` (there is an event of this name)",
            "11: there is no action `x`",
        ]
    );
}

#[test]
fn pairs_with_two_transitions() {
    let text = machine(&format!(
        "{ACTIONS}transition({{I, M}}, {{Load, Store}}) {{}}
        transition(I, {{Load, Store, Inv}}) {{}}
        transition({{M, M}}, Inv) {{}}
        transition(M, Load) {{}}"
    ));
    assert_eq!(
        said(&text),
        [
            "11: a second transition for (I, Load) and another pair; 10: the first is here",
            "12: a second transition for (M, Inv)",
            "13: a second transition for (M, Load); 10: the first is here",
        ]
    );
}

#[test]
fn what_is_declared_too_late() {
    let text = machine("transition(I, Load) {go}\naction(go) { }");
    assert_eq!(
        said(&text),
        [
            "7: the action `go` is declared only later; 8: here (transitions come after the states, events and actions they name)"
        ]
    );
}

#[test]
fn names_that_are_declared_twice() {
    let text = machine(
        "action(a, \"x\") { } action(a, \"y\") { } action(c, \"x\") { }
        int b; structure(S) { int f; int f; void g(); void g(int i); void g(); }
        void f(int i) { } void f(Addr a); void f(int i); void f(int j) { } void g(int i, int i) { }
        enumeration(State) { A; A; } in_port(o, Message, b) { }",
    );
    assert_eq!(
        said(&text),
        [
            "7: the action `a` is declared a second time; 7: the first is here",
            "8: the variable `b` is declared a second time; 2: the first is here",
            "8: the field `f` is declared a second time; 8: the first is here",
            "8: the function `g` is declared a second time; 8: the first is here",
            "9: the function `f` is declared a second time; 9: the first is here",
            "9: the parameter `i` is declared a second time; 9: the first is here",
            "10: the type `State` is declared a second time; 3: the first is here",
            "10: the value `A` is declared a second time; 10: the first is here",
            "10: the port `o` is declared a second time; 6: the first is here",
            "7: the shorthand \"x\" is used a second time; 7: `a` has it, too",
        ]
    );
}

#[test]
fn machines_that_are_none() {
    assert_eq!(said(""), ["the protocol A has no machine"]);
    assert_eq!(
        said("machine(MachineType:L1Cache): { }"),
        [
            "2: the machine L1Cache has no states (declare them with `state_declaration(State, ...) { NAME, AccessPermission:...; }`)",
            "2: the machine L1Cache has no events (declare them with `enumeration(Event, ...) { NAME; }`)",
            "2: the machine L1Cache has no in_port (without messages to read it would never do anything)",
        ]
    );
    let said = |name: &str| {
        let text = machine("").replace("MachineType:L1Cache", name);
        said(&format!("{}\n{text}", machine("")))
    };
    assert_eq!(
        said("MachineType:L1Cahce"),
        ["8: there is no machine type `L1Cahce` (did you mean `L1Cache`?)"]
    );
    assert_eq!(
        said("Machine:DMA"),
        [
            "8: `Machine` is not a `MachineType` (a machine is declared as `machine(MachineType:NAME, ...)`)"
        ]
    );
    assert_eq!(
        said("MachineType:L1Cache"),
        [
            "8: a second machine `L1Cache`; 2: the first is here (each machine type may have one machine)"
        ]
    );
}

#[test]
fn permissions_and_ranks() {
    let text = machine("").replace("AccessPermission:Invalid", "AccessPermission:invalid");
    assert_eq!(
        said(&text),
        [
            "3: `AccessPermission:invalid` is not an access permission (did you mean `AccessPermission:Invalid`?)"
        ]
    );
    let text = machine("").replace("AccessPermission:Invalid", "Permission:Invalid");
    assert_eq!(said(&text).len(), 1);
    let text = machine("").replace("rank=2", "rank=\"high\"");
    assert_eq!(said(&text), ["6: the rank `high` is not a small number"]);
    let text = machine("").replace("(State)", "(States)");
    assert!(said(&text)[0].starts_with("3: the states of a machine are called `States`"));
}

#[test]
fn what_stands_outside_of_a_machine() {
    let text = format!(
        "{}\naction(a) {{ }} transition(I, Load) {{}} out_port(o, Message, b);",
        machine("")
    );
    let hint = "(look for a superfluous `}` before it)";
    assert_eq!(
        said(&text),
        [
            format!("8: an action outside of a machine {hint}"),
            format!("8: a transition outside of a machine {hint}"),
            format!("8: a port outside of a machine {hint}")
        ]
    );
}

#[test]
fn tables_have_limits() {
    let states = "I, ".repeat(2000);
    let events = "Load, ".repeat(2000);
    let text = machine(&format!("transition({{{states}}}, {{{events}}}) {{}}"));
    assert_eq!(said(&text), ["7: the table has more than 1048576 entries"]);
    assert_eq!(outline(&machine("")).machines.len(), 1);
}
