//! Starts the threads that read the switches.

use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use counters::Reading;

use crate::counter_sources::{Address, GnmiSwitch, News, P4Switch, Protocol, SonicSwitch, poll};
use crate::daemons::config::settings::Settings;
use crate::daemons::tls::Certificates;

/// The stack of a thread that polls a switch; it holds no reply.
const STACK_BYTES: usize = 512 << 10;

/// Starts a thread for each switch. Returns where to send readings of each that are not used any more.
///
/// # Errors
/// A certificate cannot be read, or there are no more threads.
pub(super) fn start(
    settings: &Settings,
    addresses: &[Address],
    interval: Duration,
    sender: &Sender<News>,
) -> anyhow::Result<Vec<Sender<Reading>>> {
    let path = |key| settings.path(key).map(Path::to_path_buf);
    let tls = Certificates::read(settings)?.map(|certificates| certificates.switch_client());
    let mut returns = Vec::new();
    for (number, address) in addresses.iter().enumerate() {
        let sender = sender.clone();
        let (back, unused) = channel();
        returns.push(back);
        let thread = thread::Builder::new().name(format!("poll-{number}"));
        let reads_configuration = settings.text("check_configuration") != Some("no");
        let spawned = match address.protocol.clone() {
            Protocol::Redis(redis) => {
                let switch = SonicSwitch::new(address, redis, path("redis_ca"));
                let switch = switch.with_configuration(reads_configuration);
                let poll = move || poll(number, switch, interval, &sender, &unused);
                thread.stack_size(STACK_BYTES).spawn(poll)
            }
            Protocol::Gnmi(gnmi) => {
                let switch = GnmiSwitch::new(address, gnmi, path("gnmi_ca"), interval);
                let switch = switch.with_configuration(reads_configuration);
                // The switch sets the pace: every read waits for its next sample.
                thread.spawn(move || poll(number, switch, Duration::ZERO, &sender, &unused))
            }
            Protocol::P4Runtime(p4) => {
                let switch = P4Switch::new(address.name.clone().unwrap_or_default(), p4, tls.clone());
                thread.spawn(move || poll(number, switch, interval, &sender, &unused))
            }
        };
        spawned.context("cannot start a thread")?;
    }
    Ok(returns)
}
