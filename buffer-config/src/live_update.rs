//! Which changes SONiC's generic config updater (`config apply-patch`) accepts on a live switch.
//!
//! Source: sonic-utilities generic_config_updater/gcu_field_operation_validators.conf.json and
//! field_operation_validators.py, August 2026. The validators check fields; adding or removing a whole profile is
//! accepted on any ASIC (sonic-mgmt issue 25395).

use crate::asic::Asic;
use crate::finding::PatchOp;
use crate::input::namespaces::is_namespace;

/// Why the updater rejects an operation on a live switch; `None` if it accepts it.
pub fn refusal(op: &PatchOp, asic: Option<&Asic>) -> Option<String> {
    let mut steps = op.path.trim_start_matches('/').split('/');
    let first = steps.next().unwrap_or_default();
    // On a switch with several chips, paths start with the chip.
    let table = if is_namespace(first) { steps.next().unwrap_or_default() } else { first };
    let _key = steps.next();
    let field = steps.next();
    let known = asic.filter(|a| !a.gcu_name.is_empty());
    match table {
        "BUFFER_POOL" => Some("BUFFER_POOL cannot be changed on a live switch, on any ASIC".into()),
        "BUFFER_PROFILE" => {
            let field = field?;
            let name = known.map(|a| a.gcu_name);
            let allowed = match (field, op.op) {
                ("dynamic_th", "replace") => name.is_some_and(|n| n != "jr2"),
                ("xoff", "replace") => name.is_some_and(|n| !matches!(n, "td2" | "jr2" | "marvell-teralynx")),
                ("packet_discard_action", "add" | "replace") => {
                    name.is_some_and(|n| matches!(n, "spc4" | "spc5" | "spc6" | "th5" | "th6"))
                }
                _ => false,
            };
            let asic = asic.map_or("an unknown ASIC", |a| a.name);
            (!allowed).then(|| format!("`{}` of a profile's `{field}` is rejected on {asic}", op.op))
        }
        "PFC_WD" | "WRED_PROFILE" => known
            .is_none()
            .then(|| format!("{table} can only be changed on the ASICs that the updater lists")),
        _ => None,
    }
}
