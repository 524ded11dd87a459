//! # LINK024 macsec-profile
//!
//! Severity: error.
//!
//! A port refers to a MACsec profile that does not exist, or whose key or key name is missing or does not fit its
//! cipher suite.
//!
//! ## Why it matters
//!
//! `macsecmgrd` retries until the profile exists, and logs that at DEBUG level only. The port runs without encryption;
//! if the other end has MACsec, no packet passes.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up", "macsec": "uplink"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Define the profile in MACSEC_PROFILE, with `cipher_suite`, `primary_cak` and `primary_ckn`, or remove `macsec` from
//! the port.
//!
//! ## Source
//!
//! `enableMACsec`, `MACsecProfile::update` and `decodeKey` in
//! [macsecmgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/macsecmgr.cpp);
//! [sonic-macsec.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-macsec.yang).

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field, names, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK024", name: "macsec-profile", severity: Severity::Error, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in cx.db.rows("PORT") {
        if let Some(profile) = cx.value("PORT", &entry.key, "macsec").filter(|name| !name.is_empty()) {
            users.entry(profile).or_default().push(&entry.key);
        }
    }
    for (profile, ports) in users {
        let Some(first) = ports.first() else { continue };
        if cx.db.row("MACSEC_PROFILE", profile).is_none() {
            let message = format!(
                "{}: MACsec profile {profile} is not in MACSEC_PROFILE: no encryption",
                names(&ports)
            );
            cx.report(out, &META, field("PORT", first, "macsec"), message).of_ports(&ports);
        } else if let Some(problem) = problem(cx, profile) {
            let message = format!("profile {profile} of {}: {problem}", names(&ports));
            cx.report(out, &META, row("MACSEC_PROFILE", profile), message).of_ports(&ports);
        }
    }
}

/// Why `macsecmgrd` refuses a profile. The text has no keys.
fn problem(cx: &Context<'_, '_>, profile: &str) -> Option<String> {
    let value = |name: &str| cx.value("MACSEC_PROFILE", profile, name).filter(|value| !value.is_empty());
    let missing = ["primary_cak", "primary_ckn"].into_iter().find(|name| value(name).is_none());
    if let Some(missing) = missing {
        return Some(format!("`{missing}` is missing"));
    }
    let suite = value("cipher_suite").unwrap_or("GCM-AES-128");
    // Two digits of salt, and two hexadecimal digits for each of those of the key.
    let expected = if suite.ends_with("256") { 130 } else { 66 };
    let odd = |name: &&str| value(name).is_some_and(|key| key.len() != expected);
    if let Some(odd) = ["primary_cak", "fallback_cak"].into_iter().find(odd) {
        return Some(format!("`{odd}` does not have the {expected} characters of {suite}"));
    }
    (value("fallback_cak").is_some() && value("fallback_ckn").is_none())
        .then(|| "`fallback_cak` has no `fallback_ckn`".to_string())
}
