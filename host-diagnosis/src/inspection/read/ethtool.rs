//! Outputs of `ethtool` (man page ethtool(8)): `-i` driver, `-a` pause, `-k` offloads, `-S` statistics, and without an
//! option the link.

use model::host::inspection::LinkPause;

use super::lspci::full_address;
use super::recorder::{Line, Recorder, lines};

/// Reads the output of an option.
pub(super) fn read(option: Option<char>, interface: &str, text: &str, out: &mut Recorder) {
    let named = if interface.is_empty() { named_in(text) } else { interface };
    let Some(interface) = out.interface_of(named) else { return };
    let item = |name: &str| format!("interfaces/{interface}/{name}");
    for line in lines(text) {
        // Names of statistics may have colons: `[0]: rx_ucast_packets: 7`.
        let split = if option == Some('S') { line.text.rsplit_once(':') } else { line.text.split_once(':') };
        let Some((key, value)) = split else { continue };
        let (key, value) = (key.trim(), value.trim());
        if value.is_empty() || key.is_empty() {
            continue;
        }
        match option {
            Some('i') => driver(&interface, line, (key, value), out),
            Some('a') => pause(&interface, line, (key, value), out),
            Some('k') => {
                // `tcp-segmentation-offload: on [fixed]`
                let state = value.split_whitespace().next().unwrap_or_default();
                if let Some(is_on) = switch(state) {
                    out.interface(&interface).offloads.insert(key.to_string(), is_on);
                    out.at(item(&format!("offloads/{key}")), line, value);
                }
            }
            Some('S') => match value.parse() {
                Ok(count) => {
                    out.interface(&interface).statistics.insert(key.to_string(), count);
                    out.at(item(&format!("statistics/{key}")), line, value);
                }
                Err(_) => {
                    out.problem(line, value, format!("statistic {key} is `{value}`, expected a number"))
                }
            },
            None if key == "Speed" => {
                // `Speed: 100000Mb/s`, or `Unknown!` while the link is down.
                if let Some(speed) = value.strip_suffix("Mb/s").and_then(|speed| speed.parse().ok()) {
                    out.interface(&interface).speed_mbps = Some(speed);
                    out.at(item("speed_mbps"), line, value);
                }
            }
            _ => {}
        }
    }
}

/// The interface in a heading: `Pause parameters for eth1:`, `Features for eth1:`, `Settings for eth1:`.
fn named_in(text: &str) -> &str {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let heading = first.strip_suffix(':').unwrap_or_default();
    heading.split_once(" for ").map_or("", |(_, name)| name.trim())
}

fn switch(state: &str) -> Option<bool> {
    match state {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn driver(interface: &str, line: Line<'_>, (key, value): (&str, &str), out: &mut Recorder) {
    let record = out.interface(interface);
    let field = match key {
        "driver" => &mut record.driver,
        "version" => &mut record.driver_version,
        "firmware-version" => &mut record.firmware,
        "bus-info" => &mut record.pci,
        _ => return,
    };
    let name = match key {
        "version" => "driver_version",
        "firmware-version" => "firmware",
        "bus-info" => "pci",
        _ => "driver",
    };
    *field = Some(if key == "bus-info" { full_address(value) } else { value.to_string() });
    out.at(format!("interfaces/{interface}/{name}"), line, value);
}

fn pause(interface: &str, line: Line<'_>, (key, value): (&str, &str), out: &mut Recorder) {
    let pause: &mut LinkPause = out.interface(interface).pause.get_or_insert_default();
    let (field, name) = match key {
        "Autonegotiate" => (&mut pause.autonegotiate, "autonegotiate"),
        "RX" => (&mut pause.rx, "rx"),
        "TX" => (&mut pause.tx, "tx"),
        _ => return,
    };
    let state = switch(value);
    *field = state;
    match state {
        Some(_) => out.at(format!("interfaces/{interface}/pause/{name}"), line, value),
        None => out.problem(line, value, format!("{key} is `{value}`, expected `on` or `off`")),
    }
}
