//! Loads the page in a browser, if there is one, with and without its script.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use report::page::explained;
use report::picture::Picture;
use report::picture::timeline::{Span, Timeline};
use scraper::{Html, Selector};

use crate::common::full;

/// The names that the browser's program may have.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Options with which the browser uses neither network nor screen.
const QUIET: [&str; 11] = [
    "--headless",
    "--window-size=1280,900",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--dump-dom",
];

/// Index of the column "Times taken" of the survivors' table, by which the tests sort.
const COLUMN: usize = 6;

/// Returns the name of a browser that runs. If there is none, prints that the tests are skipped.
fn browser() -> Option<&'static str> {
    let works = |name: &&str| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    };
    let found = NAMES.into_iter().find(works);
    if found.is_none() {
        // `.ci/run` counts these lines. The test harness would hide the output of `println!`.
        std::io::stdout().write_all(b"skipped: there is no chromium\n").unwrap();
    }
    found
}

/// Loads a page in a browser. Returns its elements, and the messages of the console.
fn rendered(browser: &str, html: &str) -> (Html, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, html).unwrap();
    let output = Command::new(browser)
        .args(QUIET)
        .arg(format!("--user-data-dir={}", path(folder.path(), "profile")))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let complaints = String::from_utf8_lossy(&output.stderr);
    let complaints = complaints.lines().filter(|line| line.contains(":CONSOLE"));
    let complaints = complaints.collect::<Vec<_>>().join("\n");
    let dom = String::from_utf8(output.stdout).unwrap();
    (Html::parse_document(&dom), complaints)
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// Adds a script to the page after its own.
fn with_script(html: &str, script: &str) -> String {
    html.replace("</body>", &format!("<script>{script}</script></body>"))
}

fn texts(html: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    html.select(&selector).map(|element| element.text().collect()).collect()
}

/// The cells of the sorted column, from top to bottom, of the rows that are shown.
fn column(html: &Html) -> Vec<String> {
    texts(
        html,
        &format!(
            "section[aria-labelledby='survivors'] tbody tr:not([hidden]) td:nth-child({})",
            COLUMN + 1
        ),
    )
}

const TABLE: &str =
    "const table = document.querySelector(\"section[aria-labelledby='survivors'] table\");";

/// Puts the page into a frame that forbids scripts, with a script around the frame that copies its elements out. The
/// script is necessary because the tests see the elements only after a script has run.
fn framed(page: &str) -> String {
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<!DOCTYPE html><body><iframe sandbox=\"allow-same-origin\" srcdoc=\"{escaped}\"></iframe><script>\
         const frame = document.querySelector('iframe');\
         frame.onload = () => document.body.replaceChildren(...frame.contentDocument.body.children);\
         </script></body>"
    )
}

#[test]
fn without_its_script_all_is_there() {
    let Some(browser) = browser() else { return };
    let (html, complaints) = rendered(browser, &framed(&full().html()));
    assert_eq!(complaints.lines().count(), 1, "{complaints}");
    assert!(complaints.contains("Blocked script execution"), "{complaints}");
    assert_eq!(texts(&html, "h2").len(), 8);
    assert_eq!(texts(&html, "button, input").len(), 0, "nothing that does nothing");
    assert_eq!(column(&html).len(), 10);
    // A column, two boxes with two lines each, an arrow and its legend.
    assert_eq!(texts(&html, "details.violation svg text").len(), 7);
    assert_eq!(texts(&html, "svg text").len(), 3 + 7, "and the figures'");
}

#[test]
fn the_comparison_of_protocols_fits_the_page() {
    let Some(browser) = browser() else { return };
    let measure = "const box = document.querySelector(\"section[aria-labelledby='protocols'] .scroll\");\
                   document.body.innerHTML = `<p>${box.scrollWidth - box.clientWidth}</p>`;";
    let (html, complaints) = rendered(browser, &with_script(&full().html(), measure));
    assert_eq!(complaints, "");
    assert_eq!(texts(&html, "p"), ["0"]);
}

#[test]
fn with_it_tables_can_be_sorted() {
    let Some(browser) = browser() else { return };
    let page = full().html();
    let (html, complaints) = rendered(browser, &page);
    assert_eq!(complaints, "");
    assert!(texts(&html, "th button").len() > 20);
    let clicks = |times: usize| {
        let click = format!("table.querySelectorAll(\"th button\")[{COLUMN}].click();");
        let script = format!("{TABLE}{}", click.repeat(times));
        let (html, complaints) = rendered(browser, &with_script(&page, &script));
        assert_eq!(complaints, "");
        (column(&html), texts(&html, "th[aria-sort]"))
    };
    let numbers = ["200", "300", "400", "500", "600", "700", "800", "900", "1 000"];
    let (up, sorted) = clicks(1);
    // Sorted as numbers, unknown ones last.
    assert_eq!(up[..9], numbers);
    assert_eq!(up[9], "not known");
    assert_eq!(sorted, ["Times taken"]);
    let (down, _) = clicks(2);
    assert!(down[..9].iter().rev().eq(numbers.iter()), "{down:?}");
    assert_eq!(down[9], "not known");
}

#[test]
fn with_it_tables_can_be_filtered() {
    let Some(browser) = browser() else { return };
    let script = format!(
        "{TABLE}const input = table.parentElement.previousElementSibling.querySelector('input');\
         input.value = 'SURVIVOR-1 drop'; input.dispatchEvent(new Event('input'));"
    );
    let (html, complaints) = rendered(browser, &with_script(&full().html(), &script));
    assert_eq!(complaints, "");
    let mut shown = column(&html);
    shown.sort();
    assert_eq!(shown, ["1 000", "not known"]);
    assert_eq!(texts(&html, "output").concat(), "2 of 10 rows");
}

#[test]
fn with_it_a_timeline_zooms() {
    let Some(browser) = browser() else { return };
    let span = |at: u64| Span {
        thread: 0,
        ends: (at, at + 5),
        location: 0,
        operations: 1,
        text: format!("T0:{at} load x == 1"),
    };
    let timeline = Timeline {
        threads: vec!["thread 0".to_owned()],
        locations: vec!["x".to_owned()],
        ends: (0, 1000),
        unit: "tick",
        spans: vec![span(0), span(995)],
        operations: 2,
    };
    let page = explained(&[Picture { timeline: Some(timeline), ..Picture::default() }]);
    let turned = |notches: &[i32]| {
        let script = format!(
            "const svg = document.querySelector('.timeline svg');\
             const area = svg.getBoundingClientRect();\
             const turn = (notches) => svg.dispatchEvent(new WheelEvent('wheel', {{\
               deltaY: 100 * notches, clientX: area.left + area.width / 2, bubbles: true, cancelable: true\
             }}));\
             const left = {notches:?}.filter(turn);\
             document.body.append(Object.assign(document.createElement('output'), {{ textContent: left.length }}));"
        );
        let (html, complaints) = rendered(browser, &with_script(&page, &script));
        assert_eq!(complaints, "");
        (texts(&html, ".axis span").join(", "), texts(&html, "output").concat())
    };
    assert_eq!(turned(&[]), ("tick 0, tick 1 000".to_owned(), "0".to_owned()));
    // Two notches of a wheel, and one movement of a touchpad over the same distance, zoom equally, around the middle.
    assert_eq!(turned(&[-1, -1]).0, "tick 180, tick 820");
    assert_eq!(turned(&[-2]), turned(&[-1, -1]));
    // In the closest view, the wheel no longer zooms but scrolls the page.
    let closest = vec![-3; 20];
    assert_eq!(turned(&closest).0, "tick 450, tick 550");
    assert_ne!(turned(&closest).1, "0");
    assert_eq!(turned(&[-1, 1, 1]), ("tick 0, tick 1 000".to_owned(), "1".to_owned()));
}

#[test]
fn complaints_would_be_seen() {
    let Some(browser) = browser() else { return };
    let page = full().html();
    let (_, thrown) = rendered(browser, &with_script(&page, "throw new Error('oh')"));
    assert!(thrown.contains("oh"), "{thrown}");
    // The page's policy forbids loading anything.
    let loading = page.replace(
        "</main>",
        "<img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\" alt=\"\"></main>",
    );
    let (_, refused) = rendered(browser, &loading);
    assert!(refused.contains("Content Security Policy"), "{refused}");
}
