//! What paused a port that the PFC watchdog flushed: the packets that it drops are lost because of these pauses, so the
//! verdict is about who sent them.

use model::Anomaly;

use super::packet_loss::{Loss, port_of};
use super::{Caveat, Finding, is_named, on_pause_path};
use crate::facts::span::Span;
use crate::facts::view::PortIx;
use crate::graph::context::Context;

/// Returns the finding about the pauses because of which the watchdog dropped packets; `None` if the records do not show
/// where they began.
pub(super) fn find(context: &Context<'_, '_>, loss: &Loss<'_>) -> Option<Finding> {
    if !context.settings.applies("packet_loss.flushed") {
        return None;
    }
    let port = port_of(context, &loss.root);
    let reverse = loss.is_reverse.then(|| Context::of_reverse_path(context.view, context.settings)).flatten();
    port.and_then(|port| on_a_pause_path(reverse.as_ref().unwrap_or(context), port))
        .or_else(|| by_its_host(context, port, loss))
}

/// The pauses of the flushed port have a path to their end.
fn on_a_pause_path(context: &Context<'_, '_>, port: PortIx) -> Option<Finding> {
    let vertex = context.vertex(port)?;
    let through = context.pause_paths.iter().filter(|pause_path| pause_path.path.contains(&vertex));
    through.filter_map(|pause_path| on_pause_path(context, pause_path)).find(is_named)
}

/// The flushed port leads to a host, which alone can have paused it, even if its pauses are no longer recorded.
fn by_its_host(context: &Context<'_, '_>, port: Option<PortIx>, loss: &Loss<'_>) -> Option<Finding> {
    let index = context.view.index;
    let flushed = index.port(index.node(&loss.root.switch)?, loss.root.port)?;
    let host = Some(index.peer(flushed)?.node).filter(|host| index.is_host(*host))?;
    let pauses = port.map_or(&[][..], |port| context.view.pause_spans(port));
    let before = pauses.iter().filter(|pause| pause.from <= loss.when.to).copied();
    Some(Finding {
        anomaly: Anomaly::PfcStormHostInjection,
        root: Some(loss.root.clone()),
        path: port.into_iter().collect(),
        pause_loop: Vec::new(),
        host: Some(host),
        contention: None,
        when: Some(before.reduce(Span::hull).unwrap_or(loss.when)),
        caveats: vec![Caveat { factor: loss.factor, missing: None }],
    })
}
