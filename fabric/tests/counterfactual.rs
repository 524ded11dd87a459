//! The counterfactual check: taking the true culprit out of a run brings its victim back, and taking anybody else out
//! does not.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use fabric::counterfactual::verify;
use fabric::{Pipeline, RunOptions, RunOutcome, run};
use model::diagnosis::{Collected, Evidence, Record};
use model::{Cause, Diagnosis, FlowKey, GroundTruth, RootCause};
use scenario::Scenario;

fn pipeline() -> &'static Pipeline {
    static PIPELINE: OnceLock<Pipeline> = OnceLock::new();
    PIPELINE.get_or_init(|| Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}")))
}

struct Seen {
    scenario: Scenario,
    seed: u64,
    outcome: RunOutcome,
    truth: GroundTruth,
}

fn see(name: &str, seed: u64) -> Seen {
    let scenario = scenario::builtin(name).unwrap().instance(seed).unwrap().into_owned();
    let options = RunOptions { pipeline: pipeline().clone(), diagnose: true };
    let outcome = run(&scenario, seed, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let truth = outcome.ground_truth.clone().unwrap();
    Seen { scenario, seed, outcome, truth }
}

/// The first instance from `seed` on in which the agent of a victim sent a polling packet, and not that of a culprit.
fn see_asked(name: &str, seed: u64) -> Seen {
    let polled = |seen: &Seen| {
        let mut triggers = seen.outcome.snapshots.iter().filter_map(|snapshot| snapshot.trigger.as_ref());
        triggers.any(|trigger| seen.truth.victims.contains(&trigger.flow))
    };
    (seed..seed + 5).map(|seed| see(name, seed)).find(polled).expect("a victim is polled in most instances")
}

impl Seen {
    /// A verdict that equals the ground truth except for its culprits, about the first victim with a polling packet.
    fn verdict(&self, root_cause: RootCause) -> Diagnosis {
        let of_truth = |flow: &FlowKey| self.truth.victims.contains(flow);
        let mut triggers = self.outcome.snapshots.iter().filter_map(|snapshot| snapshot.trigger.clone());
        let trigger = triggers.rfind(|trigger| of_truth(&trigger.flow)).expect("a victim is polled");
        Diagnosis {
            id: "known".to_string(),
            time_ns: trigger.time_ns,
            victim: trigger.flow,
            anomaly: self.truth.anomaly.unwrap(),
            cause: self.truth.cause.unwrap_or(Cause::Undetermined),
            summary: String::new(),
            confidence: 1.0,
            root_cause,
            pause_path: self.truth.pause_path.clone(),
            pause_loop: self.truth.pause_loop.clone(),
            spreaders: self.truth.spreaders.clone(),
            victims: self.truth.victims.clone(),
            evidence: vec![Evidence {
                claim: "its round trip rose".to_string(),
                switch: None,
                port: None,
                epoch: None,
                records: vec![Record::Trigger(trigger)],
            }],
            missing: Vec::new(),
            advice: Vec::new(),
            collected: Collected::default(),
            steps: Vec::new(),
            verified: None,
            verification: None,
        }
    }

    fn verify(&self, root_cause: RootCause) -> Diagnosis {
        let mut verdicts = [self.verdict(root_cause)];
        verify(&self.scenario, self.seed, pipeline(), &mut verdicts).unwrap();
        let [verdict] = verdicts;
        verdict
    }

    /// All flows that are neither culprits nor the polled victim.
    fn innocent(&self) -> Vec<FlowKey> {
        let victim = self.verdict(RootCause::default()).victim;
        let sent: BTreeSet<FlowKey> = self.outcome.flows.iter().map(|record| record.flow).collect();
        sent.into_iter()
            .filter(|flow| *flow != victim && !self.truth.root_cause.flows.contains(flow))
            .collect()
    }
}

fn check(seen: &Seen, root_cause: RootCause, expected: Option<bool>) -> Diagnosis {
    let verdict = seen.verify(root_cause);
    let named = format!("{} --seed {}", seen.scenario.name, seen.seed);
    assert_eq!(verdict.verified, expected, "{named}: {:?}, {:?}", verdict.verification, verdict.missing);
    verdict
}

/// The true root with other culprits.
fn blame(seen: &Seen, flows: &[FlowKey]) -> RootCause {
    RootCause { port: seen.truth.root_cause.port.clone(), flows: flows.to_vec(), ..RootCause::default() }
}

#[test]
fn the_victim_recovers_without_the_true_culprit() {
    let scenarios = [
        "poster-fig1",
        "slow-receiver",
        "deadlock-out-of-loop-contention",
        "watchdog-rescue",
        "routing-loop",
    ];
    for name in scenarios {
        let seen = see_asked(name, 5);
        let verdict = check(&seen, seen.truth.root_cause.clone(), Some(true));
        let replay = verdict.verification.unwrap();
        assert!(replay.rtt_after_ns.is_none_or(|after| after < replay.rtt_before_ns), "{name}: {replay:?}");
        assert!(!replay.without.is_empty(), "{name}");
    }
}

#[test]
fn a_configuration_correction_alone_helps() {
    for name in ["misconfigured-alpha", "short-headroom", "dscp-mix-up"] {
        let seen = see(name, 5);
        let replay = check(&seen, seen.truth.root_cause.clone(), Some(true)).verification.unwrap();
        let is_enough = replay.without.len() == 1;
        assert!(
            is_enough || replay.shown.ends_with("configuration alone already helps"),
            "{name}: {replay:?}"
        );
    }
}

#[test]
fn findings_of_rules_are_corrected_too() {
    for (name, id) in [("stale-headroom-profile", "far:1/PG020"), ("one-sided-pfc", "far:1/FLEET003")] {
        let seen = see(name, 5);
        let by_rule = RootCause { config: vec![id.to_string()], ..seen.truth.root_cause.clone() };
        let replay = check(&seen, by_rule, Some(true)).verification.unwrap();
        assert!(!replay.without.iter().any(|done| done.contains("no better value")), "{name}: {replay:?}");
    }
}

#[test]
fn a_configuration_that_changes_nothing_is_not_to_blame() {
    let seen = see("incast-backpressure", 1);
    let root = seen.truth.root_cause.port.clone().unwrap();
    let wrong = RootCause { config: vec![format!("{}/alpha", root.switch)], ..seen.truth.root_cause.clone() };
    check(&seen, wrong, Some(false));
}

#[test]
fn the_victim_stays_slow_without_a_bystander() {
    for (name, seed) in
        [("poster-fig1", 1), ("incast-backpressure", 2), ("two-anomalies", 3), ("ecmp-imbalance", 4)]
    {
        let seen = see(name, seed);
        for flow in seen.innocent() {
            // One story's culprits are no innocents of the other.
            if seen.truth.others.iter().any(|other| other.root_cause.flows.contains(&flow)) {
                continue;
            }
            check(&seen, blame(&seen, &[flow]), Some(false));
        }
    }
}

#[test]
fn who_carried_the_pause_is_not_to_blame() {
    let seen = see("poster-fig1", 1);
    let [spreader] = seen.truth.spreaders.as_slice() else { panic!("{:?}", seen.truth) };
    let replay = check(&seen, blame(&seen, &[*spreader]), Some(false)).verification.unwrap();
    assert!(replay.shown.contains("but"), "{replay:?}");
}

#[test]
fn one_culprit_of_many_is_not_the_whole_story() {
    let seen = see("poster-fig1", 1);
    check(&seen, blame(&seen, &seen.truth.root_cause.flows[..1]), Some(false));
}

#[test]
fn a_healthy_host_is_not_to_blame() {
    let seen = see("host-storm", 1);
    let wrong = RootCause { host: Some("h4".to_string()), ..RootCause::default() };
    let replay = check(&seen, wrong, Some(false)).verification.unwrap();
    assert_eq!(replay.without, ["h4 had no fault"]);
}

#[test]
fn a_verdict_without_a_culprit_is_not_verified() {
    let seen = see("poster-fig1", 1);
    let verdict = check(&seen, RootCause::default(), None);
    assert_eq!(
        verdict.missing,
        ["it was not verified: it names no root cause that can be removed from the run"]
    );
}
