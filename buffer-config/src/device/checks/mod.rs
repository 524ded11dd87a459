//! The checks of a device. Each reports under the code of the rule that describes the same defect of SONiC, or of a rule
//! of its own. Ports with the same finding are one finding.

mod channels;
mod classes;
mod links;
mod marking;
mod odd;
mod pfc;
mod policing;
mod rates;
mod remarking;
mod selection;
mod watchdog;

use super::access::Reach;
use super::eos::default_class;
use super::treatment::Treatment;
use super::{Device, DevicePort, Remark, Repair, System};
use crate::finding::Severity;
use crate::source::Span;

/// The DSCP of RDMA data in the vendors' guides, for repairs.
const RDMA_DSCP: u8 = 26;

/// Runs all checks.
pub(super) fn run(device: &Device, out: &mut Vec<Remark>) {
    let mut found = Found { device, hits: Vec::new() };
    pfc::check(device, &mut found);
    classes::check(device, &mut found);
    marking::check(device, &mut found);
    rates::check(device, &mut found);
    remarking::check(device, &mut found);
    policing::check(device, &mut found);
    selection::check(device, &mut found);
    watchdog::check(device, &mut found);
    links::check(device, &mut found);
    odd::check(device, &mut found);
    channels::check(device, &mut found);
    found.finish(out);
}

/// A finding of one port, or of the whole device.
struct Hit<'d> {
    code: &'static str,
    severity: Option<Severity>,
    span: Span,
    /// Keywords below the interface.
    place: &'static str,
    message: String,
    repair: Option<Repair>,
    ports: Vec<&'d DevicePort>,
}

/// The findings so far: one per message, with its ports.
struct Found<'d> {
    device: &'d Device,
    hits: Vec<Hit<'d>>,
}

impl<'d> Found<'d> {
    /// Reports a finding of a port. `place` are the keywords below the interface.
    fn port(
        &mut self,
        code: &'static str,
        port: &'d DevicePort,
        (span, place): (Span, &'static str),
        message: String,
    ) -> Reported<'_, 'd> {
        let same = self.hits.iter().position(|hit| hit.code == code && hit.message == message);
        let index = match same {
            Some(index) => {
                if let Some(hit) = self.hits.get_mut(index)
                    && hit.ports.last().is_none_or(|last| last.name != port.name)
                {
                    hit.ports.push(port);
                }
                index
            }
            None => {
                let (severity, repair, ports) = (None, None, vec![port]);
                self.hits.push(Hit { code, severity, span, place, message, repair, ports });
                self.hits.len() - 1
            }
        };
        Reported(self.hits.get_mut(index))
    }

    fn finish(self, out: &mut Vec<Remark>) {
        for hit in self.hits {
            let names: Vec<&str> = hit.ports.iter().map(|port| port.name.as_str()).collect();
            let first = names.first().copied().unwrap_or_default();
            let pointer = format!("/interface/{}/{}", crate::db::escape(first), hit.place);
            let message = format!(
                "{}: {}",
                crate::rules::names(&names),
                crate::rules::agreeing(&hit.message, names.len())
            );
            let commands = hit.repair.map(|repair| repair.commands(self.device.system, &names));
            out.push(Remark {
                code: hit.code,
                severity: hit.severity,
                span: hit.span,
                pointer,
                message,
                ports: names.iter().map(ToString::to_string).collect(),
                commands: commands.unwrap_or_default(),
            });
        }
    }
}

/// The finding just reported.
struct Reported<'f, 'd>(Option<&'f mut Hit<'d>>);

impl Reported<'_, '_> {
    fn severity(self, severity: Severity) -> Self {
        if let Self(Some(hit)) = self {
            hit.severity = Some(severity);
            return Self(Some(hit));
        }
        self
    }

    fn repair(self, repair: Repair) {
        if let Self(Some(hit)) = self {
            hit.repair = Some(repair);
        }
    }
}

/// Ports on which PFC is on and has lossless classes.
fn lossless_ports(device: &Device) -> impl Iterator<Item = &DevicePort> {
    device.ports.iter().filter(|port| port.qos.has_pfc() && !port.qos.lossless.is_empty())
}

/// The classes of the packets that a policy map or an access list treats, as far as they are known.
fn classes_of(system: System, port: &DevicePort, of: &Treatment) -> Vec<u8> {
    let class_of = |dscp: &u8| {
        let stated = port.qos.class_of_dscp.get(dscp).map(|class| class.value);
        stated.or((system == System::Eos).then(|| default_class(*dscp)))
    };
    let mut all: Vec<u8> = match of.number {
        Some(class) => vec![class],
        None => of.dscps.iter().filter_map(class_of).collect(),
    };
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether RoCEv2 is treated: all of it, or packets that a rule names by its port.
fn takes_roce(of: &Treatment) -> bool {
    of.roce == Reach::All || of.roce > Reach::None && of.lists.iter().any(|list| list.names_roce_port)
}
