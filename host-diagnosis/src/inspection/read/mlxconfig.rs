//! Output of `mlxconfig -d DEV query` (NVIDIA firmware tools): settings of the firmware.

use super::recorder::{Recorder, lines};

/// Reads lines such as `PCI_WR_ORDERING    force_relax(1)`. The last column is what holds after the next boot; with `-e`
/// there are several.
pub(super) fn read(device: &str, text: &str, out: &mut Recorder) {
    let Some(device) = out.device_of(device) else { return };
    for line in lines(text) {
        let mut words = line.text.split_whitespace().filter(|word| *word != "*");
        let (Some(name), Some(value)) = (words.next(), words.next_back()) else { continue };
        let is_setting = name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        if is_setting && name.len() > 3 && !name.ends_with(':') {
            out.rdma(&device).firmware_settings.insert(name.to_string(), value.to_string());
            out.at(format!("rdma/{device}/firmware_settings/{name}"), line, value);
        }
    }
}
