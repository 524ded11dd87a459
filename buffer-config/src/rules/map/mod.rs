//! QoS maps and references to them.

mod acl_traffic;

use super::family;

family!(
    empty,
    port_maps,
    global,
    queue_refs,
    queue_key,
    incomplete,
    unlike_ports,
    undefined_policy,
    unapplied_policy,
    remark,
    acl_class,
    odd_dscp_map,
    switch_map,
    control_queue,
    acl_reference,
    list_misses_roce,
    policed_class,
    unmapped_class,
);
