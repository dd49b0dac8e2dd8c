//! Tests of the warnings.

use std::path::Path;

use super::*;
use crate::load::load_with;

/// The lines and messages of the warnings about a protocol.
fn warnings(text: &str) -> Vec<String> {
    let loaded = load_with(Path::new("a.slicc"), &mut |_| {
        Ok(format!("protocol \"A\";\n{text}").into_bytes())
    })
    .unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let outline = Outline::of(&loaded).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    lint(&loaded, &outline)
        .iter()
        .map(|one| {
            let (_, line, _) = loaded.sources.position(one.span.unwrap());
            format!("{line}: {}", one.message)
        })
        .collect()
}

/// A small protocol without warnings.
const CLEAN: &str = "machine(MachineType:L1Cache) : MessageBuffer * mandatoryQueue; MessageBuffer * b; {
    state_declaration(State, default=\"L1Cache_State_I\") {
        I, AccessPermission:Invalid; S, AccessPermission:Read_Only; M, AccessPermission:Read_Write; IM, AccessPermission:Busy; X, AccessPermission:Busy;
    }
    enumeration(Event) { Load; Store; Data; Inv; }
    structure(TBE) { State TBEState, default=\"L1Cache_State_IM\"; }
    int counter, default=0;
    State getState(Addr a) { if (s == State:X) { return State:I; } return State:S; }
    Event event_of(Message m) { if (m.Type == T:Inv) { return Event:Inv; } counter := counter + 1; return Event:Data; }
    out_port(o, Message, b);
    in_port(p, RubyRequest, mandatoryQueue) { peek(p, RubyRequest) {
        if (in_msg.Type == RubyRequestType:LD) { trigger(Event:Load, a); } else if (in_msg.Type == RubyRequestType:ST) { trigger(Event:Store, a); }
    } }
    in_port(q, Message, b) { peek(q, Message) { trigger(event_of(in_msg), in_msg.addr); } }
    action(send, \"s\") { enqueue(o, Message) { } }
    transition({I, S, M}, {Load, Store}, IM) {send}
    transition({I, S, M, IM}, {Data, Inv}, M) {}
    transition(IM, Store, X) {}
    transition(X, Data, I) {}
}";

#[test]
fn nothing_to_warn_about() {
    assert_eq!(warnings(CLEAN), [] as [&str; 0]);
}

/// Checks the warnings about the clean protocol after `old` is replaced by `new`.
#[track_caller]
fn after(old: &str, new: &str, expected: &[&str]) {
    assert!(CLEAN.contains(old));
    assert_eq!(warnings(&CLEAN.replace(old, new)), expected);
}

#[test]
fn unused_actions() {
    after("IM) {send}", "IM) {}", &["16: the action `send` is in no transition"]);
}

#[test]
fn events() {
    after("Inv; }\n", "Inv; Ack; }\n", &["6: the event `Ack` is never triggered"]);
    after("{Data, Inv}", "Data", &["10: no transition handles the event `Inv`"]);
    // An event that is only compared with may come from elsewhere.
    after("Inv; }\n", "Inv; Ack; }\nvoid regStats() { if (a == Event:Ack) { } }\n", &[]);
}

#[test]
fn states() {
    after("transition(IM, Store, X) {}", "", &["4: the state `X` is never reached"]);
    let text = CLEAN
        .replace("transition(IM, Store, X) {}", "")
        .replace("return State:S;", "if (a) { return State:X; } return State:S;");
    assert_eq!(warnings(&text), [] as [&str; 0]);
    after("transition(X, Data, I) {}", "", &["4: the state `X` is never left"]);
    after("transition(X, Data, I) {}", "transition(X, Data, *) {}", &[]);
}

#[test]
fn missing_transitions() {
    after(
        "transition({I, S, M}, {Load, Store}, IM)",
        "transition({I, S}, Load, IM) {} transition({I, S, M}, Store, IM)",
        &["4: no transition for (M, Load)"],
    );
    // Two of three states are too few for a rule.
    after(
        "transition({I, S, M}, {Load, Store}, IM)",
        "transition(I, Load, IM) {} transition({I, S, M}, Store, IM)",
        &[],
    );
    // If the event depends on the type of the request alone, there is no threshold.
    let text = CLEAN
        .replace(
            "transition({I, S, M}, {Load, Store}, IM)",
            "transition(I, Load, IM) {} transition({I, S, M}, Store, IM)",
        )
        .replace("trigger(Event:Load, a);", "trigger(translated(in_msg.Type), a);")
        .replace(
            "out_port(o,",
            "Event translated(RubyRequestType t) { return Event:Load; } out_port(o,",
        );
    assert_eq!(
        warnings(&text),
        ["4: no transition for (S, Load)", "4: no transition for (M, Load)"]
    );
}

#[test]
fn unused_declarations() {
    after("enqueue(o, Message) { }", "f(counter);", &["11: unused out_port `o`"]);
    after("int counter,", "int unused; int counter,", &["8: unused variable `unused`"]);
    after("int counter,", "void f() { } int counter,", &["8: unused function `f`"]);
    let named = "int of, default=1; TBETable t, constructor=\"m_of, {m_of_ptr}\"; int counter,";
    after("int counter,", named, &["8: unused variable `t`"]);
}

#[test]
fn empty_actions_that_are_taken_for_stalls() {
    let stall = "action(wait, \"w\") { }\n    transition(IM, Store) {wait}\n    transition(X, Store) {wait}";
    let old = "transition(IM, Store, X) {}";
    // X is reached as before.
    let rows = "transition(IM, Load, X) {}";
    let with = |text: &str| format!("{rows}\n    {text}");
    let message = "20: the action `wait` is empty, and 2 transitions do nothing else and keep the state: the message stays at \
                   the head of its queue, and the transition is taken again and again in the same cycle";
    after(old, &with(stall), &[message]);
    after(old, &with(&stall.replace("wait", "z_stall")), &[]);
    // A row that changes the state, sends a message or takes the message does not repeat for ever.
    after(old, &with(&stall.replace("Store)", "Store, M)")), &[]);
    after(old, &with(&stall.replace("{ }", "{ enqueue(o, Message) { } }")), &[]);
    let taken =
        CLEAN.replace("trigger(Event:Load, a); }", "trigger(Event:Load, a); p.dequeue(0); }");
    assert_eq!(warnings(&taken.replace(old, &with(stall))), [] as [&str; 0]);
}
