//! Agreement of DSCP, traffic class, priority group, queue, PFC mask, profile and pool.

use super::family;

family!(
    no_headroom,
    headroom_unused,
    mixed_group,
    lossy_queue,
    pause_queue,
    pause_group,
    unreachable,
    no_map,
    service_port,
    asymmetric,
    too_many,
    mixed_queue,
    unexpected_dscp,
    pfc_off,
    link_pause,
    tunnel,
    own_packets,
    vxlan_dscp,
);
