//! What a table is about, by the names of its columns, and what its rows add to a reading.

use model::Rate;

use super::table::Cell;
use crate::reading::{LocalNeighbour, PRIORITIES, PortReading, Reading, WatchdogReading, WatchdogState};

/// Longest name of a port; Linux allows 15 characters for an interface.
const MAX_PORT_NAME: usize = 32;
/// The maximum number of ports of a switch that are read.
pub(in crate::sonic) const MAX_PORTS: usize = 4_096;

/// What a table of priority groups counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Groups {
    Shared,
    Headroom,
    Drops,
}

/// What a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    PausesReceived,
    PausesSent,
    PauseHistory,
    QueueCounters,
    QueueWatermarks,
    Groups(Groups),
    Watchdog,
    Interfaces,
    Status,
    Neighbours,
}

impl Kind {
    /// Whether its values change with time.
    pub(super) fn is_counted(self) -> bool {
        !matches!(self, Kind::Status | Kind::Neighbours)
    }

    /// Whether its values are peaks since they were cleared.
    pub(super) fn is_watermark(self) -> bool {
        matches!(self, Kind::QueueWatermarks | Kind::Groups(Groups::Shared | Groups::Headroom))
    }

    /// Whether the command prints a table for each port.
    pub(super) fn is_split_by_port(self) -> bool {
        matches!(self, Kind::QueueCounters)
    }
}

/// What tables of priority groups that follow `line` count: the line is a command, or the title that
/// `watermarkstat` and `pg-drop` print.
pub(super) fn groups_of(line: &str) -> Option<Groups> {
    let is_title = |start: &str| line.trim_start().starts_with(start);
    let is_command =
        |words: &[&str]| line.contains("priority-group") && words.iter().all(|word| line.contains(word));
    if is_title("Ingress headroom per PG") || is_command(&["watermark", "headroom"]) {
        Some(Groups::Headroom)
    } else if is_title("Ingress shared pool occupancy per PG") || is_command(&["watermark", "shared"]) {
        Some(Groups::Shared)
    } else if is_title("Ingress PG dropped packets") || is_command(&["drop"]) {
        Some(Groups::Drops)
    } else {
        None
    }
}

/// Whether a line is the title of a table, or a message above one: what follows are no more rows of the table before.
pub(super) fn is_title(line: &str) -> bool {
    const TITLES: [&str; 7] = [
        "Egress shared pool occupancy",
        "Egress queue ",
        "Ingress shared pool occupancy",
        "Ingress headroom per PG",
        "Ingress PG dropped packets",
        "For namespace ",
        "Last cached time was",
    ];
    TITLES.iter().any(|title| line.trim_start().starts_with(title))
}

/// The kind of a table with these columns; `None` for tables that no reading uses.
pub(super) fn kind_of(names: &[String], groups: Option<Groups>) -> Result<Option<Kind>, String> {
    let name = |at: usize| names.get(at).map_or("", String::as_str);
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    Ok(match (name(0), name(1)) {
        ("Port Rx", _) if indexed(name(1), "PFC").is_some() => Some(Kind::PausesReceived),
        ("Port Tx", _) if indexed(name(1), "PFC").is_some() => Some(Kind::PausesSent),
        ("Port", "Priority") if has("Total RX Pause Time US") => Some(Kind::PauseHistory),
        ("Port", "TxQ") if has("Counter/pkts") => Some(Kind::QueueCounters),
        ("Port", second) if ["UC", "ALL"].iter().any(|prefix| indexed(second, prefix).is_some()) => {
            Some(Kind::QueueWatermarks)
        }
        ("Port", second) if indexed(second, "PG").is_some() => match groups {
            Some(groups) => Some(Kind::Groups(groups)),
            None => {
                return Err("a table of priority groups without its title; expected `Ingress shared pool occupancy \
                            per PG:`, `Ingress headroom per PG:` or `Ingress PG dropped packets:` above it, or the \
                            command; it is left out"
                    .to_string());
            }
        },
        ("QUEUE", "STATUS") if has("STORM DETECTED/RESTORED") => Some(Kind::Watchdog),
        ("IFACE", _) if has("RX_DRP") || has("RX_OK") => Some(Kind::Interfaces),
        ("Interface", "Lanes") if has("Speed") => Some(Kind::Status),
        ("LocalPort", "RemoteDevice") => Some(Kind::Neighbours),
        _ => None,
    })
}

/// Whether a line holds the names of a table's columns: a table begins, also without a blank line before it.
pub(super) fn is_header(line: &str) -> bool {
    const FIRST: [&str; 7] = ["Port", "Port Rx", "Port Tx", "QUEUE", "IFACE", "Interface", "LocalPort"];
    let first = line.trim().split("  ").next().unwrap_or("");
    FIRST.contains(&first)
}

/// The number after a prefix, `PFC3`.
fn indexed(name: &str, prefix: &str) -> Option<usize> {
    name.strip_prefix(prefix)?.parse().ok()
}

/// Values that are wrong: column and message.
type Wrong = Vec<(usize, String)>;

/// Adds a row to a reading.
pub(super) fn apply(
    kind: Kind,
    names: &[String],
    cells: &[Cell<'_>],
    reading: &mut Reading,
    wrong: &mut Wrong,
) {
    let Some(first) = cells.first() else { return };
    let (port_name, queue) = match kind {
        Kind::Watchdog => first.text.rsplit_once(':').unwrap_or((first.text, "")),
        _ => (first.text, ""),
    };
    let is_name = port_name.len() <= MAX_PORT_NAME
        && port_name.starts_with(|c: char| c.is_ascii_alphabetic())
        && port_name.contains(|c: char| c.is_ascii_digit())
        && !port_name.contains(char::is_whitespace);
    let is_new = !reading.ports.contains_key(port_name);
    if !is_name {
        wrong.push((first.column, "expected the name of a port".to_string()));
        return;
    }
    if is_new && reading.ports.len() >= MAX_PORTS {
        wrong.push((first.column, format!("more than {MAX_PORTS} ports of a switch; the row is left out")));
        return;
    }
    // Port channels have no queues and no PFC of their own.
    if port_name.starts_with("PortChannel") {
        return;
    }
    let port = reading.ports.entry(port_name.to_string()).or_default();
    let row = Row { names, cells };
    match kind {
        Kind::PausesReceived => row.by_index(&["PFC"], wrong, |index, value| {
            port.priorities[index].pause_rx_frames = value;
        }),
        Kind::PausesSent => row.by_index(&["PFC"], wrong, |index, value| {
            port.priorities[index].pause_tx_frames = value;
        }),
        Kind::PauseHistory => pause_history(&row, port, wrong),
        Kind::QueueCounters => queue_counters(&row, port, wrong),
        Kind::QueueWatermarks => row.by_index(&["UC", "ALL"], wrong, |index, value| {
            port.priorities[index].queue.watermark_bytes = value;
        }),
        Kind::Groups(groups) => row.by_index(&["PG"], wrong, |index, value| {
            let group = &mut port.priorities[index].group;
            let slot = match groups {
                Groups::Shared => &mut group.shared_watermark_bytes,
                Groups::Headroom => &mut group.headroom_watermark_bytes,
                Groups::Drops => &mut group.dropped_packets,
            };
            *slot = value;
        }),
        Kind::Watchdog => watchdog(&row, queue, port, wrong),
        Kind::Interfaces => interface(&row, port, wrong),
        Kind::Status => status(&row, port, wrong),
        Kind::Neighbours => {}
    }
}

/// A row with the names of its columns.
struct Row<'r, 't> {
    names: &'r [String],
    cells: &'r [Cell<'t>],
}

impl<'r, 't> Row<'r, 't> {
    fn cell(&self, name: &str) -> Option<&'r Cell<'t>> {
        self.cells.get(self.names.iter().position(|known| known == name)?)
    }

    fn number(&self, name: &str, wrong: &mut Wrong) -> Option<u64> {
        number(self.cell(name)?, wrong)
    }

    /// Sets the value of each column with a prefix and an index; indexes without a priority are left out.
    fn by_index(&self, prefixes: &[&str], wrong: &mut Wrong, mut set: impl FnMut(usize, Option<u64>)) {
        for (name, cell) in self.names.iter().zip(self.cells).skip(1) {
            let index = prefixes.iter().find_map(|prefix| indexed(name, prefix));
            if let Some(index) = index.filter(|index| *index < PRIORITIES) {
                set(index, number(cell, wrong));
            }
        }
    }
}

/// A number, with commas or without; `N/A` and an empty cell are no number.
fn number(cell: &Cell<'_>, wrong: &mut Wrong) -> Option<u64> {
    let text = cell.text;
    if text.is_empty() || text == "N/A" {
        return None;
    }
    let value = text.replace(',', "").parse().ok();
    if value.is_none() {
        let shown: String = text.chars().take(40).collect();
        wrong.push((cell.column, format!("`{shown}` is not a number; it is left out")));
    }
    value
}

fn pause_history(row: &Row<'_, '_>, port: &mut PortReading, wrong: &mut Wrong) {
    let priority = row.cell("Priority").and_then(|cell| indexed(cell.text, "PFC"));
    let Some(priority) = priority.and_then(|priority| port.priorities.get_mut(priority)) else { return };
    let total_us = row.number("Total RX Pause Time US", wrong);
    priority.pause_rx_ns = total_us.and_then(|us| us.checked_mul(1_000));
}

fn queue_counters(row: &Row<'_, '_>, port: &mut PortReading, wrong: &mut Wrong) {
    let Some(tag) = row.cell("TxQ") else { return };
    // Multicast queues (`MC10`) carry no PFC traffic.
    let index = indexed(tag.text, "UC").or_else(|| indexed(tag.text, "ALL"));
    let Some(priority) = index.and_then(|index| port.priorities.get_mut(index)) else { return };
    priority.queue.packets = row.number("Counter/pkts", wrong);
    priority.queue.bytes = row.number("Counter/bytes", wrong);
    priority.queue.dropped_packets = row.number("Drop/pkts", wrong);
}

fn watchdog(row: &Row<'_, '_>, queue: &str, port: &mut PortReading, wrong: &mut Wrong) {
    let first = row.cells[0].column;
    let Ok(queue) = queue.parse::<usize>() else {
        wrong.push((first, "expected a queue, as `Ethernet0:3`".to_string()));
        return;
    };
    let Some(priority) = port.priorities.get_mut(queue) else { return };
    let mut pair = |name: &str| {
        let cell = row.cell(name)?;
        let (a, b) = cell.text.split_once('/')?;
        let part = |text| Cell { text, column: cell.column };
        Some((number(&part(a), wrong)?, number(&part(b), wrong)?))
    };
    let Some((detected, restored)) = pair("STORM DETECTED/RESTORED") else { return };
    let (tx_drops, rx_drops) = (pair("TX OK/DROP"), pair("RX OK/DROP"));
    let state = match row.cell("STATUS").map(|cell| cell.text) {
        Some("stormed") => WatchdogState::Stormed,
        _ => WatchdogState::Operational,
    };
    priority.watchdog = Some(WatchdogReading {
        state,
        detected,
        restored,
        tx_dropped_packets: tx_drops.map(|(_, dropped)| dropped),
        rx_dropped_packets: rx_drops.map(|(_, dropped)| dropped),
    });
}

fn interface(row: &Row<'_, '_>, port: &mut PortReading, wrong: &mut Wrong) {
    if let Some(state) = row.cell("STATE") {
        // U is up, D down, X disabled.
        port.up = match state.text {
            "U" => Some(true),
            "D" | "X" => Some(false),
            _ => None,
        };
    }
    port.rx_drops = row.number("RX_DRP", wrong).or(port.rx_drops);
    port.tx_drops = row.number("TX_DRP", wrong).or(port.tx_drops);
    port.rx_errors = row.number("RX_ERR", wrong).or(port.rx_errors);
    if let Some(cell) = row.cell("TX_BPS") {
        port.tx_bytes_per_s = bytes_per_s(cell.text);
    }
}

/// `1500.00 MB/s`: `portstat` divides by powers of 1000.
fn bytes_per_s(text: &str) -> Option<u64> {
    let (value, unit) = text.split_once(' ')?;
    let factor = match unit {
        "B/s" => 1e0,
        "KB/s" => 1e3,
        "MB/s" => 1e6,
        "GB/s" => 1e9,
        _ => return None,
    };
    let value: f64 = value.replace(',', "").parse().ok()?;
    (value.is_finite() && value >= 0.0).then(|| (value * factor).round() as u64)
}

fn status(row: &Row<'_, '_>, port: &mut PortReading, wrong: &mut Wrong) {
    if let Some(cell) = row.cell("Speed").filter(|cell| cell.text != "N/A") {
        port.speed = speed(cell.text);
        if port.speed.is_none() {
            let shown: String = cell.text.chars().take(40).collect();
            wrong.push((cell.column, format!("`{shown}` is not a speed; expected one as `100G` or `1000M`")));
        }
    }
    let alias = row.cell("Alias").map(|cell| cell.text).filter(|alias| !matches!(*alias, "N/A" | ""));
    port.alias = alias.map(str::to_owned).or(port.alias.take());
    if let Some(oper) = row.cell("Oper") {
        port.up = Some(oper.text == "up");
    }
}

/// `100G`, `1000M`, or a number of Mb/s.
fn speed(text: &str) -> Option<Rate> {
    let (digits, bits_per_s) = match text.as_bytes().last()? {
        b'G' => (&text[..text.len() - 1], 1_000_000_000),
        b'M' => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1_000_000),
    };
    digits.parse::<u64>().ok()?.checked_mul(bits_per_s).map(Rate)
}

/// The neighbour in a row of `show lldp table`.
pub(super) fn neighbour(cells: &[Cell<'_>]) -> Option<LocalNeighbour> {
    let text = |at: usize| cells.get(at).map(|cell| cell.text).filter(|text| !text.is_empty());
    let (port, system) = (text(0)?, text(1)?);
    // `Total entries displayed:  3`
    if port.ends_with(':') || !port.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    // Bridges (B) and routers (R) forward; a system with other capabilities only (O, e.g. of a station) is a host.
    let is_host = text(3).map(|capability| !capability.contains(['B', 'R']));
    Some(LocalNeighbour {
        port: port.to_string(),
        system: system.to_string(),
        remote_port: text(2).map(str::to_owned),
        remote_description: text(4).map(str::to_owned),
        is_host,
    })
}
