//! The configurations that switches run: what `harrier check` finds in them, and how they differ from what they should be.
//! Pure: texts are arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use buffer_config::diff::{Revision, compare};
use buffer_config::finding::Finding;
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::rules::Options;
use counters::Cabling;
use model::units::counted;
use model::{ConfigFinding, Topology};
use scenario::{Configured, config_findings_at};

use crate::configurations::{check_text, known_ports, with_switches};

/// Differences of a switch that are listed one by one.
const MAX_LISTED: usize = 20;

/// The configurations of all switches that were read.
#[derive(Default)]
pub(crate) struct RunningConfigurations {
    /// What switches should run: by switch, the name of the file and its text.
    desired: BTreeMap<String, (String, String)>,
    /// Whether desired configurations of switches that are not read were reported.
    is_desired_checked: bool,
    /// By switch, a hash of the text that was read last: it is read every minute, and rarely changes.
    texts: BTreeMap<String, u64>,
    running: BTreeMap<String, Running>,
    /// Whether a configuration has changed since the findings were last taken.
    is_changed: bool,
    /// The cables of those findings ([`Cabling::revision`]).
    cables: Option<u64>,
}

/// The last configuration of a switch that could be checked.
struct Running {
    resolved: ResolvedSwitch,
    findings: Vec<Finding>,
    /// How it differs from the desired one.
    differences: Vec<String>,
}

/// What is new about the configuration of a switch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ConfigurationNews {
    /// Lines for people.
    pub(crate) lines: Vec<String>,
    /// The differences from the desired configuration as one text, if they have changed; empty if there are none any more.
    pub(crate) differences: Option<String>,
}

impl RunningConfigurations {
    /// Configurations that switches should run: by switch, the name of the file and its text.
    pub(crate) fn new(desired: BTreeMap<String, (String, String)>) -> RunningConfigurations {
        RunningConfigurations { desired, ..RunningConfigurations::default() }
    }

    /// Takes what a switch runs, as of `CONFIG_DB`.
    pub(crate) fn read(&mut self, switch: &str, text: &str) -> ConfigurationNews {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        if self.texts.insert(switch.to_string(), hash) == Some(hash) {
            return ConfigurationNews::default();
        }
        let (resolved, findings) = match check_text(switch, text, None) {
            Ok(checked) => checked,
            Err(problems) => {
                let first = problems.first().map_or("", String::as_str);
                let line = format!("{switch}: its configuration cannot be checked: {first}");
                return ConfigurationNews { lines: vec![line], differences: None };
            }
        };
        let differences = match self.desired.get(switch) {
            Some((name, desired)) => {
                let of = |name, text| Revision { name, text, lookup: None };
                compare(of(name, desired), of(switch, text), &Options::default()).changes
            }
            None => Vec::new(),
        };
        let before = self.running.get(switch).map(|known| known.differences.as_slice());
        let news = news(switch, before, &differences);
        self.is_changed = true;
        self.running.insert(switch.to_string(), Running { resolved, findings, differences });
        news
    }

    /// Returns lines about the desired configurations that nothing is compared with, given the names of all watched switches;
    /// once.
    pub(crate) fn not_compared(&mut self, watched: &BTreeSet<&str>) -> Vec<String> {
        if std::mem::replace(&mut self.is_desired_checked, true) {
            return Vec::new();
        }
        let unread = self.desired.iter().filter(|(switch, _)| !self.texts.contains_key(*switch));
        let line = |(switch, (file, _)): (&String, &(String, String))| match watched.contains(switch.as_str())
        {
            true => {
                format!(
                    "{switch}: its configuration is not read, and not compared with its desired configuration {file}"
                )
            }
            false => {
                format!("no watched switch is named {switch}, which has the desired configuration {file}")
            }
        };
        unread.map(line).collect()
    }

    /// Whether the configuration of a switch was read.
    pub(crate) fn has_any(&self) -> bool {
        !self.running.is_empty()
    }

    /// The findings that verdicts can cite, if a configuration or a cable has changed since the last call.
    pub(crate) fn changed_findings(
        &mut self,
        topology: &Topology,
        cabling: &Cabling,
    ) -> Option<Vec<ConfigFinding>> {
        let cables = self.cables.replace(cabling.revision());
        if !std::mem::take(&mut self.is_changed) && cables == self.cables {
            return None;
        }
        let named = with_switches(topology, self.running.keys().map(String::as_str));
        let configured: Vec<Configured<'_>> = self
            .running
            .iter()
            .map(|(switch, of)| Configured { switch, resolved: &of.resolved, findings: &of.findings })
            .collect();
        Some(config_findings_at(&named, &known_ports(cabling), &configured))
    }

    /// The number of differences of each switch with a desired configuration that was read.
    pub(crate) fn differences(&self) -> impl Iterator<Item = (&str, usize)> {
        let with_desired = self.running.iter().filter(|(switch, _)| self.desired.contains_key(*switch));
        with_desired.map(|(switch, of)| (switch.as_str(), of.differences.len()))
    }
}

/// What to say about differences that were `before` and are `now`; the first configuration has no before.
fn news(switch: &str, before: Option<&[String]>, now: &[String]) -> ConfigurationNews {
    if before.unwrap_or_default() == now {
        return ConfigurationNews::default();
    }
    let known: BTreeSet<&String> = before.into_iter().flatten().collect();
    let new: Vec<&String> = now.iter().filter(|change| !known.contains(change)).collect();
    let mut lines: Vec<String> = new
        .iter()
        .take(MAX_LISTED)
        .map(|change| format!("{switch}: it does not run its desired configuration: {change}"))
        .collect();
    if new.len() > MAX_LISTED {
        let more = counted((new.len() - MAX_LISTED) as u64, "more difference");
        lines.push(format!("{switch}: {more} from its desired configuration"));
    }
    if now.is_empty() {
        lines.push(format!("{switch}: it runs its desired configuration again"));
    }
    let listed = now.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join("; ");
    ConfigurationNews { lines, differences: Some(listed) }
}

#[cfg(test)]
mod tests {
    use counters::{Network, Reading, Source};

    use super::*;

    /// A configuration with PFC for these priorities, as Redis has it.
    fn configuration(pfc_enable: &str) -> String {
        format!(
            r#"{{"DEVICE_METADATA|localhost": {{"hostname": "leaf1"}},
                "PORT|Ethernet0": {{"lanes": "1,2,3,4", "speed": "100000"}},
                "PORT_QOS_MAP|Ethernet0": {{"pfc_enable": "{pfc_enable}"}}}}"#
        )
    }

    fn check(configurations: &mut RunningConfigurations, text: &str, lines: &[&str], differences: usize) {
        let news = configurations.read("leaf1", text);
        assert_eq!(news.lines.len(), lines.len(), "{news:?}");
        for (line, part) in news.lines.iter().zip(lines) {
            assert!(line.contains(part), "{line:?} lacks {part:?}");
        }
        assert_eq!(configurations.differences().collect::<Vec<_>>(), [("leaf1", differences)]);
    }

    #[test]
    fn differences_from_the_desired_configuration_are_reported_once() {
        let desired =
            BTreeMap::from([("leaf1".to_string(), ("leaf1.json".to_string(), configuration("3,4")))]);
        let mut configurations = RunningConfigurations::new(desired);
        check(&mut configurations, &configuration("3,4"), &[], 0);
        check(&mut configurations, &configuration("3"), &["pfc_enable"], 1);
        check(&mut configurations, &configuration("3"), &[], 1);
        check(&mut configurations, "{", &["cannot be checked"], 1);
        check(&mut configurations, &configuration("3,4"), &["again"], 0);
    }

    #[test]
    fn a_configuration_that_cannot_be_checked_is_reported_when_its_text_changes() {
        let desired =
            BTreeMap::from([("leaf1".to_string(), ("leaf1.json".to_string(), configuration("3,4")))]);
        let mut configurations = RunningConfigurations::new(desired);
        check(&mut configurations, &configuration("3"), &["pfc_enable"], 1);
        check(&mut configurations, "{", &["cannot be checked"], 1);
        check(&mut configurations, "{", &[], 1);
        check(&mut configurations, "[", &["cannot be checked"], 1);
        // What was known before stays known.
        check(&mut configurations, &configuration("3"), &[], 1);
        check(&mut configurations, "[", &["cannot be checked"], 1);
    }

    #[test]
    fn a_desired_configuration_of_no_watched_switch_is_reported_once() {
        let desired = ["leaf1", "leaf2", "leaf9"]
            .map(|name| (name.to_string(), (format!("{name}.json"), configuration("3,4"))));
        let mut configurations = RunningConfigurations::new(desired.into());
        configurations.read("leaf1", &configuration("3,4"));
        let watched = BTreeSet::from(["leaf1", "leaf2"]);
        assert_eq!(
            configurations.not_compared(&watched),
            [
                "leaf2: its configuration is not read, and not compared with its desired configuration leaf2.json",
                "no watched switch is named leaf9, which has the desired configuration leaf9.json",
            ]
        );
        assert_eq!(configurations.not_compared(&watched), [""; 0]);
    }

    #[test]
    fn findings_are_those_of_the_rules_and_change_with_the_configuration() {
        let mut configurations = RunningConfigurations::default();
        let changed = |configurations: &mut RunningConfigurations, cabling: &Cabling| {
            configurations.changed_findings(&Topology::default(), cabling)
        };
        let none = Cabling::new::<Reading>(&[], &Network::default());
        assert!(!configurations.has_any());
        // Priorities with PFC, but no buffer pools.
        configurations.read("leaf1", &configuration("3,4"));
        let found = changed(&mut configurations, &none).expect("a change");
        assert!(
            found.iter().any(|finding| finding.switch == "leaf1" && finding.id.ends_with("BUF049")),
            "{found:#?}"
        );
        configurations.read("leaf1", &configuration("3,4"));
        assert_eq!(changed(&mut configurations, &none), None);
        // Cables are seen later.
        let reading = Reading {
            switch: "leaf1".into(),
            time_ns: 1,
            time_is_assumed: false,
            source: Source::SonicDatabase,
            lacks_watchdog: false,
            polled: Default::default(),
            ports: [("Ethernet0".to_string(), counters::PortReading::default())].into(),
            neighbours: Vec::new(),
            addresses: Vec::new(),
        };
        let cabled = Cabling::new(&[reading], &Network::default());
        assert!(changed(&mut configurations, &cabled).is_some());
        assert_eq!(changed(&mut configurations, &cabled), None);
        assert_eq!(configurations.differences().count(), 0, "there is no desired configuration");
    }
}
