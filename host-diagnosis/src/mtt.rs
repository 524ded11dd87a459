//! The memory translation table (MTT) of an RNIC.

/// Returns how much memory the entries on the chip cover: entries times page size. 2,048 entries reach 8 MiB with pages
/// of 4 KiB, and 4 GiB with pages of 2 MiB (Guo et al., SIGCOMM 2016, section 4.4).
pub fn reach_bytes(entries: u64, page_bytes: u64) -> u64 {
    entries.saturating_mul(page_bytes)
}
