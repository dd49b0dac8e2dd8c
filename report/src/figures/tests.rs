//! Measures the figures of the stored results: their text is inside of them, no text covers another one, and each has
//! its own title.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use papers::Guarantee;
use tables::results::Results;
use tables::{RECORDED, Reported, Trial};

use super::{Figure, all};
use crate::answers::Answers;
use crate::plot::font::LABEL;

/// Width of every figure, in pixels: 84 mm where labels are six points.
const COLUMN: i32 = 452;

/// Smallest em of text, in pixels: five and a half points in a column of 84 mm.
const LEAST_EM: f64 = 10.5;

/// A text of a figure, with its left, upper, right and lower end in pixels.
#[derive(Debug)]
struct Placed {
    text: String,
    em: f64,
    ends: [f64; 4],
}

fn stored() -> &'static [Figure] {
    static ALL: OnceLock<Vec<Figure>> = OnceLock::new();
    ALL.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/results");
        let results = Results::read(&folder).expect("the stored results are sound");
        let answers = Answers::of(&results.runs, &results.equivalents, &Guarantee::is_implied);
        all(&results, Some(&answers))
    })
}

/// The figures of recorded histories: many sizes close to each other, and some runs that timed out.
fn own() -> Vec<Figure> {
    let sizes = [(150, 2), (296, 2), (296, 8), (300, 4), (300, 6), (303, 3), (600, 4), (601, 4)];
    let trials = (0..).zip(sizes).flat_map(|(number, (operations, threads))| {
        ["sc-ccm-enum", "sc-ccm-sat", "sc-sat"].map(|algorithm| {
            let is_late = algorithm == "sc-ccm-enum" && operations > 200;
            Trial {
                experiment: "gcc-fig4".to_owned(),
                size: "quick".to_owned(),
                part: RECORDED.to_owned(),
                point: format!("operations={operations},threads={threads},locations=4"),
                source: RECORDED.to_owned(),
                model: "sc".to_owned(),
                algorithm: algorithm.to_owned(),
                said: if is_late { Reported::Timeout } else { Reported::Consistent },
                seconds: if is_late { 10.0 } else { 0.01 },
                timeout: 10.0,
                number,
                operations,
                threads,
                ..Trial::default()
            }
        })
    });
    all(&Results { trials: trials.collect(), ..Results::default() }, None)
}

/// The value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> &'a str {
    let (_, rest) = tag.split_once(&format!(" {name}=\"")).expect("the attribute is there");
    rest.split_once('"').expect("an attribute ends").0
}

/// The width and height of the drawing, before it is scaled to a column.
fn drawn(figure: &Figure) -> [f64; 2] {
    let mut numbers = attribute(&figure.svg, "viewBox").split(' ').skip(2);
    [(); 2].map(|()| numbers.next().unwrap().parse().unwrap())
}

/// All text of a figure with its place.
fn texts(figure: &Figure) -> Vec<Placed> {
    let svg = &figure.svg;
    let scale = drawn(figure)[0] / f64::from(COLUMN);
    let placed = svg.split("<text").skip(1).filter_map(|part| {
        let (tag, rest) = part.split_once('>').unwrap();
        let text = rest
            .split_once('<')
            .unwrap()
            .0
            .trim()
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&apos;", "'")
            .replace("&amp;", "&");
        let number = |name| attribute(tag, name).parse::<f64>().unwrap() / scale;
        let (x, y, em) = (number("x"), number("y"), number("font-size"));
        let mut face = LABEL.sized(em);
        face.is_bold = tag.contains("bold");
        let length = f64::from(face.width(&text));
        let along = match attribute(tag, "text-anchor") {
            "start" => [0.0, length],
            "middle" => [-length / 2.0, length / 2.0],
            _ => [-length, 0.0],
        };
        // The height of capitals and digits, and where it begins below the place.
        let top = match attribute(tag, "dy") {
            "0.76em" => 0.0,
            "0.5ex" => -0.38 * em,
            _ => -0.76 * em,
        };
        let across = [top, top + 0.76 * em];
        let ends = if tag.contains("rotate(270") {
            [x + across[0], y - along[1], x + across[1], y - along[0]]
        } else {
            [x + along[0], y + across[0], x + along[1], y + across[1]]
        };
        (!text.is_empty()).then_some(Placed { text, em, ends })
    });
    placed.collect()
}

#[test]
fn every_figure_is_a_column_wide_and_its_text_is_large_enough() {
    for figure in stored() {
        assert_eq!(attribute(&figure.svg, "width"), "84mm", "{}", figure.name);
        // A column of a page of a paper is about 230 mm high.
        let height = attribute(&figure.svg, "height").trim_end_matches("mm");
        assert!(height.parse::<f64>().unwrap() < 200.0, "{}: {height} mm", figure.name);
        for one in texts(figure) {
            assert!(one.em >= LEAST_EM - 0.01, "{}: {one:?}", figure.name);
        }
    }
}

#[test]
fn text_is_inside_of_figures() {
    for figure in stored() {
        let [wide, high] = drawn(figure);
        let (width, height) = (f64::from(COLUMN), high * f64::from(COLUMN) / wide);
        for one in texts(figure) {
            let [left, top, right, bottom] = one.ends;
            let is_inside = left >= 0.0 && top >= 0.0 && right <= width && bottom <= height;
            assert!(is_inside, "{} ({width} by {height}): {one:?}", figure.name);
        }
    }
}

#[test]
fn no_text_covers_another() {
    let mut covered = Vec::new();
    let own = own();
    for figure in stored().iter().chain(&own) {
        let texts = texts(figure);
        for (at, one) in texts.iter().enumerate() {
            for other in &texts[..at] {
                let [a, b] = [one.ends, other.ends];
                let apart = a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3];
                if !apart {
                    covered.push(format!("{}: {:?} and {:?}", figure.name, one.text, other.text));
                }
            }
        }
    }
    assert!(covered.is_empty(), "{}", covered.join("\n"));
}

#[test]
fn no_two_figures_have_the_same_title() {
    let mut titles: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for figure in stored() {
        titles.entry(&figure.title).or_default().push(&figure.name);
    }
    titles.retain(|_, names| names.len() > 1);
    assert!(titles.is_empty(), "{titles:?}");
}

#[test]
fn figures_of_papers_have_the_axes_of_the_papers() {
    let figure = |name: &str| stored().iter().find(|figure| figure.name == name).unwrap();
    let labels = |name: &str| texts(figure(name)).into_iter().map(|one| one.text);
    let has = |name: &str, words: &[&str]| {
        let all: Vec<String> = labels(name).collect();
        for word in words {
            assert!(all.iter().any(|one| one == word), "{name}: {word:?} is not among {all:?}");
        }
    };
    let gradual = ["number of operations", "number of cpus", "average running time"];
    has("gcc-fig4-paper", &[&gradual[..], &["0 s", "100", "500", "2", "6", "SC-SAT"]].concat());
    has("gcc-fig6-paper", &[&gradual[..], &["0 s", "TSO-CCM+Enum"]].concat());
    has("gcc-fig5-paper", &["number of cpus", "0 s", "8", "SC-CCM+SAT"]);
    has("wsc-fig6-paper", &["number of operations", "200", "800", "wSC+DBCOP", "0 s"]);
    for name in ["wsc-fig7-paper", "wsc-fig8-paper", "wsc-fig9-paper"] {
        has(name, &["number of threads", "4", "16", "DBCOP", "0 s"]);
    }
    // On logarithmic axes of the same length the third graph is the sum of the others: nothing begins at 0.
    for name in ["operations", "threads", "locations"].map(|by| format!("tsotool-fig4-{by}-paper"))
    {
        has(&name, &["analysis time", "ratio", "(b) Deriv+Back / Baseline"]);
        assert!(labels(&name).all(|text| text != "0 s" && text != "0×"), "{name}");
    }
}

/// Recorded histories are in each part, and their figures do not say the paper's parameters.
#[test]
fn figures_of_own_traces_say_which_parameters_they_mix() {
    let own = own();
    let labels = |name: &str| -> Vec<String> {
        let figure = own.iter().find(|figure| figure.name == name).unwrap();
        texts(figure).into_iter().map(|one| one.text).collect()
    };
    let has = |name: &str, words: &[&str]| {
        let all = labels(name);
        for word in words {
            assert!(all.iter().any(|one| one == word), "{name}: {word:?} is not among {all:?}");
        }
    };
    has("gcc-fig4-operations", &["operations (2–8 threads)", "300", "not ended"]);
    has("gcc-fig4-threads", &["threads (37–150 operations each)", "2", "8"]);
    has("gcc-fig4-paper", &["2–8 cpus", "37–150 operations a cpu"]);
}
