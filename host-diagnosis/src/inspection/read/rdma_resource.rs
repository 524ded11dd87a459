//! Output of `rdma resource show mr` (iproute2, man page rdma-resource(8)): memory regions of processes.

use super::recorder::{Recorder, lines};

/// Reads lines such as `dev mlx5_0 rkey 0x1a lkey 0x1a mrlen 4194304 pid 2834 comm ib_send_bw mrn 4 pdn 9`; the order of the
/// pairs differs between versions, and keys are there with `-d`. Regions of the kernel have no process id, or 0, and are
/// left out.
pub(super) fn read(text: &str, out: &mut Recorder) {
    for line in lines(text) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let value = |name: &str| {
            words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1).copied())
        };
        let pid = value("pid").filter(|pid| *pid != "0");
        let (Some(device), Some(bytes), Some(pid)) = (value("dev"), value("mrlen"), pid) else { continue };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that `res-mr.c` of iproute2 5.0 and 6.x print.
    #[test]
    fn pairs_are_read_in_any_order_and_regions_of_the_kernel_are_left_out() {
        let mut out = Recorder::default();
        read(
            "dev mlx5_0 mrlen 4096 pid 0 comm [ib_core] mrn 1 pdn 2 \n\
             dev mlx5_0 rkey 0x1a lkey 0x1a iova 0x7f00 mrlen 4194304 pid 4711 comm trainer mrn 4 pdn 9 \n\
             dev mlx5_1 mrn 5 mrlen 100 pdn 9 pid 4711 comm trainer\n\
             dev mlx5_1 mrn 6 mrlen 100 pdn 9 comm [ib_core]\n",
            &mut out,
        );
        let found = &out.reading.inspection.processes;
        assert_eq!(found.keys().collect::<Vec<_>>(), ["4711"]);
        let registered = [("mlx5_0".to_string(), 4_194_304), ("mlx5_1".to_string(), 100)];
        assert_eq!(found["4711"].registered_bytes, registered.into());
        assert_eq!(out.reading.problems, []);
    }
}
