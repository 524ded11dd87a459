//! Switches of one fleet, and both ends of a link.

use super::family;

family!(
    alpha,
    siblings,
    link_pfc,
    link_cable,
    link_speed,
    unknown_port,
    contradiction,
    same_name,
    link_classes,
    link_ecn,
    link_watchdog,
    link_negotiation,
    link_channel,
    neighbour_role,
    same_mac,
    dual_tor_pair,
    system_ports,
    link_framing,
);
