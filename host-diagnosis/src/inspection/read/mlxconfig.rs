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

#[cfg(test)]
mod tests {
    use super::*;

    /// Outputs of `mlxconfig -d DEV q` and `mlxconfig -d DEV -e q`, as published in issues and manuals.
    #[test]
    fn the_value_of_the_next_boot_is_read() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let mut out = Recorder::default();
            read("mlx5_0", text, &mut out);
            let found = &out.reading.inspection.rdma["mlx5_0"].firmware_settings;
            let found: Vec<(&str, &str)> =
                found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!(found, expected);
        };
        let heading = "\nDevice #1:\n----------\n\nDevice type:    ConnectX6DX\nName:           MCX623106AN-CDA_Ax\n\
                       Description:    ConnectX-6 Dx EN adapter card\nDevice:         /dev/mst/mt4125_pciconf0\n\n";
        check(
            &format!(
                "{heading}Configurations:                              Next Boot\n        \
                 PCI_WR_ORDERING                     per_mkey(0)\n        ATS_ENABLED                         False(0)\n"
            ),
            &[("ATS_ENABLED", "False(0)"), ("PCI_WR_ORDERING", "per_mkey(0)")],
        );
        check(
            &format!(
                "{heading}Configurations:                              Default              Current              Next Boot\n\
                 *       ROCE_CONTROL                                ROCE_ENABLE(2)       DEVICE_DEFAULT(0)    ROCE_ENABLE(2)\n        \
                 PCI_WR_ORDERING                             per_mkey(0)          per_mkey(0)          force_relax(1)\n"
            ),
            &[("PCI_WR_ORDERING", "force_relax(1)"), ("ROCE_CONTROL", "ROCE_ENABLE(2)")],
        );
    }
}
