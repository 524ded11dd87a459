//! Priority groups: headroom arithmetic, xon and xoff, shared headroom.

use super::family;

family!(
    down_port,
    group_range,
    group_profile,
    group_direction,
    headroom_short,
    wire_floor,
    worst_case,
    monotonic_cable,
    monotonic_speed,
    same_for_all,
    lookup_row,
    cable_zero,
    xon_order,
    hysteresis,
    offset_sibling,
    size_private,
    size_shared,
    port_headroom,
    mtu_coupling,
    effective_speed,
    stale_profile,
    eight_lanes,
    long_haul,
    sharing_needed,
    sharing_small,
    oversubscription,
    sharing_large,
    no_quantum,
    lookup_gaps,
    not_provable,
    odd_headroom,
);

/// Speed, cable length, headroom and name of every lossless profile with a name in `buffermgrd`'s format.
fn profile_rows<'c>(cx: &super::Context<'c, '_>) -> Vec<(u32, u32, u64, &'c str)> {
    let row = |p: &'c crate::resolved::ResolvedProfile| {
        let (speed, rest) = p.name.strip_prefix("pg_lossless_")?.split_once('_')?;
        let cable = rest.strip_suffix("_profile")?.strip_suffix('m')?;
        Some((speed.parse().ok()?, cable.parse().ok()?, p.headroom_bytes?, p.name.as_str()))
    };
    let mut rows: Vec<_> = cx.sw.profiles.iter().filter_map(row).collect();
    if let Some(lookup) = cx.lookup {
        let of_table = lookup
            .rows
            .iter()
            .filter_map(|r| Some((r.speed_mbps, r.cable_m()?, r.xoff_bytes, "the lookup table")));
        rows.extend(of_table);
    }
    rows
}
