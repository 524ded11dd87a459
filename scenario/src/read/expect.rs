//! `[expect]`: the intended outcome of a scenario. The ground truth is computed from the run, by the fabric, and
//! compared with it.

use model::{Anomaly, Cause, FlowKey, PortRef, Setting};

use super::check_host;
use super::network::read_port;
use super::table::{Placed, Reader, Section};
use crate::Scenario;

/// The intended outcome of a scenario. Absent fields are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// The anomaly; absent: none occurs.
    pub anomaly: Option<Anomaly>,
    /// Its cause.
    pub cause: Option<Cause>,
    /// The root port.
    pub port: Option<PortRef>,
    /// The culprit flows.
    pub flows: Option<Vec<FlowKey>>,
    /// Whether further culprits are possible.
    pub at_least: bool,
    /// The host that sends the pauses.
    pub host: Option<String>,
    /// The pause path, from the victim's side to the root port.
    pub pause_path: Option<Vec<PortRef>>,
    /// Ports of the loop, in any rotation.
    pub pause_loop: Option<Vec<PortRef>>,
    /// The spreader flows.
    pub spreaders: Option<Vec<FlowKey>>,
    /// The victims, at least these.
    pub victims: Option<Vec<FlowKey>>,
    /// Wrong settings: `switch/setting`.
    pub config: Option<Vec<String>>,
    /// Whether pauses must occur (`true`) or must not (`false`).
    pub pauses: Option<bool>,
    /// Whether switches must drop packets (`true`) or must not (`false`).
    pub drops: Option<bool>,
    /// Further anomalies of the same run.
    pub also: Vec<Expectation>,
}

pub(super) fn read_expectation(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    scenario: &Scenario,
) -> Option<Expectation> {
    let mut section = root.section(reader, "expect")?;
    let mut expect = read_one(reader, &mut section, scenario);
    for mut also in section.sections(reader, "also") {
        expect.also.push(read_one(reader, &mut also, scenario));
        also.finish(reader);
    }
    section.finish(reader);
    Some(expect)
}

fn read_one(reader: &mut Reader<'_>, section: &mut Section<'_>, scenario: &Scenario) -> Expectation {
    let port = section.text(reader, "port").and_then(|text| linked_port(reader, &text, scenario));
    let host = section.text(reader, "host").and_then(|text| reader.name(&text));
    if let Some(host) = &host {
        check_host(reader, host, &scenario.topology);
    }
    let config = section.texts(reader, "config");
    let config = config.map(|texts| texts.iter().flat_map(|text| settings(reader, text, scenario)).collect());
    Expectation {
        anomaly: named(reader, section, "anomaly"),
        cause: named(reader, section, "cause"),
        port,
        flows: labelled(reader, section, "flows", scenario),
        at_least: section.flag(reader, "at_least").unwrap_or(false),
        host: host.map(|text| text.value),
        pause_path: ports(reader, section, "pause_path", scenario),
        pause_loop: ports(reader, section, "loop", scenario),
        spreaders: labelled(reader, section, "spreaders", scenario),
        victims: labelled(reader, section, "victims", scenario),
        config,
        pauses: section.flag(reader, "pauses"),
        drops: section.flag(reader, "drops"),
        also: Vec::new(),
    }
}

/// `switch/setting`, with the switches of a pick.
fn settings(reader: &mut Reader<'_>, text: &Placed<String>, scenario: &Scenario) -> Vec<String> {
    let found = text.value.split_once('/').filter(|(_, name)| Setting::named(name).is_some());
    let Some((switch, setting)) = found else {
        let known: Vec<&str> = Setting::ALL.iter().map(|setting| setting.name()).collect();
        let message =
            format!("`{}` must be `switch/setting`, with a setting of {}", text.value, known.join(", "));
        reader.problem(&text.span, message);
        return Vec::new();
    };
    let switch = Placed { value: switch.to_string(), span: text.span.clone() };
    let mut names = Vec::new();
    for name in reader.names(&switch) {
        if scenario.topology.node(&name.value).is_none() || scenario.topology.is_host(&name.value) {
            reader.problem(&name.span, format!("`{}` is not a switch", name.value));
        } else {
            names.push(format!("{}/{setting}", name.value));
        }
    }
    names
}

/// A port with a link.
fn linked_port(reader: &mut Reader<'_>, text: &Placed<String>, scenario: &Scenario) -> Option<PortRef> {
    let port = read_port(reader, text, &scenario.topology)?;
    if scenario.topology.link_of(&port).is_none() {
        reader.problem(&text.span, format!("port `{port}` has no link"));
        return None;
    }
    Some(port)
}

fn ports(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    scenario: &Scenario,
) -> Option<Vec<PortRef>> {
    let texts = section.texts(reader, key)?;
    Some(texts.iter().filter_map(|text| linked_port(reader, text, scenario)).collect())
}

/// A value of an enumeration by its serialised name.
fn named<T: serde::de::DeserializeOwned>(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
) -> Option<T> {
    let text = section.text(reader, key)?;
    match serde_json::from_value(serde_json::Value::String(text.value)) {
        Ok(value) => Some(value),
        Err(error) => {
            reader.problem(&text.span, format!("`{key}`: {error}"));
            None
        }
    }
}

/// Flows by label; the label of a `[[flow]]` or `[[workload]]` with several flows refers to all of them.
fn labelled(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    scenario: &Scenario,
) -> Option<Vec<FlowKey>> {
    let labels = section.texts(reader, key)?;
    let mut flows: Vec<FlowKey> = Vec::new();
    for label in labels {
        let known = flows.len();
        for flow in scenario.flows.iter().filter(|flow| is_called(&flow.label, &label.value)) {
            if let Some(key) = scenario.key(flow).filter(|key| !flows.contains(key)) {
                flows.push(key);
            }
        }
        if flows.len() == known {
            reader.problem(&label.span, format!("no flow has the label `{}`", label.value));
        }
    }
    Some(flows)
}

/// Whether a flow's label is `name`, or `name` with a number.
fn is_called(label: &str, name: &str) -> bool {
    let Some(rest) = label.strip_prefix(name) else { return false };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (pair, turn) = rest.split_once('@').map_or((rest, None), |(pair, turn)| (pair, Some(turn)));
    (pair.is_empty() || pair.strip_prefix('-').is_some_and(number)) && turn.is_none_or(number)
}
