//! PFC watchdog.

use super::family;

family!(
    detection,
    restoration,
    poll,
    below_poll,
    granularity,
    action,
    global,
    red_switch,
    mask,
    mask_differs,
    without_pfc,
    uncovered,
    key,
    history,
    counter,
    default_status,
    too_short,
    storm_loop,
    poll_cost,
    handler,
);
