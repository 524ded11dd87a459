//! Keys of `harrier nic`.

use super::common::OPERATION;
use crate::daemons::config::arguments::Described;
use crate::daemons::config::key::{Daemon, Key};
use crate::daemons::config::kind::Kind;
use crate::daemons::config::settings::{Problem, Settings};

/// The table of the RoCEv2 endpoint in user space.
pub(crate) static NIC: Daemon = Daemon {
    name: "nic",
    about: "Runs a RoCEv2 endpoint in user space on an interface.",
    groups: &[ENDPOINT, OPERATION],
    contradictions,
    files: |_| Vec::new(),
};

/// Marks the settings of the endpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nic;

impl Described for Nic {
    const DAEMON: &'static Daemon = &NIC;
}

const ENDPOINT: &[Key] = &[
    Key::new("interface", Kind::Text, "", "Interface of the lossless network; required").with_example("eth1"),
    Key::new("address", Kind::Ip, "", "Own address; required unless it runs a host of a scenario")
        .with_example("10.0.0.1"),
];

fn contradictions(settings: &Settings) -> Vec<Problem> {
    let mut problems = of_scenario(settings);
    if !settings.has("address") {
        let message = "missing: the own address (--address), or a scenario (--scenario)";
        problems.push(settings.problem("address", message));
    }
    problems
}

/// Returns the contradictions of an endpoint that runs a host of a scenario, which gives it an address.
pub(crate) fn of_scenario(settings: &Settings) -> Vec<Problem> {
    match settings.has("interface") {
        true => Vec::new(),
        false => vec![settings.problem("interface", "missing: the interface of the lossless network")],
    }
}
