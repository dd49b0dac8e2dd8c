//! Colours and markers: the same algorithm has the same ones in every figure.
//!
//! The colours are those of Okabe and Ito, which people with any of the common colour blindnesses tell apart; the yellow is
//! darker, since theirs is too light for lines. Algorithms that are drawn together differ in colour and marker.

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

/// What is known, in the order in which legends name it.
const KNOWN: [(&str, RGBColor, Marker); 41] = {
    use Marker::{Circle, Cross, Diamond, Nabla, Plus, Square, Triangle};
    [
        // The engine by its model.
        ("stages", BLUE, Circle),
        ("SC", BLUE, Circle),
        ("TSO", VERMILLION, Square),
        ("PSO", GREEN, Triangle),
        // Gradual checking, and what it is compared with.
        ("sc-ccm-enum", ORANGE, Diamond),
        ("sc-ccm-sat", GREEN, Nabla),
        ("sc-sat", BLACK, Triangle),
        ("tso-wccm-enum", ORANGE, Diamond),
        ("tso-wccm-sat", GREEN, Nabla),
        ("tso-sat", BLACK, Triangle),
        // Criteria below SC and TSO, from weak to strong.
        ("cc", SKY, Plus),
        ("ccv", PURPLE, Cross),
        ("cc or ccv", GREEN, Nabla),
        ("cm", OLIVE, Nabla),
        ("ccm", VERMILLION, Square),
        ("wccm", VERMILLION, Square),
        ("wsc", BLUE, Circle),
        ("wtso", BLUE, Circle),
        ("wsc-pattern", SKY, Diamond),
        ("wsc-guess1", ORANGE, Nabla),
        ("kernel", BLACK, Diamond),
        ("sc", BLACK, Diamond),
        ("tso", BLACK, Diamond),
        ("pso", GREEN, Triangle),
        // Saturation, then a search.
        ("wsc-enum", BLUE, Circle),
        ("ccm-enum", VERMILLION, Square),
        ("dbcop", PURPLE, Triangle),
        ("wsc-dbcop", GREEN, Diamond),
        // The family of the TSO tool.
        ("tso-baseline", BLACK, Circle),
        ("hpca-r8", PURPLE, Cross),
        ("heu", ORANGE, Triangle),
        ("deriv", SKY, Square),
        ("heu-back", VERMILLION, Nabla),
        ("deriv-back", BLUE, Diamond),
        // Qadeer.
        ("simple-witness", ORANGE, Square),
        ("nice-cycle", BLUE, Circle),
        // Single stages of the engine.
        ("temporal", ORANGE, Triangle),
        ("saturate", SKY, Square),
        ("complete", GREEN, Diamond),
        ("sat", BLACK, Nabla),
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

/// How what is called so looks. What nobody knows gets a look by its name alone, so that it keeps it.
pub fn look(name: &str) -> Look {
    let known = KNOWN.into_iter().find(|(known, ..)| *known == name);
    match known {
        Some((_, color, marker)) => Look { color, marker },
        None => numbered(digest(name)),
    }
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
    let known = KNOWN.iter().position(|(known, ..)| *known == name);
    known.unwrap_or(KNOWN.len())
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
        let groups: [&[&str]; 6] = [
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
            &["SC", "TSO", "PSO"],
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
