//! # LINK025 mirror-session
//!
//! Severity: error (a warning for lossless ports).
//!
//! A mirror session names a port or a policer that does not exist, or sends copies to a port that also carries traffic:
//! one with lossless classes, with an address, in a VLAN or port channel, or one that it mirrors itself.
//!
//! ## Why it matters
//!
//! orchagent refuses a session with an unknown port or policer: nothing is mirrored. Copies have no flow control. On a
//! port that carries traffic they fill its queues and the memory behind them; lossless packets for that port then wait
//! for buffer space, and their senders are paused.
//!
//! ## Example
//!
//! ```json
//! {"MIRROR_SESSION": {"span": {"type": "SPAN", "dst_port": "Ethernet4", "src_port": "Ethernet0", "direction": "RX"}}}
//! ```
//!
//! ## Fix
//!
//! Use a port to the analyser only, without PFC, addresses, VLANs and port channel.
//!
//! ## Source
//!
//! `validateDstPort` and `validateSrcPortList` in
//! [mirrororch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/mirrororch.cpp);
//! `validate_mirror_session_config` in
//! [main.py](https://github.com/sonic-net/sonic-utilities/blob/master/config/main.py) refuses such destinations, but a
//! loaded file is not checked.

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::db::Entry;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "LINK025",
    name: "mirror-session",
    severity: Severity::Error,
    effect: effect::MIXED_CLASSES,
};

/// Tables whose keys name a port that carries traffic, and what they make of it.
const IN_USE: [(&str, &str); 3] = [
    ("PORTCHANNEL_MEMBER", "is a member of a port channel"),
    ("VLAN_MEMBER", "is in a VLAN"),
    ("INTERFACE", "is a routed port"),
];

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.sw.ports.is_empty() {
        return;
    }
    for entry in cx.db.rows("MIRROR_SESSION") {
        let value = |name: &str| cx.db.field(entry, name).map_or("", |field| field.value.trim());
        if !source(cx, out, entry, value("src_port")) {
            continue;
        }
        let policer = value("policer");
        if !policer.is_empty() && cx.db.row("POLICER", policer).is_none() {
            let message = format!("{}: policer {policer} is not in POLICER", entry.key);
            cx.report(out, &META, field("MIRROR_SESSION", &entry.key, "policer"), message);
            continue;
        }
        if value("type").eq_ignore_ascii_case("SPAN") {
            destination(cx, out, entry, value("dst_port"), value("src_port"));
        }
    }
}

/// Reports a source that does not exist; returns whether there is none.
fn source(cx: &Context<'_, '_>, out: &mut Findings, entry: &Entry<'_>, ports: &str) -> bool {
    let exists = |port: &str| ["PORT", "PORTCHANNEL"].iter().any(|table| cx.db.row(table, port).is_some());
    let unknown = ports.split(',').map(str::trim).find(|port| !port.is_empty() && !exists(port));
    if let Some(unknown) = unknown {
        let message = format!("{}: source {unknown} is in neither PORT nor PORTCHANNEL", entry.key);
        cx.report(out, &META, field("MIRROR_SESSION", &entry.key, "src_port"), message);
    }
    unknown.is_none()
}

/// Reports a destination that is missing, unknown or carries traffic.
fn destination(cx: &Context<'_, '_>, out: &mut Findings, entry: &Entry<'_>, port: &str, sources: &str) {
    let key = &entry.key;
    let at = field("MIRROR_SESSION", key, "dst_port");
    if port.is_empty() {
        cx.report(out, &META, row("MIRROR_SESSION", key), format!("{key}: the session has no `dst_port`"));
        return;
    }
    if port == "CPU" {
        return;
    }
    let Some(resolved) = cx.sw.ports.iter().find(|resolved| resolved.name == port) else {
        let message = format!("{key}: destination {port} is not in PORT");
        cx.report(out, &META, at, message);
        return;
    };
    if sources.split(',').any(|source| source.trim() == port) {
        cx.report(out, &META, at, format!("{key}: {port} is both source and destination"));
        return;
    }
    let is_of = |entry: &Entry<'_>| entry.key.split('|').any(|part| part == port);
    if let Some((_, use_)) = IN_USE.iter().find(|(table, _)| cx.db.rows(table).iter().any(is_of)) {
        cx.report(out, &META, at, format!("{key}: copies are sent to {port}, which {use_}"));
    } else if cx.lossless_classes(resolved).next().is_some() {
        let message = format!("{key}: copies are sent to {port}, which carries lossless traffic");
        cx.report(out, &META, at, message).severity(Severity::Warning);
    }
}
