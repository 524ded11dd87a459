//! Proof by simulation that headroom is sufficient: one port's lossless profile under the worst case of its link.
//!
//! The traffic manager of a switch, set up by its configuration ([`scenario::sonic`]), receives frames at line rate for
//! an egress port that stays paused. After the group has reached XOFF, the following delays add up before the last
//! frame has arrived (IEEE 802.1Qbb annex, IEEE 802.3 31B.3.7):
//!
//! 1. an MTU-sized frame that is already being transmitted delays the pause frame,
//! 2. the pause frame propagates along the cable (5.05 ns a metre, as in SONiC's computation),
//! 3. the sender uses the whole reaction time of the standard,
//! 4. it completes the present frame, and the frames on the cable arrive.
//!
//! Chips whose packet memory has parts are simulated with one of them.
//!
//! Chip-internal delays (pipeline, MAC) are unknown for most chips and count as zero: what overflows here overflows on
//! the chip, too; what fits here needs the chip's own margin in addition.

use std::borrow::Cow;

use buffer_config::asic;
use buffer_config::headroom::{CABLE_PS_PER_METRE, response_ps};
use buffer_config::resolved::{Direction, ResolvedPort, ResolvedSwitch};
use model::{Rate, Time};
use p4_switch::tm::{Arrival, DropReason, TrafficManager};
use scenario::{SonicError, sonic};
use serde::Serialize;

use crate::drop_reason::queue_drop_name;

/// The most frames that one proof sends: enough to fill 500 MB with frames of 64 bytes.
const MAX_FRAMES: u64 = 8_000_000;

/// Assumptions about the traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Assumed {
    /// Bytes of each frame, where the configuration has no largest lossless frame.
    pub frame_bytes: u32,
}

/// The test of one lossless priority of one port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// The ingress port.
    pub port: String,
    /// Priority.
    pub priority: u8,
    /// Name of the group's buffer profile.
    pub profile: String,
    /// Speed in Mbit/s.
    pub speed_mbps: u32,
    /// Cable length in metres.
    pub cable_m: u32,
    /// Headroom of the profile in bytes.
    pub configured_bytes: u64,
    /// The largest use of it in bytes, in whole cells.
    pub used_bytes: u64,
    /// Other ports with the same speed, cable length, MTU and profile, to which the result applies.
    pub alike: Vec<String>,
    /// The result.
    pub outcome: Outcome,
}

/// The result of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Outcome {
    /// All frames were stored.
    Fits,
    /// A frame was dropped.
    Drops {
        /// The number of the first dropped frame, from 1.
        frame: u64,
        /// Nanoseconds from XOFF to the first drop.
        after_pause_ns: u64,
        /// Why it was dropped.
        reason: String,
        /// Frames dropped in all.
        dropped: u64,
    },
    /// The group dropped before it paused, or never paused: XOFF cannot be reached.
    NeverPauses {
        /// Why the first frame was dropped, if one was.
        reason: Option<String>,
    },
}

/// A lossless priority that cannot be tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unproved {
    /// The port.
    pub port: String,
    /// Priority.
    pub priority: u8,
    /// What is missing.
    pub why: String,
    /// Other ports with the same reason.
    pub alike: Vec<String>,
}

/// The combined result of all proofs of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every lossless priority stores all that arrives in the worst case.
    Holds,
    /// A frame is dropped, or a group never pauses.
    Fails,
    /// A value that the proof needs is unknown. The configuration does not pass.
    NotProvable,
    /// No port that is up has PFC.
    NothingToProve,
}

/// All proofs of a switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The ASIC by Harrier's name; `None` if unknown: its cell size and delays are then unknown, too, so that nothing
    /// is proved.
    pub asic: Option<&'static str>,
    /// The combined result.
    pub verdict: Verdict,
    /// One proof for each kind of lossless port.
    pub proofs: Vec<Proof>,
    /// Priorities that could not be tested.
    pub unproved: Vec<Unproved>,
}

impl Report {
    fn new(asic: Option<&'static str>, proofs: Vec<Proof>, unproved: Vec<Unproved>) -> Self {
        let verdict = if proofs.iter().any(|p| p.outcome != Outcome::Fits) {
            Verdict::Fails
        } else if !unproved.is_empty() || (asic.is_none() && !proofs.is_empty()) {
            Verdict::NotProvable
        } else if proofs.is_empty() {
            Verdict::NothingToProve
        } else {
            Verdict::Holds
        };
        Self { asic, verdict, proofs, unproved }
    }
}

/// Why a priority of a port cannot be tested, if it cannot.
fn missing(switch: &ResolvedSwitch, port: &ResolvedPort, priority: u8) -> Option<String> {
    let group = usize::from(port.tc_to_group[usize::from(priority)] & 7);
    let profile = port.priority_groups[group].and_then(|at| switch.profiles.get(at));
    if !profile.is_some_and(|profile| profile.is_lossless()) {
        let has = profile
            .map_or("no profile".to_string(), |p| format!("profile {}, which has no headroom", p.name));
        return Some(format!("its priority group {group} has {has}"));
    }
    match port.cable_m {
        _ if port.speed_mbps == 0 => Some("the port has no speed".into()),
        None => Some("the port has no cable length".into()),
        Some(0) => Some("its cable is 0 m long".into()),
        Some(_) => None,
    }
}

/// Tests every kind of lossless port of a switch, each with an egress port that stays paused.
///
/// # Errors
/// A configuration that does not fit a switch.
pub fn prove(switch: &ResolvedSwitch, assumed: Assumed) -> Result<Report, SonicError> {
    let frame_bytes = switch.lossless_mtu_bytes.unwrap_or(assumed.frame_bytes).max(64);
    let assumed = Assumed { frame_bytes };
    let part = one_part(switch);
    let mut proofs: Vec<Proof> = Vec::new();
    let mut unproved: Vec<Unproved> = Vec::new();
    for port in switch.ports.iter().filter(|port| port.is_up) {
        for priority in (0..8u8).filter(|p| port.pfc_priorities >> p & 1 == 1) {
            if let Some(why) = missing(switch, port, priority) {
                match unproved.iter_mut().find(|u| u.priority == priority && u.why == why) {
                    Some(known) => known.alike.push(port.name.clone()),
                    None => {
                        let (port, alike) = (port.name.clone(), Vec::new());
                        unproved.push(Unproved { port, priority, why, alike });
                    }
                }
                continue;
            }
            let group = usize::from(port.tc_to_group[usize::from(priority)] & 7);
            let profile = port.priority_groups[group].and_then(|p| switch.profiles.get(p));
            let (Some(profile), Some(cable_m)) = (profile, port.cable_m) else { continue };
            let same = |p: &&mut Proof| {
                (p.priority, &p.profile, p.speed_mbps, p.cable_m)
                    == (priority, &profile.name, port.speed_mbps, cable_m)
                    && switch.ports.iter().any(|q| q.name == p.port && q.is_like(port))
            };
            if let Some(known) = proofs.iter_mut().find(same) {
                known.alike.push(port.name.clone());
                continue;
            }
            let (used_bytes, outcome) = prove_one(&part, port, priority, cable_m, assumed)?;
            proofs.push(Proof {
                port: port.name.clone(),
                priority,
                profile: profile.name.clone(),
                speed_mbps: port.speed_mbps,
                cable_m,
                configured_bytes: profile.headroom_bytes.unwrap_or(0),
                used_bytes,
                alike: Vec::new(),
                outcome,
            });
        }
    }
    Ok(Report::new(switch.asic, proofs, unproved))
}

/// The part of the packet memory that one ingress port uses ([`asic::Asic::memory_parts`]), with its share of the pools.
/// An egress pool clearly smaller than what the ingress pool admits has the size of one part already.
fn one_part(switch: &ResolvedSwitch) -> Cow<'_, ResolvedSwitch> {
    let parts = switch.asic.and_then(asic::by_name).map_or(1, |asic| asic.memory_parts());
    if parts == 1 {
        return Cow::Borrowed(switch);
    }
    let ingress = switch.pools.iter().filter(|pool| pool.direction == Direction::Ingress);
    let largest = ingress.filter_map(|pool| pool.size_bytes).max().unwrap_or(0);
    let mut part = switch.clone();
    for pool in &mut part.pools {
        let is_of_one_part =
            pool.direction == Direction::Egress && pool.size_bytes.is_some_and(|size| size < largest / 4 * 3);
        if !is_of_one_part {
            pool.size_bytes = pool.size_bytes.map(|size| size / parts);
            pool.shared_headroom_bytes /= parts;
        }
    }
    Cow::Owned(part)
}

/// The ingress port, and the egress port that stays paused.
const IN: u16 = 0;
const OUT: u16 = 1;

fn prove_one(
    switch: &ResolvedSwitch,
    port: &ResolvedPort,
    priority: u8,
    cable_m: u32,
    assumed: Assumed,
) -> Result<(u64, Outcome), SonicError> {
    let rate = Rate(u64::from(port.speed_mbps) * 1_000_000);
    let mut tm: TrafficManager<()> = TrafficManager::new(sonic::pair(switch, port, [IN, OUT], rate)?);
    tm.block(OUT);
    let group = port.tc_to_group[usize::from(priority)] & 7;
    let frame = rate.serialisation(u64::from(assumed.frame_bytes));
    let cable = Time(CABLE_PS_PER_METRE * u64::from(cable_m));
    let arrival = Arrival {
        ingress_port: IN,
        egress_port: OUT,
        priority,
        bytes: assumed.frame_bytes,
        ecn_capable: true,
    };
    // Time of the last bit of each frame at the switch; frames follow each other without a gap.
    let reaction = response_ps(port.speed_mbps);
    let (mut now, mut last_start, mut paused_at) = (Time(cable.0 + frame.0), Time::MAX, None);
    let (mut first_drop, mut dropped): (Option<(u64, Time, DropReason)>, u64) = (None, 0);
    for number in 1..=MAX_FRAMES {
        let begun = Time(now.0 - cable.0 - frame.0);
        if begun > last_start {
            break;
        }
        if let Err((reason, ())) = tm.enqueue(now, arrival, ()) {
            dropped += 1;
            first_drop = first_drop.or(Some((number, now, reason)));
            if paused_at.is_none() {
                return Ok((0, Outcome::NeverPauses { reason: Some(queue_drop_name(reason).to_string()) }));
            }
        }
        if paused_at.is_none() && tm.take_pfc(now, IN).is_some() {
            paused_at = Some(now);
            let frame_in_transmission = rate.serialisation(u64::from(port.mtu_bytes));
            last_start = Time(now.0 + frame_in_transmission.0 + cable.0 + reaction);
        }
        now = Time(now.0 + frame.0);
    }
    let used = tm.group(IN, group).map_or(0, |g| g.headroom_watermark_bytes);
    let outcome = match (paused_at, first_drop) {
        (None, _) => Outcome::NeverPauses { reason: None },
        (Some(_), None) => Outcome::Fits,
        (Some(pause), Some((frame, time, reason))) => Outcome::Drops {
            frame,
            after_pause_ns: time.0.saturating_sub(pause.0) / 1000,
            reason: queue_drop_name(reason).to_string(),
            dropped,
        },
    };
    Ok((used, outcome))
}
