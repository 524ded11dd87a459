//! The picture of the pauses: a row a port, on one time axis.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use model::diagnosis::{Evidence, Record};
use model::telemetry::PauseInterval;
use model::{Diagnosis, PortRef};

use super::document::{Block, html};
use super::words::duration;

/// Columns of the strip in text; a line of it with a port's name fits into 100 characters.
const COLUMNS: u64 = 64;
const CHAR_PX: usize = 8;
const ROW_PX: usize = 24;
const TRACK_PX: f64 = 640.0;

/// Pauses of a port: when each began and ended. One that lasted when its switch was read ends then, or at the measurement if the
/// records do not tell.
struct Row {
    port: PortRef,
    pauses: Vec<(u64, u64)>,
}

/// The pauses of a diagnosis, and the time that they are drawn in.
struct Chart {
    rows: Vec<Row>,
    start_ns: u64,
    end_ns: u64,
    slow_ns: u64,
}

/// Draws the pauses of the pause path and the loop, and of every other port that evidence has pauses of; `None` if there is
/// no record of a pause.
pub(super) fn pauses_figure(diagnosis: &Diagnosis) -> Option<Block> {
    let chart = chart(diagnosis)?;
    let mut caption = format!("Pauses of each port. The time axis is {} long.", duration(chart.length_ns()));
    if chart.shows(chart.slow_ns) {
        let offset = duration(chart.slow_ns - chart.start_ns);
        let what = if diagnosis.trigger().is_some() {
            "The victim was measured as slow"
        } else {
            "The question was asked"
        };
        let _ = write!(caption, " {what} {offset} after its beginning (red line).");
    }
    Some(Block::Figure { svg: chart.svg(), caption, text: Some(chart.text()) })
}

/// A pause: its start, and its priority.
type Start = (u64, u8);

fn chart(diagnosis: &Diagnosis) -> Option<Chart> {
    // A pause that several claims cite is one pause. Not each of them says when the switch was read.
    let mut pauses: BTreeMap<PortRef, BTreeMap<Start, u64>> = BTreeMap::new();
    for evidence in &diagnosis.evidence {
        let Some(switch) = &evidence.switch else { continue };
        for record in &evidence.records {
            let Record::Pause(pause) = record else { continue };
            let port = PortRef { switch: switch.clone(), port: pause.port };
            // Switches are read after the measurement.
            let lasted_ns = || diagnosis.time_ns.max(read_ns(evidence, &port).unwrap_or(0));
            let end_ns = pause.end_ns.unwrap_or_else(lasted_ns).max(pause.start_ns);
            let known_ns =
                pauses.entry(port).or_default().entry((pause.start_ns, pause.priority)).or_default();
            *known_ns = (*known_ns).max(end_ns);
        }
    }
    let all = || pauses.values().flatten();
    let start_ns = all().map(|((start_ns, _), _)| *start_ns).min()?;
    let end_ns = all().map(|(_, end_ns)| *end_ns).max()?.max(diagnosis.time_ns).max(start_ns + 1);
    let mut seen = BTreeSet::new();
    let path = diagnosis.pause_path.iter().chain(&diagnosis.pause_loop);
    let ports: Vec<PortRef> = path.chain(pauses.keys()).filter(|port| seen.insert(*port)).cloned().collect();
    let rows = ports.into_iter().map(|port| {
        let of_port = pauses.get(&port).into_iter().flatten();
        let pauses = of_port.map(|((from_ns, _), to_ns)| (*from_ns, *to_ns)).collect();
        Row { port, pauses }
    });
    Some(Chart { rows: rows.collect(), start_ns, end_ns, slow_ns: diagnosis.time_ns })
}

/// When the switch of a port was read, from the pauses of the port and their sum up to then; `None` if the claim lacks the sum,
/// one of the pauses that it counts, or a pause that lasted.
fn read_ns(evidence: &Evidence, port: &PortRef) -> Option<u64> {
    let (count, paused_ns) = evidence.records.iter().find_map(|record| match record {
        Record::PauseTotal { port: of, pauses, paused_ns } if of == port => Some((*pauses, *paused_ns)),
        _ => None,
    })?;
    let pauses: Vec<&PauseInterval> = evidence
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Pause(pause) if pause.port == port.port => Some(pause),
            _ => None,
        })
        .collect();
    let lasting: Vec<u64> =
        pauses.iter().filter(|pause| pause.end_ns.is_none()).map(|pause| pause.start_ns).collect();
    let latest_ns = lasting.iter().max().copied()?;
    if count != pauses.len() as u64 {
        return None;
    }
    let ended = pauses.iter().filter_map(|pause| Some(pause.end_ns?.saturating_sub(pause.start_ns)));
    let ended_ns: u128 = ended.map(u128::from).sum();
    // Of several priorities, all pauses that lasted do so until the same time.
    let sum_ns =
        u128::from(paused_ns).checked_sub(ended_ns)? + lasting.iter().copied().map(u128::from).sum::<u128>();
    let at_ns = u64::try_from(sum_ns / lasting.len() as u128).ok()?;
    (at_ns >= latest_ns).then_some(at_ns)
}

impl Chart {
    fn length_ns(&self) -> u64 {
        self.end_ns - self.start_ns
    }

    fn shows(&self, time_ns: u64) -> bool {
        (self.start_ns + 1..=self.end_ns).contains(&time_ns)
    }

    /// A line a port: `#` where it was paused in that part of the time, `.` where it was not.
    fn text(&self) -> String {
        let width = self.rows.iter().map(|row| row.port.to_string().len()).max().unwrap_or(0);
        let lines = self.rows.iter().map(|row| {
            let cells: String = (0..COLUMNS)
                .map(|column| {
                    let (from_ns, to_ns) = (self.column_ns(column), self.column_ns(column + 1));
                    let is_paused =
                        row.pauses.iter().any(|&(start_ns, end_ns)| start_ns < to_ns && end_ns > from_ns);
                    if is_paused { '#' } else { '.' }
                })
                .collect();
            format!("{:width$}  {cells}", row.port.to_string())
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn column_ns(&self, column: u64) -> u64 {
        let offset_ns = u128::from(self.length_ns()) * u128::from(column) / u128::from(COLUMNS);
        // At most the length.
        self.start_ns + offset_ns as u64
    }

    fn svg(&self) -> String {
        let chars = self.rows.iter().map(|row| row.port.to_string().chars().count()).max().unwrap_or(0);
        let label_px = chars * CHAR_PX + 12;
        let x = |ns: u64| label_px as f64 + (ns - self.start_ns) as f64 / self.length_ns() as f64 * TRACK_PX;
        let (width, height) = (label_px as f64 + TRACK_PX + 2.0, self.rows.len() * ROW_PX);
        let mut drawn = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            let top = at * ROW_PX + 5;
            // Writing to a `String` cannot fail.
            let _ = write!(
                drawn,
                "<text x=\"0\" y=\"{}\">{}</text><rect class=\"track\" x=\"{label_px}\" y=\"{top}\" width=\"{TRACK_PX}\" height=\"14\"/>",
                top + 12,
                html(&row.port.to_string())
            );
            for &(start_ns, end_ns) in &row.pauses {
                // A pause that is shorter than a pixel is still seen.
                let bar_px = (x(end_ns) - x(start_ns)).max(1.0);
                let _ = write!(
                    drawn,
                    "<rect class=\"pause\" x=\"{:.1}\" y=\"{top}\" width=\"{bar_px:.1}\" height=\"14\"/>",
                    x(start_ns)
                );
            }
        }
        if self.shows(self.slow_ns) {
            let _ = write!(drawn, "<path class=\"slow\" d=\"M{:.1} 0V{height}\"/>", x(self.slow_ns));
        }
        format!(
            "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"Pauses by port\">{drawn}</svg>"
        )
    }
}
