//! Elephant collision: a few large flows together exceed the rate of a link.

use model::Cause;

use super::{Case, Judged, enumerate};

/// Minimum size of an elephant, over the recorded epochs.
const ELEPHANT_BYTES: f64 = 1e6;
/// Maximum number of culprits of a collision.
const FEW: usize = 8;
/// Assumed packet size where records hold no bytes.
const NOMINAL_PACKET_BYTES: u64 = 1_000;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let contention = case.finding.contention.as_ref()?;
    if case.culprits.is_empty() || case.culprits.len() > FEW {
        return None;
    }
    let view = case.context.view;
    let bytes = |flow| -> f64 {
        let records = view.records_of(contention.port, flow);
        records.iter().map(|r| r.bytes.unwrap_or(r.packets.saturating_mul(NOMINAL_PACKET_BYTES)) as f64).sum()
    };
    if case.culprits.iter().any(|f| bytes(*f) < ELEPHANT_BYTES) {
        return None;
    }
    let names: Vec<String> = case.culprits.iter().map(ToString::to_string).collect();
    let because = match names.as_slice() {
        [one] => format!("the large flow {one} joined and overloaded that port"),
        many => format!("the large flows {} together exceed the rate of that port", enumerate(many)),
    };
    Some(Judged {
        cause: Cause::ElephantCollision,
        factor: 1.0,
        because,
        advice: vec![
            "move one of the large flows to another path: a different source port changes its ECMP hash"
                .to_string(),
        ],
        config: Vec::new(),
    })
}
