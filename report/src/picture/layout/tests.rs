//! Properties of every layout: arrows do not go through boxes, and lines and labels do not overlap.

use proptest::prelude::*;

use super::super::{Arrow, Operation, Picture, Relation, Weight};
use super::{Layout, Line, Point, Rectangle, layout};

/// The smallest distance at which two lines can be distinguished.
const NEAR: f64 = 6.0;

fn operation(column: usize, row: usize) -> Operation {
    Operation {
        column,
        label: format!("T{column}:{row}"),
        text: "load [x] == 1".to_owned(),
        place: String::new(),
    }
}

fn arrow(from: usize, to: usize, letter: Option<&str>, weight: Weight) -> Arrow {
    Arrow { from, to, relation: Relation::ReadsFrom, letter: letter.map(str::to_owned), weight }
}

fn pictures() -> impl Strategy<Value = Picture> {
    let weights = prop_oneof![Just(Weight::Strong), Just(Weight::Plain), Just(Weight::Faint)];
    let boxes = prop::collection::vec(0..5_usize, 1..14);
    boxes.prop_flat_map(move |columns| {
        let row = 0..columns.len();
        let letter = prop::option::of(Just("ab"));
        let arrows = (row.clone(), row, letter, weights.clone());
        prop::collection::vec(arrows, 0..24).prop_map(move |arrows| Picture {
            columns: (0..5).map(|column| format!("thread {column}")).collect(),
            operations: (columns.iter().enumerate())
                .map(|(row, &column)| operation(column, row))
                .collect(),
            arrows: (arrows.into_iter())
                .map(|(from, to, letter, weight)| arrow(from, to, letter, weight))
                .collect(),
            ..Picture::default()
        })
    })
}

/// The box that two points span.
fn spanned(two: &[Point]) -> Rectangle {
    let (a, b) = (two[0], two[1]);
    Rectangle {
        x: a.x.min(b.x),
        y: a.y.min(b.y),
        width: (a.x - b.x).abs(),
        height: (a.y - b.y).abs(),
    }
}

fn segments(line: &Line) -> impl Iterator<Item = Rectangle> {
    line.points.windows(2).map(spanned)
}

/// The length of the intersection of two ranges; negative if they are apart.
fn shared(a: f64, length: f64, b: f64, other: f64) -> f64 {
    (a + length).min(b + other) - a.max(b)
}

/// The width and height of the intersection of two rectangles or lines.
fn common(a: &Rectangle, b: &Rectangle) -> (f64, f64) {
    (shared(a.x, a.width, b.x, b.width), shared(a.y, a.height, b.y, b.height))
}

fn meets(a: &Rectangle, b: &Rectangle) -> bool {
    let (across, down) = common(a, b);
    across > 0.01 && down > 0.01
}

/// Whether a line goes through a box, or along its edge.
fn goes_through(segment: &Rectangle, it: &Rectangle) -> bool {
    let (across, down) = common(segment, it);
    across > -0.01 && down > -0.01 && across.max(down) > 0.01
}

fn touches(a: &Rectangle, b: &Rectangle) -> bool {
    let (across, down) = common(a, b);
    across > -0.01 && down > -0.01
}

fn runs_along(a: &Rectangle, b: &Rectangle) -> bool {
    let (across, down) = common(a, b);
    let is_level = |it: &Rectangle| it.height < 0.01;
    match (is_level(a), is_level(b)) {
        (true, true) => across > 0.01 && down > -NEAR,
        (false, false) => down > 0.01 && across > -NEAR,
        _ => false,
    }
}

fn no_arrow_meets_a_box(layout: &Layout) -> Result<(), TestCaseError> {
    for line in &layout.arrows {
        for segment in segments(line) {
            for it in &layout.boxes {
                prop_assert!(!goes_through(&segment, it), "{segment:?} {it:?}");
            }
        }
    }
    Ok(())
}

fn no_two_arrows_run_along(layout: &Layout) -> Result<(), TestCaseError> {
    for (at, line) in layout.arrows.iter().enumerate() {
        for other in &layout.arrows[..at] {
            for (a, b) in segments(line).flat_map(|a| segments(other).map(move |b| (a, b))) {
                prop_assert!(!runs_along(&a, &b), "{line:?} {other:?}");
            }
        }
    }
    Ok(())
}

fn labels_are_free(picture: &Picture, layout: &Layout) -> Result<(), TestCaseError> {
    let said = (picture.arrows.iter().zip(&layout.arrows).enumerate())
        .filter(|(_, (arrow, _))| arrow.weight != Weight::Faint);
    for (at, (_, line)) in said {
        for it in &layout.boxes {
            prop_assert!(!meets(&line.label, it), "{line:?} {it:?}");
        }
        let others = (layout.arrows.iter().enumerate()).filter(|&(other, _)| other != at);
        for (_, other) in others {
            prop_assert!(!meets(&line.label, &other.label), "{line:?} {other:?}");
            let hidden = segments(other).find(|it| goes_through(it, &line.label));
            prop_assert_eq!(hidden, None, "{:?} {:?}", line, other);
        }
        let right = line.label.right();
        prop_assert!(line.label.x >= 0.0 && right <= layout.width);
    }
    Ok(())
}

/// The last segment of each arrow has room for its head.
fn heads_are_seen(layout: &Layout) -> Result<(), TestCaseError> {
    for line in &layout.arrows {
        let last = segments(line).last().expect("a line has two points");
        prop_assert!(last.width.max(last.height) > 11.0, "{line:?}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn arrows_and_labels_are_seen(picture in pictures()) {
        let layout = layout(&picture, 30.0);
        no_arrow_meets_a_box(&layout)?;
        no_two_arrows_run_along(&layout)?;
        labels_are_free(&picture, &layout)?;
        heads_are_seen(&layout)?;
        for point in layout.arrows.iter().flat_map(|line| &line.points) {
            prop_assert!(0.0 <= point.x && point.x <= layout.width, "{point:?}");
            prop_assert!(0.0 <= point.y && point.y <= layout.height, "{point:?}");
        }
    }
}

#[test]
fn arrows_between_the_same_boxes_are_side_by_side() {
    let weights = [Weight::Faint, Weight::Plain, Weight::Strong];
    let picture = Picture {
        columns: vec!["thread 0".to_owned()],
        operations: vec![operation(0, 0), operation(0, 1)],
        arrows: weights.map(|weight| arrow(0, 1, None, weight)).to_vec(),
        ..Picture::default()
    };
    let layout = layout(&picture, 0.0);
    let across: Vec<f64> = (layout.arrows.iter()).map(|line| line.points[0].x).collect();
    assert!(across.is_sorted() && across[0] < across[1], "{across:?}");
    let lengths = layout.arrows.iter().map(|line| line.points.len());
    assert_eq!(lengths.collect::<Vec<_>>(), [2, 2, 2]);
}

#[test]
fn what_need_not_cross_does_not() {
    // One store, and its readers in the other columns.
    let picture = Picture {
        columns: (0..4).map(|column| format!("thread {column}")).collect(),
        operations: (0..4).map(|row| operation(row, row)).collect(),
        arrows: (1..4).map(|to| arrow(0, to, None, Weight::Plain)).collect(),
        ..Picture::default()
    };
    let layout = layout(&picture, 0.0);
    for (at, line) in layout.arrows.iter().enumerate() {
        for other in &layout.arrows[..at] {
            let crossed = segments(line).any(|a| segments(other).any(|b| touches(&a, &b)));
            assert!(!crossed, "{line:?} {other:?}");
        }
    }
}
