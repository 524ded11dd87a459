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
};

/// Marks the settings of the endpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nic;

impl Described for Nic {
    const DAEMON: &'static Daemon = &NIC;
}

const ENDPOINT: &[Key] = &[
    Key::new("interface", Kind::Text, "", "Interface of the lossless network; required").with_example("eth1"),
    Key::new("address", Kind::Ip, "", "Own address; required unless it runs a host of a scenario"),
];

fn contradictions(settings: &Settings) -> Vec<Problem> {
    match settings.has("interface") {
        true => Vec::new(),
        false => vec![settings.problem("interface", "missing: the interface of the lossless network")],
    }
}
