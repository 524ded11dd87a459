//! Samples packets at the ingress ports of switches, as an sFlow agent does.
//!
//! Each port draws the number of packets until the next sample at random with the sampling rate as its mean (sFlow
//! version 5, section 3.1: sampling must not be in step with the traffic).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use model::wire::ethernet::ETHERNET_BYTES;
use model::wire::ipv4::IPV4_BYTES;
use model::wire::ipv6::IPV6_BYTES;
use model::wire::{ETHERTYPE_IPV4, ETHERTYPE_IPV6, Ethernet, Frame, Ipv4, Ipv6, Udp};
use model::{FlowKey, PortRef, Time, Topology};
use scenario::Random;

use crate::fabric::Tap;

/// The stream of random numbers of the samples; see [`Random::new`].
const STREAM: u64 = 0x7366_6c6f_7700_0000;

/// A sampled packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledPacket {
    /// When, in the time of the run.
    pub at: Time,
    /// The port of a switch at which it arrived.
    pub ingress: PortRef,
    /// The port by which its flow left the switch; absent if no later packet of it left.
    pub egress: Option<u16>,
    /// Its flow.
    pub flow: FlowKey,
    /// Its DSCP.
    pub dscp: u8,
    /// Its length on the wire in bytes.
    pub bytes: u64,
}

/// Samples the packets of a run.
#[derive(Clone, Debug)]
pub struct FlowSampling(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    rate: u32,
    /// The ends of each directed link: the port that sends and the port that receives, if they are ports of switches.
    links: Vec<(Option<PortRef>, Option<Ingress>)>,
    samples: Vec<SampledPacket>,
    /// Samples whose egress port is unknown: by switch and flow, positions in `samples`.
    open: BTreeMap<String, BTreeMap<FlowKey, BTreeSet<usize>>>,
}

/// An ingress port.
#[derive(Debug)]
struct Ingress {
    port: PortRef,
    random: Random,
    /// Packets until the next sample.
    skip: u64,
}

impl FlowSampling {
    /// Samples one of `rate` packets at every port of every switch; 0 counts as 1.
    pub fn new(rate: u32, seed: u64, topology: &Topology) -> FlowSampling {
        let rate = rate.max(1);
        let at_switch = |port: &PortRef| (!topology.is_host(&port.switch)).then(|| port.clone());
        let directed = topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]);
        let links = directed.zip(0..).map(|((from, to), number)| {
            let ingress = at_switch(to).map(|port| {
                let mut random = Random::new(seed, STREAM + number);
                let skip = skip(&mut random, rate);
                Ingress { port, random, skip }
            });
            (at_switch(from), ingress)
        });
        let state = State { rate, links: links.collect(), samples: Vec::new(), open: BTreeMap::new() };
        FlowSampling(Arc::new(Mutex::new(state)))
    }

    /// Returns the observer that takes the samples.
    pub fn tap(&self) -> Box<dyn Tap> {
        Box::new(self.clone())
    }

    /// Returns the samples taken so far, in order of time.
    pub fn samples(&self) -> Vec<SampledPacket> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).samples.clone()
    }
}

/// A number of packets with the mean `rate`: uniform from 1 to 2 `rate` - 1.
fn skip(random: &mut Random, rate: u32) -> u64 {
    1 + random.below(2 * u64::from(rate) - 1)
}

impl Tap for FlowSampling {
    fn frame(&mut self, now: Time, link: u32, frame: &Frame) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).frame(now, link, frame);
    }
}

impl State {
    fn frame(&mut self, now: Time, link: u32, frame: &Frame) {
        let Some((from, to)) = self.links.get_mut(link as usize) else { return };
        if let Some(from) = from
            && let Some(open) = self.open.get_mut(&from.switch).filter(|open| !open.is_empty())
            && let Some((flow, _)) = headers(&frame.head)
        {
            for position in open.remove(&flow).into_iter().flatten() {
                if let Some(sample) = self.samples.get_mut(position) {
                    sample.egress = Some(from.port);
                }
            }
        }
        let Some(ingress) = to else { return };
        ingress.skip -= 1;
        if ingress.skip > 0 {
            return;
        }
        ingress.skip = skip(&mut ingress.random, self.rate);
        let Some((flow, dscp)) = headers(&frame.head) else { return };
        let open = self.open.entry(ingress.port.switch.clone()).or_default();
        open.entry(flow).or_default().insert(self.samples.len());
        self.samples.push(SampledPacket {
            at: now,
            ingress: ingress.port.clone(),
            egress: None,
            flow,
            dscp,
            bytes: frame.len(),
        });
    }
}

/// The 5-tuple and the DSCP of a UDP packet; none of other frames, PFC among them.
fn headers(head: &[u8]) -> Option<(FlowKey, u8)> {
    let ip = head.get(ETHERNET_BYTES..)?;
    let (src, dst, dscp, length) = match Ethernet::from_bytes(head)?.ethertype {
        ETHERTYPE_IPV4 => {
            let header = Ipv4::from_bytes(ip).ok()?;
            (header.src.into(), header.dst.into(), header.dscp, IPV4_BYTES)
        }
        ETHERTYPE_IPV6 => {
            let header = Ipv6::from_bytes(ip)?;
            (header.src.into(), header.dst.into(), header.dscp, IPV6_BYTES)
        }
        _ => return None,
    };
    let udp = Udp::from_bytes(ip.get(length..)?)?;
    Some((FlowKey::udp(src, udp.sport, dst, udp.dport), dscp))
}
