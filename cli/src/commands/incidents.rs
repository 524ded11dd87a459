//! `harrier incidents`: the incidents of a server in a terminal.

use std::collections::BTreeMap;

use model::plain::plain_line;
use model::{FlowKey, PortRef};
use serde::Deserialize as _;
use serde_json::Value;

use crate::Outcome;
use crate::client::{Client, ServerArgs, query_value};
use crate::output::print_json;
use crate::server_sent::Received;
use crate::stdout::Reader;
use crate::top::answers::Incident;

const EXAMPLES: &str = "\
Examples:
  What is going on
    harrier incidents --open

  What has happened to a host
    harrier incidents --host h4

  Follow what begins, recurs and ends, as lines of JSON
    harrier incidents --watch --json

Exit status: 0 without open incidents, 1 with, 2 if the server cannot be reached.";

/// Lines that --watch remembers. Beyond it all are forgotten, so that some are printed once more.
const REMEMBERED: usize = 10_000;

/// Arguments of `harrier incidents`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,
    /// Only incidents that have not ended
    #[arg(long)]
    open: bool,
    /// Only incidents with this victim or culprit
    #[arg(long, conflicts_with = "watch")]
    flow: Option<FlowKey>,
    /// Only incidents that a host causes, or with a victim or culprit that starts or ends there
    #[arg(long, value_name = "NAME", conflicts_with = "watch")]
    host: Option<String>,
    /// Only incidents with this root port, or with it on a pause path or loop
    #[arg(long, conflicts_with = "watch")]
    port: Option<PortRef>,
    /// Maximum number of incidents, latest first
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: u32,
    /// Keep printing incidents that begin, change or end, until interrupted. Without --json, an incident is printed again only
    /// if its line differs in more than the time
    #[arg(long)]
    watch: bool,
    /// Print JSON; with --watch one incident a line
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let client = Client::new(&args.server)?;
    crate::daemons::operations::block_on(async {
        let page: Value = client.get(&path(args)).await?;
        let incidents = page["incidents"].as_array().map_or(&[][..], Vec::as_slice);
        match (args.json, args.watch) {
            (true, false) => print_json(&page)?,
            _ => {
                for incident in incidents.iter().rev() {
                    print(incident, args.json)?;
                }
            }
        }
        if args.watch {
            let mut shown: BTreeMap<String, String> = BTreeMap::new();
            for incident in incidents {
                is_news(&mut shown, incident);
            }
            let mut events = client.events("/api/v1/events?kinds=incident").await?;
            while let Some(received) = events.next().await? {
                let Received::Event { name, data } = received else { continue };
                let event: Value = serde_json::from_str(&data)?;
                let incident = &event["incident"];
                let is_shown = !args.open || incident["end_ns"].is_null() || event["change"] == "end";
                // Every diagnosis updates its incident, most of them without a change that a line shows.
                let is_new = args.json || is_news(&mut shown, incident);
                if name == "incident" && is_shown && is_new && print(incident, args.json)? == Reader::Gone {
                    break;
                }
            }
        }
        let is_open = incidents.iter().any(|incident| incident["end_ns"].is_null());
        Ok(if is_open { Outcome::Findings } else { Outcome::Fine })
    })
}

/// Prints an incident on one line.
fn print(incident: &Value, is_json: bool) -> anyhow::Result<Reader> {
    if is_json { stdout_line!("{incident}") } else { stdout_line!("{}", plain_line(&line(incident))) }
}

/// The path of the list that the options select.
fn path(args: &Args) -> String {
    let mut path = format!("/api/v1/incidents?limit={}", args.limit);
    if args.open {
        path.push_str("&open=true");
    }
    let selected = [
        ("flow", args.flow.map(|flow| flow.to_string())),
        ("host", args.host.clone()),
        ("port", args.port.as_ref().map(PortRef::to_string)),
    ];
    for (name, value) in selected {
        if let Some(value) = value {
            path.push_str(&format!("&{name}={}", query_value(&value)));
        }
    }
    path
}

/// Whether the line of an incident says something that the former one did not, apart from the time. `shown` has the former
/// ones by id.
fn is_news(shown: &mut BTreeMap<String, String>, incident: &Value) -> bool {
    let id = incident["id"].as_str().unwrap_or_default();
    let text = what(incident);
    if shown.len() >= REMEMBERED {
        shown.clear();
    }
    shown.insert(id.to_owned(), text.clone()).is_none_or(|former| former != text)
}

/// An incident in one line: when, state, severity, how often, confidence, headline.
fn line(incident: &Value) -> String {
    let text = |key: &str| incident[key].as_str().unwrap_or_default().to_owned();
    let when = match text("update_time") {
        time if time.is_empty() => {
            format!("{:.6} s", incident["update_ns"].as_u64().unwrap_or(0) as f64 / 1e9)
        }
        time => time,
    };
    format!("{when}  {}", what(incident))
}

/// The line without the time.
fn what(incident: &Value) -> String {
    let text = |key: &str| incident[key].as_str().unwrap_or_default().to_owned();
    let state = if incident["end_ns"].is_null() { "open" } else { "ended" };
    let times = match incident["recurrences"].as_u64() {
        Some(count) if count > 1 => format!(" {count} times"),
        _ => String::new(),
    };
    let headline = Incident::deserialize(incident).map_or_else(|_| text("summary"), |known| known.line());
    let percent = incident["confidence"].as_f64().unwrap_or(0.0) * 100.0;
    format!("{state:5}  {:8}  {percent:3.0} %{times}  {}", text("severity"), headline)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_incident_is_one_line() {
        let incident = json!({
            "update_time": "2026-01-02T03:04:05.000000Z", "update_ns": 5, "end_ns": null, "severity": "critical",
            "confidence": 0.98, "recurrences": 39, "summary": "the NIC of h11 pauses p3-edge2:1",
            "headline": { "culprit": "NIC storm at h11", "text": "NIC storm at h11 stops 3 flows", "place": "p3-edge2:1" },
        });
        let expected = "2026-01-02T03:04:05.000000Z  open   critical   98 % 39 times  NIC storm at h11 stops 3 flows, \
                        p3-edge2:1";
        assert_eq!(line(&incident), expected);
        let mut shown = BTreeMap::new();
        assert!(is_news(&mut shown, &incident));
        let mut later = incident.clone();
        later["update_time"] = json!("2026-01-02T03:04:06.000000Z");
        assert!(!is_news(&mut shown, &later), "only the time differs");
        later["end_ns"] = json!(7);
        assert!(is_news(&mut shown, &later));
        let old = json!({ "update_ns": 1_500_000_000_u64, "end_ns": 7, "confidence": 0.5, "summary": "x" });
        assert_eq!(line(&old), "1.500000 s  ended             50 %  x");
    }
}
