//! `[[tenant]]`: the tenants that share the NIC of a host.

use model::{Rate, Time};

use super::check::check_start;
use super::devices::word;
use super::host_name;
use super::table::{Reader, Section};
use super::units::{A_RATE, A_TIME, parse_rate, parse_time};
use crate::Scenario;
use crate::nic::{PostedVerb, TenantSpec};

/// Limit of rates of requests: ten times what a NIC processes.
const MOST_REQUESTS: u64 = 1_000_000_000;

/// Reads all tenants of a scenario whose flows are known.
pub(super) fn read_tenants(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    scenario: &Scenario,
) -> Vec<TenantSpec> {
    let mut tenants: Vec<TenantSpec> = Vec::new();
    for section in root.sections(reader, "tenant") {
        let span = section.span.clone();
        let Some(tenant) = read_tenant(reader, section, scenario) else { continue };
        let is_known = |other: &TenantSpec| (&other.name, &other.host) == (&tenant.name, &tenant.host);
        if tenants.iter().any(is_known) {
            reader.problem(&span, format!("host `{}` has two tenants called `{}`", tenant.host, tenant.name));
        }
        tenants.push(tenant);
    }
    tenants
}

fn read_tenant(reader: &mut Reader<'_>, mut section: Section<'_>, scenario: &Scenario) -> Option<TenantSpec> {
    let host = host_name(reader, &mut section, "host", &scenario.topology);
    let name = section.text(reader, "name");
    if name.is_none() {
        section.missing(reader, "name");
    }
    let labels = section.texts_or_text(reader, "flows").unwrap_or_default();
    let rate = |section: &mut Section<'_>, reader: &mut Reader<'_>, key| -> Option<Rate> {
        section.quantity(reader, key, A_RATE, |w| parse_rate(w).filter(|rate| rate.0 > 0))
    };
    let (alone, guaranteed) = (rate(&mut section, reader, "alone"), rate(&mut section, reader, "guaranteed"));
    let pages = section.integer::<u64>(reader, "pages", 0..=1 << 24).unwrap_or(0);
    let start = section.quantity(reader, "start", A_TIME, parse_time).unwrap_or(Time::ZERO);
    check_start(reader, &section, start, scenario.stop);
    let duration = section.quantity(reader, "duration", A_TIME, parse_time);
    let deregistrations = section.integer::<u64>(reader, "deregistrations", 0..=MOST_REQUESTS).unwrap_or(0);
    let verbs = [
        ("write", PostedVerb::Write),
        ("read", PostedVerb::Read),
        ("compare_swap", PostedVerb::CompareSwap),
        ("fetch_add", PostedVerb::FetchAdd),
    ];
    let verb = word(reader, &mut section, "verb", &verbs).unwrap_or_default();
    let requests = section.integer::<u64>(reader, "requests", 0..=MOST_REQUESTS).unwrap_or(0);
    let tenant = TenantSpec {
        name: name.map(|text| text.value).unwrap_or_default(),
        host: host.unwrap_or_default(),
        flows: labels.iter().map(|label| label.value.clone()).collect(),
        alone,
        guaranteed,
        pages,
        start,
        end: duration.map_or(Time::MAX, |duration| Time(start.0.saturating_add(duration.0))),
        deregistrations,
        verb,
        requests,
    };
    for label in &labels {
        let only = TenantSpec { flows: vec![label.value.clone()], ..tenant.clone() };
        if !scenario.flows.iter().any(|flow| only.owns(&flow.label)) {
            reader.problem(&label.span, format!("no flow has the label `{}`", label.value));
        }
    }
    section.finish(reader);
    (!tenant.name.is_empty() && !tenant.host.is_empty()).then_some(tenant)
}
