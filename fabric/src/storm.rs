//! A pause storm at one port with a PFC watchdog, on the traffic manager of its configuration.
//!
//! From time 0 to the end of the storm, the peer sends pause frames of the longest duration and refreshes each before
//! it expires; a packet is queued. The actions of the watchdog are recorded. Its timers are exact, whereas SONiC polls
//! at an interval ([`buffer_config::explain::watchdog_of`] has the resulting range).

use buffer_config::resolved::{ResolvedPort, ResolvedSwitch};
use model::wire::pfc::{Pfc, quanta_time};
use model::{Rate, Time};
use p4_switch::tm::{Arrival, DropReason, TmEvent, TrafficManager};
use scenario::{SonicError, sonic};

/// The actions of the watchdog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storm {
    /// When it detected the storm.
    pub detected: Option<Time>,
    /// The last pause frame.
    pub last_pause: Time,
    /// When it restored the queue.
    pub restored: Option<Time>,
    /// Packets that it dropped.
    pub dropped: u64,
}

/// The ingress port of the packet, and the port of the peer.
const IN: u16 = 0;
const OUT: u16 = 1;

/// Simulates a peer of `port` that pauses `priority` for `length`, until no event is left.
///
/// # Errors
/// A configuration that does not fit a switch.
pub fn replay(
    switch: &ResolvedSwitch,
    port: &ResolvedPort,
    priority: u8,
    length: Time,
) -> Result<Storm, SonicError> {
    let rate = Rate(u64::from(port.speed_mbps.max(1)) * 1_000_000);
    let mut tm: TrafficManager<()> = TrafficManager::new(sonic::pair(switch, port, [IN, OUT], rate)?);
    let mut storm = Storm { last_pause: length, ..Storm::default() };
    let arrival = Arrival { ingress_port: IN, egress_port: OUT, priority, bytes: 1_024, ecn_capable: true };
    let pause = Pfc::single(priority, u16::MAX);
    let refresh = Time(quanta_time(u16::MAX, rate).0 / 2);
    let mut events = Vec::new();
    let mut record = |tm: &mut TrafficManager<()>, now: Time, storm: &mut Storm| {
        tm.drain_events(&mut events);
        for event in events.drain(..) {
            match event {
                TmEvent::WatchdogFired { .. } if storm.detected.is_none() => storm.detected = Some(now),
                TmEvent::WatchdogRestored { .. } => storm.restored = Some(now),
                TmEvent::Dropped { reason: DropReason::Watchdog, .. } => storm.dropped += 1,
                _ => {}
            }
        }
    };
    let mut next_pause = Some(Time::ZERO);
    let mut has_packet = false;
    loop {
        // At equal times the frame is received before the timers fire.
        let now = match (next_pause, tm.next_wake()) {
            (Some(pause), Some(wake)) => pause.min(wake),
            (Some(time), None) | (None, Some(time)) => time,
            (None, None) => break,
        };
        if next_pause == Some(now) {
            tm.receive_pfc(now, OUT, &pause);
            next_pause = match Time(now.0.saturating_add(refresh.0)) {
                _ if now >= length => None,
                later => Some(later.min(length)),
            };
            if !has_packet {
                has_packet = true;
                // A drop of this packet is not an error of the replay.
                let _ = tm.enqueue(now, arrival, ());
            }
        }
        tm.wake(now);
        record(&mut tm, now, &mut storm);
    }
    Ok(storm)
}
