//! `harrier ask`: who slows a flow down now.

mod flow_name;

use analyzer::TopologyIndex;
use model::plain::plain;
use model::{Diagnosis, FlowKey, Topology};
use serde_json::{Value, json};

use flow_name::FlowName;

use crate::Outcome;
use crate::client::{Client, ServerArgs};
use crate::commands::complete::{LATEST_INCIDENTS, flows_of_incidents};
use crate::output::{describe_diagnosis, print_json};

const EXAMPLES: &str = "\
Examples:
  Ask the server on this machine
    harrier ask '10.0.0.1:10000>10.0.3.1:4791/udp'

  Ask by the names of hosts; without a port it is the flow that incidents name
    harrier ask 'h1:10000>h3'
    harrier ask 'h1>h3'

  Ask a server that needs a token
    harrier ask --server https://harrier.example:8080 --ca ca.pem --token-file token '10.0.0.1:10000>10.0.3.1:4791/udp'

Exit status: 0 nothing slows the flow down, 1 there is a verdict, 2 the question could not be answered.";

/// Arguments of `harrier ask`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The flow: `src:sport>dst:dport/proto`, or hosts by name, e.g. `h1:10000>h3`
    #[arg(value_name = "FLOW", value_parser = flow_name::parse)]
    flow: FlowName,
    #[command(flatten)]
    server: ServerArgs,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let client = Client::new(&args.server)?;
    crate::daemons::operations::block_on(async {
        let flow = flow_of(&client, &args.flow).await?;
        let question = json!({ "victim": flow });
        let answer: Value = client.post("/api/v1/queries", &question).await?;
        let is_clean = answer["anomaly"].is_null();
        if args.json {
            print_json(&answer)?;
        } else if is_clean {
            stdout_line!("{}", nothing_slows(&flow, &answer))?;
        } else {
            let diagnosis: Diagnosis = serde_json::from_value(answer)?;
            let topology: Topology = client.get("/api/v1/topology").await?;
            stdout_text!("{}", plain(&describe_diagnosis(&diagnosis, &TopologyIndex::new(&topology))))?;
        }
        Ok(if is_clean { Outcome::Fine } else { Outcome::Findings })
    })
}

/// The flow that a name stands for in the network of the server.
async fn flow_of(client: &Client, name: &FlowName) -> anyhow::Result<FlowKey> {
    if let FlowName::Key(flow) = name {
        return Ok(*flow);
    }
    let topology: Topology = client.get("/api/v1/topology").await?;
    let page: Value = client.get(LATEST_INCIDENTS).await?;
    let known: Vec<FlowKey> = flows_of_incidents(&page).iter().filter_map(|flow| flow.parse().ok()).collect();
    flow_name::resolve(name, &topology, &known)
}

/// The answer about a flow that nothing slows down, with what the telemetry of its path shows.
fn nothing_slows(flow: &FlowKey, answer: &Value) -> String {
    let looked_at = answer["looked_at"].as_str().unwrap_or_default();
    format!("nothing slows {flow} down now: {}", plain(looked_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_a_verdict_says_what_the_telemetry_shows() {
        let flow: FlowKey = "10.0.0.1:10000>10.0.3.1:4791/udp".parse().unwrap();
        let answer = json!({
            "anomaly": null,
            "detail": "the network does not slow this flow down now",
            "looked_at": "no queue and no pause on the flow's path",
        });
        assert_eq!(
            nothing_slows(&flow, &answer),
            "nothing slows 10.0.0.1:10000>10.0.3.1:4791/udp down now: no queue and no pause on the flow's path"
        );
    }
}
