//! Defects of switches whose lossless priority groups are not in the file: `buffermgrd` adds them at run time, from a
//! lookup table that is not given, or computes them.

use serde_json::{Value, json};

use super::Expect::{Error, Harmless, Warning};
use super::{Operator, remap, swap_map, without_class};
use crate::config::Config;

/// Applies a change to a switch whose first lossless port gets its groups at run time.
fn late(c: &mut Config, change: impl FnOnce(&mut Config) -> Option<()>) -> Option<()> {
    c.ports = c.later.clone();
    let port = c.port()?;
    c.priority = c.get("PORT_QOS_MAP", &port, "pfc_enable")?.split(',').next()?.to_string();
    let result = change(c);
    c.ports.clear();
    result
}

fn dynamic(c: &mut Config, change: impl FnOnce(&mut Config) -> Option<()>) -> Option<()> {
    c.is_dynamic().then_some(())?;
    late(c, change)
}

fn in_list(c: &mut Config, rule: Value) -> Option<()> {
    let port = c.port()?;
    c.put("ACL_TABLE", json!({"T": {"type": "L3", "stage": "ingress", "ports": [port]}}));
    c.put("ACL_RULE", json!({"T|R": rule}));
    Some(())
}

/// Limits the lossless queues. Those of Jericho are in DRAM.
fn limited(c: &mut Config, field: &str, value: &str) -> Option<()> {
    let profile = c.queue_profile().filter(|name| !name.contains("lossy"))?;
    for threshold in ["static_th", "dynamic_th"] {
        let _ = c.unset("BUFFER_PROFILE", &profile, threshold);
    }
    c.set("BUFFER_PROFILE", &profile, field, value)
}

fn group_of(c: &mut Config) -> Option<String> {
    let port = c.port()?;
    c.group_key(&port, &c.priority)
        .filter(|key| c.get("BUFFER_PG", key, "profile").as_deref() == Some("NULL"))
}

pub(super) const OPERATORS: &[Operator] = &[
    ("remove", "queue entry of a lossless class, groups added at run time", Error(&["PFC005"]), |c| {
        late(c, |c| {
            let key = c.lossless_queue().filter(|key| !key.ends_with("|0-9"))?;
            c.remove("BUFFER_QUEUE", &key).map(|_| ())
        })
    }),
    ("contradict", "lossy profile on a lossless queue, groups added at run time", Error(&["PFC005"]), |c| {
        late(c, |c| {
            let (key, old) = (c.lossless_queue()?, c.queue_profile()?);
            let is_lossy = |name: &String| name.contains("lossy") && !name.contains("ingress");
            let lossy =
                c.keys("BUFFER_PROFILE").into_iter().find(is_lossy).filter(|_| !old.contains("lossy"))?;
            c.set("BUFFER_QUEUE", &key, "profile", &lossy)
        })
    }),
    (
        "swap",
        "classes 3 and 4 of TC_TO_PRIORITY_GROUP_MAP, groups added at run time",
        Error(&["PFC007"]),
        |c| late(c, |c| swap_map(c, "TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map")),
    ),
    ("remove", "lossless class of TC_TO_QUEUE_MAP, groups added at run time", Error(&["PFC006"]), |c| {
        late(c, |c| without_class(c, "TC_TO_QUEUE_MAP", "tc_to_queue_map"))
    }),
    ("contradict", "lossy class in a lossless queue, groups added at run time", Error(&["PFC014"]), |c| {
        late(c, |c| remap(c, "TC_TO_QUEUE_MAP", "tc_to_queue_map", "5", "3"))
    }),
    ("contradict", "lossless profile on lossy queues, groups added at run time", Error(&["PFC014"]), |c| {
        late(c, |c| {
            let profile = c.queue_profile().filter(|name| !name.contains("lossy"))?;
            let key = c.queue_key(&c.port()?, "1")?;
            c.set("BUFFER_QUEUE", &key, "profile", &profile)
        })
    }),
    ("contradict", "DSCP 0 in a lossless class, groups added at run time", Warning(&["PFC015"]), |c| {
        late(c, |c| {
            let class = c.priority.clone();
            remap(c, "DSCP_TO_TC_MAP", "dscp_to_tc_map", "0", &class)
        })
    }),
    ("remove", "`dscp_to_tc_map` of all ports, groups added at run time", Error(&["PFC008"]), |c| {
        late(c, |c| c.unset_all("PORT_QOS_MAP", "dscp_to_tc_map"))
    }),
    ("remove", "WRED profile of a lossless queue, groups added at run time", Error(&["ECN007"]), |c| {
        late(c, |c| {
            let key = c.queue()?;
            c.wred()?;
            (!c.has_virtual_output_queues()).then_some(())?;
            c.unset("QUEUE", &key, "wred_profile")
        })
    }),
    ("remove", "scheduler of a lossless queue, groups added at run time", Warning(&["SCHED004"]), |c| {
        late(c, |c| {
            let key = c.queue()?;
            (!c.has_virtual_output_queues()).then_some(())?;
            c.unset("QUEUE", &key, "scheduler")
        })
    }),
    ("rescale", "lossless queues with alpha 1/8, groups added at run time", Warning(&["BUF026"]), |c| {
        late(c, |c| limited(c, "dynamic_th", "-3"))
    }),
    ("rescale", "lossless queues limited to 5000 bytes, groups added at run time", Error(&["BUF026"]), |c| {
        late(c, |c| limited(c, "static_th", "5000"))
    }),
    ("remove", "cable length of one port, groups added at run time", Error(&["LINK001"]), |c| {
        late(c, |c| {
            let (table, port) = (c.keys("CABLE_LENGTH").first()?.clone(), c.port()?);
            c.unset("CABLE_LENGTH", &table, &port)
        })
    }),
    ("rescale", "lossless pool of size 0, groups added at run time", Error(&["BUF033", "PFC002"]), |c| {
        late(c, |c| c.set("BUFFER_POOL", "ingress_lossless_pool", "size", "0"))
    }),
    ("rename", "lossless pool, groups added at run time", Error(&["PFC002"]), |c| {
        late(c, |c| {
            let pool = c.remove("BUFFER_POOL", "ingress_lossless_pool")?;
            c.table("BUFFER_POOL")?.insert("ingress_rdma_pool".into(), pool);
            for profile in c.keys("BUFFER_PROFILE") {
                if c.get("BUFFER_PROFILE", &profile, "pool").as_deref() == Some("ingress_lossless_pool") {
                    c.set("BUFFER_PROFILE", &profile, "pool", "ingress_rdma_pool")?;
                }
            }
            Some(())
        })
    }),
    ("contradict", "access list that drops RoCEv2, groups added at run time", Warning(&["MAP013"]), |c| {
        late(c, |c| in_list(c, json!({"IP_PROTOCOL": "17", "L4_DST_PORT": "4791", "PACKET_ACTION": "DROP"})))
    }),
    (
        "contradict",
        "mirrored packets in a lossless class, groups added at run time",
        Warning(&["PFC019"]),
        |c| {
            late(c, |c| {
                let queue = c.priority.clone();
                let session =
                    json!({"src_ip": "10.0.0.1", "dst_ip": "10.0.0.2", "dscp": "8", "queue": queue});
                c.put("MIRROR_SESSION", json!({"everflow": session}));
                Some(())
            })
        },
    ),
    (
        "contradict",
        "a port changes the DSCP of a lossless class to 0, groups added at run time",
        Warning(&["MAP012"]),
        |c| {
            late(c, |c| {
                let port = c.port()?;
                c.map("dscp_to_tc_map")?;
                let map: serde_json::Map<String, Value> =
                    (0..8).map(|tc| (tc.to_string(), json!("0"))).collect();
                c.put("TC_TO_DSCP_MAP", json!({"REMARK": map}));
                c.set("PORT_QOS_MAP", &port, "tc_to_dscp_map", "REMARK")
            })
        },
    ),
    ("remove", "computed priority group of one port", Error(&["PFC002"]), |c| {
        dynamic(c, |c| {
            let key = group_of(c)?;
            c.remove("BUFFER_PG", &key).map(|_| ())
        })
    }),
    ("rename", "computed priority groups 3 and 4 of one port as group 3", Error(&["PFC002"]), |c| {
        dynamic(c, |c| {
            let key = group_of(c).filter(|key| key.ends_with("|3-4"))?;
            let entry = c.remove("BUFFER_PG", &key)?;
            c.table("BUFFER_PG")?.insert(key.replace("|3-4", "|3"), entry);
            Some(())
        })
    }),
    ("dangle", "profile of a computed priority group", Error(&["PG002"]), |c| {
        dynamic(c, |c| {
            let key = group_of(c)?;
            c.set("BUFFER_PG", &key, "profile", "none")
        })
    }),
    ("rescale", "alpha of computed groups: 1/256", Error(&["BUF041"]), |c| {
        dynamic(c, |c| c.set_all("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "default_dynamic_th", "-8"))
    }),
    ("rescale", "lossy pool of size 0 in the dynamic model", Error(&["BUF033"]), |c| {
        dynamic(c, |c| {
            c.table("BUFFER_POOL")?
                .get_mut("egress_lossy_pool")?
                .as_object_mut()?
                .insert("size".into(), json!("0"));
            Some(())
        })
    }),
    ("reorder", "the order of priorities, groups added at run time", Harmless, |c| {
        late(c, |c| {
            let port = c.port()?;
            let list = c.get("PORT_QOS_MAP", &port, "pfc_enable")?;
            let reversed: Vec<&str> = list.split(',').rev().collect();
            c.set("PORT_QOS_MAP", &port, "pfc_enable", &reversed.join(","))
        })
    }),
    ("reorder", "an access list that drops other UDP ports, groups added at run time", Harmless, |c| {
        late(c, |c| in_list(c, json!({"IP_PROTOCOL": "17", "L4_DST_PORT": "53", "PACKET_ACTION": "DROP"})))
    }),
];
