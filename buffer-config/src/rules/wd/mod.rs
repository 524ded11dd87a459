//! PFC watchdog.

use super::family;

family!(
    detection,
    restoration,
    below_poll,
    granularity,
    action,
    red_switch,
    mask,
    mask_differs,
    without_pfc,
    uncovered,
    key,
    counter,
    default_status,
    too_short,
    storm_loop,
    poll_cost,
    handler,
    odd_port,
    slow,
);
