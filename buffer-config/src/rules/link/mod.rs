//! Ports and cables.

use super::family;

family!(cable_known, cable_form, silent_default, autoneg, odd_mtu, shared_lane,);
