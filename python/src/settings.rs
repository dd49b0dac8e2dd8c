//! How Python spells settings. Messages of rubric's libraries name a setting as the program's option, such as `--access-size`, and
//! here its keyword is `access_size`.

/// The keywords that are switches.
const SWITCHES: [&str; 2] = ["lossy", "fetches"];
/// The keywords that take words, each with those words.
const WORDS: [(&str, &[&str]); 4] = [
    ("initial", &["zero", "infer"]),
    ("ambiguous", &["refuse", "search"]),
    ("addresses", &["auto"]),
    ("source", &["ruby", "client", "exec"]),
];
/// The other keywords that messages may name.
const OTHERS: [&str; 13] = [
    "access_size",
    "algorithm",
    "client",
    "from_tick",
    "history",
    "isa",
    "max_memory",
    "model",
    "mutant",
    "repair",
    "threads",
    "timeout",
    "to_tick",
];

/// A message in which options are spelled as keywords: `use --lossy` as `use lossy=True`.
pub(crate) fn spelled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, option) = rest.split_at(at);
        out.push_str(before);
        let length = option[2..].find(|c: char| !c.is_ascii_lowercase() && c != '-');
        let end = 2 + length.unwrap_or(option.len() - 2);
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '-');
        let keyword = option[2..end].replace('-', "_");
        rest = &option[end..];
        match keyword_with_value(&keyword, rest).filter(|_| is_word) {
            Some((spelling, taken)) => {
                out.push_str(&spelling);
                rest = &rest[taken..];
            }
            None => out.push_str(&option[..end]),
        }
    }
    out + rest
}

/// The spelling of a keyword with the value that follows it, and the length of that value. `None` if it is no keyword.
fn keyword_with_value(keyword: &str, rest: &str) -> Option<(String, usize)> {
    if SWITCHES.contains(&keyword) {
        return Some((format!("{keyword}=True"), 0));
    }
    let words = WORDS.iter().find(|(name, _)| *name == keyword).map(|(_, words)| *words);
    if let Some(words) = words {
        let value = words.iter().find(|word| {
            let after = rest.strip_prefix(' ').and_then(|rest| rest.strip_prefix(**word));
            after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
        return Some(match value {
            Some(value) => (format!("{keyword}=\"{value}\""), value.len() + 1),
            None => (keyword.to_owned(), 0),
        });
    }
    OTHERS.contains(&keyword).then(|| (keyword.to_owned(), 0))
}
