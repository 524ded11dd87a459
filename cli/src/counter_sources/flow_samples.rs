//! Receives sFlow, IPFIX and NetFlow from the network: a thread for each UDP socket hands datagrams to the collector.

#![allow(clippy::disallowed_types, reason = "the edge opens the socket")]

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Context;
use counters::sampling::Collector;
use counters::{FlowSample, Reading};
use web::Metric;

use crate::daemons::health::metric;
use crate::daemons::operations::clock::wall_ns;

/// The largest datagram of UDP; exporters keep theirs within the MTU.
const MAX_DATAGRAM_BYTES: usize = 65_535;

/// The address of the exporter of a switch, `SWITCH=ADDRESS`.
pub(crate) type ExporterOf = (IpAddr, String);

/// Parses `SWITCH=ADDRESS`.
pub(crate) fn parse_exporter(text: &str) -> Result<ExporterOf, String> {
    let expected = "expected SWITCH=ADDRESS, e.g. leaf1=10.0.0.9";
    let (switch, address) = text.rsplit_once('=').filter(|(switch, _)| !switch.is_empty()).ok_or(expected)?;
    let address = address.parse().map_err(|_| format!("`{address}` is not an IP address; {expected}"))?;
    Ok((address, switch.to_string()))
}

/// Sockets that receive samples, and what was received.
#[derive(Default)]
pub(crate) struct SampleListener(Arc<Mutex<Collector>>);

impl SampleListener {
    /// Binds a socket for each address and starts to receive. Returns the addresses with the ports that are used.
    pub(crate) fn start(addresses: &[SocketAddr]) -> anyhow::Result<(SampleListener, Vec<SocketAddr>)> {
        let listener = SampleListener::default();
        let mut all = Vec::new();
        for address in addresses {
            let socket = UdpSocket::bind(address).with_context(|| format!("cannot receive at {address}"))?;
            let bound = socket.local_addr().unwrap_or(*address);
            let collector = Arc::clone(&listener.0);
            let thread = thread::Builder::new().name(format!("samples-{}", bound.port()));
            thread.spawn(move || receive(&socket, &collector)).context("cannot start a thread")?;
            all.push(bound);
        }
        Ok((listener, all))
    }

    /// Sets the switches whose datagrams are read from now on.
    pub(crate) fn set_switches(&self, agents: BTreeMap<IpAddr, String>) {
        lock(&self.0).set_switches(agents);
    }

    /// The samples since a time, with lines for people.
    pub(crate) fn round<'r>(
        &self,
        since_ns: u64,
        readings: impl IntoIterator<Item = &'r Reading>,
    ) -> (Vec<FlowSample>, Vec<String>) {
        let mut collector = lock(&self.0);
        collector.forget_before(since_ns);
        let samples = collector.samples(readings);
        (samples, collector.news())
    }
}

impl SampleListener {
    /// How many samples were taken, and what was wrong with what was received.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        let collector = lock(&self.0);
        let help = "Flow samples of sFlow, IPFIX and NetFlow that were received from known switches";
        let taken = metric("flow_samples", help, true, collector.taken());
        let help = "What was lost, left out for a limit, or not understood of sFlow, IPFIX and NetFlow";
        let problems = collector.problems().into_iter().map(|of| Metric {
            labels: vec![("switch", of.switch.unwrap_or_default()), ("problem", of.problem.to_string())],
            ..metric("flow_sample_problems", help, true, of.count)
        });
        std::iter::once(taken).chain(problems).collect()
    }
}

fn lock(collector: &Mutex<Collector>) -> MutexGuard<'_, Collector> {
    collector.lock().unwrap_or_else(PoisonError::into_inner)
}

fn receive(socket: &UdpSocket, collector: &Mutex<Collector>) {
    let mut datagram = vec![0; MAX_DATAGRAM_BYTES];
    loop {
        // Errors are those of ICMP about earlier datagrams; a socket that only receives has none that lasts.
        if let Ok((length, source)) = socket.recv_from(&mut datagram) {
            let bytes = datagram.get(..length).unwrap_or(&[]);
            lock(collector).take(source.ip(), bytes, wall_ns());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exporter_has_a_switch_and_an_address() {
        let address = "10.0.0.9".parse().expect("an address");
        assert_eq!(parse_exporter("leaf1=10.0.0.9"), Ok((address, "leaf1".to_string())));
        for wrong in ["leaf1", "=10.0.0.9", "leaf1=spine", ""] {
            assert!(parse_exporter(wrong).is_err(), "{wrong}");
        }
    }
}
