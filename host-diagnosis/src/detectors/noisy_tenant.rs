//! A tenant that exhausts a resource inside a shared RNIC, so that others get less than they were promised.
//!
//! Needs tenants with their bandwidths alone and guaranteed, and counters for caches and PCIe. It says nothing while
//! pauses from the fabric slow the RNIC down, and it never concludes from bytes: the suspect is the tenant with the
//! largest use of the exhausted resource ([`crate::husky`]). Source: Husky, NSDI 2023.

use model::host::counters::NicCounters;
use model::host::tenants::{SharedNic, Tenant};
use model::{Cause, HostReport};

use crate::husky::isolation::{expected, is_below_both_limits, is_victim};
use crate::husky::resources::{Exhausted, exhausted, ranked};
use crate::pause_ratio::{ANOMALY_RATIO, ratio};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

/// Confidence if the suspect uses most of the resource.
const CERTAIN: f64 = 0.9;
/// Confidence if several tenants share the use.
const SHARED: f64 = 0.7;
/// The share of the use above which one tenant is the suspect alone: more than all others together.
const DOMINANT_SHARE: f64 = 0.5;

pub(super) const DETECTOR: Detector = Detector {
    name: "noisy_tenant",
    source: "Understanding RDMA Microarchitecture Resources for Performance Isolation (Husky), NSDI 2023",
    needs: &[Section::Tenants],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let nics = report.tenants.iter().flat_map(|tenants| &tenants.nics).enumerate();
    let mut outcomes: Vec<Outcome> = nics.map(|(at, nic)| check_nic(report, at, nic)).collect();
    let found: Vec<HostFinding> = outcomes
        .iter_mut()
        .filter_map(
            |outcome| if let Outcome::Found(found) = outcome { Some(std::mem::take(found)) } else { None },
        )
        .flatten()
        .collect();
    if !found.is_empty() {
        return Outcome::Found(found);
    }
    if outcomes.contains(&Outcome::FabricExplains) {
        return Outcome::FabricExplains;
    }
    let missing: Vec<String> = outcomes
        .into_iter()
        .filter_map(|outcome| if let Outcome::Missing(missing) = outcome { Some(missing) } else { None })
        .flatten()
        .collect();
    if missing.is_empty() { Outcome::Clean } else { Outcome::Missing(missing) }
}

fn check_nic(report: &HostReport, at: usize, nic: &SharedNic) -> Outcome {
    let mut all = report.counters.iter().flat_map(|counters| &counters.nics).enumerate();
    let counters = all.find(|(_, counters)| counters.nic == nic.nic);
    if counters.is_some_and(|(_, counters)| is_paused(counters, report.interval_ns)) {
        return Outcome::FabricExplains;
    }
    let victims: Vec<usize> =
        (0..nic.tenants.len()).filter(|tenant| is_victim(&nic.tenants[*tenant]) == Some(true)).collect();
    if victims.is_empty() {
        let unknown = nic.tenants.iter().filter(|tenant| is_victim(tenant).is_none());
        let names: Vec<&str> = unknown.map(|tenant| tenant.name.as_str()).collect();
        if names.is_empty() {
            return Outcome::Clean;
        }
        let names = names.join(", ");
        return Outcome::Missing(vec![format!("bandwidth alone and guaranteed bandwidth of {names}")]);
    }
    // Tenants that fill the link compete for bandwidth, which a rate limiter handles.
    if !is_below_both_limits(nic) {
        return Outcome::Clean;
    }
    let Some(exhausted) = exhausted(nic, counters.map(|(_, counters)| counters), report.interval_ns) else {
        return Outcome::Missing(vec![format!(
            "which resource of {} is exhausted: counters of caches and PCIe, or verbs of the tenants",
            nic.nic
        )]);
    };
    let suspects: Vec<(usize, f64)> = ranked(nic, exhausted.resource)
        .into_iter()
        .filter(|(tenant, _)| !is_only(&victims, *tenant))
        .collect();
    let Some((suspect, share)) = suspects
        .first()
        .map(|(tenant, amount)| (*tenant, amount / suspects.iter().map(|(_, amount)| amount).sum::<f64>()))
    else {
        return Outcome::Missing(vec![format!(
            "which tenant of {} uses its {}",
            nic.nic,
            exhausted.resource.text()
        )]);
    };
    let row =
        Row { report, at, nic, counters: counters.map(|(at, _)| at), suspect, share, victims: &victims };
    Outcome::Found(vec![row.finding(&exhausted)])
}

/// Whether this tenant is the only victim: what it does is its own limit, and no other tenant's noise.
fn is_only(victims: &[usize], tenant: usize) -> bool {
    victims == [tenant]
}

/// Whether the fabric pauses the RNIC for more than an uncongested one would.
fn is_paused(nic: &NicCounters, interval_ns: u64) -> bool {
    nic.received_pauses.iter().any(|row| match row.paused_ns {
        Some(paused) => ratio(paused, interval_ns) > ANOMALY_RATIO,
        None => row.frames > 0,
    })
}

struct Row<'r> {
    report: &'r HostReport,
    at: usize,
    nic: &'r SharedNic,
    counters: Option<usize>,
    suspect: usize,
    share: f64,
    victims: &'r [usize],
}

impl Row<'_> {
    fn pointer(&self, tenant: usize) -> String {
        format!("/tenants/nics/{}/tenants/{tenant}", self.at)
    }

    fn violation(&self, tenant: usize) -> Claim {
        let Tenant { name, bandwidth_bps, alone_bandwidth_bps, guaranteed_bandwidth_bps, .. } =
            &self.nic.tenants[tenant];
        let least =
            expected(alone_bandwidth_bps.unwrap_or(0) as f64, guaranteed_bandwidth_bps.unwrap_or(0) as f64);
        let claim = format!(
            "{name} gets {:.2} Gb/s; isolation promises at least {:.2} Gb/s",
            *bandwidth_bps as f64 / 1e9,
            least / 1e9
        );
        Claim::new(claim, [self.pointer(tenant)])
    }

    fn finding(&self, exhausted: &Exhausted) -> HostFinding {
        let suspect = &self.nic.tenants[self.suspect];
        let mut evidence: Vec<Claim> =
            self.victims.iter().filter(|at| **at != self.suspect).map(|at| self.violation(*at)).collect();
        evidence.push(Claim::new(
            format!(
                "all tenants together reach neither the bandwidth nor the request rate of {}",
                self.nic.nic
            ),
            [format!("/tenants/nics/{}", self.at)],
        ));
        let shown_by = match (exhausted.counter, self.counters) {
            (Some(counter), Some(at)) => format!("/counters/nics/{at}{counter}"),
            _ => self.pointer(self.suspect),
        };
        evidence.push(Claim::new(
            format!(
                "{} has no more of one resource, its {}: {}",
                self.nic.nic,
                exhausted.resource.text(),
                exhausted.reason
            ),
            [shown_by],
        ));
        evidence.push(Claim::new(
            format!(
                "{} accounts for {:.0} % of the use, with {:.2} Gb/s of traffic",
                suspect.name,
                self.share * 100.0,
                suspect.bandwidth_bps as f64 / 1e9
            ),
            [self.pointer(self.suspect)],
        ));
        HostFinding {
            detector: DETECTOR.name.to_string(),
            host: self.report.host.clone(),
            part: HostPart::Tenant(suspect.name.clone()),
            cause: Cause::NoisyTenant,
            summary: format!(
                "tenant {} on {} of {} exhausts its {}",
                suspect.name,
                self.nic.nic,
                self.report.host,
                exhausted.resource.text()
            ),
            confidence: if self.share > DOMINANT_SHARE { CERTAIN } else { SHARED },
            evidence,
            missing: Vec::new(),
            advice: vec![
                exhausted.resource.advice().to_string(),
                format!(
                    "move {} to an RNIC of its own: rate limits do not isolate this resource",
                    suspect.name
                ),
            ],
        }
    }
}
