//! Colours and markers of series. An algorithm has the same style in every figure.
//!
//! The colours are those of Okabe and Ito, which remain distinct with the common forms of colour blindness; the yellow
//! is darker, since theirs is too light for lines. Series that the papers compare differ in colour and in marker. Other
//! series in the same figure differ from them in at least one of the two. Whether a point is filled has another
//! meaning, such as a run that did not end.

use plotters::style::RGBColor;
use schemars::JsonSchema;
use serde::Serialize;

/// Black.
pub(crate) const BLACK: RGBColor = RGBColor(0, 0, 0);
/// Blue.
pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
/// Vermillion.
pub(crate) const VERMILLION: RGBColor = RGBColor(213, 94, 0);
/// Bluish green.
pub(crate) const GREEN: RGBColor = RGBColor(0, 158, 115);
/// Reddish purple.
pub(crate) const PURPLE: RGBColor = RGBColor(204, 121, 167);
/// Orange.
pub(crate) const ORANGE: RGBColor = RGBColor(230, 159, 0);
/// Sky blue.
pub(crate) const SKY: RGBColor = RGBColor(86, 180, 233);
/// A yellow that is dark enough for lines.
pub(crate) const OLIVE: RGBColor = RGBColor(160, 145, 0);
/// Grey, for axes, time limits and marks of little importance.
pub(crate) const GREY: RGBColor = RGBColor(130, 130, 130);

/// The style of published numbers.
pub(crate) const PUBLISHED: Style = Style { color: BLACK, marker: Marker::Diamond };

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A triangle that points down.
    TriangleDown,
    /// A square on a corner.
    Diamond,
    /// A diagonal cross.
    Cross,
    /// An upright cross.
    Plus,
    /// A short horizontal stroke: a mean.
    Dash,
}

/// The colour and the marker of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    /// The colour of the style.
    pub color: RGBColor,
    /// The marker at each point of a curve.
    pub marker: Marker,
}

/// The styles of known series, in the order of legends. No two are the same, since any series may be drawn together.
const KNOWN: [(&str, RGBColor, Marker); 53] = {
    use Marker::{Circle, Cross, Diamond, Plus, Square, Triangle, TriangleDown};
    [
        // The stages of the engine, and the models, by which its series are named if there are several.
        ("stages", GREEN, Circle),
        ("sc", BLACK, Square),
        ("tso", ORANGE, TriangleDown),
        ("pso", GREEN, Triangle),
        // Gradual checking, and the algorithms that it is compared with.
        ("sc-ccm-enum-published", dark(ORANGE), Diamond),
        ("sc-ccm-sat-published", dark(GREEN), TriangleDown),
        ("sc-ccm-enum", ORANGE, Diamond),
        ("sc-ccm-sat", GREEN, TriangleDown),
        ("sc-sat", BLACK, Triangle),
        ("tso-wccm-enum-published", dark(ORANGE), Circle),
        ("tso-wccm-sat-published", dark(GREEN), Square),
        ("tso-wccm-enum", ORANGE, Circle),
        ("tso-wccm-sat", GREEN, Square),
        ("tso-sat", BLACK, TriangleDown),
        // Criteria below SC and TSO, from weak to strong.
        ("cc", SKY, Plus),
        ("ccv", PURPLE, Cross),
        ("cf", GREY, Cross),
        ("cc or ccv", GREEN, Plus),
        ("cm", OLIVE, TriangleDown),
        ("ccm-published", dark(VERMILLION), Square),
        ("wccm-published", dark(VERMILLION), Diamond),
        ("wsc-published", dark(BLUE), Circle),
        ("ccm", VERMILLION, Square),
        ("wccm", VERMILLION, Diamond),
        ("wsc", BLUE, Circle),
        ("wtso", BLUE, Triangle),
        ("wsc-pattern", SKY, Diamond),
        ("wsc-guess1", ORANGE, Square),
        ("kernel", BLACK, Diamond),
        // Saturation, then a search.
        ("wsc-enum", BLUE, TriangleDown),
        ("ccm-enum-published", dark(VERMILLION), Circle),
        ("dbcop", PURPLE, Triangle),
        ("wsc-dbcop-published", dark(GREEN), Diamond),
        ("ccm-enum", VERMILLION, Circle),
        ("wsc-dbcop", GREEN, Diamond),
        // The family of the TSO tool.
        ("tso-baseline", BLACK, Circle),
        ("tso-baseline-figure", GREY, Circle),
        ("hpca-r8", PURPLE, Plus),
        ("heu", ORANGE, Triangle),
        ("deriv", SKY, Square),
        ("heu-back", VERMILLION, TriangleDown),
        ("deriv-back", BLUE, Diamond),
        // Qadeer.
        ("simple-witness", PURPLE, Square),
        ("nice-cycle", BLUE, Square),
        // Burnim.
        ("explore", BLACK, Cross),
        ("monitor-tso", BLUE, Cross),
        ("monitor-pso", VERMILLION, Cross),
        ("monitor-sober", GREEN, Cross),
        // Single stages of the engine.
        ("trace-order", PURPLE, Diamond),
        ("saturate", SKY, TriangleDown),
        ("complete", VERMILLION, Triangle),
        ("sat", OLIVE, Square),
        // Failures of the protocol itself.
        ("protocol error", GREY, Square),
    ]
};

/// A darker colour: that of the published form of an algorithm whose own form has the colour.
const fn dark(color: RGBColor) -> RGBColor {
    const fn part(of: u8) -> u8 {
        (of as u16 * 3 / 5) as u8
    }
    RGBColor(part(color.0), part(color.1), part(color.2))
}

/// Colours of unknown series: no known series has them.
const RESERVE: [RGBColor; 6] = [
    RGBColor(51, 34, 136),
    RGBColor(136, 34, 85),
    RGBColor(17, 119, 51),
    RGBColor(153, 153, 51),
    RGBColor(170, 68, 153),
    RGBColor(102, 51, 0),
];

/// Markers of unknown series.
const RESERVE_MARKERS: [Marker; 5] =
    [Marker::TriangleDown, Marker::Diamond, Marker::Triangle, Marker::Square, Marker::Circle];

/// The style of a known series, for other programs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeriesStyle {
    /// The name of the algorithm, criterion or model.
    pub name: &'static str,
    /// The colour, such as `#0072b2`.
    pub color: String,
    /// The marker.
    pub marker: Marker,
}

/// The styles of known series, in the order of legends.
pub fn series_styles() -> Vec<SeriesStyle> {
    let styles = KNOWN.iter().map(|(name, color, marker)| SeriesStyle {
        name,
        color: format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2),
        marker: *marker,
    });
    styles.collect()
}

/// The style of a series; the names of models may be in capitals. Unknown series get a style derived from their name, so it is
/// stable across figures.
pub(crate) fn style(name: &str) -> Style {
    match position(name) {
        Some(at) => {
            let (_, color, marker) = KNOWN[at];
            Style { color, marker }
        }
        None => unknown(digest(name)),
    }
}

/// The algorithm of a series whose name may also have its model, such as `wsc, TSO`.
pub(crate) fn algorithm_of(series: &str) -> &str {
    series.split_once(", ").map_or(series, |(name, _)| name)
}

/// The styles of the series of one figure. An unknown series that would look like another gets a different style.
pub(crate) fn styles<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<Style> {
    let mut styles: Vec<Style> = Vec::new();
    for name in names {
        let mut own = style(name);
        if position(name).is_none() {
            let first = digest(name);
            let all = (0..RESERVE.len() * RESERVE_MARKERS.len())
                .map(|step| unknown(first.wrapping_add(step)));
            own = all.into_iter().find(|one| !styles.contains(one)).unwrap_or(own);
        }
        styles.push(own);
    }
    styles
}

/// The style of an unknown series with this number.
pub(crate) fn unknown(number: usize) -> Style {
    Style {
        color: RESERVE[number % RESERVE.len()],
        marker: RESERVE_MARKERS[number / RESERVE.len() % RESERVE_MARKERS.len()],
    }
}

/// Position of a series in legends: known series come first, unknown ones after them.
pub(crate) fn rank(name: &str) -> usize {
    position(name).unwrap_or(KNOWN.len())
}

fn position(name: &str) -> Option<usize> {
    KNOWN.iter().position(|(known, ..)| known.eq_ignore_ascii_case(name))
}

/// The colour of a share from 0 to 1: the larger, the darker.
pub(crate) fn shade(share: f64) -> RGBColor {
    let share = share.clamp(0.0, 1.0);
    let mix = |light: u8, dark: u8| {
        let (light, dark) = (f64::from(light), f64::from(dark));
        (light + (dark - light) * share).round() as u8
    };
    RGBColor(mix(247, 8), mix(251, 69), mix(255, 148))
}

/// FNV-1a, which unlike the hashes of the standard library is the same on every machine and for every version.
fn digest(name: &str) -> usize {
    let hash = name
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_together_looks_different() {
        let groups: [&[&str]; 11] = [
            &["sc-ccm-enum-published", "sc-ccm-sat-published", "sc-sat"],
            &["tso-wccm-enum-published", "tso-wccm-sat-published", "tso-sat"],
            &["wsc-enum", "ccm-enum-published", "dbcop", "wsc-dbcop-published"],
            &["sc-ccm-enum", "sc-ccm-sat", "sc-sat", "cc", "ccv", "ccm", "wsc"],
            &["tso-wccm-enum", "tso-wccm-sat", "tso-sat", "cc", "ccv", "wccm", "wtso"],
            &["cc", "ccv", "cm", "ccm", "wsc", "kernel"],
            &["wsc-enum", "ccm-enum", "dbcop", "wsc-dbcop"],
            &["tso-baseline", "hpca-r8", "heu", "deriv", "heu-back", "deriv-back"],
            &["wsc", "ccm", "dbcop"],
            &["SC", "TSO", "PSO"],
            &["stages", "trace-order", "saturate", "complete", "sat"],
        ];
        for group in groups {
            for (at, one) in group.iter().enumerate() {
                for other in &group[..at] {
                    assert_ne!(style(one).color, style(other).color, "{one} {other}");
                    assert_ne!(style(one).marker, style(other).marker, "{one} {other}");
                }
            }
        }
    }

    #[test]
    fn unknown_series_keep_their_style() {
        assert_eq!(style("unknown"), style("unknown"));
        assert!(RESERVE.contains(&style("unknown").color));
        assert!(KNOWN.iter().all(|(_, color, _)| !RESERVE.contains(color)));
        assert!(rank("unknown") > rank("saturate"));
    }

    #[test]
    fn no_two_look_the_same() {
        for (at, (one, ..)) in KNOWN.iter().enumerate() {
            for (other, ..) in &KNOWN[..at] {
                assert_ne!(style(one), style(other), "{one} {other}");
            }
        }
        // Nor do unknown series, up to this number.
        let names: Vec<String> = (0..30).map(|at| format!("unknown {at}")).collect();
        let found = styles(names.iter().map(|name| &**name));
        for (at, one) in found.iter().enumerate() {
            assert!(!found[..at].contains(one), "{}", names[at]);
        }
        assert_eq!(styles(["wsc", "unknown"]), ["wsc", "unknown"].map(style));
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
