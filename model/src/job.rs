//! A collective operation as the network sees it: transfers between members, step by step.
//!
//! A job defines which flow belongs to which step, and which transfers must have arrived before one may start. Its
//! progress (start and end of transfers) is known to its hosts; without times, a job still distinguishes steps.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::collective::Collective;
use crate::flow::FlowKey;
use crate::topology::Topology;
use crate::wire::ROCE_V2_PORT;

/// Default source port of the first transfer between two members.
const FIRST_PORT: u16 = 10_000;

/// A collective operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Its name.
    pub name: String,
    /// Its transfers; dependencies come before the transfers that need them.
    pub transfers: Vec<Transfer>,
}

/// One transfer of a step: a message from one member to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// The step, from 1.
    pub step: u32,
    /// The flow that carries it.
    pub flow: FlowKey,
    /// Size in bytes.
    pub bytes: u64,
    /// Positions of the transfers of this job that must have finished before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u32>,
    /// When it started, in nanoseconds; absent if it has not, or if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ns: Option<u64>,
    /// When it finished, in nanoseconds; absent if it has not, or if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_ns: Option<u64>,
}

/// The relation of a step to a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepRole {
    /// The victim belongs to it.
    Victim,
    /// Culprits belong to it.
    Culprit,
}

/// A step of a job that a verdict concerns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobStep {
    /// The job.
    pub job: String,
    /// The step, from 1.
    pub step: u32,
    /// Number of steps of the job.
    pub steps: u32,
    /// Its relation to the verdict.
    pub role: StepRole,
    /// Its flows among the victim and the culprits.
    pub flows: Vec<FlowKey>,
    /// Whether it is the step that delays the job, if the job's times show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds_up: Option<bool>,
}

impl Job {
    /// Number of steps.
    pub fn steps(&self) -> u32 {
        self.transfers.iter().map(|transfer| transfer.step).max().unwrap_or(0)
    }

    /// Lists inconsistencies, one sentence each: for jobs that come from outside.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (at, transfer) in self.transfers.iter().enumerate() {
            let name = format!("job `{}`, transfer {at}", self.name);
            if transfer.step == 0 {
                problems.push(format!("{name}: steps are counted from 1"));
            }
            for before in &transfer.after {
                match usize::try_from(*before).ok().filter(|before| *before < at) {
                    None => problems.push(format!("{name}: it waits for {before}, which is not before it")),
                    Some(before) if self.transfers[before].step >= transfer.step => problems.push(format!(
                        "{name}: step {} waits for step {}",
                        transfer.step, self.transfers[before].step
                    )),
                    Some(_) => {}
                }
            }
            if let (Some(start), Some(finish)) = (transfer.start_ns, transfer.finish_ns)
                && finish < start
            {
                problems.push(format!("{name}: it ends at {finish} ns, before it starts at {start} ns"));
            }
        }
        problems
    }
}

/// A job as written in a file: either its transfers, or a kind of operation with its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct JobDescription {
    /// Its name.
    pub name: String,
    /// The transfers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<Transfer>,
    /// Instead of transfers: the kind of operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collective: Option<Collective>,
    /// With a kind: its members in order, host names or addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// With a kind: the amount of data, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// With a kind: source port of the first transfer of each pair of members; 10000 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sport: Option<u16>,
    /// With a kind: destination port of all transfers; 4791 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dport: Option<u16>,
    /// With a kind: whether all transfers of a pair use one connection; otherwise each uses the next source port.
    #[serde(default)]
    pub one_connection: bool,
}

impl JobDescription {
    /// Resolves the description against a topology.
    ///
    /// # Errors
    /// All problems, one sentence each.
    pub fn resolve(&self, topology: &Topology) -> Result<Job, Vec<String>> {
        let problem = |text: String| format!("job `{}`: {text}", self.name);
        let Some(collective) = self.collective else {
            let job = Job { name: self.name.clone(), transfers: self.transfers.clone() };
            let mut problems = job.problems();
            if self.transfers.is_empty() {
                problems.push(problem("it has neither `transfers` nor a `collective`".to_string()));
            }
            return if problems.is_empty() { Ok(job) } else { Err(problems) };
        };
        let mut problems = Vec::new();
        if !self.transfers.is_empty() {
            problems.push(problem("`transfers` and `collective` exclude each other".to_string()));
        }
        let bytes = self.bytes.unwrap_or_else(|| {
            problems.push(problem("`bytes` is missing".to_string()));
            1
        });
        let mut addresses: Vec<IpAddr> = Vec::new();
        for member in &self.members {
            let host = topology.node(member).and_then(|node| node.addresses.first().copied());
            match host.or_else(|| member.parse().ok()) {
                Some(address) => addresses.push(address),
                None => problems.push(problem(format!(
                    "member `{member}` is neither a host of the topology nor an address"
                ))),
            }
        }
        let parts = collective.parts(self.members.len(), bytes).unwrap_or_else(|error| {
            problems.push(problem(error.to_string()));
            Vec::new()
        });
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut next: BTreeMap<(usize, usize), u16> = BTreeMap::new();
        let transfers = parts.into_iter().map(|part| {
            let port = next.entry((part.src, part.dst)).or_insert(self.sport.unwrap_or(FIRST_PORT));
            let sport = *port;
            if !self.one_connection {
                *port = port.checked_add(1).unwrap_or(FIRST_PORT);
            }
            let dport = self.dport.unwrap_or(ROCE_V2_PORT);
            Transfer {
                step: part.step,
                flow: FlowKey::udp(addresses[part.src], sport, addresses[part.dst], dport),
                bytes: part.bytes,
                after: part.after.into_iter().map(|before| before as u32).collect(),
                start_ns: None,
                finish_ns: None,
            }
        });
        Ok(Job { name: self.name.clone(), transfers: transfers.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(collective: Collective, members: &[&str]) -> JobDescription {
        JobDescription {
            name: "train".to_string(),
            transfers: Vec::new(),
            collective: Some(collective),
            members: members.iter().map(ToString::to_string).collect(),
            bytes: Some(4_000),
            sport: None,
            dport: None,
            one_connection: false,
        }
    }

    #[test]
    fn a_ring_of_four_has_six_steps_and_a_source_port_for_each_transfer() {
        let members = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"];
        let ring = describe(Collective::AllReduceRing, &members);
        let job = ring.resolve(&Topology::default()).unwrap();
        assert_eq!((job.steps(), job.transfers.len()), (6, 24));
        assert_eq!(job.problems(), Vec::<String>::new());
        let second = &job.transfers[5];
        assert_eq!(second.flow.to_string(), "10.0.0.2:10001>10.0.0.3:4791/udp");
        assert_eq!((second.step, second.bytes, second.after.as_slice()), (2, 1_000, &[0][..]));
        let one = JobDescription { one_connection: true, ..ring }.resolve(&Topology::default()).unwrap();
        assert_eq!(one.transfers[5].flow.sport, 10_000);
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let wrong = JobDescription {
            bytes: None,
            ..describe(Collective::AllReduceHalvingDoubling, &["10.0.0.1", "h9", "10.0.0.3"])
        };
        assert_eq!(
            wrong.resolve(&Topology::default()).unwrap_err(),
            [
                "job `train`: `bytes` is missing",
                "job `train`: member `h9` is neither a host of the topology nor an address",
                "job `train`: halving and doubling needs a power of two of members and has 3",
            ]
        );
    }

    #[test]
    fn inconsistent_transfers_are_reported() {
        let transfer = |step, after: &[u32], times: (u64, u64)| Transfer {
            step,
            flow: "10.0.0.1:1>10.0.0.2:2/udp".parse().unwrap(),
            bytes: 1,
            after: after.to_vec(),
            start_ns: Some(times.0),
            finish_ns: Some(times.1),
        };
        let job = Job {
            name: "j".to_string(),
            transfers: vec![transfer(0, &[0], (1, 2)), transfer(1, &[], (5, 2)), transfer(1, &[1], (1, 2))],
        };
        assert_eq!(
            job.problems(),
            [
                "job `j`, transfer 0: steps are counted from 1",
                "job `j`, transfer 0: it waits for 0, which is not before it",
                "job `j`, transfer 1: it ends at 2 ns, before it starts at 5 ns",
                "job `j`, transfer 2: step 1 waits for step 1",
            ]
        );
    }
}
