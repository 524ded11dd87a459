//! `[[job]]`: the jobs that compute on the GPUs of a host.

use model::Time;

use super::check::check_start;
use super::host_name;
use super::table::{Reader, Section};
use super::units::{A_TIME, parse_time};
use crate::Scenario;
use crate::nic::HostJobSpec;

/// Keys of jobs without flows, and those of jobs with flows.
const WITHOUT_FLOWS: [&str; 3] = ["gpu_percent", "start", "duration"];
const WITH_FLOWS: [&str; 4] = ["compute", "control_overhead", "usual", "wanted"];

/// Reads all jobs of a scenario whose flows are known.
pub(super) fn read_jobs(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    scenario: &Scenario,
) -> Vec<HostJobSpec> {
    let mut jobs: Vec<HostJobSpec> = Vec::new();
    for section in root.sections(reader, "job") {
        let span = section.span.clone();
        let Some(job) = read_job(reader, section, scenario) else { continue };
        let is_known = |other: &HostJobSpec| (&other.name, &other.host) == (&job.name, &job.host);
        if jobs.iter().any(is_known) {
            reader.problem(&span, format!("host `{}` has two jobs called `{}`", job.host, job.name));
        }
        jobs.push(job);
    }
    jobs
}

fn read_job(reader: &mut Reader<'_>, mut section: Section<'_>, scenario: &Scenario) -> Option<HostJobSpec> {
    let host = host_name(reader, &mut section, "host", &scenario.topology);
    let name = section.text(reader, "name");
    if name.is_none() {
        section.missing(reader, "name");
    }
    let labels = section.texts_or_text(reader, "flows").unwrap_or_default();
    let gpus = section.texts_or_text(reader, "gpus").unwrap_or_default();
    let unused: &[&str] = if labels.is_empty() { &WITH_FLOWS } else { &WITHOUT_FLOWS };
    for key in unused {
        if let Some(place) = section.given(key) {
            let which = if labels.is_empty() { "without" } else { "with" };
            reader.problem(&place, format!("`{key}` has no effect on a job {which} flows"));
        }
    }
    let time = |section: &mut Section<'_>, reader: &mut Reader<'_>, key| {
        section.quantity(reader, key, A_TIME, parse_time)
    };
    let above_zero = |time: Option<Time>| time.filter(|time| *time > Time::ZERO);
    let start = time(&mut section, reader, "start").unwrap_or(Time::ZERO);
    check_start(reader, &section, start, scenario.stop);
    let duration = time(&mut section, reader, "duration");
    let job = HostJobSpec {
        name: name.map(|text| text.value).unwrap_or_default(),
        host: host.unwrap_or_default(),
        is_production: section.flag(reader, "production").unwrap_or(!labels.is_empty()),
        gpus: gpus.into_iter().map(|gpu| gpu.value).collect(),
        flows: labels.iter().map(|label| label.value.clone()).collect(),
        compute: time(&mut section, reader, "compute").unwrap_or(Time::ZERO),
        control_overhead: time(&mut section, reader, "control_overhead").unwrap_or(Time::ZERO),
        usual: above_zero(time(&mut section, reader, "usual")),
        wanted: above_zero(time(&mut section, reader, "wanted")),
        gpu_percent: section.integer::<u8>(reader, "gpu_percent", 0..=100).unwrap_or(0),
        start,
        end: duration.map_or(Time::MAX, |duration| Time(start.0.saturating_add(duration.0))),
    };
    for label in &labels {
        let only = HostJobSpec { flows: vec![label.value.clone()], ..job.clone() };
        if !scenario.flows.iter().any(|flow| flow.src == job.host && only.owns(&flow.label)) {
            reader.problem(&label.span, format!("no flow of `{}` has the label `{}`", job.host, label.value));
        }
    }
    check_flows(reader, &section, &job, scenario);
    section.finish(reader);
    (!job.name.is_empty() && !job.host.is_empty()).then_some(job)
}

/// An iteration sends one message, and the next one begins when an earlier one is complete.
fn check_flows(reader: &mut Reader<'_>, section: &Section<'_>, job: &HostJobSpec, scenario: &Scenario) {
    let owned = scenario.flows.iter().filter(|flow| flow.src == job.host && job.owns(&flow.label));
    let lacks = owned.filter(|flow| flow.messages.bytes.is_none() || flow.messages.outstanding.is_none());
    let labels: std::collections::BTreeSet<&str> = lacks.map(|flow| flow.label.as_str()).collect();
    for label in labels {
        let message =
            format!("the flow `{label}` of a job needs `message` and `outstanding`: its iterations");
        reader.problem(&section.span, message);
    }
}
