//! Output of `lspci -vv` (pciutils): functions with link, ACS, ATS and relaxed ordering.
//!
//! Access control and address translation are only shown to root. `-D` adds the domain to addresses; without it, it is
//! 0.

use model::host::inspection::PciKind;

use super::recorder::{Line, Recorder, lines};

/// Reads the output.
pub(super) fn read(text: &str, out: &mut Recorder) {
    let mut address = String::new();
    let mut is_kept = false;
    // `DevCtl` continues on the next line, where `RlxdOrd` is.
    let mut is_device_control = false;
    for line in lines(text) {
        if !line.text.starts_with([' ', '\t']) {
            let Some((first, rest)) = line.text.split_once(' ') else { continue };
            if !is_address(first) {
                continue;
            }
            address = full_address(first);
            let kind = kind(rest);
            is_kept = kind.is_some();
            if let Some(kind) = kind {
                out.pci(&address).kind = Some(kind);
                out.pci(&address).product = rest.split_once(": ").map(|(_, name)| name.to_string());
                out.at(format!("pci/{address}/kind"), line, rest);
            }
            continue;
        }
        if !is_kept {
            continue;
        }
        let content = line.text.trim_start();
        let starts = |name: &str| content.starts_with(name);
        if starts("DevCtl:") || is_device_control {
            is_device_control = starts("DevCtl:");
            relaxed_ordering(&address, line, out);
        }
        if let Some(link) = content.strip_prefix("LnkCap:") {
            self::link(&address, line, link, true, out);
        } else if let Some(link) = content.strip_prefix("LnkSta:") {
            self::link(&address, line, link, false, out);
        } else if let Some(flags) = content.strip_prefix("ACSCtl:") {
            let on = flags.split_whitespace().filter_map(|flag| flag.strip_suffix('+')).map(str::to_string);
            out.pci(&address).acs = Some(on.collect());
            out.at(format!("pci/{address}/acs"), line, content);
        } else if let Some(flags) = content.strip_prefix("ATSCtl:") {
            let state = flags.trim_start();
            out.pci(&address).ats = state.strip_prefix("Enable").map(|rest| rest.starts_with('+'));
            out.at(format!("pci/{address}/ats"), line, content);
        } else if let Some(buses) = content.strip_prefix("Bus:") {
            bridge(&address, line, buses, out);
        } else if let Some(node) = content.strip_prefix("NUMA node:") {
            out.pci(&address).numa_node = node.trim().parse().ok();
            out.at(format!("pci/{address}/numa_node"), line, node.trim_start());
        }
    }
}

/// Whether a word is `17:00.0` or `0000:17:00.0`.
fn is_address(word: &str) -> bool {
    let Some((buses, function)) = word.rsplit_once('.') else { return false };
    let parts: Vec<&str> = buses.split(':').collect();
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    (2..=3).contains(&parts.len()) && parts.iter().all(|part| is_hex(part)) && is_hex(function)
}

/// Returns the address with its domain, in lower case.
pub(super) fn full_address(address: &str) -> String {
    let address = address.to_ascii_lowercase();
    match address.split(':').collect::<Vec<_>>().as_slice() {
        [_, _] => format!("0000:{address}"),
        // Some tools write domains of eight digits.
        [domain, bus, rest] if domain.len() == 8 => {
            format!("{}:{bus}:{rest}", domain.get(4..).unwrap_or_default())
        }
        _ => address,
    }
}

/// The kind of a function by the name of its class; `None` if rules do not concern it.
fn kind(text: &str) -> Option<PciKind> {
    let class = text.split(':').next()?;
    let is = |names: &[&str]| names.iter().any(|name| class.starts_with(name));
    if is(&["Ethernet controller", "Infiniband controller", "InfiniBand controller", "Network controller"]) {
        Some(PciKind::Nic)
    } else if is(&[
        "3D controller",
        "VGA compatible controller",
        "Display controller",
        "Processing accelerators",
    ]) {
        Some(PciKind::Gpu)
    } else if is(&["PCI bridge"]) {
        Some(PciKind::Bridge)
    } else {
        None
    }
}

fn relaxed_ordering(address: &str, line: Line<'_>, out: &mut Recorder) {
    let flag = line.text.split_whitespace().find(|word| word.starts_with("RlxdOrd"));
    if let Some(flag) = flag {
        out.pci(address).relaxed_ordering = Some(flag.ends_with('+'));
        out.at(format!("pci/{address}/relaxed_ordering"), line, flag);
    }
}

/// Reads `Port #0, Speed 16GT/s, Width x16, ...`; `LnkSta` may add `(ok)` or `(downgraded)`.
fn link(address: &str, line: Line<'_>, text: &str, is_maximum: bool, out: &mut Recorder) {
    for part in text.split(',').map(str::trim) {
        let number = part.split_whitespace().nth(1).unwrap_or_default();
        if part.starts_with("Speed ") {
            let speed = number.strip_suffix("GT/s").and_then(millions);
            // `unknown` is what a function without a link has.
            let function = out.pci(address);
            let (field, name) = match is_maximum {
                true => (&mut function.max_speed_mtps, "max_speed_mtps"),
                false => (&mut function.speed_mtps, "speed_mtps"),
            };
            *field = speed.or(*field);
            out.at(format!("pci/{address}/{name}"), line, part);
        } else if part.starts_with("Width x") {
            let lanes =
                number.strip_prefix('x').and_then(|lanes| lanes.parse().ok()).filter(|lanes| *lanes > 0);
            let function = out.pci(address);
            let (field, name) = match is_maximum {
                true => (&mut function.max_lanes, "max_lanes"),
                false => (&mut function.lanes, "lanes"),
            };
            *field = lanes.or(*field);
            out.at(format!("pci/{address}/{name}"), line, part);
        }
    }
}

/// Returns the thousandths of a decimal number: `2.5` is 2500.
pub(super) fn millions(number: &str) -> Option<u32> {
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let whole: u32 = whole.parse().ok()?;
    let digits = part.len() as u32;
    let part: u32 = part.parse().ok().filter(|_| digits <= 3)?;
    whole.checked_mul(1000)?.checked_add(part * 10u32.pow(3 - digits))
}

/// Reads `primary=00, secondary=17, subordinate=19, sec-latency=0`.
fn bridge(address: &str, line: Line<'_>, text: &str, out: &mut Recorder) {
    let bus = |name: &str| {
        let value = text.split(',').find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='))?;
        u8::from_str_radix(value, 16).ok()
    };
    match (bus("secondary"), bus("subordinate")) {
        (Some(first), Some(last)) => {
            out.pci(address).buses = Some((first, last));
            out.at(format!("pci/{address}/buses"), line, text.trim_start());
        }
        _ => {
            out.problem(line, text, "expected `secondary=` and `subordinate=` with hexadecimal buses".into())
        }
    }
}
