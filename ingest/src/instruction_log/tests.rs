use crate::{Options, Trace, read};

fn trace(text: &str) -> Trace {
    read(text.as_bytes(), "log", &Options::default()).unwrap()
}
