//! Which command wrote a file, from its name: the command line with any separators, `ethtool-i-eth1.txt`.

/// A command, with the device in its file's name, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command<'n> {
    /// `ethtool -a|-i|-k|-S DEV`, or without an option.
    Ethtool {
        /// The option; `None` without one.
        option: Option<char>,
        /// The interface; empty if the name has none.
        interface: &'n str,
    },
    /// `mlnx_qos -i DEV`
    MlnxQos {
        /// The interface.
        interface: &'n str,
    },
    /// `cma_roce_tos -d DEV`
    RoceTos {
        /// The RDMA device.
        device: &'n str,
    },
    /// `lspci -vv`
    Lspci,
    /// `numactl -H`
    Numactl,
    /// `sysctl -a`
    Sysctl,
    /// `rdma resource show mr`
    RdmaMemoryRegions,
    /// `ibv_devinfo`
    IbvDevinfo,
    /// `lldpctl -f keyvalue`
    Lldp,
    /// `mlxconfig -d DEV query`
    Mlxconfig {
        /// The RDMA device.
        device: &'n str,
    },
    /// `nvidia-smi --query-compute-apps=pid,gpu_bus_id --format=csv,noheader`
    NvidiaSmi,
    /// Another file.
    Unknown,
}

/// Returns the command of a file.
pub(super) fn command(path: &str) -> Command<'_> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = [".txt", ".out", ".log"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let starts = |tool: &str| {
        let rest = name.strip_prefix(tool)?;
        rest.chars().next().is_none_or(is_separator).then_some(rest)
    };
    if let Some(rest) = starts("ethtool") {
        let (option, interface) = option(rest);
        return Command::Ethtool { option, interface };
    }
    if let Some(rest) = starts("mlnx_qos") {
        return Command::MlnxQos { interface: option(rest).1 };
    }
    if let Some(rest) = starts("cma_roce_tos") {
        return Command::RoceTos { device: option(rest).1 };
    }
    if let Some(rest) = starts("mlxconfig") {
        let device = option(rest).1;
        let query =
            ["query", "q"].iter().find_map(|word| device.strip_suffix(word)?.strip_suffix(is_separator));
        return Command::Mlxconfig { device: query.unwrap_or(device) };
    }
    let simple = [
        ("lspci", Command::Lspci),
        ("numactl", Command::Numactl),
        ("sysctl", Command::Sysctl),
        ("rdma", Command::RdmaMemoryRegions),
        ("ibv_devinfo", Command::IbvDevinfo),
        ("lldpctl", Command::Lldp),
        ("nvidia-smi", Command::NvidiaSmi),
    ];
    simple.iter().find(|(tool, _)| starts(tool).is_some()).map_or(Command::Unknown, |(_, command)| *command)
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | ' ' | '.' | '=')
}

/// Splits `-i-eth1` into the option and the device. A single letter between separators is an option.
fn option(rest: &str) -> (Option<char>, &str) {
    let rest = rest.trim_start_matches(is_separator);
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => (Some(letter), ""),
        (Some(letter), Some(next)) if letter.is_ascii_alphabetic() && is_separator(next) => {
            (Some(letter), chars.as_str().trim_start_matches(is_separator))
        }
        _ => (None, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_with_any_separators_are_known() {
        let check = |path, expected| assert_eq!(command(path), expected, "{path}");
        check("ethtool-i-eth1.txt", Command::Ethtool { option: Some('i'), interface: "eth1" });
        check(
            "commands/ethtool_-S_ens1f0np0",
            Command::Ethtool { option: Some('S'), interface: "ens1f0np0" },
        );
        check("ethtool -a eth-1.2", Command::Ethtool { option: Some('a'), interface: "eth-1.2" });
        check("ethtool-eth1", Command::Ethtool { option: None, interface: "eth1" });
        check("ethtool-k.txt", Command::Ethtool { option: Some('k'), interface: "" });
        check("mlnx_qos-i-eth1.txt", Command::MlnxQos { interface: "eth1" });
        check("mlnx_qos_eth1", Command::MlnxQos { interface: "eth1" });
        check("cma_roce_tos-d-mlx5_0", Command::RoceTos { device: "mlx5_0" });
        check("mlxconfig-d-mlx5_0-query.txt", Command::Mlxconfig { device: "mlx5_0" });
        check("x/lspci-vv.txt", Command::Lspci);
        check("lspci", Command::Lspci);
        check("rdma-resource-show-mr", Command::RdmaMemoryRegions);
        check("notes.txt", Command::Unknown);
        check("lspcifoo", Command::Unknown);
    }
}
