//! Rounds of the demo without store and dashboard, for `harrier eval --live`.

use std::sync::mpsc;

use analyzer::Analysis;
use anyhow::Context;
use model::{Snapshot, Time};
use scenario::Scenario;

use super::pace::Pace;
use super::system::{Settings, System};
use super::timeline::{Timeline, move_back};
use super::watch::Seen;

/// What a round of the demo has diagnosed.
#[derive(Default)]
pub(crate) struct LiveRound {
    /// The snapshot of each event, with the time of its trigger.
    pub(crate) snapshots: Vec<(Time, Snapshot)>,
    /// The analyses that the dashboard would get, with all times from the start of the round.
    pub(crate) analyses: Vec<Analysis>,
}

/// Repeats an instance of a scenario `rounds` times on one network, with agents on all sending hosts.
pub(crate) fn live_rounds(scenario: Scenario, seed: u64, rounds: usize) -> anyhow::Result<Vec<LiveRound>> {
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    runtime.block_on(run(scenario, seed, rounds))
}

async fn run(scenario: Scenario, seed: u64, rounds: usize) -> anyhow::Result<Vec<LiveRound>> {
    let timeline = Timeline::new(vec![scenario], seed, false);
    let (_polls, no_polls) = mpsc::sync_channel(1);
    let settings = Settings { seed, pace: Pace { us_per_s: None, rounds: Some(rounds) } };
    let System { mut watch, thread, servers, .. } = System::start(timeline, settings, no_polls).await?;
    let mut events = Vec::new();
    while let Some(seen) = watch.next(|_| false).await {
        if let Seen::Final(last) = seen {
            events.extend(last);
        }
    }
    let starts = tokio::task::spawn_blocking(move || thread.join()).await?;
    let starts = starts.ok().context("the network's thread panicked")?;
    drop(servers);
    let mut by_round: Vec<LiveRound> = (0..rounds).map(|_| LiveRound::default()).collect();
    for event in events {
        let Some(trigger) = &event.snapshot.trigger else { continue };
        let triggered = Time::from_ns(trigger.time_ns);
        let number = starts.iter().take(rounds).rposition(|start| *start <= triggered);
        let Some(number) = number else { continue };
        let start = starts[number];
        let round = &mut by_round[number];
        let of_round = event.analyses.into_iter().map(|mut analysis| {
            move_back(&mut analysis.diagnosis, start.as_ns());
            analysis
        });
        round.analyses.extend(of_round);
        round.snapshots.push((triggered.saturating_sub(start), event.snapshot));
    }
    Ok(by_round)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The scenario has random ECN marks and congestion control, so that other marks give other delays within microseconds.
    #[test]
    fn rounds_have_the_same_delays() {
        let mut scenario = scenario::builtin("congestion-leaking").expect("a built-in scenario");
        scenario.source = None;
        scenario.stop = Time::from_ms(2);
        let rounds = live_rounds(scenario, 71, 2).expect("two rounds");
        let delays = |round: &LiveRound| -> BTreeSet<(u64, String)> {
            let triggers =
                round.snapshots.iter().filter_map(|(at, snapshot)| Some((at, snapshot.trigger.as_ref()?)));
            triggers.map(|(at, trigger)| (at.as_ns(), trigger.flow.to_string())).collect()
        };
        let [first, second] = [delays(&rounds[0]), delays(&rounds[1])];
        // Registers stay frozen for different times, so a few questions differ.
        let both = first.intersection(&second).count();
        assert!(first.len() > 10 && both * 4 > first.len() * 3, "{both} of {first:#?} in {second:#?}");
    }
}
