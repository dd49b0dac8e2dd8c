//! Runs the examples of the crate, each of which checks what it says.

#[path = "../../examples/build_history.rs"]
mod build_history;
#[path = "../../examples/check_file.rs"]
mod check_file;
#[path = "../../examples/prove.rs"]
mod prove;
#[path = "../../examples/shrink.rs"]
mod shrink;
#[path = "../../examples/watch.rs"]
mod watch;

#[test]
fn a_history_is_built_and_checked() {
    build_history::main().unwrap();
}

#[test]
fn a_file_is_checked() {
    check_file::main().unwrap();
}

#[test]
fn a_verdict_is_proved() {
    prove::main().unwrap();
}

#[test]
fn a_violation_is_shrunk() {
    shrink::main().unwrap();
}

#[test]
fn a_trace_is_watched() {
    watch::main().unwrap();
}
