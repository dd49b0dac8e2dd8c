use super::*;

fn names(machine: u16, event: u16, state: u16, next_state: u16) -> Names {
    Names { machine, event, state, next_state }
}

#[test]
fn stalls_are_counted_and_do_not_push_out_what_led_to_them() {
    let mut steps_so_far = LastSteps::default();
    steps_so_far.transition((1, 1), 0, 0x40, names(0, 1, 2, 3), None);
    for tick in 2..10_000 {
        for version in 0..4 {
            let stall = Some(Stall::Protocol);
            steps_so_far.transition((tick, tick), version, 0x40, names(0, 5, 3, 3), stall);
        }
    }
    let steps = steps_so_far.steps(0x40, &Transitions::default());
    let counts: Vec<u64> = steps.iter().map(|step| step.count).collect();
    assert_eq!(counts, [1, 9998, 9998, 9998, 9998]);
    assert_eq!(steps[1].last_tick, 9999);
    let standing = steps_so_far.standing(0x40, &Transitions::default());
    assert_eq!(standing.len(), 4);
    assert_eq!(standing[0].since, Some(1));
    assert_eq!(standing[0].stalled[0].count, 9998);
}

#[test]
fn memory_does_not_grow_with_the_trace() {
    let mut steps_so_far = LastSteps::default();
    steps_so_far.begin(0x40, 1);
    steps_so_far.transition((1, 1), 0, 0x40, names(0, 1, 2, 3), None);
    for number in 2..100_000_u64 {
        let address = 0x40 * number;
        steps_so_far.transition((number, number), 0, address, names(0, 1, 2, 3), None);
        assert!(steps_so_far.lines.len() <= 2 * KEPT_LINES);
    }
    assert!(steps_so_far.knows(0x40), "its request has no answer");
    assert!(!steps_so_far.knows(0x80));
    assert_eq!(steps_so_far.last(&Transitions::default()).len(), STEPS_PER_LINE);
    steps_so_far.done(0x40);
    for number in 100_000..200_000_u64 {
        steps_so_far.begin(0x40 * number, number);
        assert!(steps_so_far.lines.len() <= 2 * KEPT_LINES, "too many requests");
    }
    assert!(!steps_so_far.knows(0x40));
}

#[test]
fn what_is_counted_keeps_the_order_of_what_changed() {
    let mut steps_so_far = LastSteps::default();
    let mut add = |tick, version, (state, next_state)| {
        steps_so_far.transition((tick, tick), version, 0x40, names(0, 1, state, next_state), None);
    };
    for tick in 1..100 {
        add(tick, 0, (3, 3));
        add(tick, 1, (4, 4));
    }
    add(100, 1, (4, 5));
    add(101, 0, (3, 3));
    let steps = steps_so_far.steps(0x40, &Transitions::default());
    let counts: Vec<(u64, u64)> = steps.iter().map(|it| (it.tick, it.count)).collect();
    assert_eq!(counts, [(1, 99), (1, 99), (100, 1), (101, 1)]);
}

#[test]
fn what_waited_is_over_when_the_state_changes() {
    let mut steps_so_far = LastSteps::default();
    let stall = Some(Stall::Protocol);
    steps_so_far.transition((1, 1), 0, 0x40, names(0, 5, 3, 3), stall);
    let standing =
        |steps_so_far: &LastSteps| steps_so_far.standing(0x40, &Transitions::default()).remove(0);
    assert_eq!((standing(&steps_so_far).since, standing(&steps_so_far).stalled.len()), (None, 1));
    steps_so_far.transition((2, 2), 0, 0x40, names(0, 1, 3, 3), None);
    assert_eq!(standing(&steps_so_far).stalled.len(), 1, "it is still in that state");
    steps_so_far.transition((3, 3), 0, 0x40, names(0, 1, 3, 4), None);
    assert_eq!(
        (standing(&steps_so_far).since, standing(&steps_so_far).stalled.len()),
        (Some(3), 0)
    );
}

#[test]
fn messages_that_come_back_are_counted_until_a_state_changes() {
    let mut steps_so_far = LastSteps::default();
    steps_so_far.transition((1, 1), 0, 0x40, names(0, 1, 2, 3), None);
    for tick in 2..10_000 {
        steps_so_far.message((tick, tick), 0x40, "cache0.requests", "GETX");
        steps_so_far.message((tick, tick), 0x40, "cache0.requests", "GETS");
        steps_so_far.transition((tick, tick), 1, 0x40, names(0, 6, 4, 4), None);
    }
    steps_so_far.transition((10_000, 10_000), 0, 0x40, names(0, 1, 3, 2), None);
    steps_so_far.message((10_001, 10_001), 0x40, "cache0.requests", "GETX");
    let steps = steps_so_far.steps(0x40, &Transitions::default());
    let counts: Vec<(u64, u64)> = steps.iter().map(|it| (it.tick, it.count)).collect();
    assert_eq!(counts, [(1, 1), (2, 9998), (2, 9998), (2, 9998), (10_000, 1), (10_001, 1)]);
}
