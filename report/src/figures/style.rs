//! Colours and markers: the same algorithm has the same ones in every figure.
//!
//! The colours are those of Okabe and Ito, which people with any of the common colour blindnesses tell apart; the yellow is
//! darker, since theirs is too light for lines. What the papers compare differs in colour and in marker, and whatever else is
//! drawn beside it in one of them at least. Whether a point is filled is free to say something else.

use plotters::style::RGBColor;

/// Black.
pub const BLACK: RGBColor = RGBColor(0, 0, 0);
/// Blue.
pub const BLUE: RGBColor = RGBColor(0, 114, 178);
/// Vermillion.
pub const VERMILLION: RGBColor = RGBColor(213, 94, 0);
/// Bluish green.
pub const GREEN: RGBColor = RGBColor(0, 158, 115);
/// Reddish purple.
pub const PURPLE: RGBColor = RGBColor(204, 121, 167);
/// Orange.
pub const ORANGE: RGBColor = RGBColor(230, 159, 0);
/// Sky blue.
pub const SKY: RGBColor = RGBColor(86, 180, 233);
/// A yellow that is dark enough for lines.
pub const OLIVE: RGBColor = RGBColor(160, 145, 0);
/// What is neither data nor text.
pub const GREY: RGBColor = RGBColor(130, 130, 130);

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A triangle that points down.
    Nabla,
    /// A square on a corner.
    Diamond,
    /// A diagonal cross.
    Cross,
    /// An upright cross.
    Plus,
    /// A short horizontal stroke: a mean.
    Dash,
}

/// How a series looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Its colour.
    pub color: RGBColor,
    /// Its points.
    pub marker: Marker,
}

/// What is known, in the order in which legends name it. No two look the same: any of them may be asked for together.
const KNOWN: [(&str, RGBColor, Marker); 42] = {
    use Marker::{Circle, Cross, Diamond, Nabla, Plus, Square, Triangle};
    [
        // The engine, in series of one model by that.
        ("stages", GREEN, Circle),
        ("sc", BLACK, Square),
        ("tso", ORANGE, Nabla),
        ("pso", GREEN, Triangle),
        // Gradual checking, and what it is compared with.
        ("sc-ccm-enum", ORANGE, Diamond),
        ("sc-ccm-sat", GREEN, Nabla),
        ("sc-sat", BLACK, Triangle),
        ("tso-wccm-enum", ORANGE, Circle),
        ("tso-wccm-sat", GREEN, Square),
        ("tso-sat", BLACK, Nabla),
        // Criteria below SC and TSO, from weak to strong.
        ("cc", SKY, Plus),
        ("ccv", PURPLE, Cross),
        ("cf", GREY, Cross),
        ("cc or ccv", GREEN, Plus),
        ("cm", OLIVE, Nabla),
        ("ccm", VERMILLION, Square),
        ("wccm", VERMILLION, Diamond),
        ("wsc", BLUE, Circle),
        ("wtso", BLUE, Triangle),
        ("wsc-pattern", SKY, Diamond),
        ("wsc-guess1", ORANGE, Square),
        ("kernel", BLACK, Diamond),
        // Saturation, then a search.
        ("wsc-enum", BLUE, Nabla),
        ("ccm-enum", VERMILLION, Circle),
        ("dbcop", PURPLE, Triangle),
        ("wsc-dbcop", GREEN, Diamond),
        // The family of the TSO tool.
        ("tso-baseline", BLACK, Circle),
        ("hpca-r8", PURPLE, Plus),
        ("heu", ORANGE, Triangle),
        ("deriv", SKY, Square),
        ("heu-back", VERMILLION, Nabla),
        ("deriv-back", BLUE, Diamond),
        // Qadeer.
        ("simple-witness", PURPLE, Square),
        ("nice-cycle", BLUE, Square),
        // Burnim.
        ("explore", BLACK, Cross),
        ("monitor-tso", BLUE, Cross),
        ("monitor-pso", VERMILLION, Cross),
        // Single stages of the engine.
        ("trace-order", PURPLE, Diamond),
        ("saturate", SKY, Nabla),
        ("complete", VERMILLION, Triangle),
        ("sat", OLIVE, Square),
        // What a protocol does by itself.
        ("protocol error", GREY, Square),
    ]
};

/// Colours that nothing known has.
const RESERVE: [RGBColor; 6] = [
    RGBColor(51, 34, 136),
    RGBColor(136, 34, 85),
    RGBColor(17, 119, 51),
    RGBColor(153, 153, 51),
    RGBColor(170, 68, 153),
    RGBColor(102, 51, 0),
];

/// Their markers.
const SHAPES: [Marker; 5] = [
    Marker::Nabla,
    Marker::Diamond,
    Marker::Triangle,
    Marker::Square,
    Marker::Circle,
];

/// How what is called so looks; a model is also called in capitals. What nobody knows gets a look by its name alone, so that
/// it keeps it.
pub fn look(name: &str) -> Look {
    match place(name) {
        Some(at) => {
            let (_, color, marker) = KNOWN[at];
            Look { color, marker }
        }
        None => numbered(digest(name)),
    }
}

/// How these look in one figure: each as always, but for what nobody knows and that would look like another.
pub fn looks<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<Look> {
    let mut looks: Vec<Look> = Vec::new();
    for name in names {
        let mut own = look(name);
        if place(name).is_none() {
            let first = digest(name);
            let all =
                (0..RESERVE.len() * SHAPES.len()).map(|step| numbered(first.wrapping_add(step)));
            own = all
                .into_iter()
                .find(|one| !looks.contains(one))
                .unwrap_or(own);
        }
        looks.push(own);
    }
    looks
}

/// One of the reserve.
pub fn numbered(number: usize) -> Look {
    Look {
        color: RESERVE[number % RESERVE.len()],
        marker: SHAPES[number / RESERVE.len() % SHAPES.len()],
    }
}

/// Where a legend names what is called so: what is known first, and the rest by name.
pub fn rank(name: &str) -> usize {
    place(name).unwrap_or(KNOWN.len())
}

fn place(name: &str) -> Option<usize> {
    KNOWN
        .iter()
        .position(|(known, ..)| known.eq_ignore_ascii_case(name))
}

/// A colour for a share: the larger, the darker.
pub fn shade(share: f64) -> RGBColor {
    let share = share.clamp(0.0, 1.0);
    let mix = |light: u8, dark: u8| {
        let (light, dark) = (f64::from(light), f64::from(dark));
        (light + (dark - light) * share).round() as u8
    };
    RGBColor(mix(247, 8), mix(251, 69), mix(255, 148))
}

/// FNV-1a: the same on every machine and for ever, which the hashes of the library are not.
fn digest(name: &str) -> usize {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    hash as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_together_looks_different() {
        let groups: [&[&str]; 8] = [
            &[
                "sc-ccm-enum",
                "sc-ccm-sat",
                "sc-sat",
                "cc",
                "ccv",
                "ccm",
                "wsc",
            ],
            &[
                "tso-wccm-enum",
                "tso-wccm-sat",
                "tso-sat",
                "cc",
                "ccv",
                "wccm",
                "wtso",
            ],
            &["cc", "ccv", "cm", "ccm", "wsc", "kernel"],
            &["wsc-enum", "ccm-enum", "dbcop", "wsc-dbcop"],
            &[
                "tso-baseline",
                "hpca-r8",
                "heu",
                "deriv",
                "heu-back",
                "deriv-back",
            ],
            &["wsc", "ccm", "dbcop"],
            &["SC", "TSO", "PSO"],
            &["stages", "trace-order", "saturate", "complete", "sat"],
        ];
        for group in groups {
            for (at, one) in group.iter().enumerate() {
                for other in &group[..at] {
                    assert_ne!(look(one).color, look(other).color, "{one} {other}");
                    assert_ne!(look(one).marker, look(other).marker, "{one} {other}");
                }
            }
        }
    }

    #[test]
    fn what_nobody_knows_keeps_its_look() {
        assert_eq!(look("somebody's"), look("somebody's"));
        assert!(RESERVE.contains(&look("somebody's").color));
        assert!(KNOWN.iter().all(|(_, color, _)| !RESERVE.contains(color)));
        assert!(rank("somebody's") > rank("saturate"));
    }

    #[test]
    fn no_two_look_the_same() {
        for (at, (one, ..)) in KNOWN.iter().enumerate() {
            for (other, ..) in &KNOWN[..at] {
                assert_ne!(look(one), look(other), "{one} {other}");
            }
        }
        // Not even if nobody knows them: there is a look for each of so many.
        let names: Vec<String> = (0..30).map(|at| format!("somebody's {at}")).collect();
        let found = looks(names.iter().map(|name| &**name));
        for (at, one) in found.iter().enumerate() {
            assert!(!found[..at].contains(one), "{}", names[at]);
        }
        assert_eq!(
            looks(["wsc", "somebody's"]),
            ["wsc", "somebody's"].map(look)
        );
    }

    #[test]
    fn names_are_known_once() {
        for (at, (name, ..)) in KNOWN.iter().enumerate() {
            assert_eq!(rank(name), at);
        }
    }

    #[test]
    fn shades() {
        assert_eq!(shade(f64::from(-1)), shade(0.0));
        assert!(shade(0.9).0 < shade(0.1).0);
    }
}
