//! Recognises the operating system of a configuration by its commands.

use serde::Serialize;

/// An operating system other than SONiC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum System {
    /// NVIDIA Cumulus Linux, configured with NVUE.
    Nvue,
    /// Arista EOS.
    Eos,
    /// Cisco NX-OS.
    Nxos,
}

impl System {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nvue => "NVUE",
            Self::Eos => "EOS",
            Self::Nxos => "NX-OS",
        }
    }
}

/// The bytes at the start of a text that are searched. QoS commands of EOS and NX-OS come in the first part of a
/// running configuration.
const SEARCHED_BYTES: usize = 256 * 1024;

/// Lines that begin so occur in configurations of EOS only.
const EOS_MARKS: &[&str] = &[
    "! device:",
    "! Startup-config last modified",
    "transceiver qsfp default-mode",
    "service routing protocols model",
    "qos map dscp",
    "qos map cos",
    "qos map traffic-class",
    "qos profile ",
    "priority-flow-control on",
    "priority-flow-control priority ",
    "priority-flow-control pause watchdog",
    "priority-flow-control all off",
    "service-profile ",
    "error-correction encoding",
    "speed forced ",
    "uc-tx-queue ",
    "tx-queue ",
    "random-detect ecn ",
    "management api http-commands",
    "daemon TerminAttr",
];

/// Lines that begin so occur in configurations of NX-OS only.
const NXOS_MARKS: &[&str] = &[
    "!Command: show ",
    "!Running configuration last done",
    "feature ",
    "vdc ",
    "policy-map type network-qos ",
    "class type network-qos ",
    "policy-map type queuing ",
    "class type queuing ",
    "service-policy type network-qos ",
    "service-policy type queuing ",
    "system qos",
    "priority-flow-control mode ",
    "priority-flow-control watch-dog",
    "pause pfc-cos ",
    "set qos-group ",
    "copp profile ",
    "boot nxos ",
];

/// The operating system of a text; `None` if it is something else, such as JSON.
pub fn system_of(text: &str) -> Option<System> {
    let text = text.trim_start_matches('\u{feff}');
    let mut end = text.len().min(SEARCHED_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or_default();
    match head.trim_start().bytes().next()? {
        // `nv config show -o json`.
        b'[' | b'{' => return is_nvue_json(head).then_some(System::Nvue),
        _ => {}
    }
    let (mut eos, mut nxos, mut nvue) = (0usize, 0usize, 0usize);
    for line in head.lines() {
        let line = line.trim();
        let has = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        eos += usize::from(has(EOS_MARKS));
        nxos += usize::from(has(NXOS_MARKS));
        nvue += usize::from(line.starts_with("nv set ") || matches!(line, "- set:" | "- header:"));
        nvue += usize::from(line.starts_with("nvue-api-version:"));
    }
    let most = [(nvue, System::Nvue), (eos, System::Eos), (nxos, System::Nxos)];
    most.into_iter().filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count).map(|(_, system)| system)
}

/// Whether a JSON text is the export of NVUE: a list of objects, one of which has the settings below `set`.
fn is_nvue_json(head: &str) -> bool {
    let start: String = head.chars().take(4096).filter(|c| !c.is_whitespace()).take(64).collect();
    start.starts_with("[{\"header\":") || start.starts_with("[{\"set\":")
}
