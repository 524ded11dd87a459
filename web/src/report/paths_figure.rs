//! The picture of the paths of victim and culprits: a row a flow, a box an egress port.

use std::fmt::Write as _;
use std::net::IpAddr;

use model::diagnosis::{FlowPath, FlowRole, Known};
use model::{Diagnosis, PortRef, Topology};

use super::document::{Block, html};

/// Rows of the picture: the victim, its ACKs, and the culprits with the largest contributions.
const ROWS: usize = 8;
/// Width of a character of the monospace font at 13 px, with room to spare; a font may be wider than another.
const CHAR_PX: usize = 8;
const ROW_PX: usize = 56;
const BOX_PX: usize = 26;
/// Between two boxes, for the arrow.
const GAP_PX: usize = 28;

/// What a box of a row says and how it is drawn.
struct Step {
    text: String,
    class: &'static str,
    /// Whether no record shows the flow here.
    dashed: bool,
}

/// Draws the paths; `None` if no path is known.
pub(super) fn paths_figure(diagnosis: &Diagnosis, topology: Option<&Topology>) -> Option<Block> {
    if diagnosis.paths.is_empty() {
        return None;
    }
    let rows: Vec<(String, Vec<Step>)> = diagnosis
        .paths
        .iter()
        .take(ROWS)
        .map(|path| (role(path.role).to_string(), steps(path, diagnosis, topology)))
        .collect();
    let mut caption = String::from("Egress ports on the paths.");
    for (class, meaning) in
        [("root", "Red: the root port."), ("paused", "Amber: ports of the pause path and the loop.")]
    {
        if rows.iter().flat_map(|(_, steps)| steps).any(|step| step.class == class) {
            caption.push(' ');
            caption.push_str(meaning);
        }
    }
    if rows.iter().flat_map(|(_, steps)| steps).any(|step| step.dashed) {
        caption.push_str(" Dashed: no record shows the flow there.");
    }
    if diagnosis.paths.len() > ROWS {
        let _ = write!(caption, " {} more paths are in the table.", diagnosis.paths.len() - ROWS);
    }
    Some(Block::Figure { svg: svg(&rows), caption, text: None })
}

fn role(role: FlowRole) -> &'static str {
    match role {
        FlowRole::Victim => "victim",
        FlowRole::Acks => "ACKs",
        FlowRole::Culprit => "culprit",
    }
}

/// The sender, the egress ports, and the receiver if the path leads to it.
fn steps(path: &FlowPath, diagnosis: &Diagnosis, topology: Option<&Topology>) -> Vec<Step> {
    // ACKs are named by the flow that they acknowledge.
    let (from, to) = match path.role {
        FlowRole::Acks => (path.flow.dst, path.flow.src),
        FlowRole::Victim | FlowRole::Culprit => (path.flow.src, path.flow.dst),
    };
    let host = |address| topology.and_then(|topology| topology.host_of(address));
    let name = |address: IpAddr| host(address).map_or_else(|| address.to_string(), |node| node.name.clone());
    let plain = |text| Step { text, class: "host", dashed: false };
    let mut steps = vec![plain(name(from))];
    steps.extend(path.hops.iter().map(|hop| Step {
        text: hop.port.to_string(),
        class: class(&hop.port, diagnosis),
        dashed: hop.known != Known::Recorded,
    }));
    let arrives = path.hops.last().is_some_and(|last| {
        let far = topology.and_then(|topology| topology.peer(&last.port));
        far.is_some_and(|far| host(to).is_some_and(|node| node.name == far.switch))
    });
    steps.push(plain(if arrives { name(to) } else { "?".to_string() }));
    steps
}

fn class(port: &PortRef, diagnosis: &Diagnosis) -> &'static str {
    match () {
        () if diagnosis.root_cause.port.as_ref() == Some(port) => "root",
        () if diagnosis.pause_path.contains(port) || diagnosis.pause_loop.contains(port) => "paused",
        () => "port",
    }
}

fn svg(rows: &[(String, Vec<Step>)]) -> String {
    let width_of = |text: &str| text.chars().count() * CHAR_PX + 12;
    let label_px = rows.iter().map(|(label, _)| width_of(label)).max().unwrap_or(0);
    let length = |steps: &[Step]| steps.iter().map(|step| width_of(&step.text) + GAP_PX).sum::<usize>();
    let width = label_px + rows.iter().map(|(_, steps)| length(steps)).max().unwrap_or(0);
    let height = rows.len() * ROW_PX;
    let mut drawn = String::new();
    for (at, (label, steps)) in rows.iter().enumerate() {
        let top = at * ROW_PX + (ROW_PX - BOX_PX) / 2;
        let (middle, base) = (top + BOX_PX / 2, top + BOX_PX / 2 + 4);
        // Writing to a `String` cannot fail.
        let _ = write!(drawn, "<text x=\"0\" y=\"{base}\">{}</text>", html(label));
        let mut x = label_px;
        for (index, step) in steps.iter().enumerate() {
            let box_px = width_of(&step.text);
            if index > 0 {
                let tip = x - 3;
                let _ = write!(
                    drawn,
                    "<path class=\"arrow\" d=\"M{} {middle}H{tip}m-6-4l6 4l-6 4\"/>",
                    x - GAP_PX + 3
                );
            }
            let dashed = if step.dashed { " dashed" } else { "" };
            let _ = write!(
                drawn,
                "<rect class=\"{}{dashed}\" x=\"{x}\" y=\"{top}\" width=\"{box_px}\" height=\"{BOX_PX}\" rx=\"4\"/>\
                 <text x=\"{}\" y=\"{base}\" text-anchor=\"middle\">{}</text>",
                step.class,
                x + box_px / 2,
                html(&step.text)
            );
            x += box_px + GAP_PX;
        }
    }
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"Paths of victim and culprits\">{drawn}</svg>"
    )
}
