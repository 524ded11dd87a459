//! The files of a host: below the root of a recorded tree, or of this host with outputs of commands.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};

/// Maximum bytes of a file or of the output of a command; `lspci -vv` of a large host takes about 1 MB.
const FILE_BYTES: u64 = 8 << 20;
/// Maximum entries of a folder; further ones are ignored.
const ENTRIES: usize = 4096;
/// Longest time that a command takes; `lspci -vv` of a large host takes about a second.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);
/// How deep outputs of commands may lie below the root.
const DEPTH: usize = 4;

/// Files of the kernel that rules read, with `*` for any name.
const KERNEL_FILES: &[&str] = &[
    "sys/class/net/*/mtu",
    "sys/class/net/*/speed",
    "sys/class/net/*/device/uevent",
    "sys/class/net/*/device/numa_node",
    "sys/class/net/*/device/current_link_speed",
    "sys/class/net/*/device/current_link_width",
    "sys/class/net/*/device/max_link_speed",
    "sys/class/net/*/device/max_link_width",
    "sys/class/net/*/device/iommu_group/type",
    "sys/class/net/*/ecn/roce_np/*",
    "sys/class/net/*/ecn/roce_rp/*",
    "sys/class/net/*/ecn/roce_np/enable/*",
    "sys/class/net/*/ecn/roce_rp/enable/*",
    "sys/class/infiniband/*/fw_ver",
    "sys/class/infiniband/*/board_id",
    "sys/class/infiniband/*/ports/1/gid_attrs/ndevs/0",
    "sys/class/infiniband/*/device/uevent",
    "sys/class/infiniband/*/tc/1/traffic_class",
    "sys/bus/pci/devices/*/class",
    "sys/bus/pci/devices/*/numa_node",
    "sys/bus/pci/devices/*/current_link_speed",
    "sys/bus/pci/devices/*/current_link_width",
    "sys/bus/pci/devices/*/max_link_speed",
    "sys/bus/pci/devices/*/max_link_width",
    "sys/bus/pci/devices/*/iommu_group/type",
    "sys/devices/system/node/*/cpulist",
    "sys/devices/system/node/*/distance",
    "sys/kernel/mm/transparent_hugepage/enabled",
    "sys/kernel/config/rdma_cm/*/ports/1/default_roce_tos",
    "proc/meminfo",
    "proc/cpuinfo",
    "proc/cmdline",
    "proc/sys/kernel/hostname",
    "etc/hostname",
];

/// Reads a recorded tree: files of the kernel below `sys`, `proc` and `etc`, and outputs of commands elsewhere. The root
/// may be that of sysfs itself.
///
/// # Errors
/// The root is not a folder.
pub(crate) fn recorded(root: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    if !root.is_dir() {
        bail!(
            "{}: not a folder; expected a recorded tree with sys, proc and outputs of commands",
            root.display()
        );
    }
    let mut files = BTreeMap::new();
    let is_sysfs = root.join("class").is_dir() && !root.join("sys").is_dir();
    for pattern in KERNEL_FILES {
        match pattern.strip_prefix("sys/").filter(|_| is_sysfs) {
            Some(below) => {
                let mut found = BTreeMap::new();
                matching(root, below, &mut found);
                files.extend(found.into_iter().map(|(path, text)| (format!("sys/{path}"), text)));
            }
            None => matching(root, pattern, &mut files),
        }
    }
    matching(root, "proc/*/status", &mut files);
    outputs(root, "", DEPTH, &mut files)?;
    Ok(files)
}

/// Reads this host: files of the kernel, and outputs of the commands that it has, with kernel parameters if they are wanted.
/// Blocks for seconds on a large host.
pub(crate) fn live(kernel_parameters: bool) -> BTreeMap<String, String> {
    let root = Path::new("/");
    let mut files = BTreeMap::new();
    for pattern in KERNEL_FILES {
        matching(root, pattern, &mut files);
    }
    // Interfaces without a device are virtual.
    let interfaces = names_in(&files, "sys/class/net/", "/device/uevent");
    let devices = names_in(&files, "sys/class/infiniband/", "/fw_ver");
    for name in &interfaces {
        for option in ["-i", "-a", "-k", "-S"] {
            add_output(&format!("ethtool{option}-{name}"), "ethtool", &[option, name], &mut files);
        }
        add_output(&format!("ethtool-{name}"), "ethtool", &[name], &mut files);
        add_output(&format!("mlnx_qos-i-{name}"), "mlnx_qos", &["-i", name], &mut files);
    }
    for name in &devices {
        add_output(&format!("cma_roce_tos-d-{name}"), "cma_roce_tos", &["-d", name], &mut files);
    }
    add_output("lspci-D-vv", "lspci", &["-D", "-vv"], &mut files);
    add_output("ibv_devinfo", "ibv_devinfo", &[], &mut files);
    add_output("rdma-resource-show-mr", "rdma", &["resource", "show", "mr"], &mut files);
    add_output("lldpctl-f-keyvalue", "lldpctl", &["-f", "keyvalue"], &mut files);
    if kernel_parameters {
        add_output("sysctl-a", "sysctl", &["-a"], &mut files);
    }
    let query = ["--query-compute-apps=pid,gpu_bus_id", "--format=csv,noheader"];
    add_output("nvidia-smi-query-compute-apps", "nvidia-smi", &query, &mut files);
    for pid in processes(&files) {
        matching(root, &format!("proc/{pid}/status"), &mut files);
    }
    files
}

/// Writes the files below a folder, which becomes a recorded tree.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn record(files: &BTreeMap<String, String>, folder: &Path) -> anyhow::Result<()> {
    for (path, text) in files {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Adds the files that match a pattern.
fn matching(root: &Path, pattern: &str, files: &mut BTreeMap<String, String>) {
    let mut paths = vec![String::new()];
    for part in pattern.split('/') {
        let join = |path: &str, name: &str| {
            if path.is_empty() { name.to_string() } else { format!("{path}/{name}") }
        };
        let mut next = Vec::new();
        for path in &paths {
            if part == "*" {
                next.extend(names(&root.join(path)).iter().map(|name| join(path, name)));
            } else {
                next.push(join(path, part));
            }
        }
        paths = next;
    }
    for path in paths {
        // A file that does not exist, is a folder, or that the driver refuses to fill has no text.
        if let Some(text) = read(&root.join(&path)) {
            files.insert(path, text);
        }
    }
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names.truncate(ENTRIES);
    names
}

fn read(path: &Path) -> Option<String> {
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Adds the files outside of `sys`, `proc` and `etc`.
fn outputs(
    root: &Path,
    folder: &str,
    depth: usize,
    files: &mut BTreeMap<String, String>,
) -> anyhow::Result<()> {
    let is_of_kernel = |name: &str| folder.is_empty() && ["sys", "proc", "etc"].contains(&name);
    for name in names(&root.join(folder)).into_iter().filter(|name| !is_of_kernel(name)) {
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let full = root.join(&path);
        if full.is_dir() && !full.is_symlink() && depth > 0 {
            outputs(root, &path, depth - 1, files)?;
        } else if full.is_file() {
            let text = read(&full).with_context(|| format!("cannot read {}", full.display()))?;
            files.insert(path, text);
        }
    }
    Ok(())
}

/// The names between a prefix and a suffix of paths.
fn names_in(files: &BTreeMap<String, String>, prefix: &str, suffix: &str) -> BTreeSet<String> {
    let paths = files.keys().filter_map(|path| path.strip_prefix(prefix)?.strip_suffix(suffix));
    paths.filter(|name| !name.contains('/')).map(str::to_string).collect()
}

/// Adds the output of a command, if the host has the command and it succeeds in time.
fn add_output(name: &str, program: &str, arguments: &[&str], files: &mut BTreeMap<String, String>) {
    if let Some(text) = output(program, arguments) {
        files.insert(format!("commands/{name}"), text);
    }
}

/// Returns what a command writes. One that a broken driver blocks is killed after [`COMMAND_TIMEOUT`].
pub(crate) fn output(program: &str, arguments: &[&str]) -> Option<String> {
    // Tools of administrators are often outside of a user's path.
    let path = std::env::var("PATH").unwrap_or_default();
    let mut child = Command::new(program)
        .args(arguments)
        .env("PATH", format!("{path}:/usr/sbin:/sbin"))
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdout = child.stdout.take()?;
    let (sender, written) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(FILE_BYTES).read_to_end(&mut bytes);
        // The receiver is gone after the timeout.
        let _ = sender.send(read.map(|_| bytes));
    });
    let bytes = written.recv_timeout(COMMAND_TIMEOUT);
    if bytes.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().ok()?;
    let bytes = bytes.ok()?.ok()?;
    status.success().then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The processes that outputs of commands name.
fn processes(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let reading = host_diagnosis::inspection::read(files);
    reading.inspection.processes.into_keys().collect()
}
