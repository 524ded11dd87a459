//! Gives all verdicts about one deadlock the same root cause.
//!
//! Only the records of the time in which a loop of pauses closed show what started it. Agents poll again while the
//! deadlock lasts; the verdicts on those polls take the root cause of the earlier ones, as in a finished run
//! ([`analyzer::incident::settle`]). What is known ends with the process: all times must count from one zero.

use std::collections::VecDeque;

use analyzer::incident::settle;
use model::{Diagnosis, Snapshot, SwitchTelemetry};

use super::AnalysedEvent;

/// Verdicts that are kept, each with the pauses of its loop.
const KEPT: usize = 32;

/// The latest verdicts that name the root cause of a loop of pauses.
#[derive(Default)]
pub(crate) struct Standstills {
    known: VecDeque<(Snapshot, Diagnosis)>,
}

impl Standstills {
    /// Sets the root cause of an event's verdicts to that of earlier verdicts about the same deadlock.
    pub(crate) fn unify(&mut self, event: &mut AnalysedEvent) {
        let is_loop = |diagnosis: &Diagnosis| !diagnosis.pause_loop.is_empty();
        let own: Vec<Diagnosis> =
            event.analyses.iter().map(|analysis| analysis.diagnosis.clone()).filter(is_loop).collect();
        if own.is_empty() {
            return;
        }
        let roots = own.iter().filter(|diagnosis| diagnosis.root_cause.port.is_some());
        let roots: Vec<Diagnosis> = roots.cloned().collect();
        let earlier = self.known.iter().map(|(snapshot, diagnosis)| (snapshot, vec![diagnosis.clone()]));
        let settled = settle(earlier.chain([(&event.snapshot, own)]).collect());
        for analysis in &mut event.analyses {
            if let Some(same) = settled.iter().find(|diagnosis| diagnosis.id == analysis.diagnosis.id) {
                analysis.diagnosis.clone_from(same);
            }
        }
        for diagnosis in roots {
            self.known.push_back((pauses_of(&event.snapshot, &diagnosis), diagnosis));
            if self.known.len() > KEPT {
                self.known.pop_front();
            }
        }
    }
}

/// Returns the snapshot with the pauses of the loop only: a snapshot may have 20 MB.
fn pauses_of(snapshot: &Snapshot, diagnosis: &Diagnosis) -> Snapshot {
    let in_loop = |switch: &str, port: u16| {
        diagnosis.pause_loop.iter().any(|hop| hop.switch == switch && hop.port == port)
    };
    let switches = snapshot.switches.iter().filter_map(|telemetry| {
        let pauses = telemetry.pauses.iter().filter(|pause| in_loop(&telemetry.switch, pause.port));
        let pauses: Vec<_> = pauses.cloned().collect();
        (!pauses.is_empty()).then(|| SwitchTelemetry {
            switch: telemetry.switch.clone(),
            frozen_ns: telemetry.frozen_ns,
            polled_from: Vec::new(),
            on_victim_path: telemetry.on_victim_path,
            back_port: None,
            epochs: Vec::new(),
            flows: Vec::new(),
            ports: Vec::new(),
            meters: Vec::new(),
            pauses,
            bytes: 0,
        })
    });
    Snapshot {
        switches: switches.collect(),
        trigger: snapshot.trigger.clone(),
        missing: Vec::new(),
        configuration: Vec::new(),
        losses: Vec::new(),
        events: Vec::new(),
        jobs: Vec::new(),
        ..*snapshot
    }
}

#[cfg(test)]
mod tests {
    use analyzer::{Settings, TopologyIndex};
    use fabric::RunOptions;
    use fabric::pipeline::Pipeline;

    use super::*;

    /// The first verdict about a deadlock in a run.
    fn deadlock() -> AnalysedEvent {
        let scenario = scenario::builtin("deadlock-in-loop").expect("a built-in scenario");
        let options = RunOptions { pipeline: Pipeline::hawkeye(&[]).expect("it compiles"), diagnose: true };
        let outcome = fabric::run(&scenario, 1, &options).expect("it runs");
        let index = TopologyIndex::new(&scenario.topology);
        let events = outcome.snapshots.into_iter().map(|snapshot| {
            let mut analyses = analyzer::analyze_indexed(&snapshot, &index, &Settings::default());
            analyses.retain(|analysis| !analysis.diagnosis.pause_loop.is_empty());
            AnalysedEvent { arrivals: Vec::new(), snapshot, analyses }
        });
        events.into_iter().find(|event| !event.analyses.is_empty()).expect("a deadlock is diagnosed")
    }

    /// The same deadlock, polled again for another agent as event `event`, `later_ns` later; a verdict that is less sure and
    /// names another root cause.
    fn polled_again(first: &AnalysedEvent, event: u32, later_ns: i64) -> AnalysedEvent {
        let (mut snapshot, mut analyses) = (first.snapshot.clone(), first.analyses.clone());
        snapshot.event = event;
        if let Some(trigger) = &mut snapshot.trigger {
            trigger.follows = None;
        }
        let switches: Vec<String> = snapshot.switches.iter().map(|one| one.switch.clone()).collect();
        switches.iter().for_each(|switch| snapshot.shift_clock(switch, later_ns));
        for analysis in &mut analyses {
            let diagnosis = &mut analysis.diagnosis;
            diagnosis.id = format!("{event}-{}", diagnosis.id);
            diagnosis.root_cause.port = Some("s9:9".parse().expect("a port"));
            diagnosis.confidence = 0.1;
        }
        AnalysedEvent { arrivals: Vec::new(), snapshot, analyses }
    }

    fn roots(event: &AnalysedEvent) -> Vec<Option<String>> {
        let port = |diagnosis: &Diagnosis| diagnosis.root_cause.port.as_ref().map(ToString::to_string);
        event.analyses.iter().map(|analysis| port(&analysis.diagnosis)).collect()
    }

    #[test]
    fn verdicts_about_one_deadlock_get_the_root_cause_of_the_surest_one() {
        let mut first = deadlock();
        let (before, ids) = (roots(&first), first.analyses.len());
        let mut standstills = Standstills::default();
        standstills.unify(&mut first);
        assert_eq!(roots(&first), before, "a single verdict stays");
        let mut second = polled_again(&first, 77, 1_000);
        standstills.unify(&mut second);
        assert_eq!(roots(&second), before);
        assert_eq!(second.analyses.len(), ids);
        assert!(second.analyses[0].diagnosis.id.starts_with("77-"), "it stays a verdict of its own");
        // A second later, it is another deadlock of the same switches.
        let mut other = polled_again(&first, 78, 1_000_000_000);
        let own = roots(&other);
        standstills.unify(&mut other);
        assert_eq!(roots(&other), own);
    }

    #[test]
    fn a_bounded_number_of_verdicts_is_kept_without_telemetry_of_flows() {
        let first = deadlock();
        let mut standstills = Standstills::default();
        for event in 0..2 * KEPT as u32 {
            standstills.unify(&mut polled_again(&first, 1_000 + event, 0));
        }
        assert_eq!(standstills.known.len(), KEPT);
        let kept = standstills.known.iter().flat_map(|(snapshot, _)| &snapshot.switches);
        assert!(kept.into_iter().all(|telemetry| telemetry.flows.is_empty() && !telemetry.pauses.is_empty()));
    }
}
