//! Tests of caches.

use super::*;
use crate::ruby::delays::Delays;

fn cache(sets: u64, ways: u32, policy: Policy) -> CacheMemory {
    let geometry = CacheParameters {
        size: sets * u64::from(ways) * 64,
        ways,
        start_index_bit: 6,
        policy,
        tag_latency: 1,
        data_latency: 1,
        banks: None,
    };
    CacheMemory::new(geometry, 64).unwrap()
}

/// A tree of nodes, written without bit tricks: inner nodes have an arrow, leaves a way.
enum Tree {
    Leaf(usize),
    Node(bool, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn new(first: usize, ways: usize) -> Tree {
        if ways == 1 {
            return Tree::Leaf(first);
        }
        let half = ways / 2;
        let left = Tree::new(first, half);
        Tree::Node(false, Box::new(left), Box::new(Tree::new(first + half, half)))
    }

    fn holds(&self, way: usize) -> bool {
        match self {
            Tree::Leaf(leaf) => *leaf == way,
            Tree::Node(_, left, right) => left.holds(way) || right.holds(way),
        }
    }

    fn point(&mut self, way: usize, towards: bool) {
        if let Tree::Node(right_next, left, right) = self {
            let is_right = right.holds(way);
            *right_next = is_right == towards;
            let child = if is_right { right } else { left };
            child.point(way, towards);
        }
    }

    fn victim(&self) -> usize {
        match self {
            Tree::Leaf(way) => *way,
            Tree::Node(false, left, _) => left.victim(),
            Tree::Node(true, _, right) => right.victim(),
        }
    }
}

/// Compares a set with a model of its lines and of the policy.
fn run_against_model(ways: u32, policy: Policy) {
    let mut random = Delays::new(u64::from(ways));
    let mut cache = cache(2, ways, policy);
    let mut tree = Tree::new(0, ways as usize);
    let mut order: Vec<usize> = Vec::new();
    let mut held: Vec<Option<u64>> = vec![None; ways as usize];
    for step in 1..20_000 {
        let line = 64 + 128 * random.below(u64::from(ways) * 2);
        let way = held.iter().position(|other| *other == Some(line));
        assert_eq!(cache.is_tag_present(line), way.is_some());
        match (way, random.below(5)) {
            (Some(way), 0) => {
                assert!(cache.deallocate(line).is_ok());
                held[way] = None;
                tree.point(way, true);
                order.retain(|other| *other != way);
            }
            (Some(way), _) => {
                assert_eq!(cache.allocate(line, 1), Err(Misuse::Present(line)));
                let entry = cache.lookup(line);
                if step % 2 == 0 {
                    cache.set_mru(line)
                } else {
                    cache.touch_entry(entry, None)
                }
                tree.point(way, false);
                order.retain(|other| *other != way);
                order.push(way);
            }
            (None, _) => match held.iter().position(Option::is_none) {
                Some(way) => {
                    assert!(cache.cache_avail(line));
                    assert_eq!(cache.cache_probe(line), Err(Misuse::SetAvailable(line)));
                    assert!(matches!(cache.allocate(line, step), Ok((_, None))));
                    assert_eq!(cache.lookup(line), step);
                    held[way] = Some(line);
                    tree.point(way, false);
                    order.push(way);
                }
                None => {
                    let victim = match policy {
                        Policy::TreePlru => tree.victim(),
                        Policy::Lru => order[0],
                    };
                    assert!(!cache.cache_avail(line));
                    assert_eq!(cache.cache_probe(line), Ok(held[victim].unwrap()));
                    assert_eq!(cache.allocate(line, 1), Err(Misuse::SetFull(line)));
                }
            },
        }
    }
}

#[test]
fn replacement_agrees_with_a_model() {
    for ways in [1, 2, 4, 8, 64] {
        run_against_model(ways, Policy::TreePlru);
    }
    for ways in [1, 2, 3, 8] {
        run_against_model(ways, Policy::Lru);
    }
}

#[test]
fn impossible_geometries_are_refused() {
    let shape = |size, ways, policy| CacheParameters {
        size,
        ways,
        start_index_bit: 6,
        policy,
        tag_latency: 1,
        data_latency: 1,
        banks: None,
    };
    assert_eq!(shape(256, 2, Policy::TreePlru).sets(64), Ok(2));
    assert_eq!(shape(3 * 128, 2, Policy::TreePlru).sets(64), Ok(2));
    assert!(shape(128, 2, Policy::TreePlru).sets(64).is_err());
    assert!(shape(256, 0, Policy::TreePlru).sets(64).is_err());
    assert!(shape(1 << 20, 3, Policy::TreePlru).sets(64).is_err());
    assert!(shape(1 << 20, 128, Policy::TreePlru).sets(64).is_err());
    assert!(shape(u64::MAX, 2, Policy::Lru).sets(8).is_err());
    assert_eq!(shape(768, 3, Policy::Lru).sets(64), Ok(4));
}

#[test]
fn monitors_end_with_the_permission() {
    let mut cache = cache(2, 2, Policy::TreePlru);
    cache.set_monitor(64, 3);
    assert_eq!(cache.monitor(64), None);
    let (slot, _) = cache.allocate(64, 100).unwrap();
    assert_eq!((cache.permission(64), cache.permission(128)), (INVALID, NOT_PRESENT));
    assert!(cache.change_permission(slot, 100, 1));
    cache.set_monitor(64, 3);
    assert_eq!((cache.monitor(64), cache.permission(64)), (Some(3), 1));
    cache.clear_monitors_of(2);
    assert_eq!(cache.monitor(64), Some(3));
    assert!(cache.change_permission(slot, 100, INVALID));
    assert_eq!(cache.monitor(64), None);
    assert!(!cache.change_permission(slot, 101, 1));
    cache.set_monitor(64, 4);
    cache.deallocate(64).unwrap();
    assert_eq!(cache.deallocate(64), Err(Misuse::Absent(64)));
    cache.allocate(64, 100).unwrap();
    assert_eq!(cache.monitor(64), None);
}

#[test]
fn slots_are_walked_set_by_set() {
    let mut cache = cache(2, 2, Policy::TreePlru);
    let entries = [(64, 100), (128, 200), (256, 300)];
    let slots = entries.map(|(line, entry)| cache.allocate(line, entry).unwrap().0);
    let lines = |cache: &CacheMemory| {
        let slots = (0..4).map(|index| cache.address_at(index).unwrap());
        slots.collect::<Vec<_>>()
    };
    // An entry without a permission is skipped.
    assert_eq!(lines(&cache), [0, 0, 0, 0]);
    for (slot, (_, entry)) in slots.into_iter().zip(entries) {
        cache.change_permission(slot, entry, 0);
    }
    assert_eq!(lines(&cache), [128, 256, 64, 0]);
    assert_eq!(cache.address_at(4), Err(Misuse::NoSlot(4)));
    assert_eq!(cache.iter().collect::<Vec<_>>(), [(128, 200), (256, 300), (64, 100)]);
}

#[test]
fn a_bank_is_busy_for_its_latency() {
    let mut geometry = cache(4, 2, Policy::TreePlru).geometry();
    geometry.banks =
        Some(BankSettings { data_banks: 2, tag_banks: 1, data_latency: 20, tag_latency: 15 });
    let mut cache = CacheMemory::new(geometry, 64).unwrap();
    assert_eq!((cache.latency(Array::Data), cache.latency(Array::Tag)), (20, 15));
    cache.record_request(Array::Data, 64, 10);
    // Sets 1 and 3 share a data bank; set 2 does not.
    assert!(cache.free_at(Array::Data, 192) > 29);
    assert!(cache.free_at(Array::Data, 192) <= 30);
    assert!(cache.free_at(Array::Data, 128) <= 11);
    assert!(cache.free_at(Array::Tag, 64) <= 11);
    cache.record_request(Array::Tag, 64, 11);
    assert!(cache.free_at(Array::Tag, 128) > 25);
    assert!(cache.free_at(Array::Tag, 128) <= 26);
}
