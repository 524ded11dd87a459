//! Checks hosts and their NICs against the switches that they are connected to.
//!
//! Hosts are described in a TOML file. Source of the interoperability rules: Empowering Azure Storage with RDMA
//! (NSDI 2023), 6.3.
//!
//! ```toml
//! [[host]]
//! name = "h1"
//! switch = "tor-1"          # hostname of the switch
//! port = "Ethernet0"
//! nic = "cx5"               # cx3 (Gen1), cx4 (Gen2), cx5, cx6, cx7 (Gen3), or generation = 1..3
//! pfc_priorities = [3]
//! dscp = 26
//! rdma_mtu = 1024
//! cnp_min_interval_us = 50
//! cnp_coalescing_window_us = 0
//! rate_limit = "burst"      # or "packet"
//! watchdog = true
//! dcqcn = { rp_ai_rate = 5, rp_hai_rate = 50, rp_dce_tcp_g = 1019 }   # names of the mlx5 driver, see `dcqcn`
//! ```

use serde::Deserialize;

use crate::dcqcn::{self, Parameters};
use crate::finding::{Finding, Severity};
use crate::resolved::ResolvedSwitch;
use crate::rules::{finding, list};

/// The most bytes around the payload of a RoCEv2 packet: IPv6, UDP, BTH, extended headers, CRC.
const ROCE_OVERHEAD: u32 = 40 + 8 + 12 + 28 + 4;
/// The default CNP timer of the first generation, microseconds.
const GEN1_TIMER_US: u32 = 50;

/// The hosts of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hosts {
    /// The hosts.
    #[serde(default, rename = "host")]
    pub hosts: Vec<Host>,
}

/// One NIC.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Hostname of its switch.
    pub switch: String,
    /// Port of the switch.
    pub port: String,
    /// Model of the NIC.
    pub nic: Option<String>,
    /// Generation, if it cannot be derived from the model.
    pub generation: Option<u8>,
    /// Priorities with PFC.
    pub pfc_priorities: Option<Vec<u8>>,
    /// DSCP of its RDMA traffic.
    pub dscp: Option<u8>,
    /// Path MTU of RDMA, bytes of payload.
    pub rdma_mtu: Option<u32>,
    /// Minimum interval between two CNPs of a queue pair, microseconds.
    pub cnp_min_interval_us: Option<u32>,
    /// Window in which the sender coalesces CNPs, microseconds.
    pub cnp_coalescing_window_us: Option<u32>,
    /// `burst` or `packet`.
    pub rate_limit: Option<RateLimit>,
    /// Whether the NIC watchdog is on.
    pub watchdog: Option<bool>,
    /// Its DCQCN parameters.
    #[serde(default)]
    pub dcqcn: Parameters,
}

/// The unit of a NIC's rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateLimit {
    /// Bursts.
    Burst,
    /// Packets.
    Packet,
}

impl Host {
    fn generation(&self) -> Option<u8> {
        self.generation.or_else(|| match self.nic.as_deref()? {
            "cx3" => Some(1),
            "cx4" => Some(2),
            "cx5" | "cx6" | "cx7" => Some(3),
            _ => None,
        })
    }
}

/// Parses a host file.
///
/// # Errors
/// If the text is not a valid host file, with line and column, or a number is out of range.
pub fn parse(text: &str) -> Result<Hosts, String> {
    let hosts: Hosts = toml::from_str(text).map_err(|e| e.to_string())?;
    for host in &hosts.hosts {
        let priorities = host.pfc_priorities.iter().flatten();
        let wrong = if priorities.clone().any(|p| *p > 7) {
            "a PFC priority above 7"
        } else if host.dscp.is_some_and(|d| d > 63) {
            "a DSCP above 63"
        } else if host.generation.is_some_and(|g| !(1..=3).contains(&g)) {
            "a generation outside 1..=3"
        } else {
            continue;
        };
        return Err(format!("host {} has {wrong}", host.name));
    }
    for host in &hosts.hosts {
        if let Some(name) = dcqcn::unknown(&host.dcqcn) {
            let known = dcqcn::names();
            return Err(format!(
                "host {} has an unknown DCQCN parameter `{name}`; expected one of {known}",
                host.name
            ));
        }
    }
    Ok(hosts)
}

/// Checks the hosts that are connected to one switch, whose configuration is `file`.
pub fn check(hosts: &Hosts, file: &str, switch: &ResolvedSwitch) -> Vec<Finding> {
    let mut found = Vec::new();
    let gen1 = hosts.hosts.iter().find(|h| h.generation() == Some(1));
    for host in hosts.hosts.iter().filter(|h| h.switch == switch.hostname) {
        let mut add = |code, severity, message: String| {
            let pointer = format!("/PORT/{}", host.port);
            found.push(finding(
                code,
                severity,
                file,
                &pointer,
                format!("host {} on {}: {message}", host.name, host.port),
            ));
        };
        match switch.ports.iter().find(|p| p.name == host.port) {
            Some(port) => against_port(host, port, &mut add),
            None => add("HOST001", Severity::Error, "the switch has no such port".into()),
        }
        // The other hosts of a generation are compared with the first one that has parameters.
        let alike = |h: &&Host| !h.dcqcn.is_empty() && h.generation() == host.generation();
        if let Some(first) = hosts.hosts.iter().find(alike).filter(|first| first.name != host.name) {
            let differs = dcqcn::differences(&host.dcqcn, &first.dcqcn);
            if !differs.is_empty() {
                let message = format!(
                    "DCQCN parameters differ from {} (in parentheses): {}",
                    first.name,
                    differs.join(", ")
                );
                add("HOST009", Severity::Warning, message);
            }
        }
        if let Some(old) = gen1.filter(|_| host.generation().is_some_and(|g| g > 1)) {
            mixed(host, old, &mut add);
        }
    }
    found
}

fn against_port(
    host: &Host,
    port: &crate::resolved::ResolvedPort,
    add: &mut impl FnMut(&'static str, Severity, String),
) {
    if let Some(priorities) = &host.pfc_priorities {
        let mask = priorities.iter().fold(0u8, |m, p| m | 1 << p);
        // A host may use fewer priorities than the switch, but no others.
        if mask & !port.pfc_priorities != 0 || mask == 0 && port.pfc_priorities != 0 {
            add(
                "HOST001",
                Severity::Error,
                format!("PFC on {}, but the switch has PFC on {}", list(mask), list(port.pfc_priorities)),
            );
        }
    }
    if let Some(class) = host.dscp.and_then(|d| port.dscp_to_tc.0.get(usize::from(d))) {
        let lossless = *class < 8 && port.pfc_priorities >> class & 1 == 1;
        let own = host.pfc_priorities.as_ref().is_none_or(|p| p.contains(class));
        if !lossless || !own {
            let dscp = host.dscp.unwrap_or(0);
            let message = format!(
                "DSCP {dscp} maps to class {class}, but lossless classes are {}",
                list(port.pfc_priorities)
            );
            add("HOST002", Severity::Error, message);
        }
    }
    if let Some(mtu) = host.rdma_mtu.filter(|m| m.saturating_add(ROCE_OVERHEAD) > port.mtu_bytes) {
        add(
            "HOST003",
            Severity::Error,
            format!("RDMA MTU {mtu} plus headers exceeds the port's MTU {}", port.mtu_bytes),
        );
    }
    for wrong in dcqcn::wrong(&host.dcqcn, port.speed_mbps) {
        add("HOST008", Severity::Error, wrong);
    }
    match (host.watchdog, port.watchdog) {
        (Some(false), _) => add("HOST007", Severity::Warning, "the NIC watchdog is off".into()),
        (Some(true), Some(w)) if w.detection_ms < 100 => {
            let message =
                format!("the switch's watchdog acts after {} ms, before the NIC's 100 ms", w.detection_ms);
            add("HOST007", Severity::Warning, message);
        }
        _ => {}
    }
}

/// Checks a NIC of a later generation in a fabric with NICs of the first generation.
fn mixed(host: &Host, old: &Host, add: &mut impl FnMut(&'static str, Severity, String)) {
    let timer = old.cnp_min_interval_us.unwrap_or(GEN1_TIMER_US);
    match host.cnp_min_interval_us {
        Some(interval) if interval != timer => {
            let message = format!(
                "minimum CNP interval is {interval} us, but NICs of the first generation ({}) use {timer} us",
                old.name
            );
            add("HOST004", Severity::Error, message);
        }
        None => add(
            "HOST004",
            Severity::Warning,
            format!("no cnp_min_interval_us; it must be {timer} us because of {}", old.name),
        ),
        Some(_) => {}
    }
    if let Some(window) = host.cnp_coalescing_window_us.filter(|w| *w > 1) {
        add("HOST005", Severity::Warning, format!("the sender coalesces CNPs for {window} us"));
    }
    if host.rate_limit == Some(RateLimit::Packet) {
        add("HOST006", Severity::Warning, "limits its rate per packet".into());
    }
}
