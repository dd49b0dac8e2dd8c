//! Where arrows meet the sides of boxes.

use std::collections::BTreeMap;

use super::{FROM, Route, Side, TO};

/// Orders the arrows at each side of a box so that they do not cross there: those that go up from there above those that go down,
/// and of each the ones that turn off first on the outside.
pub(super) fn choose(routes: &mut [Route]) {
    let mut meeting: BTreeMap<(usize, Side), Vec<Met>> = BTreeMap::new();
    for (at, route) in routes.iter().enumerate() {
        for end in [FROM, TO] {
            if let Some(side) = route.side(end) {
                let place = (route.rows[end], side);
                let all = meeting.entry(place).or_default();
                all.push((key(route, end), at, end));
            }
        }
    }
    for all in meeting.values_mut() {
        all.sort_unstable();
        for (port, &(_, at, end)) in all.iter().enumerate() {
            routes[at].ports[end] = port;
        }
    }
}

/// The end of an arrow: what it is sorted by, the arrow, and which end.
type Met = (Key, usize, usize);

/// Whether it goes down, and then how far it goes before it turns off, which counts the other way around.
type Key = (bool, isize);

fn key(route: &Route, end: usize) -> Key {
    let goes_down = route.rows[1 - end] >= route.rows[end];
    let (x, _, _) = route.upright();
    // Lanes count within a channel only, and no channel has as many.
    let across = |(place, lane): (usize, usize)| ((place << 20) + lane) as isize;
    let far = across(x).abs_diff(across((2 * route.columns[end] + 1, 0))) as isize;
    (goes_down, if goes_down { -far } else { far })
}
