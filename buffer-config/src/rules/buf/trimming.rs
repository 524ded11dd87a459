//! # BUF058 packet-trimming
//!
//! Severity: warning (an error for a value that orchagent refuses).
//!
//! SWITCH_TRIMMING contradicts the packets, the queues or the maps: no queue has a profile that trims packets, or one
//! has, but SWITCH_TRIMMING is absent; the size is not between the headers of a RoCEv2 packet and the largest packet of
//! the ports, the queue has no buffer profile or trims packets itself, or the DSCP is to come from a traffic class that
//! is missing or that ports do not map.
//!
//! ## Why it matters
//!
//! A switch that trims sends the headers of a packet that it cannot buffer, so that the receiver requests the rest at
//! once. Packets that are shorter than `size` are sent whole, and a size below the headers cuts off what identifies the
//! packet. In a queue that is full, or that has no buffer, the notification is lost as well. orchagent ignores the
//! whole entry if it cannot read one of its values. Without an entry, the chip trims to 128 bytes and puts them into
//! queue 0 with DSCP 0.
//!
//! ## Example
//!
//! ```json
//! {"SWITCH_TRIMMING": {"GLOBAL": {"size": "9500", "dscp_value": "0", "queue_index": "0"}}}
//! ```
//!
//! ## Fix
//!
//! Set `packet_discard_action` of the profile of lossy queues to `trim`. Use a size such as 256 bytes, and a queue for
//! trimmed packets with a buffer profile that drops packets.
//!
//! ## Source
//!
//! The [design of packet
//! trimming](https://github.com/sonic-net/SONiC/blob/master/doc/packet_trimming/packet-trimming-design.md);
//! `parseTrimConfig` in
//! [helper.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/switch/trimming/helper.cpp). Headers of
//! RoCEv2: InfiniBand Architecture, annex A17.

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF058",
    name: "packet-trimming",
    severity: Severity::Warning,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// The headers of a RoCEv2 packet over IPv4, bytes: Ethernet (14), IP (20), UDP (8), base transport header (12).
const HEADERS_BYTES: u64 = 54;

const TABLE: &str = "SWITCH_TRIMMING";
const KEY: &str = "GLOBAL";

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.row(TABLE, KEY).is_none() {
        return without_settings(cx, out);
    }
    let is_sound = values(cx, out);
    if is_sound && !is_used(cx) {
        let message = "no queue has a profile that trims packets: nothing is trimmed".to_string();
        cx.report(out, &META, row(TABLE, KEY), message);
    } else if is_sound {
        size(cx, out);
        queue(cx, out);
        class(cx, out);
    }
}

/// Whether a queue trims packets, or the file has no queues.
fn is_used(cx: &Context<'_, '_>) -> bool {
    let mut queues = cx.sw.ports.iter().flat_map(|port| port.queues.iter().flatten()).peekable();
    queues.peek().is_none() || queues.any(|at| cx.sw.profiles.get(*at).is_some_and(|profile| profile.trims))
}

/// Reports a profile that trims packets, without SWITCH_TRIMMING.
fn without_settings(cx: &Context<'_, '_>, out: &mut Findings) {
    let is_used = |at: usize| cx.uses.get(at).is_some_and(|uses| uses[1] > 0);
    let mut profiles = cx.sw.profiles.iter().enumerate();
    if let Some((_, profile)) = profiles.find(|(at, profile)| profile.trims && is_used(*at)) {
        let message = format!(
            "profile {} trims packets, but SWITCH_TRIMMING has no entry: to 128 B, in queue 0 with DSCP 0",
            profile.name
        );
        cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "packet_discard_action"), message);
    }
}

/// Reports values that orchagent refuses; returns whether there are none.
fn values(cx: &Context<'_, '_>, out: &mut Findings) -> bool {
    let mut is_sound = true;
    let limits = [
        ("size", u64::from(u32::MAX), None),
        ("dscp_value", 63, Some("from-tc")),
        ("tc_value", u64::from(u8::MAX), None),
        ("queue_index", u64::from(u8::MAX), Some("dynamic")),
    ];
    for (name, largest, word) in limits {
        let Some(value) = cx.value(TABLE, KEY, name) else { continue };
        let is_word = word.is_some_and(|word| value.eq_ignore_ascii_case(word));
        let number = crate::resolve::number(value);
        // PFC019 reports a DSCP above 63.
        let is_elsewhere = name == "dscp_value" && number.is_some();
        if is_word || is_elsewhere || number.is_some_and(|number| number <= largest) {
            continue;
        }
        let or = word.map(|word| format!(", or {word}")).unwrap_or_default();
        let message = format!("`{name}` is {value:?}; expected a number in 0..={largest}{or}");
        cx.report(out, &META, field(TABLE, KEY, name), message).severity(Severity::Error);
        is_sound = false;
    }
    is_sound
}

/// Reports a size that trims nothing, or too much.
fn size(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(size) = cx.value(TABLE, KEY, "size").and_then(crate::resolve::number) else { return };
    let up = cx.sw.ports.iter().filter(|port| port.is_up);
    let Some(mtu) = up.map(|port| u64::from(port.mtu_bytes)).max() else { return };
    let message = if size >= mtu {
        format!("packets are trimmed to {size} B, but no packet is longer than the MTU of {mtu} B")
    } else if size < HEADERS_BYTES {
        format!("packets are trimmed to {size} B, less than the {HEADERS_BYTES} B of the headers of RoCEv2")
    } else {
        return;
    };
    cx.report(out, &META, field(TABLE, KEY, "size"), message);
}

/// Reports a queue without a buffer profile, or one that trims packets itself.
fn queue(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(queue) = cx.value(TABLE, KEY, "queue_index").and_then(crate::resolve::number) else { return };
    let queue = queue as usize;
    let is_configured = |port: &&ResolvedPort| port.is_up && port.queues.iter().any(Option::is_some);
    let mut ports = cx.sw.ports.iter().filter(is_configured).peekable();
    if ports.peek().is_none() {
        return;
    }
    let profiles: Vec<_> = ports.map(|port| cx.queue_profile(port, queue)).collect();
    let at = field(TABLE, KEY, "queue_index");
    if let Some(profile) = profiles.iter().flatten().find(|profile| profile.trims) {
        let message = format!(
            "trimmed packets are in queue {queue}, whose profile {} trims packets: that queue is full when they arrive",
            profile.name
        );
        cx.report(out, &META, at, message);
    } else if profiles.iter().all(Option::is_none) {
        let message = format!("trimmed packets are in queue {queue}, which has no profile in BUFFER_QUEUE");
        cx.report(out, &META, at, message);
    }
}

/// Reports a DSCP that is to come from a class without one.
fn class(cx: &Context<'_, '_>, out: &mut Findings) {
    let is_from_class =
        cx.value(TABLE, KEY, "dscp_value").is_some_and(|value| value.eq_ignore_ascii_case("from-tc"));
    if !is_from_class {
        return;
    }
    let Some(class) = cx.value(TABLE, KEY, "tc_value") else {
        let message = "`dscp_value` is from-tc, but there is no `tc_value`".to_string();
        cx.report(out, &META, row(TABLE, KEY), message).severity(Severity::Error);
        return;
    };
    let is_mapped = cx.db.rows("PORT_QOS_MAP").iter().any(|entry| {
        let map = cx.db.field(entry, "tc_to_dscp_map").map(|map| map.value);
        let map = map.map(|map| crate::schema::reference("TC_TO_DSCP_MAP", map));
        map.is_some_and(|map| cx.value("TC_TO_DSCP_MAP", map, class.trim()).is_some())
    });
    if !is_mapped {
        let message =
            format!("`dscp_value` is from-tc, but no `tc_to_dscp_map` of a port has traffic class {class}");
        cx.report(out, &META, field(TABLE, KEY, "dscp_value"), message);
    }
}
