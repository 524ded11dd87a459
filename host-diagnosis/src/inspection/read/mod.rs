//! Reads the files of a host: sysfs and procfs by path, and outputs of commands by file name.
//!
//! A recorded tree has files below `sys`, `proc` and `etc`, and outputs of commands in files named after them, in any
//! folder: `ethtool-i-eth1.txt`, `mlnx_qos-i-eth1`, `lspci-vv.txt`. Files that are nothing of this are ignored.

mod command_name;
mod ethtool;
mod ibv_devinfo;
mod lldp;
mod lspci;
mod mlnx_qos;
mod mlxconfig;
mod numactl;
mod nvidia_smi;
mod procfs;
mod rdma_resource;
mod recorder;
mod roce_tos;
mod sysfs;

use std::collections::BTreeMap;

use model::host::inspection::HostInspection;

use self::command_name::{Command, command};
use self::recorder::Recorder;
use super::place::{Places, Problem};

/// What the files of a host say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Name of the host; empty if no file states it.
    pub host: String,
    /// Its settings.
    pub inspection: HostInspection,
    /// Where each value is from.
    pub places: Places,
    /// Text that could not be read, in the order of the files.
    pub problems: Vec<Problem>,
    /// Number of files that were understood.
    pub files: usize,
}

/// Reads files by path below the root of a host.
pub fn read(files: &BTreeMap<String, String>) -> Reading {
    let mut recorder = Recorder::default();
    for pass in [Pass::Addresses, Pass::Kernel, Pass::Commands, Pass::Links] {
        for (path, text) in files.iter().filter(|(path, _)| pass_of(path) == pass) {
            recorder.file(path);
            let known = read_file(path, text, &mut recorder);
            recorder.reading.files += usize::from(known);
        }
        recorder.join_devices();
    }
    recorder.reading.problems.sort();
    recorder.reading
}

/// The order of files: each pass uses what earlier ones found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// PCIe addresses of interfaces and RDMA devices.
    Addresses,
    /// Other files of the kernel: they name the interfaces that outputs of commands may leave out.
    Kernel,
    /// Outputs of commands.
    Commands,
    /// PCIe links of interfaces: their records are by address.
    Links,
}

fn pass_of(path: &str) -> Pass {
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["sys", "class", _, _, "device", "uevent"] => Pass::Addresses,
        ["sys", "class", "net", _, "device", file, ..] if *file != "numa_node" => Pass::Links,
        ["sys" | "proc" | "etc", ..] => Pass::Kernel,
        _ => Pass::Commands,
    }
}

/// Reads a file. Returns whether it is known.
fn read_file(path: &str, text: &str, out: &mut Recorder) -> bool {
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["sys", rest @ ..] => sysfs::read(rest, text, out),
        ["proc", rest @ ..] => procfs::read(rest, text, out),
        ["etc", "hostname"] => {
            out.reading.host = text.trim().to_string();
            true
        }
        ["etc", ..] => false,
        _ => read_command(command(path), text, out),
    }
}

/// Reads the output of a command. Returns whether the command is known.
fn read_command(command: Command<'_>, text: &str, out: &mut Recorder) -> bool {
    match command {
        Command::Ethtool { option, interface } => ethtool::read(option, interface, text, out),
        Command::MlnxQos { interface } => mlnx_qos::read(interface, text, out),
        Command::RoceTos { device } => roce_tos::read(device, text, out),
        Command::Lspci => lspci::read(text, out),
        Command::Numactl => numactl::read(text, out),
        Command::Sysctl => procfs::sysctl(text, out),
        Command::RdmaMemoryRegions => rdma_resource::read(text, out),
        Command::IbvDevinfo => ibv_devinfo::read(text, out),
        Command::Lldp => lldp::read(text, out),
        Command::Mlxconfig { device } => mlxconfig::read(device, text, out),
        Command::NvidiaSmi => nvidia_smi::read(text, out),
        Command::Unknown => return false,
    }
    true
}
