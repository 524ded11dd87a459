//! The type of service of RoCE connections: output of `cma_roce_tos -d DEV` (mlnx-tools), and the traffic class that
//! mlx5 forces on all connections (`tc/1/traffic_class`).

use super::recorder::{Recorder, lines};

/// Reads the output of `cma_roce_tos`: a number, the default of the device's first port.
pub(super) fn read(device: &str, text: &str, out: &mut Recorder) {
    let Some(device) = out.device_of(device) else { return };
    let Some(line) = lines(text).find(|line| !line.text.trim().is_empty()) else { return };
    // The number may follow a label.
    let value = line.text.split_whitespace().next_back().unwrap_or_default();
    match value.parse() {
        Ok(tos) => {
            out.rdma(&device).default_tos = Some(tos);
            out.at(format!("rdma/{device}/default_tos"), line, value);
        }
        Err(_) => out.problem(line, value, format!("type of service is `{value}`, expected 0 to 255")),
    }
}

/// Reads `Global tclass=106`. A device without the setting has an empty file.
pub(super) fn traffic_class(device: &str, text: &str, out: &mut Recorder) {
    for line in lines(text) {
        let Some(value) = line.text.trim().strip_prefix("Global tclass=") else { continue };
        match value.trim().parse() {
            Ok(class) => {
                out.rdma(device).forced_traffic_class = Some(class);
                out.at(format!("rdma/{device}/forced_traffic_class"), line, value);
            }
            Err(_) => out.problem(line, value, format!("traffic class is `{value}`, expected 0 to 255")),
        }
    }
}
