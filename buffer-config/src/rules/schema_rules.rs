//! Rules whose whole check is a constraint of the schema ([`crate::schema::validate`]): a table of metadata and texts.

use super::{Meta, effect};
use crate::finding::Severity;

/// A rule that reports the schema's violations under its code, and the texts of its page.
#[derive(Debug)]
pub(super) struct SchemaRule {
    /// The metadata of the rule.
    pub(super) meta: Meta,
    /// The violation.
    summary: &'static str,
    /// Why it matters.
    why: &'static str,
    /// A configuration, in JSON, that violates the rule.
    example: &'static str,
    /// How to fix it.
    fix: &'static str,
    /// The public source of the rule.
    source: &'static str,
}

impl SchemaRule {
    /// The rule's page without the section about diagnoses.
    pub(super) fn page(&self) -> String {
        let Self { meta, summary, why, example, fix, source } = self;
        format!(
            "# {} {}\n\nSeverity: {}.\n\n{summary}\n\n## Why it matters\n\n{why}\n\n## Example\n\n\
             ```json\n{example}\n```\n\n## Fix\n\n{fix}\n\n## Source\n\n{source}\n",
            meta.code,
            meta.name,
            meta.severity.name(),
        )
    }
}

/// The schema rules, by family and code.
pub(super) static SCHEMA_RULES: [SchemaRule; 19] = [
    SchemaRule {
        meta: Meta {
            code: "SRC006",
            name: "value-refused",
            severity: Severity::Warning,
            effect: effect::FILE,
        },
        summary: "A value does not match SONiC's YANG model of its table.",
        why: "`config load` and `config apply-patch` reject the file, or a daemon falls back to its default.",
        example: r#"{"DEVICE_METADATA": {"localhost": {"platform": "x86_64-dell_s6000_s1220-r0", "type": "Spine"}}}"#,
        fix: "Use a value of the type that the message names.",
        source: "sonic-yang-models.",
    },
    SchemaRule {
        meta: Meta {
            code: "BUF001",
            name: "pool-type",
            severity: Severity::Error,
            effect: effect::NOT_PORT_SPECIFIC,
        },
        summary: "A pool's `type` is missing, or is not ingress, egress or both.",
        why: "orchagent does not create a pool without it. The attribute is create-only: a change on an active \
            pool is silently ignored.",
        example: r#"{"BUFFER_POOL": {"p": {"type": "in", "mode": "dynamic", "size": "1"}}}"#,
        fix: "Set `type`, and restart swss if the pool is active.",
        source: "YANG buffer-pool; bufferorch.",
    },
    SchemaRule {
        meta: Meta {
            code: "BUF002",
            name: "pool-mode",
            severity: Severity::Error,
            effect: effect::NOT_PORT_SPECIFIC,
        },
        summary: "A pool's `mode` is missing, or is neither static nor dynamic.",
        why: "orchagent does not create a pool without it. The attribute is create-only.",
        example: r#"{"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "shared", "size": "7000000"}}}"#,
        fix: "Set `mode`.",
        source: "YANG buffer-pool; bufferorch.",
    },
    SchemaRule {
        meta: Meta {
            code: "BUF005",
            name: "pool-percentage",
            severity: Severity::Error,
            effect: effect::NOT_PORT_SPECIFIC,
        },
        summary: "`percentage` is used together with `size` or without the dynamic buffer model.",
        why: "The YANG models reject the file. The traditional model does not support percentages.",
        example: r#"{
  "BUFFER_POOL": {
    "ingress_lossless_pool": {
      "type": "ingress", "mode": "dynamic", "size": "10000000", "xoff": "2000000", "percentage": "50"
    }
  }
}"#,
        fix: "Keep either `percentage` or `size`.",
        source: "YANG buffer-pool.",
    },
    SchemaRule {
        meta: Meta {
            code: "BUF008",
            name: "dynamic-th-range",
            severity: Severity::Error,
            effect: effect::ALPHA_NOT_AS_INTENDED,
        },
        summary: "`dynamic_th` is not an integer from -8 to 7. Alpha is 2 to the power of `dynamic_th`.",
        why: "mmuconfig accepts 8, the command line accepts any text, and bufferorch casts to eight bits: 260 \
            becomes 4.",
        example: r#"{"BUFFER_PROFILE": {"p": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "8"}}}"#,
        fix: "Use the exponent, not the fraction: for alpha 1/16, set -4.",
        source: "YANG buffer-profile; mmuconfig; bufferorch.",
    },
    SchemaRule {
        meta: Meta {
            code: "BUF010",
            name: "profile-number",
            severity: Severity::Error,
            effect: effect::NOT_PORT_SPECIFIC,
        },
        summary: "A size or threshold of a profile is not a non-negative integer number of bytes.",
        why: "bufferorch reads it with `stoul`: -1 becomes 18,446,744,073,709,551,615 bytes.",
        example: r#"{
  "BUFFER_PROFILE": {"p": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "0", "xoff": "-1"}}
}"#,
        fix: "Set a number of bytes without a sign.",
        source: "bufferorch.",
    },
    SchemaRule {
        meta: Meta {
            code: "BUF012",
            name: "headroom-type",
            severity: Severity::Error,
            effect: effect::HEADROOM_FOR_ANOTHER_LINK,
        },
        summary: "`headroom_type` is neither static nor dynamic.",
        why: "The YANG models reject any other value.",
        example: r#"{
  "BUFFER_PROFILE": {
    "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2", "xon": "2288",
      "xon_offset": "2288", "xoff": "100000", "headroom_type": "computed"}
  }
}"#,
        fix: "Set `headroom_type` to static or dynamic, or remove the field for static.",
        source: "YANG buffer-profile.",
    },
    SchemaRule {
        meta: Meta {
            code: "BUF014",
            name: "profile-pool",
            severity: Severity::Error,
            effect: effect::NOT_PORT_SPECIFIC,
        },
        summary: "A profile refers to a pool that does not exist.",
        why: "orchagent retries indefinitely and logs at INFO level only. The profile, and everything that \
            uses it, is never created.",
        example: r#"{"BUFFER_PROFILE": {"p": {"pool": "none", "size": "0", "dynamic_th": "0"}}}"#,
        fix: "Use a pool of this file.",
        source: "bufferorch, task_need_retry.",
    },
    SchemaRule {
        meta: Meta {
            code: "BUF015",
            name: "list-profile",
            severity: Severity::Error,
            effect: effect::NOT_PORT_SPECIFIC,
        },
        summary: "A port's profile list names a profile that does not exist, or is a JSON list instead of text.",
        why: "orchagent retries indefinitely, and the port keeps the chip's default limits.",
        example: r#"{
  "BUFFER_PORT_EGRESS_PROFILE_LIST": {
    "Ethernet0": {"profile_list": "egress_lossy_profile,egress_lossles_profile"}
  }
}"#,
        fix: "Use profiles of this file, in the order of their pools.",
        source: "[sonic-buffer-port-ingress-profile-list.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-buffer-port-ingress-profile-list.yang), \
            and the same for egress.",
    },
    SchemaRule {
        meta: Meta {
            code: "PFC001",
            name: "pfc-syntax",
            severity: Severity::Error,
            effect: effect::NOT_LOSSLESS,
        },
        summary: "`pfc_enable` or `pfcwd_sw_enable` is not a comma-separated list of priorities from 0 to 7.",
        why: "orchagent shifts the bit out of an eight-bit mask: priority 8 is silently ignored.",
        example: r#"{
  "PORT_QOS_MAP": {
    "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
      "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4,8", "pfcwd_sw_enable": "3,4"}
  }
}"#,
        fix: "List priorities from 0 to 7.",
        source: "qosorch.cpp; YANG port-qos-map.",
    },
    SchemaRule {
        meta: Meta {
            code: "ECN003",
            name: "ecn-mode",
            severity: Severity::Error,
            effect: effect::ECN_NOT_AS_INTENDED,
        },
        summary: "`ecn` is not one of the eight defined values.",
        why: "Any other value raises an exception in orchagent's lookup, and orchagent exits. A missing field \
            means ecn_none: packets are dropped instead of marked.",
        example: r#"{"WRED_PROFILE": {"W": {"ecn": "ecn_on"}}}"#,
        fix: "Use ecn_all, or a value that names the colours.",
        source: "qosorch.cpp.",
    },
    SchemaRule {
        meta: Meta {
            code: "WD003",
            name: "poll-interval",
            severity: Severity::Error,
            effect: effect::WATCHDOG,
        },
        summary: "`POLL_INTERVAL` is not in PFC_WD|GLOBAL, or not within 100 to 1000 ms.",
        why: "orchagent accepts any number, but the YANG models reject the file.",
        example: r#"{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "5000"}}}"#,
        fix: "Set it in PFC_WD|GLOBAL.",
        source: "YANG pfcwd; pfcwdsworch.cpp.",
    },
    SchemaRule {
        meta: Meta {
            code: "WD008",
            name: "global-fields",
            severity: Severity::Error,
            effect: effect::WATCHDOG,
        },
        summary: "PFC_WD|GLOBAL has fields other than POLL_INTERVAL and BIG_RED_SWITCH.",
        why: "The YANG models reject the action and the times there.",
        example: r#"{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200", "action": "drop"}}}"#,
        fix: "Move the fields to the ports' entries.",
        source: "YANG pfcwd.",
    },
    SchemaRule {
        meta: Meta {
            code: "WD015",
            name: "stat-history",
            severity: Severity::Error,
            effect: effect::WATCHDOG,
        },
        summary: "`pfc_stat_history` is neither enable nor disable.",
        why: "The entry is rejected.",
        example: r#"{
  "PFC_WD": {
    "Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "800", "pfc_stat_history": "on"}
  }
}"#,
        fix: "Use enable or disable.",
        source: "YANG pfcwd.",
    },
    SchemaRule {
        meta: Meta {
            code: "MAP001",
            name: "map-range",
            severity: Severity::Error,
            effect: effect::DSCP_NOT_AS_INTENDED,
        },
        summary: "A number in a QoS map is out of range. Ranges: DSCP 0 to 63, traffic class 0 to 15, 802.1p, \
            priority group and PFC priority 0 to 7, queue 0 to 9.",
        why: "orchagent drops the map: every port that uses it has no maps and no PFC.",
        example: r#"{"DSCP_TO_TC_MAP": {"AZURE": {"64": "1"}}}"#,
        fix: "Correct the number.",
        source: "YANG; qosorch.cpp.",
    },
    SchemaRule {
        meta: Meta { code: "MAP003", name: "map-name", severity: Severity::Warning, effect: effect::FILE },
        summary: "The name of a map, WRED profile or cable table is invalid. Names have at most 32 letters, \
            digits, `-` and `_`, and start with a letter or digit.",
        why: "The YANG models reject other names.",
        example: r#"{"DSCP_TO_TC_MAP": {"-AZURE": {"0": "0"}}}"#,
        fix: "Rename it.",
        source: "sonic-yang-models.",
    },
    SchemaRule {
        meta: Meta {
            code: "SCHED001",
            name: "scheduler-value",
            severity: Severity::Error,
            effect: effect::SCHEDULING,
        },
        summary: "A scheduler has an unknown type or meter, or a weight outside 1 to 100.",
        why: "orchagent truncates the weight to eight bits (256 becomes 0). An unknown meter raises an \
            exception, and orchagent exits.",
        example: r#"{"SCHEDULER": {"s": {"type": "DWRR", "weight": "256"}}}"#,
        fix: "Correct the value.",
        source: "qosorch.cpp; YANG scheduler.",
    },
    SchemaRule {
        meta: Meta {
            code: "SCHED003",
            name: "scheduler-rates",
            severity: Severity::Error,
            effect: effect::SCHEDULING,
        },
        summary: "A scheduler's rates are inconsistent: `pir` below `cir`, `pbs` below `cbs`, or a burst size without its \
            rate. `pir` without `cir` is a shaper, and allowed.",
        why: "The YANG models reject the file; the SAI rejects the scheduler and the queue is not shaped.",
        example: r#"{"SCHEDULER": {"s1": {"type": "DWRR", "weight": "15", "cir": "2000", "pir": "1000"}}}"#,
        fix: "Correct the rates.",
        source: "[sonic-scheduler.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-scheduler.yang), \
            `pir` without `cir` since [PR 29314](https://github.com/sonic-net/sonic-buildimage/pull/29314).",
    },
    SchemaRule {
        meta: Meta { code: "LINK003", name: "port-value", severity: Severity::Error, effect: effect::LINK },
        summary: "A port has no lanes, a speed outside 1 to 1,600,000 Mb/s, or below 1,000 Mb/s with several lanes, an MTU outside 68 to 9216, or a value \
            of `admin_status`, `fec`, `link_training`, `pfc_asym`, `interface_type`, `role`, `index` or \
            `tpid` that SONiC does not know (values are case-sensitive).",
        why: "orchagent skips the whole port when it cannot read one of its values: the port does not exist, and \
            neither do its buffers.",
        example: r#"{
  "PORT": {
    "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "65536", "admin_status": "up"}
  }
}"#,
        fix: "Correct the value.",
        source: "YANG port; `parsePortConfig` in \
            [porthlpr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/port/porthlpr.cpp).",
    },
];
