//! # MAP012 remarked-class
//!
//! Severity: warning.
//!
//! A port changes the DSCP of packets in a lossless class to one that this switch maps to another class. On EOS, NX-OS
//! and NVUE also their 802.1p priority, and the DSCP of a lossy class to one of a lossless class: by `qos map
//! traffic-class ... to dscp` and `qos rewrite`, `set dscp` and `set cos` of policy maps, `qos remark` and `set dscp`
//! of access lists.
//!
//! ## Why it matters
//!
//! The next switch classifies packets by their DSCP. With the usual maps, it puts the packets into a lossy class. The
//! maps of this switch are taken for those of the next one.
//!
//! ## Example
//!
//! ```json
//! {
//!   "TC_TO_DSCP_MAP": {"REMARK": {"3": "0", "4": "4"}},
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4", "tc_to_dscp_map": "REMARK"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Keep the DSCPs of lossless classes, or remove `tc_to_dscp_map`; on other systems, remove the command.
//!
//! ## Source
//!
//! `SAI_PORT_ATTR_QOS_TC_AND_COLOR_TO_DSCP_MAP`, which
//! [qosorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/qosorch.cpp) sets from `tc_to_dscp_map`.
//! [Arista EOS user manual, QoS](https://www.arista.com/en/um-eos/eos-quality-of-service), CoS and DSCP rewrite; [NX-OS
//! QoS configuration guide,
//! marking](https://cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/102x/configuration/qos/cisco-nexus-9000-nx-os-quality-of-service-configuration-guide-102x/m-configuring-marking.html);
//! [Cumulus Linux,
//! marking](https://docs.nvidia.com/networking-ethernet-software/cumulus-linux-519/Layer-1-and-Switch-Ports/Quality-of-Service/).

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP012",
    name: "remarked-class",
    severity: Severity::Warning,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.rows("TC_TO_DSCP_MAP").is_empty() {
        return;
    }
    cx.by_port_entry(out, &META, |port, _| {
        let name = cx.value("PORT_QOS_MAP", &port.name, "tc_to_dscp_map")?;
        let map = crate::schema::reference("TC_TO_DSCP_MAP", name);
        let (class, dscp, other) = cx.lossless_classes(port).find_map(|class| {
            let dscp = cx.value("TC_TO_DSCP_MAP", map, &class.to_string())?.trim().parse::<usize>().ok()?;
            let other = usize::from(*port.dscp_to_tc.0.get(dscp)?);
            (other != class).then_some((class, dscp, other))
        })?;
        let message =
            format!("changes the DSCP of lossless class {class} to {dscp}, which is in class {other}");
        hit("PORT_QOS_MAP", &port.name, "tc_to_dscp_map", message)
    });
}
