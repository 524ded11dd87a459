//! Splits the latency of an operation into the stages between T1 and T6, and finds the stage that makes a group of
//! operations slow.

use model::host::latency::RdmaOperation;
use serde::Serialize;

use crate::median::median;

/// A group is slow if its slow operations take this many times as long as its fast ones. A choice: queueing that congestion
/// control tolerates stays below.
const SLOW_RATIO: f64 = 2.0;
/// The share of a group that counts as slow: the quantile that operators watch is the 99th percentile.
const SLOW_SHARE: f64 = 0.01;
/// By majority: one stage explains the slowness if it has more than half of the excess.
const EXPLAINING_SHARE: f64 = 0.5;

/// A stage of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// T1 to T2: the doorbell reaches the NIC.
    Doorbell,
    /// T2 to T3: the NIC fetches the work request over PCIe.
    Fetch,
    /// T3 to T4: the NIC reads the data and transmits the message.
    Transmit,
    /// T4 to T5: the message crosses the network and the remote NIC completes it.
    Network,
    /// T5 to T6: the application polls the completion.
    Poll,
    /// T1 to T5, if the NIC records no other points.
    Unsplit,
}

/// Where a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The host that posted the operation, or its NIC.
    Sender,
    /// The network, the remote NIC or the remote host: records of one side do not separate them.
    Network,
    /// The application that polls completions on the sender.
    Poller,
    /// The sender's NIC, the network or the receiver: the NIC records no point between T1 and T5.
    Unsplit,
}

/// The durations of the stages of one operation, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stages(pub Vec<(Stage, u64)>);

impl Stages {
    /// Splits an operation. Points that the NIC does not record merge their stages: without T4, the stages from T1 to T5
    /// are one. Clocks may deviate by some nanoseconds, so that a stage is never negative.
    pub fn of(operation: &RdmaOperation) -> Stages {
        let points = [
            (Stage::Doorbell, operation.t2_ns),
            (Stage::Fetch, operation.t3_ns),
            (Stage::Transmit, operation.t4_ns),
        ];
        let poll = (Stage::Poll, operation.t6_ns.saturating_sub(operation.t5_ns));
        if points.iter().any(|(_, point)| point.is_none()) {
            return Stages(vec![(Stage::Unsplit, operation.t5_ns.saturating_sub(operation.t1_ns)), poll]);
        }
        let mut stages = Vec::new();
        let mut last = operation.t1_ns;
        for (stage, point) in points {
            let at = point.unwrap_or(last);
            stages.push((stage, at.saturating_sub(last)));
            last = at;
        }
        stages.push((Stage::Network, operation.t5_ns.saturating_sub(last)));
        stages.push(poll);
        Stages(stages)
    }

    /// The duration of a stage, in nanoseconds; zero if it is not recorded.
    pub fn duration_ns(&self, stage: Stage) -> u64 {
        self.0.iter().find(|(known, _)| *known == stage).map_or(0, |(_, duration)| *duration)
    }
}

/// What makes a group of operations slow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Split {
    /// The stage with most of the excess.
    pub stage: Stage,
    /// The side that it belongs to.
    pub side: Side,
    /// The mean excess of slow operations over the median one, in nanoseconds.
    pub excess_ns: u64,
    /// The part of the excess in this stage, 0 to 1.
    pub share: f64,
    /// The median latency T6 - T1 of the reference operations, in nanoseconds.
    pub usual_ns: u64,
    /// The latency T6 - T1 of the slow operations, as mean, in nanoseconds.
    pub slow_ns: u64,
}

/// Finds the stage that makes `operations` slow, compared with `reference` (operations of the same kind and connection
/// at another time; the group itself if empty). `None` if nothing is slow, or if no stage has most of the excess.
pub fn slow_stage(operations: &[&RdmaOperation], reference: &[&RdmaOperation]) -> Option<Split> {
    let total = |operation: &&RdmaOperation| operation.t6_ns.saturating_sub(operation.t1_ns);
    let base = if reference.is_empty() { operations } else { reference };
    let usual_ns = median(base.iter().map(total))?;
    let slow: Vec<&RdmaOperation> = operations
        .iter()
        .copied()
        .filter(|operation| total(operation) as f64 >= SLOW_RATIO * usual_ns as f64)
        .collect();
    if slow.is_empty() || (slow.len() as f64) < SLOW_SHARE * operations.len() as f64 {
        return None;
    }
    let usual = usual_stages(base);
    let mut excess: Vec<(Stage, f64)> = Vec::new();
    for operation in &slow {
        for (stage, duration) in Stages::of(operation).0 {
            let usual = usual.iter().find(|(known, _)| *known == stage).map_or(0, |(_, ns)| *ns);
            let above = duration.saturating_sub(usual) as f64 / slow.len() as f64;
            match excess.iter_mut().find(|(known, _)| *known == stage) {
                Some((_, sum)) => *sum += above,
                None => excess.push((stage, above)),
            }
        }
    }
    let sum: f64 = excess.iter().map(|(_, ns)| ns).sum();
    let (stage, most) = excess.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let share = if sum > 0.0 { most / sum } else { 0.0 };
    let slow_ns =
        (slow.iter().map(|operation| total(operation) as f64).sum::<f64>() / slow.len() as f64) as u64;
    let found = Split { stage, side: side(stage), excess_ns: sum as u64, share, usual_ns, slow_ns };
    (share > EXPLAINING_SHARE).then_some(found)
}

fn usual_stages(operations: &[&RdmaOperation]) -> Vec<(Stage, u64)> {
    let stages: Vec<Stages> = operations.iter().map(|operation| Stages::of(operation)).collect();
    let mut names: Vec<Stage> = stages.iter().flat_map(|of| of.0.iter().map(|(stage, _)| *stage)).collect();
    names.sort_unstable();
    names.dedup();
    let usual = |stage: Stage| {
        let has = |of: &&Stages| of.0.iter().any(|(known, _)| *known == stage);
        median(stages.iter().filter(has).map(|of| of.duration_ns(stage))).unwrap_or(0)
    };
    names.into_iter().map(|stage| (stage, usual(stage))).collect()
}

fn side(stage: Stage) -> Side {
    match stage {
        Stage::Doorbell | Stage::Fetch | Stage::Transmit => Side::Sender,
        Stage::Network => Side::Network,
        Stage::Poll => Side::Poller,
        Stage::Unsplit => Side::Unsplit,
    }
}
