//! The announcement by which a program shows in a trace of its instructions where its shared variables are.

/// The value that a program stores, in 8 bytes, to announce its shared variables: `rubric/1` in ASCII.
///
/// The same thread then stores their first address to the next 8 bytes, and the address after their last byte to the 8
/// bytes after those.
pub const ANNOUNCEMENT: u64 = u64::from_le_bytes(*b"rubric/1");
