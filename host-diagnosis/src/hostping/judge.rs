//! The verdict of the loopback tests: host or network, and which link with which problem.

use std::collections::BTreeSet;

use model::host::HostLoopback;
use model::host::loopback::LoopbackTest;

use super::path_status::has_abnormal_latency;
use super::{ABNORMAL_SHARE, Bottleneck, FLAPPING_TESTS, LinkKind, OVERLOADED_SHARE, Routes, Suspects};

/// What the loopback tests show.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// No test was run, or none of its paths has a baseline and a route.
    NoTest,
    /// The inside of the host is fine: look at the network.
    Network,
    /// Every abnormal path has links that other paths prove to be fine, in fewer than [`FLAPPING_TESTS`] tests.
    Doubtful(Vec<String>),
    /// Links inside the host.
    Links(Vec<LinkFinding>),
}

/// A link with a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFinding {
    /// The link.
    pub link: String,
    /// Its kind.
    pub kind: LinkKind,
    /// The problem.
    pub problem: LinkProblem,
    /// The bottlenecks that look like this; several if the tests cannot tell them apart.
    pub bottlenecks: Vec<Bottleneck>,
    /// The number of RNICs that accuse the link; 0 if no path does.
    pub accusers: usize,
    /// How many other links the tests accuse as much.
    pub ties: usize,
    /// Its utilisation during the test.
    pub utilisation: Option<f64>,
    /// Indices of the abnormal paths over this link in the last test.
    pub paths: Vec<usize>,
}

/// The problem of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkProblem {
    /// It carries less than it should.
    Failed,
    /// It is fully used.
    Overloaded,
    /// A setting slows it down.
    Misconfigured,
    /// It comes and goes.
    Flapping,
    /// Failed, or slowed down by a setting; the tests cannot tell.
    FailedOrMisconfigured,
    /// The RNIC at its end is slow: the link takes what the RNIC writes.
    NicItself,
}

/// Judges the last test, with the earlier ones for links that come and go.
///
/// `paused_nics` are RNICs whose pauses need an explanation inside the host, usually those that pause their switch for more
/// than 3 % of the time: a busy RNIC that does so although no path is abnormal is itself the bottleneck.
pub fn judge(loopback: &HostLoopback, paused_nics: &[&str]) -> Verdict {
    let routes = Routes::new(&loopback.topology);
    let Some(test) = loopback.tests.last() else { return Verdict::NoTest };
    let is_usable = |path: &model::host::loopback::LoopbackPath| {
        path.baseline_bandwidth_bps > 0 && routes.path(&path.nic, &path.endpoint).is_some()
    };
    if !test.paths.iter().any(is_usable) {
        return Verdict::NoTest;
    }
    let context = Context { test, routes: &routes, suspects: Suspects::of(test, &routes) };
    let is_busy = test.paths.iter().any(|path| test.busy.contains(&path.nic));
    let mut found: Vec<LinkFinding> =
        context.suspects.slow_nics.iter().filter_map(|nic| context.slow_nic(nic)).collect();
    let worst = context.suspects.worst(is_busy);
    found.extend(worst.iter().filter_map(|link| context.link(link, worst.len() - 1, is_busy)));
    let flapping = flapping(loopback, &routes);
    found.extend(flapping.iter().filter_map(|link| context.flapping(link, flapping.len() - 1)));
    if !found.is_empty() {
        return Verdict::Links(found);
    }
    if !context.suspects.gray.is_empty() {
        return Verdict::Doubtful(context.suspects.gray.into_iter().collect());
    }
    let busy = test.busy.iter().filter(|nic| paused_nics.contains(&nic.as_str()));
    let paused: Vec<LinkFinding> = busy.filter_map(|nic| context.paused_nic(nic)).collect();
    if paused.is_empty() { Verdict::Network } else { Verdict::Links(paused) }
}

/// The links that are doubtful in each of the last [`FLAPPING_TESTS`] tests.
fn flapping(loopback: &HostLoopback, routes: &Routes<'_>) -> BTreeSet<String> {
    let recent = loopback.tests.iter().rev().take(FLAPPING_TESTS);
    let gray: Vec<BTreeSet<String>> = recent.map(|test| Suspects::of(test, routes).gray).collect();
    let Some((last, earlier)) = gray.split_first() else { return BTreeSet::new() };
    if gray.len() < FLAPPING_TESTS {
        return BTreeSet::new();
    }
    last.iter().filter(|link| earlier.iter().all(|test| test.contains(*link))).cloned().collect()
}

struct Context<'c, 'a> {
    test: &'a LoopbackTest,
    routes: &'c Routes<'a>,
    suspects: Suspects,
}

impl Context<'_, '_> {
    fn utilisation(&self, link: &str) -> Option<f64> {
        self.test.utilisation.iter().find(|row| row.link == link).map(|row| row.share)
    }

    /// The abnormal paths over a link.
    fn paths_over(&self, link: &str) -> Vec<usize> {
        let is_over = |at: &usize| {
            let path = &self.test.paths[*at];
            self.routes.path(&path.nic, &path.endpoint).is_some_and(|(links, _)| links.contains(&link))
        };
        self.suspects.abnormal_paths.iter().copied().filter(is_over).collect()
    }

    fn finding(&self, link: &str, problem: LinkProblem, bottlenecks: Vec<Bottleneck>) -> Option<LinkFinding> {
        Some(LinkFinding {
            link: link.to_string(),
            kind: self.routes.link_kind(link)?,
            problem,
            bottlenecks,
            accusers: self.suspects.accused.get(link).copied().unwrap_or(0),
            ties: 0,
            utilisation: self.utilisation(link),
            paths: self.paths_over(link),
        })
    }

    /// The PCIe link of an RNIC: the first link of each of its paths.
    fn link_of_nic(&self, nic: &str) -> Option<String> {
        let path = self.test.paths.iter().find(|path| path.nic == nic)?;
        let (links, _) = self.routes.path(nic, &path.endpoint)?;
        links.first().map(|link| link.to_string())
    }

    /// An RNIC that is slow towards every endpoint: its link, or one of two settings that look the same. Whether the link
    /// took the writes of the RNIC tells the link from the RNIC: what limits a path is what the others wait for.
    fn slow_nic(&self, nic: &str) -> Option<LinkFinding> {
        let settings = [Bottleneck::SlowStart, Bottleneck::SmallTxWindow];
        let paths = self.test.paths.iter().filter(|path| path.nic == nic);
        let stalled: Option<Vec<f64>> = paths.map(|path| path.stalled_share).collect();
        let most = stalled.map(|shares| shares.into_iter().fold(0.0, f64::max));
        let (problem, bottlenecks) = match most {
            Some(share) if share > ABNORMAL_SHARE => (LinkProblem::Failed, vec![Bottleneck::NicPcieFailure]),
            Some(_) => (LinkProblem::NicItself, settings.to_vec()),
            None => {
                let all = [Bottleneck::NicPcieFailure].into_iter().chain(settings).collect();
                (LinkProblem::FailedOrMisconfigured, all)
            }
        };
        let mut finding = self.finding(&self.link_of_nic(nic)?, problem, bottlenecks)?;
        finding.paths.retain(|at| self.test.paths[*at].nic == nic);
        Some(LinkFinding { accusers: 1, ..finding })
    }

    /// A busy RNIC that pauses its switch although no path is abnormal.
    fn paused_nic(&self, nic: &str) -> Option<LinkFinding> {
        let link = self.link_of_nic(nic)?;
        match self.utilisation(&link) {
            Some(share) if share > OVERLOADED_SHARE => self.finding(&link, LinkProblem::Overloaded, vec![]),
            _ => self.finding(&link, LinkProblem::Failed, vec![Bottleneck::NicPcieFailure]),
        }
    }

    fn flapping(&self, link: &str, ties: usize) -> Option<LinkFinding> {
        let kind = self.routes.link_kind(link)?;
        let bottleneck = match kind {
            LinkKind::MemoryChannel => Bottleneck::MemoryFlapping,
            other => Bottleneck::failure_of(other),
        };
        let finding = self.finding(link, LinkProblem::Flapping, vec![bottleneck])?;
        Some(LinkFinding { ties, ..finding })
    }

    fn link(&self, link: &str, ties: usize, is_busy: bool) -> Option<LinkFinding> {
        let kind = self.routes.link_kind(link)?;
        let is_full = self.utilisation(link).is_some_and(|share| share > OVERLOADED_SHARE);
        let (problem, bottlenecks) = if is_busy && is_full {
            (LinkProblem::Overloaded, Bottleneck::overload_of(kind).into_iter().collect())
        } else if kind == LinkKind::GpuPcie {
            self.gpu_problem(link, is_busy)
        } else {
            (LinkProblem::Failed, vec![Bottleneck::failure_of(kind)])
        };
        let finding = self.finding(link, problem, bottlenecks)?;
        Some(LinkFinding { ties, ..finding })
    }

    /// A slow GPU link is misconfigured if the latency to its own RNIC is abnormal as well. A busy RNIC measures
    /// higher latencies anyway, so that the two cases look the same.
    fn gpu_problem(&self, link: &str, is_busy: bool) -> (LinkProblem, Vec<Bottleneck>) {
        let affinitive = self.suspects.abnormal_paths.iter().map(|at| &self.test.paths[*at]).filter(|path| {
            let (links, crosses) = self.routes.path(&path.nic, &path.endpoint).unwrap_or_default();
            !crosses && links.contains(&link)
        });
        let latencies: Vec<Option<bool>> = affinitive.map(has_abnormal_latency).collect();
        let settings = [Bottleneck::AcsOn, Bottleneck::AtsOff];
        if is_busy || latencies.is_empty() || latencies.contains(&None) {
            let all = [Bottleneck::GpuPcieFailure].into_iter().chain(settings).collect();
            (LinkProblem::FailedOrMisconfigured, all)
        } else if latencies.contains(&Some(true)) {
            (LinkProblem::Misconfigured, settings.to_vec())
        } else {
            (LinkProblem::Failed, vec![Bottleneck::GpuPcieFailure])
        }
    }
}
