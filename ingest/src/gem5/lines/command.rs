//! Reads the line `command line: …` at the top of a trace that rubric's simulator wrote: the mutant that ran.

/// The beginning of the line in a trace that rubric's simulator wrote.
const SIMULATE: &[u8] = b"command line: rubric simulate ";

/// The arguments of `rubric simulate`, if the line is its command line.
pub(crate) fn simulate(line: &[u8]) -> Option<&str> {
    str::from_utf8(line.strip_prefix(SIMULATE)?).ok()
}

/// The mutant that arguments of `rubric simulate` name.
pub(crate) fn mutant(arguments: &str) -> Option<String> {
    let (_, rest) = arguments.split_once("--mutant ")?;
    let name = match rest.strip_prefix('\'') {
        // Names of mutants have no quotes.
        Some(quoted) => quoted.split('\'').next(),
        None => rest.split(' ').next(),
    };
    name.filter(|name| !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{mutant, simulate};

    #[test]
    fn the_mutant_is_named() {
        let of = |line: &str| simulate(line.as_bytes()).and_then(mutant);
        let begin = "command line: rubric simulate MI_example";
        assert_eq!(of(&format!("{begin} --mutant a-b --seed 4  # rubric 0.1.0")).unwrap(), "a-b");
        assert_eq!(
            of(&format!("{begin} --mutant 'P/L1/I.Load/x:a>b'")).unwrap(),
            "P/L1/I.Load/x:a>b"
        );
        assert_eq!(of(&format!("{begin} --seed 4")), None);
        assert_eq!(of("command line: gem5.opt --mutant x"), None);
    }
}
