//! Counterfactual runs: the victim recovers in a run without the true culprit, and stays slow in a run without another
//! flow or host.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use eval::GroundTruth;
use fabric::counterfactual::verify;
use fabric::{Pipeline, RunOptions, RunOutcome, run};
use model::diagnosis::{Evidence, Record};
use model::{Anomaly, Cause, Diagnosis, FlowKey, RootCause};
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
    let truth = eval::truth::establish(&scenario, &outcome).0.unwrap();
    Seen { scenario, seed, outcome, truth }
}

/// The first instance from `seed` on in which a victim was polled.
fn see_polled(name: &str, seed: u64) -> Seen {
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
            anomaly: self.truth.anomaly.unwrap(),
            cause: self.truth.cause.unwrap_or(Cause::Undetermined),
            confidence: 1.0,
            root_cause,
            pause_path: self.truth.pause_path.clone(),
            pause_loop: self.truth.pause_loop.clone(),
            spreaders: self.truth.spreaders.clone(),
            victims: self.truth.victims.clone(),
            evidence: vec![Evidence {
                claim: "its RTT rose".to_string(),
                template: None,
                switch: None,
                port: None,
                epoch: None,
                records: vec![Record::Trigger(trigger.clone())],
            }],
            ..Diagnosis::undetermined(trigger.flow)
        }
    }

    fn verify(&self, root_cause: RootCause) -> Diagnosis {
        let mut verdicts = [self.verdict(root_cause)];
        verify(&self.scenario, self.seed, pipeline(), &mut verdicts).unwrap();
        let [verdict] = verdicts;
        verdict
    }

    /// All flows that are neither culprits nor the polled victim.
    fn bystanders(&self) -> Vec<FlowKey> {
        let victim = self.verdict(RootCause::default()).victim;
        let sent: BTreeSet<FlowKey> = self.outcome.flows.iter().map(|record| record.flow).collect();
        sent.into_iter()
            .filter(|flow| Some(*flow) != victim && !self.truth.root_cause.flows.contains(flow))
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
fn with_culprits(seen: &Seen, flows: &[FlowKey]) -> RootCause {
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
        let seen = see_polled(name, 5);
        let verdict = check(&seen, seen.truth.root_cause.clone(), Some(true));
        let verification = verdict.verification.unwrap();
        assert!(
            verification.rtt_after_ns.is_none_or(|after| after < verification.rtt_before_ns),
            "{name}: {verification:?}"
        );
        assert!(!verification.without.is_empty(), "{name}");
    }
}

#[test]
fn a_configuration_correction_alone_helps() {
    for name in ["misconfigured-alpha", "short-headroom"] {
        let seen = see(name, 5);
        let verification = check(&seen, seen.truth.root_cause.clone(), Some(true)).verification.unwrap();
        let is_enough = verification.without.len() == 1;
        assert!(
            is_enough || verification.shown.ends_with("configuration alone already helps"),
            "{name}: {verification:?}"
        );
    }
}

#[test]
fn findings_of_rules_are_corrected() {
    for (name, id) in [("stale-headroom-profile", "far:1/PG020"), ("one-sided-pfc", "far:1/FLEET003")] {
        let seen = see(name, 5);
        let by_rule = RootCause { config: vec![id.to_string()], ..seen.truth.root_cause.clone() };
        let verification = check(&seen, by_rule, Some(true)).verification.unwrap();
        assert!(
            !verification.without.iter().any(|done| done.contains("no better value")),
            "{name}: {verification:?}"
        );
    }
}

#[test]
fn a_verdict_is_refuted_if_correcting_its_setting_changes_nothing() {
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
        for flow in seen.bystanders() {
            // The culprits of the other anomaly are not bystanders.
            if seen.truth.others.iter().any(|other| other.root_cause.flows.contains(&flow)) {
                continue;
            }
            check(&seen, with_culprits(&seen, &[flow]), Some(false));
        }
    }
}

#[test]
fn a_verdict_that_names_a_spreader_is_refuted() {
    let seen = see("poster-fig1", 1);
    let [spreader] = seen.truth.spreaders.as_slice() else { panic!("{:?}", seen.truth) };
    let verification = check(&seen, with_culprits(&seen, &[*spreader]), Some(false)).verification.unwrap();
    assert!(verification.shown.contains("but"), "{verification:?}");
}

#[test]
fn a_verdict_that_names_one_of_several_culprits_is_refuted() {
    let seen = see("poster-fig1", 1);
    check(&seen, with_culprits(&seen, &seen.truth.root_cause.flows[..1]), Some(false));
}

#[test]
fn a_verdict_that_names_a_healthy_host_is_refuted() {
    let seen = see("host-storm", 1);
    let wrong = RootCause { host: Some("h4".to_string()), ..RootCause::default() };
    let verification = check(&seen, wrong, Some(false)).verification.unwrap();
    assert_eq!(verification.without, ["h4 had no fault"]);
}

#[test]
fn a_deadlock_without_a_joint_standstill_is_refuted() {
    let seen = see("poster-fig1", 1);
    let truth = seen.verdict(seen.truth.root_cause.clone());
    let loop_of_path = truth.pause_path.clone();
    let anomaly = Anomaly::DeadlockInLoopContention;
    let mut verdicts = [Diagnosis { anomaly, pause_loop: loop_of_path, ..truth }];
    verify(&seen.scenario, seen.seed, pipeline(), &mut verdicts).unwrap();
    let [verdict] = verdicts;
    assert_eq!((verdict.verified, verdict.confidence), (Some(false), 0.3), "{:?}", verdict.verification);
    assert!(verdict.verification.unwrap().shown.starts_with("no deadlock"));
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
