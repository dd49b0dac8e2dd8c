//! Moves texts on a line apart, so that none covers another one.

/// A sequence of texts that touch each other.
struct Run {
    /// The sum, over the texts, of the place at which the run would begin if that text kept its own place.
    wanted: i64,
    /// The number of texts.
    texts: i64,
    /// The total length of the texts, in pixels.
    length: i64,
}

impl Run {
    /// Returns where the first text begins so that the texts are as near to their own places as possible.
    fn start(&self) -> i64 {
        self.wanted.div_euclid(self.texts)
    }
}

/// Moves texts on a line as little as is necessary so that none covers another one. Each is given by its middle and its length in pixels, in
/// ascending order of the middles; returns the new middles. Cost: linear.
pub(super) fn apart(texts: &[(i32, i32)]) -> Vec<i32> {
    let mut runs: Vec<Run> = Vec::new();
    for &(middle, length) in texts {
        let mut run =
            Run { wanted: i64::from(middle - length / 2), texts: 1, length: length.into() };
        while let Some(before) = runs.pop_if(|before| before.start() + before.length > run.start())
        {
            // Each text of the later run begins after the earlier run, so it wants the joint run to begin that much
            // earlier.
            run.wanted += before.wanted - run.texts * before.length;
            run.texts += before.texts;
            run.length += before.length;
        }
        runs.push(run);
    }
    let starts = runs.iter().flat_map(|run| std::iter::repeat_n(run.start(), run.texts as usize));
    let mut free = i64::MIN;
    let middles = starts.zip(texts).map(|(start, (_, length))| {
        let start = start.max(free);
        free = start + i64::from(*length);
        (start + i64::from(length / 2)) as i32
    });
    middles.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_room_stay_where_they_are() {
        assert_eq!(apart(&[(10, 8), (20, 8), (90, 30)]), [10, 20, 90]);
        assert_eq!(apart(&[]), [0; 0]);
    }

    #[test]
    fn others_move_to_both_sides_and_cover_nothing() {
        assert_eq!(apart(&[(50, 10), (52, 10)]), [46, 56]);
        assert_eq!(apart(&[(50, 10), (50, 10), (50, 10)]), [40, 50, 60]);
        let texts = [(0, 6), (1, 20), (3, 6), (30, 10), (31, 10), (200, 4)];
        let middles = apart(&texts);
        let ends = middles.iter().zip(&texts).map(|(middle, (_, length))| {
            let start = middle - length / 2;
            (start, start + length)
        });
        let ends: Vec<(i32, i32)> = ends.collect();
        assert!(ends.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{ends:?}");
        assert_eq!(middles[5], 200);
    }
}
