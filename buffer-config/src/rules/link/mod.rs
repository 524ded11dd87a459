//! Ports and cables.

use super::family;

family!(cable_known, cable_form, port_value, silent_default, autoneg,);
