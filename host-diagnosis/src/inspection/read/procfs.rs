//! Files below `/proc` (man page proc(5)), and output of `sysctl -a`.

use super::recorder::{Recorder, lines};

/// Size of a base page, unless the kernel states another: x86-64.
const KIBIBYTE: u64 = 1024;

/// Reads a file by its path below `/proc`. Returns whether it is known.
pub(super) fn read(path: &[&str], text: &str, out: &mut Recorder) -> bool {
    match path {
        ["meminfo"] => meminfo(text, out),
        ["cmdline"] => {
            out.reading.inspection.platform.kernel_command_line = Some(text.trim().to_string());
            out.here("platform/kernel_command_line".into());
        }
        ["cpuinfo"] => cpuinfo(text, out),
        ["sys", "kernel", "hostname"] => {
            if out.reading.host.is_empty() {
                out.reading.host = text.trim().to_string();
            }
        }
        ["sys", rest @ ..] => {
            out.reading.inspection.sysctl.insert(rest.join("."), text.trim().to_string());
            out.here(format!("sysctl/{}", rest.join(".")));
        }
        [pid, "status"] if pid.parse::<u32>().is_ok() => status(pid, text, out),
        _ => return false,
    }
    true
}

/// Reads lines such as `net.ipv4.tcp_ecn = 2`.
pub(super) fn sysctl(text: &str, out: &mut Recorder) {
    for line in lines(text) {
        let Some((name, value)) = line.text.split_once('=') else { continue };
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || name.contains(' ') {
            continue;
        }
        out.reading.inspection.sysctl.insert(name.to_string(), value.to_string());
        out.at(format!("sysctl/{name}"), line, value);
    }
}

/// Memory in huge pages: all reserved pages (`Hugetlb`, all sizes), and transparent ones.
fn meminfo(text: &str, out: &mut Recorder) {
    let mut sum = None;
    for line in lines(text) {
        let Some((name, value)) = line.text.split_once(':') else { continue };
        let is_size =
            matches!(name, "Hugepagesize" | "Hugetlb" | "AnonHugePages" | "ShmemHugePages" | "FileHugePages");
        if !is_size {
            continue;
        }
        let kib = value.trim().strip_suffix("kB").and_then(|number| number.trim().parse::<u64>().ok());
        let Some(bytes) = kib.and_then(|kib| kib.checked_mul(KIBIBYTE)) else {
            out.problem(
                line,
                value.trim_start(),
                format!("{name} is `{}`, expected a number and kB", value.trim()),
            );
            continue;
        };
        if name == "Hugepagesize" {
            out.reading.inspection.memory.huge_page_bytes = Some(bytes);
            out.at("memory/huge_page_bytes".into(), line, value.trim_start());
        } else {
            sum = Some(sum.unwrap_or(0u64).saturating_add(bytes));
            out.at("memory/in_huge_pages_bytes".into(), line, value.trim_start());
        }
    }
    out.reading.inspection.memory.in_huge_pages_bytes = sum;
}

fn cpuinfo(text: &str, out: &mut Recorder) {
    for line in lines(text) {
        let Some((name, value)) = line.text.split_once(':') else { continue };
        let value = value.trim();
        let platform = &mut out.reading.inspection.platform;
        match name.trim() {
            "vendor_id" if platform.cpu_vendor.is_none() => {
                platform.cpu_vendor = Some(value.to_string());
                out.at("platform/cpu_vendor".into(), line, value);
            }
            "flags" if platform.is_virtual.is_none() => {
                platform.is_virtual = Some(value.split(' ').any(|flag| flag == "hypervisor"));
                out.at("platform/is_virtual".into(), line, value);
            }
            _ => {}
        }
    }
}

fn status(pid: &str, text: &str, out: &mut Recorder) {
    for line in lines(text) {
        let Some((name, value)) = line.text.split_once(':') else { continue };
        let value = value.trim();
        let process = out.reading.inspection.processes.entry(pid.to_string()).or_default();
        match name {
            "Name" => process.name = Some(value.to_string()),
            "Cpus_allowed_list" => process.cpus = Some(value.to_string()),
            _ => continue,
        }
        let item = if name == "Name" { "name" } else { "cpus" };
        out.at(format!("processes/{pid}/{item}"), line, value);
    }
}
