//! Registered memory beyond the reach of the NIC's memory translation table.

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::InspectionRule;
use crate::mtt;

/// Entries of the table of the source's NIC: 2 K, which reach 8 MB with pages of 4 KB and 4 GB with pages of 2 MB.
/// Vendors do not publish the sizes of later NICs.
const MTT_ENTRIES: u64 = 2048;
/// Size of a base page of x86-64.
const PAGE_BYTES: u64 = 4096;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC005",
    name: "mtt-reach",
    severity: InspectionSeverity::Warning,
    summary: "A process registered more memory in base pages than the memory translation table (MTT) of the NIC covers: entries x page size. The least memory in base pages is what it registered, less all memory of the host in huge pages.",
    why: "On a miss the NIC reads the translation from host memory while its receive pipeline stalls, and it pauses the switch: the slow receiver symptom. 2,048 entries reach 8 MiB with pages of 4 KiB, and 4 GiB with pages of 2 MiB.",
    fix: "Register memory in huge pages (hugetlbfs, or transparent huge pages with `madvise`). If the vendor states the number of entries, specify `--mtt-entries`.",
    source: "RDMA over Commodity Ethernet at Scale (SIGCOMM 2016), section 4.4",
    input: "`rdma resource show mr`; `/proc/meminfo`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let memory = &context.host.memory;
    let mut registered =
        context.host.processes.iter().filter(|(_, process)| !process.registered_bytes.is_empty()).peekable();
    if registered.peek().is_none() {
        out.needs("registered memory (`rdma resource show mr`)");
        return;
    }
    let Some(in_huge_pages) = memory.in_huge_pages_bytes else {
        out.needs("huge pages (`/proc/meminfo`)");
        return;
    };
    let page_bytes = memory.page_bytes.unwrap_or(PAGE_BYTES);
    let entries = memory.mtt_entries.unwrap_or(MTT_ENTRIES);
    let reach = mtt::reach_bytes(entries, page_bytes);
    for (pid, process) in registered {
        for (device, bytes) in &process.registered_bytes {
            let in_base_pages = bytes.saturating_sub(in_huge_pages);
            if in_base_pages > reach {
                let name = process.name.as_deref().unwrap_or("process");
                let message = format!(
                    "{name} ({pid}) registered {} on {device}, at least {} of it in pages of {}; {entries} MTT entries reach {}",
                    size(*bytes),
                    size(in_base_pages),
                    size(page_bytes),
                    size(reach)
                );
                out.report(
                    InspectionSeverity::Warning,
                    format!("processes/{pid}/registered_bytes/{device}"),
                    message,
                );
            }
        }
    }
}

/// A size for people.
fn size(bytes: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.iter().find(|(unit, _)| bytes >= *unit);
    match unit {
        Some((unit, name)) => {
            let tenths = u128::from(bytes) * 10 / u128::from(*unit);
            let fraction = if tenths % 10 == 0 { String::new() } else { format!(".{}", tenths % 10) };
            format!("{}{fraction} {name}", tenths / 10)
        }
        None => format!("{bytes} B"),
    }
}
