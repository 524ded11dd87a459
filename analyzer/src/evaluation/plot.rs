//! Plots of a table as SVG: one bar for each method.

use std::fmt::Write;

use super::table::Row;

const WIDTH: usize = 640;
const LEFT: usize = 120;
const BAR: usize = 18;
const STEP: usize = 26;
const TOP: usize = 44;

/// The quantity that a plot shows.
struct Quantity {
    file: &'static str,
    title: &'static str,
    value: fn(&Row) -> f64,
    /// The end of the scale; absent: the largest value.
    scale: Option<f64>,
    digits: usize,
}

const QUANTITIES: [Quantity; 4] = [
    Quantity {
        file: "precision.svg",
        title: "precision",
        value: |row| row.precision,
        scale: Some(1.0),
        digits: 3,
    },
    Quantity { file: "recall.svg", title: "recall", value: |row| row.recall, scale: Some(1.0), digits: 3 },
    Quantity {
        file: "telemetry.svg",
        title: "telemetry, bytes per diagnosis",
        value: |row| row.telemetry_bytes_mean,
        scale: None,
        digits: 0,
    },
    Quantity {
        file: "switches.svg",
        title: "switches collected per diagnosis",
        value: |row| row.switches_collected_mean,
        scale: None,
        digits: 1,
    },
];

/// Returns one plot for each quantity: file name and content. `rows` has one row for each method.
pub fn plots(rows: &[Row]) -> Vec<(&'static str, String)> {
    QUANTITIES.iter().map(|quantity| (quantity.file, bars(rows, quantity))).collect()
}

fn bars(rows: &[Row], quantity: &Quantity) -> String {
    let height = TOP + STEP * rows.len() + 12;
    let largest = rows.iter().map(quantity.value).fold(0.0, f64::max);
    let scale = quantity.scale.unwrap_or(largest).max(f64::MIN_POSITIVE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"15\">{}</text>\n",
        quantity.title
    );
    for (at, row) in rows.iter().enumerate() {
        let value = (quantity.value)(row);
        let y = TOP + STEP * at;
        let length = (value / scale).clamp(0.0, 1.0) * (WIDTH - LEFT - 90) as f64;
        let text_y = y + BAR - 4;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{text_y}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"{BAR}\" fill=\"#35618e\"/>\
             <text x=\"{:.1}\" y=\"{text_y}\">{value:.*}</text>",
            LEFT - 8,
            row.method.name(),
            LEFT as f64 + length + 6.0,
            quantity.digits
        );
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Contestant, Observation, Score, table};

    #[test]
    fn every_method_has_a_bar() {
        let seen = Contestant::ALL.map(|method| Observation {
            scenario: "one".to_string(),
            method,
            drawn: 1,
            score: Score { true_positive: 1, false_positive: 0, false_negative: 0 },
            missed: Default::default(),
            switches_collected: vec![4],
            telemetry_bytes: vec![100],
            polling_bytes: vec![64],
            causal_coverage: vec![1.0],
            time_to_diagnosis_ns: Some(5),
        });
        for (name, svg) in plots(&table::totals(&seen)) {
            assert_eq!(svg.matches("<rect").count(), 1 + Contestant::ALL.len(), "{name}");
            assert!(Contestant::ALL.iter().all(|method| svg.contains(method.name())), "{name}");
        }
    }
}
