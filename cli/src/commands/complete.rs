//! `harrier complete`: names from the server for the completion of a shell. It prints nothing when the server is away.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::Outcome;
use crate::client::{Client, ServerArgs};

/// Where the flows are that people ask about.
pub(crate) const LATEST_INCIDENTS: &str = "/api/v1/incidents?limit=100";

/// Arguments of `harrier complete`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to list
    #[arg(value_enum)]
    kind: Kind,
    /// Maximum time, in milliseconds: a person waits for the shell
    #[arg(long, value_name = "MS", default_value_t = 800, env = "HARRIER_COMPLETION_MS")]
    limit_ms: u64,
    #[command(flatten)]
    server: ServerArgs,
}

/// What is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Victims and culprits of the latest incidents.
    Flows,
    /// Hosts of the network.
    Hosts,
    /// Ports of switches that have a link.
    Ports,
}

/// Runs the command. Errors are silent: the person types another command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let Ok(client) = Client::new(&args.server) else { return Ok(Outcome::Fine) };
    crate::daemons::operations::block_on(async {
        let path = match args.kind {
            Kind::Flows => LATEST_INCIDENTS,
            Kind::Hosts | Kind::Ports => "/api/v1/topology",
        };
        let limit = Duration::from_millis(args.limit_ms);
        if let Ok(Ok(answer)) = tokio::time::timeout(limit, client.get::<Value>(path)).await {
            for name in names(args.kind, &answer) {
                stdout_line!("{name}")?;
            }
        }
        Ok(Outcome::Fine)
    })
}

/// Returns the victims and culprits of a page of incidents, sorted.
pub(crate) fn flows_of_incidents(page: &Value) -> BTreeSet<String> {
    let flows = list(&page["incidents"])
        .into_iter()
        .flat_map(|incident| [list(&incident["victims"]), list(&incident["root_cause"]["flows"])].concat());
    words(&flows.collect::<Vec<_>>())
}

/// Returns the names in an answer of the server, sorted.
fn names(kind: Kind, answer: &Value) -> BTreeSet<String> {
    let texts: Vec<Value> = match kind {
        Kind::Flows => return flows_of_incidents(answer),
        Kind::Hosts => list(&answer["nodes"])
            .iter()
            .filter(|node| node["kind"] == "host")
            .map(|node| node["name"].clone())
            .collect(),
        Kind::Ports => {
            let hosts = names(Kind::Hosts, answer);
            let is_switch = |port: &Value| {
                let name = port.as_str().and_then(|port| port.rsplit_once(':')).map(|(name, _)| name);
                name.is_some_and(|name| !hosts.contains(name))
            };
            let ends =
                list(&answer["links"]).into_iter().flat_map(|link| [link["a"].clone(), link["b"].clone()]);
            ends.filter(is_switch).collect()
        }
    };
    words(&texts)
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// The texts that a shell can take: a name with control characters or spaces would be several words, or none.
fn words(texts: &[Value]) -> BTreeSet<String> {
    let is_word = |text: &&str| text.chars().all(|c| c.is_ascii_graphic() && c != '\'');
    texts.iter().filter_map(Value::as_str).filter(is_word).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_sorted_words() {
        let network = json!({
            "nodes": [
                { "name": "h2", "kind": "host" }, { "name": "h1", "kind": "host" }, { "name": "sw1", "kind": "switch" },
                { "name": "x'; reboot", "kind": "host" },
            ],
            "links": [{ "a": "sw1:2", "b": "h1:1" }, { "a": "h2:1", "b": "sw1:1" }],
        });
        assert_eq!(Vec::from_iter(names(Kind::Hosts, &network)), ["h1", "h2"]);
        assert_eq!(Vec::from_iter(names(Kind::Ports, &network)), ["sw1:1", "sw1:2"]);
        let page = json!({ "incidents": [{ "victims": ["b", "a"], "root_cause": { "flows": ["c", "a"] } }] });
        assert_eq!(Vec::from_iter(names(Kind::Flows, &page)), ["a", "b", "c"]);
        assert!(names(Kind::Flows, &json!("another form")).is_empty());
    }
}
