//! Describes the machine that an experiment runs on, how busy it is, and the program, so that results can be compared.

use std::sync::OnceLock;

static COMMIT: OnceLock<&str> = OnceLock::new();

/// Says from which commit this program was built, which only the program itself knows. Campaigns write it down.
pub fn set_commit(commit: &'static str) {
    // A second call says the same.
    let _ = COMMIT.set(commit);
}

/// The commit that this program was built from; empty if it is unknown.
pub(crate) fn commit() -> &'static str {
    COMMIT.get().copied().unwrap_or_default()
}

/// The processor, the operating system, and how many histories are checked at a time.
pub(crate) fn describe(jobs: usize) -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    in_words(processor.as_deref().unwrap_or(std::env::consts::ARCH), cores, jobs)
}

/// How many processes of the machine run or want to, on average over the last minute; `None` on a system that does not say.
pub(crate) fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

/// The description of a machine with this processor and so many cores.
fn in_words(processor: &str, cores: usize, jobs: usize) -> String {
    let plural = if cores == 1 { "" } else { "s" };
    format!("{processor}, {cores} core{plural}, {}, {jobs} at a time", std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_load_is_known() {
        assert!(load().is_some_and(|load| load >= 0.0));
    }

    #[test]
    fn one_core_is_singular() {
        assert!(in_words("CPU", 1, 1).starts_with("CPU, 1 core, "));
        assert!(in_words("CPU", 8, 4).starts_with("CPU, 8 cores, "));
    }
}
