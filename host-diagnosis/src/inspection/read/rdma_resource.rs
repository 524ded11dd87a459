//! Output of `rdma resource show mr` (iproute2, man page rdma-resource(8)): memory regions of processes.

use super::recorder::{Recorder, lines};

/// Reads lines such as `dev mlx5_0 mrn 4 mrlen 4194304 pdn 9 pid 2834 comm ib_send_bw`. Regions of the kernel have no
/// process id and are left out.
pub(super) fn read(text: &str, out: &mut Recorder) {
    for line in lines(text) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let value = |name: &str| {
            words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1).copied())
        };
        let (Some(device), Some(bytes), Some(pid)) = (value("dev"), value("mrlen"), value("pid")) else {
            continue;
        };
        match (bytes.parse::<u64>(), pid.parse::<u32>()) {
            (Ok(bytes), Ok(_)) => {
                let process = out.reading.inspection.processes.entry(pid.to_string()).or_default();
                let sum = process.registered_bytes.entry(device.to_string()).or_default();
                *sum = sum.saturating_add(bytes);
                if let Some(name) = value("comm") {
                    process.name = Some(name.to_string());
                }
                out.at(
                    format!("processes/{pid}/registered_bytes/{device}"),
                    line,
                    bytes_of(line.text, "mrlen"),
                );
            }
            _ => out.problem(line, line.text, "expected numbers after `mrlen` and `pid`".into()),
        }
    }
}

/// The text from a key on, for its position.
fn bytes_of<'t>(line: &'t str, key: &str) -> &'t str {
    line.find(key).and_then(|at| line.get(at..)).unwrap_or(line)
}
