//! Traffic of another class at the victim's port: which class, and how it congests the port.

use model::{Anomaly, Cause};

use super::{Case, Judged, culprit_names, incast};
use crate::facts::wording::enumerate;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    if case.finding.anomaly != Anomaly::ClassContention {
        return None;
    }
    let contention = case.finding.contention.as_ref()?;
    let view = case.context.view;
    let mut classes: Vec<String> = view
        .flows(contention.port)
        .iter()
        .filter(|f| case.culprits.contains(&f.flow))
        .filter_map(|f| f.priority.map(|priority| priority.to_string()))
        .collect();
    classes.sort_unstable();
    classes.dedup();
    let of_class = match classes.as_slice() {
        [] => "another class".to_string(),
        [one] => format!("priority {one}"),
        many => format!("priorities {}", enumerate(many)),
    };
    let verb = if case.culprits.len() == 1 { "congests" } else { "congest" };
    let port = case.finding.root.as_ref().map(ToString::to_string).unwrap_or_default();
    let incast = incast::judge(case);
    let mut advice = vec![format!(
        "check how {port} schedules its classes: reserve a share for the victim's class, or move {of_class} and the victim to the same one"
    )];
    advice.extend(incast.iter().flat_map(|judged| judged.advice.first().cloned()));
    Some(Judged {
        cause: incast.map_or(Cause::Undetermined, |judged| judged.cause),
        factor: 1.0,
        because: format!("{} {verb} that port in {of_class}", culprit_names(case)),
        advice,
        config: Vec::new(),
    })
}
