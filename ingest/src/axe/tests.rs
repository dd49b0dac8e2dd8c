use std::path::{Path, PathBuf};

use history::{Annotation, DependencyKind, Initial, Kind, OpId, Provenance};
use proptest::prelude::*;

use crate::Addresses;

use super::*;

fn read_with(text: &str, options: &Options) -> Result<Vec<History>, Error> {
    let mut lines = Lines::new(text.as_bytes(), "t.axe", false)?;
    parse(&mut lines, options)
}

fn read(text: &str) -> Vec<History> {
    read_with(text, &Options::default()).unwrap()
}

fn one(text: &str) -> History {
    let mut histories = read(text);
    assert_eq!(histories.len(), 1);
    histories.remove(0)
}

fn error(text: &str) -> String {
    read_with(text, &Options::default()).unwrap_err().to_string()
}

fn text_of(history: &History) -> String {
    let mut out = Vec::new();
    write(history, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_spelling_is_understood() {
    let spellings = [
        ("0: M[7] := 3", "store M[7] := 3"),
        ("0: v7 := 3", "store M[7] := 3"),
        ("0:M[7]:=3", "store M[7] := 3"),
        ("  0 :  M [ 7 ]  :=  3  ", "store M[7] := 3"),
        ("\t0:\tv7\t==\t3", "load M[7] == 3"),
        ("0: M[7] == 3", "load M[7] == 3"),
        ("0: v7 == 3 @ 4 : 5", "load M[7] == 3"),
        ("0: <M[7] == 1; M[7] := 3>", "rmw M[7] == 1, := 3"),
        ("0: < v7==1;v7:=3 >", "rmw M[7] == 1, := 3"),
        ("0: { M[7] == 1; M[7] := 3 }", "rmw M[7] == 1, := 3"),
        ("0: {v7 == 1 ; M[7] := 3}@:9", "rmw M[7] == 1, := 3"),
        ("0: sync", "fence"),
        ("0: sync @ 1 :", "fence"),
        ("0: <M[7] == 3; M[7] := 3>", "silent-rmw M[7] == 3"),
        ("0: M[7] == 3 # text", "load M[7] == 3"),
        ("0: M[7] == 3#! acquire", "load (acquire) M[7] == 3"),
        ("0: M[7] == 3 #! acquire-pc", "load (acquire-pc) M[7] == 3"),
        ("0: M[7] == 3 @ 1:2 #! load-linked acquire", "load-linked (acquire) M[7] == 3"),
        ("0: M[7] == 3 #! failed-cas", "failed-cas M[7] == 3"),
        ("0: M[7] == 3 #! silent-rmw release", "silent-rmw (release) M[7] == 3"),
        ("0: M[7] := 3 #! store-conditional", "store-conditional M[7] := 3"),
        ("0: {v7 == 1; v7 := 3} #! no-return", "rmw (no-return) M[7] == 1, := 3"),
        ("#! 0: fence r,rw", "fence r,rw"),
        (" #! 0 :fence r,r", "fence r,r"),
        ("#! 0: isb issued:7", "isb"),
    ];
    for (line, expected) in spellings {
        let history = one(line);
        assert_eq!(history.describe(OpId(0)), expected, "{line}");
    }
}

#[test]
fn ticks_are_kept() {
    let ticks = |line: &str| {
        let operation = one(line).operation(OpId(0));
        (operation.issued, operation.completed)
    };
    assert_eq!(ticks("0: v1 == 0"), (None, None));
    assert_eq!(ticks("0: v1 == 0 @ 3 : 5"), (Some(3), Some(5)));
    assert_eq!(ticks("0: v1 == 0 @ 3:"), (Some(3), None));
    assert_eq!(ticks("0: v1 == 0 @ : 5"), (None, Some(5)));
    assert_eq!(ticks("0: v1 == 0 @ :"), (None, None));
}

#[test]
fn completions_are_an_order_only_if_all_are_known() {
    let all = one("1: v1 := 1 @ 1 : 9\n0: v1 == 0 @ : 4\n");
    assert_eq!(all.order(OpId(0)), Some(0));
    assert_eq!(all.order(OpId(1)), Some(1));
    assert!(!one("1: v1 := 1 @ 1 : 9\n0: v1 == 0 @ 4 :\n").has_order());
    assert!(!one("1: v1 := 1\n0: v1 == 0\n").has_order());
}

#[test]
fn histories_are_separated_and_named() {
    let text = "\n# first\n# not a name\n0: v1 := 1\ncheck\n\n#\n# none\ncheck\ncheck\n \
                0: sync\n#late\ncheck # \n";
    assert!(error(&text.replace("check # ", "check x")).contains("t.axe:13"), "garbage");
    let histories = read(text);
    let names: Vec<_> = histories.iter().map(|h| h.name.as_deref()).collect();
    assert_eq!(names, [Some("first"), Some("late")]);
}

#[test]
fn the_last_check_may_be_missing() {
    assert_eq!(read("0: v1 := 1\ncheck\n0: v1 := 1").len(), 2);
    assert_eq!(read("0: v1 := 1\ncheck\n# a comment at the end\n").len(), 1);
}

#[test]
fn final_values_belong_to_their_history() {
    let histories = read("final v3 == 4\ncheck\n0: v1 := 1\nfinal M[1] == 1\nfinal v1 == 1\n");
    assert_eq!(histories[0].len(), 0);
    assert_eq!(histories[0].locations()[0].address, 3);
    let last = histories[0].finals()[0];
    assert_eq!((last.value, last.line), (4, Some(1)));
    assert_eq!(histories[1].finals().len(), 1);
}

#[test]
fn lines_and_threads_are_kept() {
    let history = one("# x\n9: v1 := 1\n2: v1 == 1\n9: sync\n4294967295: v1 == 0\n");
    let labels: Vec<u32> = history.threads().iter().map(|t| t.label).collect();
    assert_eq!(labels, [2, 9, u32::MAX]);
    assert_eq!(history.line(OpId(0)), Some(3));
    assert_eq!(history.line(OpId(2)), Some(4));
}

#[test]
fn the_largest_numbers_fit() {
    let history = one("0: M[18446744073709551615] := 18446744073709551615\n");
    assert_eq!(history.written(OpId(0)), Some(u64::MAX));
    assert_eq!(history.locations()[0].address, u64::MAX);
}

#[test]
fn every_bad_line_is_named() {
    let cases = [
        ("x", "found `x` at column 1, expected a thread number"),
        ("0", "the end of the line at column 2, expected `:` after"),
        ("0:", "expected a location"),
        ("0: M[1]", "expected `:=` or `==`"),
        ("0: M[1] =", "expected `:=` or `==`"),
        ("0: M[1] := ", "expected a decimal number"),
        ("0: M[1] := -1", "found `-1` at column 12"),
        ("0: M[1 := 2", "expected `]`"),
        ("0: M1 := 2", "expected `[`"),
        ("0: M[] := 2", "expected a decimal number"),
        ("0: w1 := 2", "expected a location"),
        ("0: M[1] := 2 junk", "found `junk` at column 14, expected the end"),
        ("0: M[1] := 0x2", "found `x2`"),
        ("0: sync now", "found `now`"),
        ("0: <M[1] == 1; M[2] := 2>", "that the read-modify-write reads"),
        ("0: <M[1] == 1; M[1] := 2", "expected `>`"),
        ("0: <M[1] == 1; M[1] := 2}", "expected `>`"),
        ("0: {M[1] == 1; M[1] := 2>", "expected `}`"),
        ("0: <M[1] := 1; M[1] == 2>", "expected `==`"),
        ("0: <M[1] == 1, M[1] := 2>", "expected `;`"),
        ("0: M[1] := 2 @ 3", "expected `:` between the ticks"),
        ("0: M[1] := 2 @ 3 : x", "found `x`"),
        ("4294967296: sync", "at most 4294967295"),
        ("0: M[1] := 18446744073709551616", "at most 18446744073709551615"),
        ("0: M[99999999999999999999] := 1", "at most 18446744073709551615"),
        ("0: M[1] := 1 @ 99999999999999999999 :", "at most 18446744073709551615"),
        ("final M[1] := 2", "expected `==`"),
        ("final", "after `final`"),
        ("finally", "after `final`"),
        ("checks", "found `s` at column 6"),
        ("-1: sync", "expected a thread number"),
        ("0: v1 == 1 #! aquire", "found `aquire` at column 15, expected an annotation"),
        ("0: v1 == 1 #! release store-conditional", "found `store-conditional`"),
        ("0: v1 := 2 #! load-linked", "found `load-linked`"),
        ("0: v1 == 1 #! acquire release", "found `release`"),
        ("0: v1 == 1 #! load-linked failed-cas", "found `failed-cas`"),
        ("0: v1 == 1 #! issued:4 issued:9", "found `issued:9`"),
        ("0: v1 := 2 #! address:1", "a dependency on operation 1 of the thread"),
        ("0: v1 := 2 #! address:x", "found `address:x`"),
        ("#! 0: fence r,rwx", "expected a fence that is not full"),
        ("#! 0: isb acquire", "found `acquire`"),
        ("#! fence r,r", "expected a thread number"),
    ];
    for (line, expected) in cases {
        let message = error(&format!("# name\n0: v1 := 1\n{line}\n"));
        assert!(message.starts_with("t.axe:3: "), "{line}: {message}");
        assert!(message.contains(expected), "{line}: {message}");
    }
}

#[test]
fn bytes_that_are_no_text_are_an_error() {
    let mut lines = Lines::new(&b"0: v1 := 1\n0: \xff\xfe := 1\n"[..], "t.axe", false).unwrap();
    let message = parse(&mut lines, &Options::default()).unwrap_err().to_string();
    assert!(message.starts_with("t.axe:2: "), "{message}");
}

#[test]
fn a_line_that_is_cut_off_is_named() {
    let message = error("0: v1 := 1\n0: M[1");
    assert!(message.contains("t.axe:2: the line is cut off"), "{message}");
}

#[test]
fn contradicting_final_values_name_both_lines() {
    let message = error("0: v1 := 1\nfinal v1 == 1\nfinal M[1] == 2\n");
    assert!(message.starts_with("t.axe:3: "), "{message}");
    assert!(message.contains("line 2"), "{message}");
}

#[test]
fn a_file_without_a_history_is_an_error() {
    for text in ["# only\n# comments\n", "check\ncheck\n", "\n\n"] {
        assert!(error(text).contains("is empty"), "{text}");
    }
}

#[test]
fn lossy_skips_and_counts() {
    let options = Options { lossy: true, ..Options::default() };
    let histories = read_with("0: v1 := 1\nbroken\n0: v1 :=\n0: v1 == 1\n", &options).unwrap();
    assert_eq!(histories[0].len(), 2);
    assert!(histories[0].provenance.notes[0].ends_with("skipped: 2, the first at line 2"));
}

#[test]
fn operations_are_selected_by_location_and_tick() {
    let text = "0: v1 := 1 @ 1 : 2\n0: v2 := 1 @ 3 : 4\n1: sync\n1: v9 := 1 @ : 9\nfinal v1 == 1\n\
                final v9 == 1\n";
    let by_address = Options { addresses: Some(Addresses::Range(1..3)), ..Options::default() };
    let histories = read_with(text, &by_address).unwrap();
    assert_eq!((histories[0].len(), histories[0].finals().len()), (3, 1));
    let by_tick = Options { from_tick: Some(4), to_tick: Some(9), ..Options::default() };
    let histories = read_with(text, &by_tick).unwrap();
    assert_eq!((histories[0].len(), histories[0].finals().len()), (2, 0));
    assert!(histories[0].provenance.notes[0].contains("final"));
}

#[test]
fn initial_values_are_as_the_options_say() {
    let options = Options { initial: Some(Initial::Infer), ..Options::default() };
    let histories = read_with("0: v1 == 5\n", &options).unwrap();
    assert_eq!(histories[0].initial(0), Some(5));
    let message = write(&histories[0], &mut Vec::new()).unwrap_err().to_string();
    assert!(message.contains("is 5, not 0"), "{message}");
}

#[test]
fn what_axe_cannot_say_is_refused() {
    let with = |access: Access| {
        let mut builder = HistoryBuilder::new();
        builder.push(access);
        let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made());
        let error = write(&history.unwrap(), &mut Vec::new()).unwrap_err();
        error.to_string()
    };
    let access = |kind| Access {
        read: Some(1),
        written: Some(2),
        line: Some(77),
        ..Access::new(3, kind, Place::Cell(5))
    };
    let zero = with(Access { written: Some(0), ..access(Kind::Store) });
    assert!(zero.contains("stores 0"), "{zero}");
    assert!(zero.contains("operation 0 of thread 3"), "{zero}");
    assert!(zero.contains("line 77") && zero.contains("JSON or Parquet"), "{zero}");
    // A line with equal values would be a silent read-modify-write, so a remark says that this one has written.
    let mut builder = HistoryBuilder::new();
    builder.push(Access { written: Some(1), ..access(Kind::Rmw) });
    let written_back =
        builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap();
    assert_eq!(one(&text_of(&written_back)).kind(OpId(0)), Kind::Rmw);
    for kind in [Kind::Load, Kind::Store, Kind::Rmw] {
        let hidden = with(Access { read: None, written: None, ..access(kind) });
        assert!(hidden.contains("not known"), "{hidden}");
    }
}

#[test]
fn split_accesses_and_unfinished_stores_are_refused() {
    let bytes = |address, size| Place::Bytes { address, size };
    let load = |place, read| Access { read: Some(read), ..Access::new(0, Kind::Load, place) };
    let mut builder = HistoryBuilder::new();
    builder.push(load(bytes(0, 8), 0));
    builder.push(load(bytes(0, 4), 0));
    let split = builder.finish(Default::default(), &Initial::Zero, Provenance::made());
    let message = write(&split.unwrap(), &mut Vec::new()).unwrap_err().to_string();
    assert!(message.contains("split"), "{message}");

    let mut builder = HistoryBuilder::new();
    builder.push(load(bytes(0, 8), 7));
    let provenance = Provenance {
        unfinished: vec![history::Unfinished {
            thread: 1,
            address: 0,
            writes: true,
            issued: None,
            line: None,
        }],
        ..Provenance::made()
    };
    let cut = builder.finish(Default::default(), &Initial::Zero, provenance);
    let message = write(&cut.unwrap(), &mut Vec::new()).unwrap_err().to_string();
    assert!(message.contains("without a completion"), "{message}");
}

#[test]
fn a_name_stays_one_line() {
    let mut history = one("0: sync");
    history.name = Some("a\n0: v1 := 1".to_owned());
    assert_eq!(text_of(&history), "# a 0: v1 := 1\n0: sync\ncheck\n");
}

/// The file has a remark of every sort, and the Axe checker (commit 4a7cf86 of CTSRD-CHERI/axe) reads it.
#[test]
fn remarks_hold_what_the_checker_cannot_read() {
    let text = include_str!("remarks.axe");
    let history = one(text);
    let kinds: Vec<&str> = history.ops().map(|op| history.kind(op).name()).collect();
    let first = ["store", "fence w,rw", "rmw", "silent-rmw", "failed-cas", "fence"];
    let second = ["load-linked", "isb", "store-conditional", "load", "store"];
    assert_eq!(kinds, [&first[..], &second].concat());
    assert_eq!((history.issued(OpId(0)), history.completed(OpId(0))), (Some(1), Some(9)));
    assert_eq!(history.issued(OpId(3)), Some(3));
    assert_eq!(history.annotation(OpId(2)), Annotation::NoReturnRelease);
    assert_eq!(history.row(OpId(10)).dependencies.len(), 2);
    assert_eq!(text_of(&history), text);
}

/// Dependencies keep their operations if some operations are not selected, as far as both are selected.
#[test]
fn dependencies_are_counted_with_what_is_left_out() {
    let text = "0: v9 == 0\n0: v1 == 0\n0: v9 == 0 #! address:1 control:1\n#! 0: isb\n\
                0: v1 := 3 #! address:1 data:0\n";
    let options = Options { addresses: Some(Addresses::Range(1..2)), ..Options::default() };
    let history = read_with(text, &options).unwrap().remove(0);
    let kinds: Vec<_> =
        history.all_dependencies().iter().map(|it| (it.op.0, it.kind, it.on.0)).collect();
    assert_eq!(kinds, [(1, DependencyKind::Control, 0), (2, DependencyKind::Address, 0)]);
}

/// Strategy for axe texts whose threads, cells and values are few, so that they meet each other.
fn any_text() -> impl Strategy<Value = String> {
    let ticks = prop_oneof![
        3 => Just(String::new()),
        1 => (0u64..50).prop_map(|tick| format!(" @ {tick} :")),
        1 => (0u64..50).prop_map(|tick| format!(" @ : {tick}")),
        1 => (0u64..50, 0u64..50).prop_map(|(from, to)| format!(" @ {from} : {to}")),
    ];
    let body = prop_oneof![
        (0u64..4, 1u64..9).prop_map(|(cell, value)| format!("M[{cell}] := {value}")),
        (0u64..4, 0u64..9).prop_map(|(cell, value)| format!("v{cell} == {value}")),
        (0u64..4, 0u64..9, 10u64..20)
            .prop_map(|(cell, read, written)| format!("<v{cell} == {read}; v{cell} := {written}>")),
        Just("sync".to_owned()),
    ];
    let remark = prop_oneof![
        3 => Just(""),
        1 => Just(" #! acquire"),
        1 => Just(" #! release control:0"),
        1 => Just(" # text"),
    ];
    let line = (0u32..4, body, ticks, remark).prop_map(|(t, body, ticks, remark)| {
        let is_access = body.contains('M') || body.contains('v');
        format!("{t}: {body}{ticks}{}\n", if is_access { remark } else { "" })
    });
    // Every thread begins with a load, on which operations may depend.
    let loads: String = (0..4).map(|thread| format!("{thread}: v1 == 0\n")).collect();
    (
        proptest::collection::vec(line, 1..30),
        proptest::collection::btree_map(0u64..6, 0u64..9, 0..3),
    )
        .prop_map(move |(lines, finals)| {
            let finals: String = finals
                .into_iter()
                .map(|(cell, value)| format!("final M[{cell}] == {value}\n"))
                .collect();
            format!("# random\n{loads}{}{finals}check\n", lines.concat())
        })
}

proptest! {
    #[test]
    fn writing_and_reading_give_the_same_history(text in any_text()) {
        let history = one(&text);
        let again = one(&text_of(&history));
        prop_assert_eq!(again.digest(), history.digest());
        prop_assert_eq!(&again.name, &history.name);
        prop_assert_eq!(text_of(&again), text_of(&history));
        for op in history.ops() {
            prop_assert_eq!(again.operation(op).completed, history.operation(op).completed);
            prop_assert_eq!(again.order(op), history.order(op));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[0-9 :=<>{};@Mv\\[\\]\nsyncfhekal#-]{0,60}") {
        let _ = read_with(&text, &Options::default());
    }
}

#[test]
fn large_numbers_are_numbered_for_the_axe_checker() {
    let text = |text: &str| {
        let mut written = Vec::new();
        write_small(&one(text), &mut written).unwrap();
        String::from_utf8(written).unwrap()
    };
    let small = "# name\n7: M[9] := 3\n8: M[9] == 3\nfinal M[9] == 3\ncheck\n";
    let without_check = small.replace("check\n", "");
    assert_eq!(text(small), without_check);
    let timed = without_check.replace(":= 3", ":= 3 @ 1: #! completed:2");
    assert_eq!(text(&small.replace(":= 3", ":= 3 @ 1:2")), timed);
    let large = "# name\n7: M[4224] := 4294967316 @ 3:4\n8: <M[4224] == 4294967316; M[4224] := 5>\n8: sync\n8: M[64] == 0\nfinal M[4224] == 5\n";
    assert_eq!(
        text(large),
        "# name\n# thread 0 is 7\n# thread 1 is 8\n# M[0] is 0x40\n# M[1] is 0x1080, where 1 is 0x100000014, 2 is 0x5\n\
         0: M[1] := 1 @ 3: #! completed:4\n1: { M[1] == 1; M[1] := 2 }\n1: sync\n1: M[0] == 0\nfinal M[1] == 2\n"
    );
    // A comment about numbers is not the name.
    assert_eq!(
        text("0: M[5000000000] := 1\n"),
        "# numbered\n# M[0] is 0x12a05f200, where 1 is 0x1\n0: M[0] := 1\n"
    );
}

#[test]
fn initial_values_are_numbered_0() {
    let initial = Initial::Given([(7, 5)].into());
    let options = Options { initial: Some(initial), ..Options::default() };
    let history = |text| read_with(text, &options).unwrap().remove(0);
    let text = |text| {
        let mut written = Vec::new();
        let result = write_small(&history(text), &mut written);
        result.map(|()| String::from_utf8(written).unwrap())
    };
    assert!(!is_small(&history("0: M[7] == 5\n")));
    assert_eq!(
        text("0: M[7] == 5\n0: M[7] := 9\n").unwrap(),
        "# numbered\n# M[0] is 0x7, where 0 is 0x5, 1 is 0x9\n0: M[0] == 0\n0: M[0] := 1\n"
    );
    let again = text("0: M[7] := 5\n").unwrap_err().to_string();
    assert!(again.contains("stores 5, the initial value of its location"), "{again}");
}

/// Checks a corpus against its table (`name,threads,ops,…`) and through the writer.
fn check_corpus(folder: &Path, histories: &str) {
    let text = std::fs::read_to_string(folder.join(histories)).unwrap();
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).unwrap();
    let histories = read(&text);
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|row| row.split(',').collect()).collect();
    assert_eq!(histories.len(), rows.len());
    for (history, row) in histories.iter().zip(&rows) {
        assert_eq!(history.name.as_deref(), Some(row[0]));
        assert_eq!(history.threads().len().to_string(), row[1], "{}", row[0]);
        assert_eq!(history.operations().to_string(), row[2], "{}", row[0]);
        let again = one(&text_of(history));
        assert_eq!(again.digest(), history.digest(), "{}", row[0]);
    }
}

/// A folder beside the crate: a sample of a corpus, or the whole one beside the repository, where it is there (see the Makefile).
fn folder(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn samples_of_the_corpora_round_trip() {
    check_corpus(&folder("../fixtures/axe"), "histories.axe");
    check_corpus(&folder("../fixtures/oracle"), "histories.axe");
}

#[test]
#[ignore = "needs ../shared"]
fn the_corpora_round_trip() {
    check_corpus(&folder("../../shared/axe"), "histories.axe");
    check_corpus(&folder("../../shared/oracle"), "histories.axe");
}
