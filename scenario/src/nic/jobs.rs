//! Jobs that compute on the GPUs of a host: what an iteration does before its messages are posted.
//!
//! An iteration computes, and then sends one message. A processor that starts the transfer adds an overhead to each
//! (Hwang et al., ARK, NSDI 2023, section 2.2). Jobs on one GPU take turns: while another job uses it for a share u of the time,
//! a kernel waits for one of the other job with probability u, so that computing takes 1 + u times as long. Next to a job with
//! u = 0.75, a production job has 57 % of its rate (Wu et al., TGS, NSDI 2023, section 1).

use model::Time;

use super::tenants::labels_own;

/// A job of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostJobSpec {
    /// Its name.
    pub name: String,
    /// The host.
    pub host: String,
    /// Whether other jobs may not slow it down; otherwise it uses what is spare.
    pub is_production: bool,
    /// The GPUs that it uses.
    pub gpus: Vec<String>,
    /// Labels of its flows, without the numbers that distinguish several flows of one label. Each message of them belongs to one
    /// iteration. A job without flows computes only.
    pub flows: Vec<String>,
    /// How long an iteration computes before its message, alone on its GPUs.
    pub compute: Time,
    /// What a processor needs to start a transfer whose data are ready; 0 if the GPU starts it.
    pub control_overhead: Time,
    /// How long an iteration took alone, as its operator measured it; absent if unknown.
    pub usual: Option<Time>,
    /// How long an iteration would take if the network were unlimited; absent if the job does not say.
    pub wanted: Option<Time>,
    /// Of a job without flows: the share of the time for which it uses its GPUs, in percent ...
    pub gpu_percent: u8,
    /// ... from here on ...
    pub start: Time,
    /// ... up to here.
    pub end: Time,
}

impl HostJobSpec {
    /// Whether a flow with this label belongs to it.
    pub fn owns(&self, label: &str) -> bool {
        labels_own(&self.flows, label)
    }

    /// Whether it uses a GPU of another job without being that job.
    pub fn shares_gpu(&self, other: &HostJobSpec) -> bool {
        self.host == other.host
            && self.name != other.name
            && self.gpus.iter().any(|gpu| other.gpus.contains(gpu))
    }

    /// The use of a GPU that slows other jobs on it down; `None` for a job with flows, whose own use is not counted.
    pub fn gpu_use(&self) -> Option<GpuUse> {
        let share = f64::from(self.gpu_percent) / 100.0;
        (self.flows.is_empty() && share > 0.0).then_some(GpuUse { start: self.start, end: self.end, share })
    }
}

/// The use of a GPU by a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuUse {
    /// From here on ...
    pub start: Time,
    /// ... up to here ...
    pub end: Time,
    /// ... for this share of the time, 0 to 1.
    pub share: f64,
}

/// What an iteration does before its message is posted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preparation {
    /// How long it computes, alone on its GPUs.
    pub compute: Time,
    /// What a processor needs to start the transfer.
    pub control_overhead: Time,
    /// How other jobs use its GPUs.
    pub others: Vec<GpuUse>,
}

impl Preparation {
    /// When computing that begins at a time is done.
    pub fn computed(&self, from: Time) -> Time {
        let (mut now, mut left) = (from, self.compute.0 as f64);
        loop {
            let active = self.others.iter().filter(|other| other.start <= now && now < other.end);
            let slowdown = 1.0 + active.map(|other| other.share).sum::<f64>();
            let done = Time(now.0.saturating_add((left * slowdown) as u64));
            let changes = self.others.iter().flat_map(|other| [other.start, other.end]);
            match changes.filter(|change| *change > now).min() {
                Some(change) if change < done => {
                    left -= (change - now).0 as f64 / slowdown;
                    now = change;
                }
                _ => return done,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computing of 100 us that begins at `from` is done at `expected`, both in us, while others use the GPU.
    #[track_caller]
    fn check(from: u64, others: &[(u64, u64, f64)], expected: u64) {
        let us = Time::from_us;
        let others = others.iter().map(|(start, end, share)| GpuUse {
            start: us(*start),
            end: us(*end),
            share: *share,
        });
        let compute = us(100);
        let preparation = Preparation { compute, control_overhead: Time::ZERO, others: others.collect() };
        assert_eq!(preparation.computed(us(from)), us(expected));
    }

    #[test]
    fn computing_takes_longer_while_others_use_the_gpu() {
        check(7, &[], 107);
        check(0, &[(0, 1_000, 0.75)], 175);
        check(0, &[(200, 1_000, 0.75)], 100);
        check(0, &[(50, 1_000, 1.0)], 150);
        check(0, &[(50, 70, 1.0)], 110);
        check(60, &[(50, 70, 1.0)], 165);
        check(0, &[(0, 1_000, 0.5), (0, 1_000, 1.0)], 250);
        check(0, &[(100, 300, 1.0)], 100);
    }
}
