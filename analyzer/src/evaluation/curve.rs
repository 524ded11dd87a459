//! Plots of a sweep as SVG: one line for each method over the values of one setting.

use std::fmt::Write;

use super::contestant::Contestant;
use super::table::Row;

/// The results for one value of a sweep.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Point {
    /// The value as text.
    pub value: String,
    /// One row for each scenario and method.
    pub rows: Vec<Row>,
    /// One row for each method.
    pub totals: Vec<Row>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 48.0;
/// One colour for each method, in the order of [`Contestant::ALL`].
const COLOURS: [&str; 7] = ["#35618e", "#b3541e", "#4a8c4a", "#8e4585", "#7a7a2e", "#2e7a7a", "#888888"];

/// Plots precision and recall over the values: file name and content. `what` names the setting.
pub fn curves(what: &str, points: &[Point]) -> Vec<(&'static str, String)> {
    vec![
        ("precision.svg", lines(&format!("precision over {what}"), points, |row| row.precision)),
        ("recall.svg", lines(&format!("recall over {what}"), points, |row| row.recall)),
    ]
}

fn lines(title: &str, points: &[Point], value: fn(&Row) -> f64) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"15\">{title}</text>\n"
    );
    for tenth in [0, 2, 4, 6, 8, 10] {
        let y = y_of(f64::from(tenth) / 10.0);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.1}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0,
            f64::from(tenth) / 10.0
        );
    }
    for (at, point) in points.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x_of(at, points.len()),
            HEIGHT - BOTTOM + 22.0,
            point.value
        );
    }
    let methods = Contestant::ALL.iter().zip(COLOURS);
    let shown = methods.filter(|(method, _)| {
        points.iter().any(|point| point.totals.iter().any(|row| row.method == **method))
    });
    for (number, (method, colour)) in shown.enumerate() {
        let of_method = points.iter().enumerate().filter_map(|(at, point)| {
            let row = point.totals.iter().find(|row| row.method == *method)?;
            Some((x_of(at, points.len()), y_of(value(row))))
        });
        let positions: Vec<(f64, f64)> = of_method.collect();
        let line: Vec<String> = positions.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        for (x, y) in positions {
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let y = TOP + 12.0 + 20.0 * number as f64;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{}</text>",
            WIDTH - RIGHT + 16.0,
            method.name()
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns the horizontal position of the `at`-th of `count` values.
fn x_of(at: usize, count: usize) -> f64 {
    LEFT + (at as f64 + 0.5) * (WIDTH - LEFT - RIGHT) / count.max(1) as f64
}

/// Returns the vertical position of a share from 0 to 1.
fn y_of(share: f64) -> f64 {
    TOP + (1.0 - share.clamp(0.0, 1.0)) * (HEIGHT - TOP - BOTTOM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Observation, Score, table};

    #[test]
    fn every_method_has_a_line_with_a_point_for_each_value() {
        let seen = [Contestant::Harrier, Contestant::Hawkeye].map(|method| Observation {
            scenario: "one".to_string(),
            method,
            drawn: 1,
            score: Score { true_positive: 1, false_positive: 0, false_negative: 1 },
            missed: Default::default(),
            switches_collected: vec![4],
            telemetry_bytes: vec![100],
            polling_bytes: vec![64],
            causal_coverage: vec![1.0],
            time_to_diagnosis_ns: Some(5),
        });
        let point = |value: &str| Point {
            value: value.to_string(),
            rows: table::rows(&seen),
            totals: table::totals(&seen),
        };
        for (name, svg) in curves("the epoch", &[point("131 us"), point("1 ms"), point("2 ms")]) {
            assert_eq!(svg.matches("<polyline").count(), 2, "{name}");
            assert_eq!(svg.matches("<circle").count(), 6, "{name}");
            assert!(svg.contains("131 us") && svg.contains("hawkeye"), "{name}");
        }
    }
}
