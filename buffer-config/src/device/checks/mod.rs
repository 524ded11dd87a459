//! The checks of a device. Each reports under the code of the rule that describes the same defect of SONiC, or of a rule
//! of its own. Ports with the same finding are one finding.

mod channels;
mod classes;
mod links;
mod marking;
mod odd;
mod pfc;
mod rates;
mod watchdog;

use super::{Device, DevicePort, Remark, Repair};
use crate::finding::Severity;
use crate::source::Span;

/// Runs all checks.
pub(super) fn run(device: &Device, out: &mut Vec<Remark>) {
    let mut found = Found { device, hits: Vec::new() };
    pfc::check(device, &mut found);
    classes::check(device, &mut found);
    marking::check(device, &mut found);
    rates::check(device, &mut found);
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
            let message = format!("{}: {}", crate::rules::names(&names), hit.message);
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
