//! Tests that the page is valid HTML that loads nothing, escapes everything, and omits sections without data.

mod browser;
mod common;

use std::collections::BTreeSet;

use common::{EVIL, Made, full};
use scraper::{Html, Selector};
use tables::results::Results;

fn parsed(html: &str) -> Html {
    Html::parse_document(html)
}

fn all<'h>(html: &'h Html, selector: &str) -> Vec<scraper::ElementRef<'h>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}

fn texts(html: &Html, selector: &str) -> Vec<String> {
    let elements = all(html, selector).into_iter();
    elements.map(|element| element.text().collect::<String>().trim().to_owned()).collect()
}

#[test]
fn a_parser_has_nothing_to_complain_about() {
    for made in [full(), Made::default()] {
        let html = parsed(&made.html());
        assert_eq!(html.errors, Vec::<String>::new());
        assert_eq!(all(&html, "html, head, body, main").len(), 4);
    }
    // The parser reports errors.
    assert!(!parsed("<!DOCTYPE html><table><p></table></i>").errors.is_empty());
}

#[test]
fn it_loads_nothing() {
    let html = parsed(&full().html());
    let loading =
        "link, img, iframe, object, embed, base, [src], [srcset], [action], [data], [background]";
    assert!(all(&html, loading).is_empty());
    let links = all(&html, "[href]");
    assert!(links.len() > 10);
    for link in links {
        let target = link.value().attr("href").unwrap();
        assert!(target.starts_with('#'), "{target}");
    }
    let policy = all(&html, "meta[http-equiv='Content-Security-Policy']");
    let policy = policy[0].value().attr("content").unwrap();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    let style = texts(&html, "style").concat();
    assert!(!style.contains("@import") && !style.contains("url("));
}

#[test]
fn links_find_their_targets_and_no_id_is_there_twice() {
    let html = parsed(&full().html());
    let ids: Vec<&str> =
        all(&html, "[id]").into_iter().filter_map(|element| element.value().attr("id")).collect();
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(known.len(), ids.len(), "{ids:?}");
    for link in all(&html, "[href]") {
        let target = &link.value().attr("href").unwrap()[1..];
        assert!(known.contains(target), "{target}");
    }
    for element in all(&html, "[aria-labelledby]") {
        assert!(known.contains(element.value().attr("aria-labelledby").unwrap()));
    }
    // The drawings have the same id, and each must refer to its own.
    let clipped = all(&html, "svg [clip-path]");
    let targets: BTreeSet<&str> =
        clipped.iter().filter_map(|element| element.value().attr("clip-path")).collect();
    assert_eq!((clipped.len(), targets.len()), (3, 3));
    for target in targets {
        let id = target.trim_start_matches("url(#").trim_end_matches(')');
        assert!(known.contains(id), "{id}");
    }
}

#[test]
fn names_are_text_wherever_they_are() {
    let page = full().html();
    let html = parsed(&page);
    assert_eq!(all(&html, "script").len(), 1, "the page's own");
    assert!(!page.contains(EVIL) && !page.contains("<script>alert"));
    // The names are shown nevertheless.
    assert!(texts(&html, "h3").iter().any(|title| title.starts_with(EVIL)));
    assert!(texts(&html, "td, th").iter().filter(|text| *text == EVIL).count() > 5);
    assert!(texts(&html, "pre")[0].contains(EVIL));
    for element in all(&html, "*") {
        let mut attributes = element.value().attrs();
        assert!(attributes.all(|(name, _)| !name.starts_with("on")));
    }
}

#[test]
fn the_same_results_give_the_same_bytes() {
    assert_eq!(full().html(), full().html());
}

#[test]
fn everything_has_its_place() {
    let html = parsed(&full().html());
    let headings = [
        "Summary",
        "Published results and ours",
        "Protocols side by side",
        "Experiments",
        "Campaign",
        "Transition coverage",
        "Violations",
        "What was run",
    ];
    let found = texts(&html, "h2");
    let found: Vec<&str> = found.iter().map(|title| title.trim_end_matches([' ', '#'])).collect();
    assert_eq!(found, headings);
    let within = |heading: &str| format!("section[aria-labelledby='{heading}']");
    let drawn = |selector: &str| -> Vec<String> {
        let figures = all(&html, selector).into_iter();
        let ids = figures.filter_map(|figure| figure.value().attr("id"));
        ids.map(str::to_owned).collect()
    };
    assert_eq!(
        drawn(&format!("{} figure", within("experiment-gcc-fig4"))),
        ["figure-gcc-fig4-operations", "figure-gcc-fig4-threads"]
    );
    // The matrix of operators and finders is a table, and not a figure beside it.
    let shown = drawn(&format!("{} figure", within("campaign-figures")));
    assert_eq!(shown, ["figure-mutants-operations"]);
    let thumbnails = all(&html, ".thumbnails use");
    let thumbnails: Vec<&str> =
        thumbnails.iter().filter_map(|one| one.value().attr("href")).collect();
    assert_eq!(
        thumbnails,
        [
            "#figure-gcc-fig4-operations-drawing",
            "#figure-mutants-operations-drawing",
            "#figure-gcc-fig4-threads-drawing"
        ]
    );
    let compared = texts(&html, &format!("{} tbody tr > *", within("protocols")));
    assert_eq!(compared[..4], ["P", "11", "1", "9.09 % (1 of 11; 1.62 to 37.74 %)"]);
    assert_eq!(compared[6..9], ["2", "3", "66.67 %"]);
    let hints = texts(&html, &format!("{} tbody td:last-child", within("survivors")));
    assert!(
        hints.contains(&EVIL.to_owned()) && hints.contains(&"not known".to_owned()),
        "{hints:?}"
    );
    // The drawing contains its title.
    let captions = texts(&html, "figcaption");
    assert!(captions.iter().all(|caption| !caption.contains("Title of")));
    let ran = texts(&html, &format!("{} tbody tr:first-child > *", within("ran")));
    assert_eq!(ran[..6], ["gcc-fig4", "quick", "3", "6", "3", "0"]);
    assert_eq!(ran[8..], ["5", "60 s"]);
    assert_eq!(
        texts(&html, &format!("{} table .verdict", within("claims"))),
        ["✓ holds", "✗ differs", "≈ calibrated", "○ untested"]
    );
    let told = texts(&html, &format!("{} dd", within("ran")));
    assert!(told.contains(&"9.8.7".to_owned()), "{told:?}");
    let kills = texts(&html, &format!("{} tfoot > tr > *", within("kills")));
    assert_eq!(kills[..3], ["all", "11", "1"]);
    let violation = texts(&html, &format!("{} tbody > tr > *", within("violations")));
    assert_eq!(violation[0], "<script>caught");
    assert_eq!(violation[4..6], ["17", "50"]);
    assert!(violation[6].starts_with("the required orderings form a cycle"));
    let heat = texts(&html, ".heat td.never, .heat td.taken, .heat td.stalled, .heat td.out");
    assert_eq!(heat, ["1.2k", "0", "7", "z 3", "–"]);
}

#[test]
fn figures_say_what_they_show_to_who_does_not_see_them() {
    let html = parsed(&full().html());
    let violations = all(&html, "details.violation .drawing");
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].value().attr("role"), Some("img"));
    assert_eq!(violations[0].value().attr("aria-label"), Some(EVIL));
    let drawings = all(&html, ".drawing:not(.natural)");
    assert_eq!(drawings.len(), 3);
    for drawing in drawings {
        assert_eq!(drawing.value().attr("role"), Some("img"));
        assert!(drawing.value().attr("aria-label").unwrap().contains("Caption"));
    }
    assert_eq!(all(&html, ".scroll:not([aria-label]), .scroll:not([tabindex])").len(), 0);
    assert_eq!(all(&html, "table:not(:has(caption))").len(), 0);
}

#[test]
fn what_there_is_not_has_no_section() {
    let headings = |made: &Made| texts(&parsed(&made.html()), "h2").len();
    assert_eq!(headings(&Made::default()), 0);
    let full = full();
    let trials = Made {
        results: Results { trials: full.results.trials.clone(), ..Results::default() },
        ..Made::default()
    };
    let html = parsed(&trials.html());
    assert_eq!(texts(&html, "h2"), ["Summary #", "Experiments #", "What was run #"]);
    let campaign = Made {
        results: Results { runs: full.results.runs.clone(), ..Results::default() },
        answers: full.answers.clone(),
        // No claim was tested.
        claims: full.claims[3..].to_vec(),
        ..Made::default()
    };
    let html = parsed(&campaign.html());
    assert_eq!(
        texts(&html, "h2"),
        ["Summary #", "Protocols side by side #", "Campaign #", "Violations #", "What was run #"]
    );
    assert!(all(&html, "pre").is_empty());
}

/// A page about a campaign alone has the claims that its runs are about, and no list of those that experiments would test.
#[test]
fn a_campaign_alone_shows_claims_with_results() {
    let full = full();
    let campaign = Made {
        results: Results { runs: full.results.runs.clone(), ..Results::default() },
        answers: full.answers.clone(),
        claims: full.claims.clone(),
        ..Made::default()
    };
    let html = parsed(&campaign.html());
    let within =
        |selector: &str| texts(&html, &format!("section[aria-labelledby='claims'] {selector}"));
    assert_eq!(within("table .verdict"), ["✓ holds", "✗ differs", "≈ calibrated"]);
    assert!(within("p")[0].starts_with("Of 3 claims"), "{:?}", within("p"));
}

#[test]
fn kinds_of_cores_are_compared() {
    let html = parsed(&full().html());
    let captions = texts(&html, "section[aria-labelledby='protocols'] caption");
    assert_eq!(captions.len(), 2);
    assert!(captions[1].contains("each kind of core"), "{captions:?}");
}
