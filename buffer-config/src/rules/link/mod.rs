//! Ports and cables.

use super::family;

family!(
    cable_known,
    cable_form,
    silent_default,
    autoneg,
    odd_mtu,
    shared_lane,
    port_channel,
    lane_rate,
    pam4_fec,
    system_port,
    neighbour_entry,
    down_by_default,
    shared_alias,
    breakout,
    dual_tor,
    shared_index,
    hash_fields,
    odd_port,
    macsec,
    mirror_session,
    vlan_member,
    vxlan,
    interface,
);
