//! `harrier ask`: who slows a flow down now.

use analyzer::TopologyIndex;
use model::plain::plain;
use model::{Diagnosis, FlowKey, Topology};
use serde_json::{Value, json};

use crate::Outcome;
use crate::client::{Client, ServerArgs};
use crate::output::{describe_diagnosis, print_json};

const EXAMPLES: &str = "\
Examples:
  Ask the server on this machine
    harrier ask '10.0.0.1:10000>10.0.3.1:4791/udp'

  Ask a server that needs a token
    harrier ask --server https://harrier.example:8080 --ca ca.pem --token-file token '10.0.0.1:10000>10.0.3.1:4791/udp'

Exit status: 0 nothing slows the flow down, 1 there is a verdict, 2 the question could not be answered.";

/// Arguments of `harrier ask`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The flow
    #[arg(value_name = "FLOW")]
    flow: FlowKey,
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
        let question = json!({ "victim": args.flow });
        let answer: Value = client.post("/api/v1/queries", &question).await?;
        let is_clean = answer["anomaly"].is_null();
        if args.json {
            print_json(&answer)?;
        } else if is_clean {
            stdout_line!("{}", nothing_slows(&args.flow, &answer))?;
        } else {
            let diagnosis: Diagnosis = serde_json::from_value(answer)?;
            let topology: Topology = client.get("/api/v1/topology").await?;
            stdout_text!("{}", plain(&describe_diagnosis(&diagnosis, &TopologyIndex::new(&topology))))?;
        }
        Ok(if is_clean { Outcome::Fine } else { Outcome::Findings })
    })
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
