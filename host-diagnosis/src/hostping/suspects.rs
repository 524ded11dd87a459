//! From the status of paths to the status of links: algorithm 1 of the paper, and two rules that its examples need.
//!
//! The rules: an RNIC whose paths to all affinitive endpoints are abnormal explains them by its own PCIe link, so that
//! they accuse no other link (section 4.3, "the analyzer first judges whether the RNIC is a bottleneck"); and of the
//! links that are accused most often, those on a path of the same busy RNIC that is fast are exonerated (figure 10a).

use std::collections::{BTreeMap, BTreeSet};

use model::host::loopback::LoopbackTest;

use super::path_status::{PathStatus, carried_share, of_test};
use super::{ABNORMAL_SHARE, LinkKind, Routes};

/// The links that loopback tests accuse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suspects {
    /// RNICs that are slow towards all their affinitive endpoints.
    pub slow_nics: Vec<String>,
    /// Accused links and the number of RNICs that accuse each.
    pub accused: BTreeMap<String, usize>,
    /// Links of abnormal paths on which every link is fine according to other paths: a link that comes and goes.
    pub gray: BTreeSet<String>,
    /// The indices of the abnormal paths in the test.
    pub abnormal_paths: Vec<usize>,
    /// Links that a faster path of the same RNIC exonerates.
    exonerated: BTreeSet<String>,
}

impl Suspects {
    /// The links that are accused most often and not exonerated, in the order of their names. In a test without busy
    /// RNICs all accused links are suspects, because normal paths were proven.
    pub fn worst(&self, is_busy: bool) -> Vec<&str> {
        let most = self.accused.values().copied().max().unwrap_or(0);
        let worst = self.accused.iter().filter(|(_, count)| !is_busy || **count == most);
        let all: Vec<&str> = worst.map(|(link, _)| link.as_str()).collect();
        let left: Vec<&str> = all.iter().copied().filter(|link| !self.exonerated.contains(*link)).collect();
        if left.is_empty() { all } else { left }
    }

    /// Concludes from the paths of one test to links.
    pub fn of(test: &LoopbackTest, routes: &Routes<'_>) -> Suspects {
        Suspects::beyond(slow_nics(test, routes), test, routes)
    }

    /// Concludes from the paths of one test to links other than those of these RNICs, whose paths accuse none.
    pub fn beyond(slow_nics: Vec<String>, test: &LoopbackTest, routes: &Routes<'_>) -> Suspects {
        let status = of_test(test, routes);
        let links: Vec<Vec<&str>> = test
            .paths
            .iter()
            .map(|path| routes.path(&path.nic, &path.endpoint).map(|(links, _)| links).unwrap_or_default())
            .collect();
        let mut suspects = Suspects { slow_nics, ..Suspects::default() };
        suspects.abnormal_paths =
            (0..status.len()).filter(|at| status[*at] == PathStatus::Abnormal).collect();
        let normal: BTreeSet<&str> = (0..status.len())
            .filter(|at| status[*at] == PathStatus::Normal)
            .flat_map(|at| links[at].iter().copied())
            .collect();
        let mut accusers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for at in suspects.abnormal_paths.iter().copied() {
            let nic = test.paths[at].nic.as_str();
            if suspects.slow_nics.iter().any(|slow| slow == nic) {
                continue;
            }
            let open: Vec<&str> = links[at].iter().copied().filter(|link| !normal.contains(link)).collect();
            if open.is_empty() {
                suspects.gray.extend(links[at].iter().map(|link| link.to_string()));
            }
            for link in open {
                accusers.entry(link).or_default().insert(nic);
            }
        }
        suspects.accused = accusers.iter().map(|(link, nics)| (link.to_string(), nics.len())).collect();
        suspects.exonerated = exonerated(test, routes, &status, &links);
        suspects
    }
}

/// RNICs that carry less than their baseline towards all affinitive endpoints, at least two. The service traffic of a busy
/// one must be known.
fn slow_nics(test: &LoopbackTest, routes: &Routes<'_>) -> Vec<String> {
    let mut of_nic: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for path in test.paths.iter().filter(|path| routes.is_affinitive(path, &test.paths)) {
        if let Some(share) = carried_share(test, path) {
            of_nic.entry(&path.nic).or_default().push(share);
        }
    }
    let is_slow = |shares: &Vec<f64>| shares.len() > 1 && shares.iter().all(|s| *s < 1.0 - ABNORMAL_SHARE);
    of_nic.iter().filter(|(_, shares)| is_slow(shares)).map(|(nic, _)| nic.to_string()).collect()
}

/// The links below the root port that a busy RNIC shares with one of its fast paths: what carries more to one endpoint
/// is not what limits another.
fn exonerated(
    test: &LoopbackTest,
    routes: &Routes<'_>,
    status: &[PathStatus],
    links: &[Vec<&str>],
) -> BTreeSet<String> {
    let is_fast = |at: &usize| {
        let path = &test.paths[*at];
        test.busy.contains(&path.nic)
            && status[*at] != PathStatus::Abnormal
            && routes.is_affinitive(path, &test.paths)
    };
    let of_nic =
        |link: &&&str| matches!(routes.link_kind(link), Some(LinkKind::NicPcie | LinkKind::RootPort));
    let fast = (0..status.len()).filter(is_fast).flat_map(|at| &links[at]);
    fast.filter(of_nic).map(|link| link.to_string()).collect()
}
