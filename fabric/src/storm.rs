//! A pause storm against the watchdog of one port, on the traffic manager that its configuration sets up.
//!
//! The peer sends pause frames of the longest time, each before the one before has run out, from time 0 to the end of
//! the storm; a packet waits behind them. What the watchdog does is recorded. Its timers are exact, where SONiC's looks
//! every poll interval ([`buffer_config::explain::watchdog_of`] has the window).

use buffer_config::resolved::{ResolvedPort, ResolvedSwitch};
use model::wire::pfc::{Pfc, quanta_time};
use model::{Rate, Time};
use p4_switch::tm::{Arrival, DropReason, TmEvent, TrafficManager};
use scenario::{SonicError, sonic};

/// What the watchdog did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storm {
    /// When it gave the queue up.
    pub detected: Option<Time>,
    /// The last pause frame.
    pub last_pause: Time,
    /// When the queue worked again.
    pub restored: Option<Time>,
    /// Packets that it threw away.
    pub dropped: u64,
}

/// Where the packet comes in, and where the peer is.
const IN: u16 = 0;
const OUT: u16 = 1;

/// Lets the peer of `port` pause `priority` for `length`, and waits until nothing happens any more.
///
/// # Errors
/// When the configuration cannot set a switch up.
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
    let renewal = Time(quanta_time(u16::MAX, rate).0 / 2);
    let mut events = Vec::new();
    let mut note = |tm: &mut TrafficManager<()>, now: Time, storm: &mut Storm| {
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
        // What is due at one time happens in the order of the link: the frame first, then the timers.
        let now = match (next_pause, tm.next_wake()) {
            (Some(pause), Some(wake)) => pause.min(wake),
            (Some(time), None) | (None, Some(time)) => time,
            (None, None) => break,
        };
        if next_pause == Some(now) {
            tm.receive_pfc(now, OUT, &pause);
            next_pause = match Time(now.0.saturating_add(renewal.0)) {
                _ if now >= length => None,
                later => Some(later.min(length)),
            };
            if !has_packet {
                has_packet = true;
                // A configuration that refuses a single packet is not the watchdog's affair.
                let _ = tm.enqueue(now, arrival, ());
            }
        }
        tm.wake(now);
        note(&mut tm, now, &mut storm);
    }
    Ok(storm)
}
