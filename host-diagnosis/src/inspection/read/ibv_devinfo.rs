//! Output of `ibv_devinfo` (rdma-core): firmware, board and active MTU of RDMA devices.

use super::recorder::{Recorder, lines};

/// Reads the output.
pub(super) fn read(text: &str, out: &mut Recorder) {
    let mut device = String::new();
    let mut port = 0u32;
    for line in lines(text) {
        let Some((key, value)) = line.text.split_once(':') else { continue };
        let (key, value) = (key.trim(), value.trim());
        let item = |name: &str| format!("rdma/{device}/{name}");
        match key {
            "hca_id" => {
                device = value.to_string();
                port = 0;
                out.rdma(&device);
                out.at(format!("rdma/{device}"), line, value);
            }
            _ if device.is_empty() => {}
            "port" => port = value.parse().unwrap_or_default(),
            "fw_ver" => {
                out.rdma(&device).firmware = Some(value.to_string());
                out.at(item("firmware"), line, value);
            }
            "board_id" => {
                out.rdma(&device).board = Some(value.to_string());
                out.at(item("board"), line, value);
            }
            // Harrier compares the first port, to which the interface of the device belongs.
            "active_mtu" if port <= 1 => match value.split_whitespace().next().unwrap_or_default().parse() {
                Ok(mtu) => {
                    out.rdma(&device).active_mtu_bytes = Some(mtu);
                    out.at(item("active_mtu_bytes"), line, value);
                }
                Err(_) => out.problem(line, value, format!("active MTU is `{value}`, expected bytes")),
            },
            _ => {}
        }
    }
}
