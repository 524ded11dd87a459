//! # LINK018 shared-alias
//!
//! Severity: warning.
//!
//! Two ports have the same `alias`.
//!
//! ## Why it matters
//!
//! Commands and the minigraph parser find ports by alias: neighbours, cable lengths and port channels of one port are
//! configured on the other one, and its headroom is computed for the wrong cable.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {
//!       "alias": "etp1", "lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up"
//!     },
//!     "Ethernet4": {
//!       "alias": "etp1", "lanes": "5,6,7,8", "speed": "100000", "mtu": "9100", "admin_status": "up"
//!     }
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the aliases of `platform.json` or `port_config.ini`.
//!
//! ## Source
//!
//! [minigraph.py](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-config-engine/minigraph.py),
//! whose `port_alias_map` has one port for each alias.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field, names};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK018", name: "shared-alias", severity: Severity::Warning, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut owners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for port in cx.sw.ports.iter().filter(|port| !port.alias.is_empty()) {
        owners.entry(&port.alias).or_default().push(&port.name);
    }
    for (alias, ports) in owners.into_iter().filter(|(_, ports)| ports.len() > 1) {
        let Some(second) = ports.get(1) else { continue };
        let message = format!("{} have the alias {alias}", names(&ports));
        cx.report(out, &META, field("PORT", second, "alias"), message).of_ports(&ports);
    }
}
