//! Formats measurements as aligned text.

use tables::Measurement;

/// The names of the columns: times in seconds, sizes in MiB.
pub(crate) const HEADER: &str = "\
series     model algorithm format   operations thr.  loc.  mix         verdict    by        \
check s  (decide)  MiB   verify s  MiB   cert. MiB";

/// A line of the table.
pub(crate) fn line(row: &Measurement) -> String {
    let mix = format!("{}/{}/{}/{}", row.loads, row.stores, row.rmws, row.fences);
    let checked = format!(
        "{:<10} {:<5} {:<9} {:<8} {:>10} {:>4} {:>5}  {:<11} {:<10} {:<8} {:>8.3} {:>9.3} {:>5.0}",
        row.series,
        row.model,
        row.algorithm,
        row.format,
        row.operations,
        row.threads,
        row.locations,
        mix,
        row.verdict,
        row.decided_by,
        row.check_seconds,
        row.decide_seconds,
        mebibytes(row.check_peak),
    );
    match (row.verify_seconds, row.verify_peak, row.certificate_bytes) {
        (Some(seconds), Some(peak), Some(bytes)) => {
            format!("{checked} {seconds:>9.3} {:>5.0} {:>9.1}", mebibytes(peak), mebibytes(bytes))
        }
        _ => format!("{checked} {:>9} {:>5} {:>9}", "-", "-", "-"),
    }
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
