//! Traces that are read while they are being written: the operations are those of the whole trace, in the order of
//! completions, and none arrives below the bound of `completed_before`.

use std::collections::HashMap;
use std::fs;

use ingest::input::Lines;
use ingest::{Live, Options};

#[test]
fn what_is_given_away_is_what_the_whole_trace_has() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/traces");
    let mut traces = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|it| it != "gz") {
            continue;
        }
        traces += 1;
        let name = path.display().to_string();
        let options = Options::default();
        let bytes = fs::read(&path).unwrap();
        let whole = ingest::read(bytes.as_slice(), &name, &options).unwrap();
        let mut lines = Lines::new(bytes.as_slice(), &name, false).unwrap();
        let mut live = Live::new(&options);
        let mut completed_before: HashMap<u32, u64> = HashMap::new();
        let mut all = Vec::new();
        while live.advance(&mut lines).unwrap() {
            for access in live.fetch() {
                let before = completed_before.get(&access.thread).copied().unwrap_or(0);
                assert!(access.sequence >= before, "{name}: {access:?} comes after {before}");
                all.push(access);
            }
            completed_before.extend(live.completed_before());
        }
        let end = live.finish(&lines).unwrap();
        all.extend(end.accesses);
        let known = &whole.histories[0].provenance;
        assert_eq!(all.len(), whole.histories[0].len(), "{name}");
        assert_eq!(end.unfinished, known.unfinished, "{name}");
        assert_eq!(end.outside_writes, known.outside_writes, "{name}");
        let placed: Vec<u64> = all.iter().filter_map(|access| access.order).collect();
        assert!(placed.is_sorted(), "{name}");
    }
    assert_eq!(traces, 6);
}
