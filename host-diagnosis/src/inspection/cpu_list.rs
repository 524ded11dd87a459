//! Lists of processors as the kernel writes them: `0-15,32-47` (Linux, Documentation/admin-guide/cputopology.rst).

/// Returns the ranges of a list, both ends included; `None` if it is malformed.
pub(super) fn ranges(list: &str) -> Option<Vec<(u32, u32)>> {
    let mut ranges = Vec::new();
    for part in list.trim().split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        if first > last {
            return None;
        }
        ranges.push((first, last));
    }
    Some(ranges)
}

/// Maximum processors of a list; Linux supports 8,192.
const PROCESSORS: u32 = 65_536;

/// Returns the numbers of the processors of a list; `None` if it is malformed or names one beyond 65,535.
pub fn processors(list: &str) -> Option<Vec<u32>> {
    let ranges = ranges(list)?;
    let is_possible = ranges.iter().all(|(_, last)| *last < PROCESSORS);
    is_possible.then(|| ranges.into_iter().flat_map(|(first, last)| first..=last).collect())
}

/// Whether two lists share a processor; `None` if one is malformed.
pub(super) fn overlap(one: &str, other: &str) -> Option<bool> {
    let (one, other) = (ranges(one)?, ranges(other)?);
    Some(one.iter().any(|a| other.iter().any(|b| a.0 <= b.1 && b.0 <= a.1)))
}

/// Returns the list of these processors.
pub(super) fn list(cpus: &[u32]) -> String {
    let mut sorted = cpus.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for cpu in sorted {
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == cpu => last.1 = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let text = ranges.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") });
    text.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_kernel_are_read() {
        assert_eq!(ranges("0-3,8,10-11\n"), Some(vec![(0, 3), (8, 8), (10, 11)]));
        assert_eq!(ranges(""), Some(Vec::new()));
        assert_eq!(ranges("3-1"), None);
        assert_eq!(ranges("a"), None);
        assert_eq!(overlap("0-3,8", "4-9"), Some(true));
        assert_eq!(overlap("0-3", "4-9"), Some(false));
        assert_eq!(list(&[4, 0, 1, 2, 8, 4]), "0-2,4,8");
    }
}
