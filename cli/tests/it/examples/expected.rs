//! Compares the output of an example with the output that its page shows. `…` stands for anything in a line, and for any number
//! of lines if it is a line of its own. Times and numbers that depend on them are not compared.

/// Describes how the output differs from the expected lines; `None` if it does not.
pub(super) fn difference(expected: &[String], printed: &str) -> Option<String> {
    let expected: Vec<String> = expected.iter().map(|line| timeless(line)).collect();
    let printed: Vec<String> = printed.lines().map(timeless).collect();
    let mut furthest = 0;
    if fits(&expected, &printed, 0, &mut furthest) {
        return None;
    }
    Some(format!(
        "line {} of the output is not what the page says, which has {:?} there",
        furthest + 1,
        expected.get(furthest.min(expected.len().saturating_sub(1)))
    ))
}

/// Whether lines are the expected ones. `furthest` becomes the largest number of expected lines that matched.
fn fits(expected: &[String], printed: &[String], before: usize, furthest: &mut usize) -> bool {
    *furthest = before.max(*furthest);
    match (expected, printed) {
        ([], printed) => printed.is_empty(),
        ([gap, rest @ ..], _) if gap.trim() == "…" => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..], before + 1, furthest))
        }
        ([line, rest @ ..], [first, others @ ..]) if is_like(line, first) => {
            fits(rest, others, before + 1, furthest)
        }
        _ => false,
    }
}

/// Whether a line is the expected one, in which each `…` stands for any text.
fn is_like(expected: &str, printed: &str) -> bool {
    let mut parts = expected.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A line without its times, rates and sizes of memory. These are numbers before a unit, and numbers with three decimals, which
/// in the program's tables are always seconds. Several blanks count as one, because the width of columns depends on their
/// contents.
fn timeless(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_unit = |word: &str| {
        let unit = word.trim_end_matches([',', ';', ')', '.', ':']);
        ["s", "ms", "µs", "states/s", "MB", "GB"].contains(&unit)
    };
    let is_number = |word: &str| {
        let digits = word.trim_start_matches('(');
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let has_milliseconds = |word: &str| {
        is_number(word) && word.rsplit_once('.').is_some_and(|(_, decimals)| decimals.len() == 3)
    };
    let timeless = words.iter().enumerate().map(|(at, word)| {
        let has_unit = words.get(at + 1).is_some_and(|next| is_unit(next));
        let is_time = has_milliseconds(word) || (is_number(word) && has_unit);
        if is_time { "T" } else { word }
    });
    timeless.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::difference;

    fn is_same(expected: &[&str], printed: &str) -> bool {
        let expected: Vec<String> = expected.iter().map(|&line| line.to_owned()).collect();
        difference(&expected, printed).is_none()
    }

    #[test]
    fn lines_and_what_stands_for_others() {
        assert!(is_same(&["a", "b"], "a\nb\n"));
        assert!(!is_same(&["a"], "a\nb\n"));
        assert!(!is_same(&["a", "b"], "a\n"));
        assert!(is_same(&["a", "…"], "a\nb\nc\n"));
        assert!(is_same(&["a", "…"], "a\n"));
        assert!(is_same(&["  …", "c"], "a\nb\nc\n"));
        assert!(!is_same(&["…", "d"], "a\nb\nc\n"));
        assert!(is_same(&["1 of … ran (…)"], "1 of 25 ran (0 failed)\n"));
        assert!(!is_same(&["1 of … ran (…)"], "1 of 25 ran (0 failed), and more\n"));
    }

    #[test]
    fn times_differ() {
        assert!(is_same(&["x (3 threads; 0.001 s)"], "x (3 threads; 12.5 s)\n"));
        assert!(!is_same(&["x (3 threads; 0.001 s)"], "x (4 threads; 0.001 s)\n"));
        let row = "  sat  consistent    0.000   50.0 %  2 clauses";
        assert!(is_same(&[row], "  sat  consistent   12.345   50.0 %  2 clauses\n"));
        assert!(!is_same(&[row], "  sat  consistent    0.000   50.1 %  2 clauses\n"));
    }
}
