//! Output of `nvidia-smi --query-compute-apps=pid,gpu_bus_id --format=csv,noheader`: GPUs of processes.

use super::lspci::full_address;
use super::recorder::{Recorder, lines};

/// Reads lines such as `4711, 00000000:3B:00.0`.
pub(super) fn read(text: &str, out: &mut Recorder) {
    for line in lines(text).filter(|line| !line.text.trim().is_empty()) {
        let Some((pid, gpu)) = line.text.split_once(',') else { continue };
        let (pid, gpu) = (pid.trim(), gpu.trim());
        if pid.parse::<u32>().is_err() {
            // A heading, or a remark such as `No running processes found`.
            continue;
        }
        let address = full_address(gpu);
        let process = out.reading.inspection.processes.entry(pid.to_string()).or_default();
        if !process.gpus.contains(&address) {
            process.gpus.push(address);
        }
        out.at(format!("processes/{pid}/gpus"), line, gpu);
    }
}
