//! Draws every figure from invented rows, and from unusual ones.

mod made;

use std::sync::OnceLock;

use report::figures::{self, Figure};
use tables::results::Results;
use tables::{Reported, Trial};

/// All figures of the invented rows.
fn made_figures() -> &'static [Figure] {
    static ALL: OnceLock<Vec<Figure>> = OnceLock::new();
    ALL.get_or_init(|| figures::all(&made::results(), Some(&made::answers())))
}

/// Fails if the SVG or PNG of a figure is not valid. Returns the PNG, which takes long to draw.
fn check(figure: &Figure) -> Vec<u8> {
    let name = &figure.name;
    assert!(name.chars().all(|one| one.is_ascii_alphanumeric() || one == '-'), "{name}");
    check_svg(name, &figure.svg);
    let png = figure.png();
    let size = |at: usize| {
        let bytes = png.get(at..at + 4).expect("a PNG has a header");
        u32::from_be_bytes(bytes.try_into().expect("four bytes"))
    };
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n", "{name}");
    let [width, height] = [size(16), size(20)].map(|pixels| pixels / 3);
    // Both say that they are as wide as a column of a paper.
    let high = 84.0 * f64::from(height) / f64::from(width);
    let header = format!("<svg width=\"84mm\" height=\"{high:.2}mm\" viewBox=");
    assert!(figure.svg.starts_with(&header), "{name}: {header}");
    let dots =
        png.windows(4).position(|bytes| bytes == b"pHYs").expect("a PNG says its resolution") + 4;
    assert_eq!(png[dots + 8], 1, "{name}: in dots per metre");
    let wide = f64::from(size(16)) * 1000.0 / f64::from(size(dots));
    assert!((wide - 84.0).abs() < 0.1, "{name}: {wide} mm");
    assert!((200..20_000).contains(&width) && (200..20_000).contains(&height), "{name}");
    assert!(
        !figure.title.is_empty() && figure.caption.ends_with('.'),
        "{name}: {}",
        figure.caption
    );
    assert!(!figure.table.rows.is_empty(), "{name}");
    for row in &figure.table.rows {
        assert_eq!(row.len(), figure.table.columns.len(), "{name}: {row:?}");
        assert!(row.iter().all(|cell| !cell.contains("NaN")), "{name}: {row:?}");
    }
    png
}

/// Fails if an element is not closed by its own end tag, or if a number is not valid.
fn check_svg(name: &str, svg: &str) {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some((words, tag)) = rest.split_once('<') {
        assert!(!words.contains('>'), "{name}: {words}");
        let (tag, after) = tag.split_once('>').expect("a tag ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "{name}: {tag}");
        match tag.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop(), Some(end), "{name}"),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap_or_default()),
        }
        rest = after;
    }
    assert!(open.is_empty(), "{name}: {open:?}");
    for word in ["NaN", "inf", "-2147483648", "2147483647"] {
        assert!(!svg.contains(&format!("\"{word}")), "{name}: {word}");
        assert!(!svg.contains(&format!(">\n{word}")), "{name}: {word}");
    }
}

/// A table as text, its columns padded.
fn text(figure: &Figure) -> String {
    let table = &figure.table;
    let rows = || std::iter::once(&table.columns).chain(&table.rows);
    let width = |at: usize| rows().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn all_figures_of_all_experiments() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures");
    std::fs::create_dir_all(&folder).unwrap();
    let figures = made_figures();
    // The files are kept, so that they can be inspected.
    for figure in figures {
        let png = check(figure);
        std::fs::write(folder.join(format!("{}.svg", figure.name)), &figure.svg).unwrap();
        std::fs::write(folder.join(format!("{}.png", figure.name)), png).unwrap();
    }
    let names: Vec<&str> = figures.iter().map(|figure| &*figure.name).collect();
    insta::assert_snapshot!("names", names.join("\n"));
    for figure in figures {
        let shown = format!("{}\n\n{}\n\n{}", figure.title, figure.caption, text(figure));
        insta::assert_snapshot!(figure.name.clone(), shown);
    }
}

#[test]
fn axes_have_names_and_units() {
    let figures = made_figures();
    let has = |name: &str, words: &[&str]| {
        let figure = figures.iter().find(|figure| figure.name == name).unwrap();
        for word in words {
            assert!(figure.svg.contains(&format!(">\n{word}\n<")), "{name}: {word}");
        }
    };
    has(
        "gcc-fig4-operations",
        &["operations (4 threads)", "time to check a history", "10 s", "sc-sat"],
    );
    has("gcc-fig4-threads", &["threads (50 operations each)"]);
    has("gcc-unordered", &["share of pairs unordered", "published", "57.75 %", "6.6 %"]);
    has("wsc-fig9-threads", &["wsc, published: at most 8 s"]);
    has("tsotool-fig4-operations", &["operations", "128Ki"]);
    has("tsotool-table1", &["14.9 s", "2.05×"]);
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let mut results = made::results();
    results.trials.retain(|trial| ["wsc-fig9", "tsotool-table1"].contains(&&*trial.experiment));
    let figures = figures::all(&results, None);
    assert!(figures.len() > 3);
    let again = figures::all(&results, None);
    assert_eq!(figures.len(), again.len());
    for (figure, again) in figures.iter().zip(&again) {
        assert_eq!(figure.svg, again.svg, "{}", figure.name);
        assert_eq!(figure.png(), again.png(), "{}", figure.name);
    }
}

#[test]
fn no_rows_no_figures() {
    let answers = report::answers::Answers::of(&[], &[], &|_, _| true);
    assert!(figures::all(&Results::default(), Some(&answers)).is_empty());
}

/// The figures of trials, whose pictures are checked.
fn figures_of(trials: Vec<Trial>) -> Vec<Figure> {
    let results = Results { trials, ..Results::default() };
    let figures = figures::all(&results, None);
    for figure in &figures {
        check(figure);
    }
    figures
}

#[test]
fn one_row_of_each_experiment() {
    let mut trials = made::results().trials;
    trials.dedup_by(|one, other| (&one.experiment, &one.part) == (&other.experiment, &other.part));
    figures_of(trials);
}

#[test]
fn everything_cut_off() {
    let mut trials = made::results().trials;
    trials.retain(|trial| trial.number < 2);
    for trial in &mut trials {
        trial.said = Reported::Timeout;
        (trial.ordered, trial.kernel, trial.cycle) = (None, None, None);
        trial.seconds = trial.timeout;
    }
    let figures = figures_of(trials);
    let figure = figures.iter().find(|figure| figure.name == "wsc-fig6-operations").unwrap();
    assert!(figure.svg.contains("limit 60 s"));
    assert!(figure.svg.contains("not ended"));
    // The columns are runs, runs that timed out, and quartiles.
    assert_eq!(figure.table.rows[0][2..], ["2", "2", "≥ 60", "≥ 60", "≥ 60"]);
}

#[test]
fn a_limit_is_that_of_its_column() {
    let mut trials = made::results().trials;
    trials.retain(|trial| trial.experiment == "gcc-fig6" && trial.part == "operations");
    for trial in &mut trials {
        (trial.said, trial.timeout) = (Reported::Consistent, 10.0);
        // Half of the runs ended after their limit, each at a different time.
        trial.seconds = match trial.algorithm.as_str() {
            "tso-sat" => 9.0 + f64::from(trial.number % 2) * (2.0 + f64::from(trial.number)),
            _ => 0.01,
        };
    }
    let figures = figures_of(trials.clone());
    assert!(figures[0].svg.contains("limit 10 s"));
    assert!(!figures[0].svg.contains("20 s"));
    let late = |row: &&Vec<String>| row[1] == "tso-sat";
    let rows: Vec<&Vec<String>> = figures[0].table.rows.iter().filter(late).collect();
    assert!(!rows.is_empty());
    for row in rows {
        assert!(row[3] != "0" && row[6] == "≥ 10", "{row:?}");
    }
    // Without time-outs, the limit is not shown.
    trials.retain(|trial| trial.algorithm != "tso-sat");
    assert!(!figures_of(trials)[0].svg.contains("limit 10 s"));
}

#[test]
fn odd_numbers() {
    for odd in [0.0, f64::NAN, f64::INFINITY, -1.0, 1e300, 1e-300] {
        let mut trials = made::results().trials;
        let wanted = [
            "gcc-fig4",
            "gcc-unordered",
            "wsc-kernel",
            "wsc-fig9",
            "tsotool-table1",
            "qadeer-cycles",
        ];
        trials.retain(|trial| trial.number < 2 && wanted.contains(&&*trial.experiment));
        for trial in &mut trials {
            (trial.seconds, trial.timeout) = (odd, odd);
            (trial.write_pairs, trial.kernel, trial.ordered) = (0, Some(0), Some(u64::MAX));
            (trial.threads, trial.operations, trial.cycle) = (0, u64::MAX, Some(u32::MAX));
        }
        figures_of(trials);
    }
}

#[test]
fn a_hundred_algorithms() {
    let mut trials = Vec::new();
    for at in 0..100 {
        for experiment in [
            "gcc-fig4",
            "gcc-unordered",
            "wsc-kernel",
            "wsc-fig9",
            "tsotool-fig3",
            "tsotool-table1",
        ] {
            let mut trial = made::trial(experiment, "threads", at % 3, &format!("algorithm-{at}"));
            (trial.threads, trial.operations) = (2 + at % 5, 100);
            (trial.write_pairs, trial.kernel, trial.ordered) = (10, Some(9), Some(8));
            trial.seconds = 0.01 * f64::from(at);
            trial.point = format!("threads={}", trial.threads);
            if at % 2 == 0 {
                trial.said = Reported::Timeout;
            }
            trials.push(trial);
        }
    }
    figures_of(trials);
}

#[test]
fn other_algorithms_are_drawn_too() {
    let mut trials = made::wsc();
    trials.retain(|trial| trial.experiment == "wsc-fig7");
    let mut more = trials.clone();
    more.retain(|trial| trial.algorithm == "wsc-enum");
    for trial in &mut more {
        trial.algorithm = "my-own".to_owned();
        trial.seconds *= 2.0;
    }
    trials.extend(more);
    let figures = figures_of(trials);
    assert!(figures[0].svg.contains("\nmy-own\n"));
    assert!(figures[0].table.rows.iter().any(|row| row[1] == "my-own"));
}

#[test]
fn sizes_have_figures_of_their_own() {
    let mut trials = made::qadeer();
    let mut more = trials.clone();
    more.truncate(10);
    for trial in &mut more {
        trial.size = "paper".to_owned();
    }
    trials.extend(more);
    let names: Vec<String> = figures_of(trials).into_iter().map(|figure| figure.name).collect();
    assert_eq!(names, ["qadeer-cycles", "qadeer-cycles-quick"]);
}
