//! WRED and ECN: marking, and marking before pausing.

use super::family;

family!(
    order,
    probability,
    inert,
    from_zero,
    step,
    lossless_without,
    drops,
    before_pfc,
    kmax,
    kmin_small,
    kmax_queue,
    colour,
    placeholder,
    odd_marking,
);
