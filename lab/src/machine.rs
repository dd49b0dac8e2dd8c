//! Describes the machine that an experiment runs on, so that times can be compared.

/// The processor, the operating system, and how many histories are checked at a time.
pub fn describe(jobs: usize) -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}, {cores} cores, {}, {jobs} at a time",
        processor.as_deref().unwrap_or(std::env::consts::ARCH),
        std::env::consts::OS
    )
}
