//! # ECN008 wred-drops-lossless
//!
//! Severity: error (a warning or a note where only packets that a policer colours are dropped).
//!
//! WRED of a lossless queue drops packets instead of marking them.
//!
//! ## Why it matters
//!
//! With ecn_none and WRED enabled, packets of a lossless class are dropped early, and so are packets that are not
//! ECN-capable. Packets are green (red on Jericho) unless a policer colours them: `ecn_green_yellow` drops none of them
//! on most chips, and all of them on Jericho.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_none", "wred_green_enable": "true", "green_min_threshold": "1000000",
//!       "green_max_threshold": "1500000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `ecn` to ecn_all.
//!
//! ## Source
//!
//! sonic-mgmt issue 17149.

use super::super::context::{Context, Findings, hit_as, names, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedWred;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN008",
    name: "wred-drops-lossless",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let has_policer = !cx.db.rows("POLICER").is_empty();
    cx.by_port(out, &META, |port| {
        let dropping = priorities(port.pfc_priorities).find_map(|t| {
            let queue = usize::from(port.tc_to_queue[t]);
            let wred = port.queue_wred.get(queue).copied().flatten().and_then(|w| cx.sw.wred.get(w))?;
            let colours = dropped(wred);
            (!colours.is_empty()).then_some((t, wred.name.as_str(), colours))
        });
        let (priority, name, colours) = dropping?;
        let what =
            format!("profile {name} drops {} packets of lossless priority {priority} early", names(&colours));
        let plain = cx.plain_colour();
        let (message, severity) = match colours.contains(&plain) {
            true => (what, Severity::Error),
            false if has_policer => {
                (format!("{what}; packets are {plain} unless a policer colours them"), Severity::Warning)
            }
            false => (format!("{what}; all packets are {plain}, as the file has no policer"), Severity::Info),
        };
        hit_as(severity, "WRED_PROFILE", name, "ecn", message)
    });
}

/// The colours whose packets a profile drops.
fn dropped(wred: &ResolvedWred) -> Vec<&'static str> {
    let colours = [
        ("green", wred.green.is_some() && !wred.marks_green),
        ("yellow", wred.yellow.is_some() && !wred.marks_yellow),
        ("red", wred.red.is_some() && !wred.marks_red),
    ];
    colours.into_iter().filter(|(_, drops)| *drops).map(|(name, _)| name).collect()
}
