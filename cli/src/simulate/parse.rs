//! Parsers of the values of options.

use check::Model;
use clap::builder::TypedValueParser;
use simulate::client::{Client, UnknownClient};
use simulate::config::{CacheGeometry, Caches};
use simulate::ruby::delays::Latency;
use slicc::builtin::BUILTINS;
use slicc::error::ParseError;

use crate::number;
use crate::words;

/// Parses the name of a model.
pub(crate) fn models() -> impl TypedValueParser<Value = Model> {
    words::model()
}

/// The named protocols, each once; `all` stands for every built-in one.
pub(crate) fn protocols(named: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in named {
        match name.as_str() {
            "all" => names.extend(BUILTINS.iter().map(|one| one.name)),
            name => names.push(name),
        }
    }
    let mut known = std::collections::BTreeSet::new();
    names.retain(|name| known.insert(*name));
    names
}

/// One kind of cores, or all kinds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clients {
    All,
    One(Client),
}

/// The named kinds of cores, each once.
pub(crate) fn clients(named: &[Clients]) -> Vec<Client> {
    let mut clients = Vec::new();
    for client in named {
        match client {
            Clients::All => clients.extend(Client::all()),
            Clients::One(client) => clients.push(*client),
        }
    }
    let mut known = std::collections::HashSet::new();
    clients.retain(|client| known.insert(*client));
    clients
}

/// Parses a kind of cores, or `all`.
///
/// # Errors
/// Returns an error if there is no such kind.
pub(crate) fn client(name: &str) -> Result<Clients, UnknownClient> {
    match name {
        "all" => Ok(Clients::All),
        name => name.parse().map(Clients::One),
    }
}

/// Parses a count of at least 1.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn positive(text: &str) -> Result<u32, String> {
    match number::count(text)? {
        0 => Err("at least 1 was expected".to_owned()),
        count => Ok(count),
    }
}

/// Most locations of a program. They fit into memory even if each has its own cache line.
const MOST_LOCATIONS: u32 = 10_000_000;

/// Parses a count of locations.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn locations(text: &str) -> Result<u32, String> {
    match positive(text)? {
        count if count > MOST_LOCATIONS => Err(format!("at most {MOST_LOCATIONS} was expected")),
        count => Ok(count),
    }
}

/// Parses a power of two.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn power(text: &str) -> Result<u32, String> {
    let expected = "a power of two was expected: 1, 2, 4, …";
    let count = text.parse().ok().filter(|count: &u32| count.is_power_of_two());
    count.ok_or_else(|| expected.to_owned())
}

/// Parses the distance between cache lines, in bytes.
pub(crate) fn stride() -> impl TypedValueParser<Value = u64> {
    clap::value_parser!(u64).range(64..=1 << 24).try_map(|bytes| {
        let expected = "a power of two was expected: 64, 128, 256, …";
        bytes.is_power_of_two().then_some(bytes).ok_or(expected)
    })
}

/// Parses the size of a variable.
pub(crate) fn variable_size() -> impl TypedValueParser<Value = u8> {
    clap::value_parser!(u8).range(1..=8).try_map(|bytes| {
        bytes.is_power_of_two().then_some(bytes).ok_or("1, 2, 4 or 8 was expected")
    })
}

/// Parses an address, hexadecimal with `0x` or decimal.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn address(text: &str) -> Result<u64, String> {
    number::parse(text).ok_or_else(|| "an address was expected, such as 0x80000000".to_owned())
}

/// Parses the number of DMA devices.
pub(crate) fn devices() -> impl clap::builder::TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(0..=i64::from(simulate::program::MOST_DEVICES))
}

/// Parses a share in percent.
pub(crate) fn percent() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=100)
}

/// Parses the skew of a distribution: from 0, which is uniform, to 100.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn skew(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let fits = number.filter(|skew| (0.0..=100.0).contains(skew));
    fits.ok_or_else(|| "a number from 0 to 100 was expected".to_owned())
}

/// Parses a latency: a number of ticks, or a range.
///
/// # Errors
/// Returns an error that says what was expected.
pub(crate) fn latency(text: &str) -> Result<Latency, ParseError> {
    text.parse()
}

/// Parses the sizes of caches. Returns the text of the option and its meaning.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn caches(text: &str) -> Result<(String, Caches), String> {
    let caches = match text {
        "tiny" => Caches::Tiny,
        "default" => Caches::Default,
        text => {
            let mut sizes = Caches::Tiny.sizes();
            let given: Result<Vec<CacheGeometry>, ParseError> =
                text.split(',').map(str::parse).collect();
            let given = given.map_err(|error| format!("{error}; or tiny, or default"))?;
            let [first, rest @ ..] = &given[..] else {
                return Err("tiny, default or sizes were expected".to_owned());
            };
            (sizes.l1_data, sizes.l1_instructions) = (*first, *first);
            match rest {
                [] => {}
                [second] => sizes.l2 = *second,
                [second, third] => (sizes.l2, sizes.l3) = (*second, *third),
                _ => return Err("at most three levels were expected".to_owned()),
            }
            Caches::Given(sizes)
        }
    };
    Ok((text.to_owned(), caches))
}
