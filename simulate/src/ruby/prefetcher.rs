//! Ruby's prefetcher (RubyPrefetcher), which asks for lines that a core is likely to need.
//!
//! A [`Prefetcher`] observes the misses of a cache, and looks for misses at a constant distance: in neighbouring lines,
//! upwards or downwards, and at any other distance within a page. After enough of them it begins a *stream*: it asks
//! for the next lines, and for one more whenever the core uses one of them. The protocol gets these requests through
//! its function `enqueuePrefetch`.
//!
//! gem5's prefetcher notes nowhere that a prefetch was issued or has completed. So a miss of a line that a stream has
//! asked for changes nothing, whatever has become of that prefetch.

use std::collections::VecDeque;

/// The sizes of a prefetcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefetcherSettings {
    /// Number of streams.
    pub streams: usize,
    /// Number of recent misses whose neighbouring lines are watched, upwards and downwards each.
    pub neighbours: usize,
    /// Number of pages whose last misses are kept, to find other distances.
    pub pages: usize,
    /// Number of misses at the same distance after which a stream begins.
    pub misses: u32,
    /// Number of lines that a stream asks for when it begins.
    pub ahead: u32,
    /// Whether streams go on in the next page.
    pub cross_pages: bool,
}

impl PrefetcherSettings {
    /// The sizes that gem5 declares.
    pub const USUAL: PrefetcherSettings = PrefetcherSettings {
        streams: 4,
        neighbours: 8,
        pages: 8,
        misses: 4,
        ahead: 1,
        cross_pages: false,
    };
}

/// Number of bytes of a page.
const PAGE_BYTES: u64 = 1 << 12;

/// A line that a prefetcher asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefetch {
    /// The address of the line.
    pub line: u64,
    /// The type of the request (`RubyRequestType`): that of the miss with which the stream began.
    pub kind: u64,
}

/// Lines at a constant distance that are asked for one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stream {
    /// The line that was asked for last.
    last: u64,
    /// The distance between its lines, in lines.
    stride: i64,
    /// The tick at which it last asked for a line.
    used: u64,
    kind: u64,
}

/// The line whose miss would continue a row of misses of neighbouring lines.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    line: u64,
    hits: u32,
}

/// The last miss in a page.
#[derive(Clone, Copy, Debug, Default)]
struct Recent {
    line: u64,
    /// The distance to the miss before it in bytes, which gem5 cuts to 32 bits.
    distance: i32,
    hits: u32,
}

/// The prefetcher of one cache.
#[derive(Clone, Debug)]
pub struct Prefetcher {
    settings: PrefetcherSettings,
    block_bytes: u64,
    streams: Vec<Option<Stream>>,
    upwards: VecDeque<Neighbour>,
    downwards: VecDeque<Neighbour>,
    recent: VecDeque<Recent>,
}

impl Prefetcher {
    /// Creates a prefetcher that has seen nothing, for lines of `block_bytes` bytes.
    pub fn new(settings: PrefetcherSettings, block_bytes: u64) -> Prefetcher {
        Prefetcher {
            settings,
            block_bytes,
            streams: vec![None; settings.streams],
            upwards: VecDeque::new(),
            downwards: VecDeque::new(),
            recent: VecDeque::new(),
        }
    }

    /// `observeMiss`: a request of this type missed a line. Adds the lines to ask for.
    pub fn observe_miss(&mut self, now: u64, line: u64, kind: u64, asked: &mut Vec<Prefetch>) {
        if self.stream_of(line).is_some() {
            return;
        }
        let most = self.settings.neighbours;
        let misses = self.settings.misses;
        let block = self.block_bytes;
        for stride in [1, -1] {
            let filter = if stride > 0 { &mut self.upwards } else { &mut self.downwards };
            match observe_neighbour(filter, most, line, next(line, stride, block)) {
                Some(hits) if hits >= misses => {
                    return self.begin(now, line, stride, kind, asked);
                }
                Some(_) => return,
                None => {}
            }
        }
        if let Some(stride) = self.observe_distance(line) {
            self.begin(now, line, stride, kind, asked);
        }
    }

    /// `observePfHit` and `observePfMiss`: the core uses a line that was prefetched, or that is being prefetched. Adds the
    /// next line of its stream.
    pub fn observe_use(&mut self, now: u64, line: u64, asked: &mut Vec<Prefetch>) {
        let (block, crosses) = (self.block_bytes, self.settings.cross_pages);
        let Some(place) = self.stream_of(line) else { return };
        let Some(stream) = &mut self.streams[place] else { return };
        let following = next(stream.last, stream.stride, block);
        if page(following) != page(stream.last) && !crosses {
            self.streams[place] = None;
            return;
        }
        (stream.last, stream.used) = (following, now);
        asked.push(Prefetch { line: following, kind: stream.kind });
    }

    /// The stream that has asked for a line among the last ones.
    fn stream_of(&self, line: u64) -> Option<usize> {
        let asked = |stream: &Stream| {
            let mut back = 0..i64::from(self.settings.ahead);
            back.any(|back| next(stream.last, -stream.stride * back, self.block_bytes) == line)
        };
        self.streams.iter().position(|stream| stream.as_ref().is_some_and(asked))
    }

    /// Looks for the distance of a miss to the last one in its page. Returns it in lines, if it occurred often enough.
    fn observe_distance(&mut self, line: u64) -> Option<i64> {
        let is_near = |recent: &&mut Recent| page(recent.line) == page(line);
        let Some(recent) = self.recent.iter_mut().find(is_near) else {
            push(&mut self.recent, self.settings.pages, Recent { line, ..Recent::default() });
            return None;
        };
        let distance = line.wrapping_sub(recent.line) as i32;
        if distance == 0 {
            return None;
        }
        let hits = if distance == recent.distance { recent.hits + 1 } else { 0 };
        let is_found = hits > self.settings.misses;
        *recent = Recent { line, distance, hits: if is_found { 0 } else { hits } };
        is_found.then(|| i64::from(distance) / self.block_bytes as i64)
    }

    /// Begins a stream in place of the one that was not used for longest, and asks for its first lines.
    fn begin(&mut self, now: u64, line: u64, stride: i64, kind: u64, asked: &mut Vec<Prefetch>) {
        let used =
            |stream: &Option<Stream>| stream.map_or((false, 0), |stream| (true, stream.used));
        let Some(place) = (0..self.streams.len()).min_by_key(|&at| used(&self.streams[at])) else {
            return;
        };
        self.streams[place] = None;
        let mut last = line;
        for _ in 0..self.settings.ahead {
            last = next(last, stride, self.block_bytes);
            if page(last) != page(line) && !self.settings.cross_pages {
                return;
            }
            asked.push(Prefetch { line: last, kind });
        }
        self.streams[place] = Some(Stream { last, stride, used: now, kind });
    }
}

/// Looks for a missed line among those that would continue a row of neighbouring misses, and keeps the line after it as
/// the next of its row. Returns how often the row was continued; `None` if the miss begins a row.
fn observe_neighbour(
    filter: &mut VecDeque<Neighbour>,
    most: usize,
    line: u64,
    following: u64,
) -> Option<u32> {
    match filter.iter_mut().find(|one| one.line == line) {
        Some(found) => {
            *found = Neighbour { line: following, hits: found.hits + 1 };
            Some(found.hits)
        }
        None => {
            push(filter, most, Neighbour { line: following, hits: 0 });
            None
        }
    }
}

/// Adds an entry to a table, in place of the oldest if it is full.
fn push<T>(table: &mut VecDeque<T>, most: usize, entry: T) {
    if table.len() >= most {
        table.pop_front();
    }
    table.push_back(entry);
}

/// The line `stride` lines after `line`.
fn next(line: u64, stride: i64, block_bytes: u64) -> u64 {
    line.wrapping_add_signed(stride.wrapping_mul(block_bytes as i64))
}

fn page(line: u64) -> u64 {
    line / PAGE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: u64 = 0;

    /// The lines that are asked for after each of some misses, all addresses in lines.
    fn asked(settings: PrefetcherSettings, misses: &[u64]) -> Vec<Vec<u64>> {
        let mut prefetcher = Prefetcher::new(settings, 64);
        let asked = (0..).zip(misses).map(|(now, &line)| {
            let mut asked = Vec::new();
            prefetcher.observe_miss(now, line * 64, LOAD, &mut asked);
            asked.iter().map(|one| one.line / 64).collect()
        });
        asked.collect()
    }

    #[test]
    fn neighbouring_misses_begin_a_stream() {
        let none = Vec::new;
        let up = asked(PrefetcherSettings::USUAL, &[8, 9, 10, 11, 12, 13]);
        assert_eq!(up, [none(), none(), none(), none(), vec![13], none()]);
        let down = asked(PrefetcherSettings::USUAL, &[20, 19, 18, 17, 16]);
        assert_eq!(down, [none(), none(), none(), none(), vec![15]]);
    }

    #[test]
    fn distances_within_a_page_begin_a_stream() {
        let far = asked(PrefetcherSettings::USUAL, &[0, 3, 6, 9, 12, 15, 18, 21]);
        assert_eq!(far.concat(), [21]);
        assert_eq!(far[6], [21]);
        assert!(asked(PrefetcherSettings::USUAL, &[0, 3, 7, 12, 20, 22, 30]).concat().is_empty());
    }

    #[test]
    fn a_used_line_continues_its_stream_within_the_page() {
        let mut prefetcher = Prefetcher::new(PrefetcherSettings::USUAL, 64);
        let mut asked = Vec::new();
        (57..62).for_each(|line| prefetcher.observe_miss(0, line * 64, LOAD, &mut asked));
        prefetcher.observe_use(1, 62 * 64, &mut asked);
        prefetcher.observe_use(2, 40 * 64, &mut asked);
        let lines = |asked: &[Prefetch]| asked.iter().map(|one| one.line / 64).collect::<Vec<_>>();
        assert_eq!(lines(&asked), [62, 63]);
        // The next line is in another page, which ends the stream.
        prefetcher.observe_use(3, 63 * 64, &mut asked);
        prefetcher.observe_use(4, 63 * 64, &mut asked);
        assert_eq!(lines(&asked), [62, 63]);
    }

    #[test]
    fn the_stream_that_was_not_used_for_longest_makes_room() {
        let settings = PrefetcherSettings { streams: 2, ..PrefetcherSettings::USUAL };
        let mut prefetcher = Prefetcher::new(settings, 64);
        let mut asked = Vec::new();
        for (now, first) in [(1, 0), (2, 100), (4, 200)] {
            (first..first + 5)
                .for_each(|line| prefetcher.observe_miss(now, line * 64, LOAD, &mut asked));
            prefetcher.observe_use(3, 5 * 64, &mut asked);
        }
        let lines: Vec<u64> = asked.iter().map(|one| one.line / 64).collect();
        assert_eq!(lines, [5, 6, 105, 205]);
        assert_eq!(prefetcher.stream_of(6 * 64), Some(0));
        assert_eq!(prefetcher.stream_of(105 * 64), None);
    }
}
