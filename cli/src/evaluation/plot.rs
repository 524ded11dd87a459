//! Plots of an evaluation as SVG: bars of one table, or lines over the values of a sweep.

use anyhow::anyhow;
use eval::table::Row;
use plotters::coord::Shift;
use plotters::coord::ranged1d::SegmentedCoord;
use plotters::coord::types::RangedCoordusize;
use plotters::prelude::*;
use serde::Serialize;

use super::Contestant;

/// Width of all plots in pixels.
const WIDTH: u32 = 640;
/// Height of the plot of a sweep, and of one bar.
const HEIGHT: u32 = 320;
const BAR_HEIGHT: u32 = 26;
/// One colour for each method, in the order of [`Contestant::ALL`].
const COLOURS: [RGBColor; 7] = [
    RGBColor(0x35, 0x61, 0x8e),
    RGBColor(0xb3, 0x54, 0x1e),
    RGBColor(0x4a, 0x8c, 0x4a),
    RGBColor(0x8e, 0x45, 0x85),
    RGBColor(0x7a, 0x7a, 0x2e),
    RGBColor(0x2e, 0x7a, 0x7a),
    RGBColor(0x88, 0x88, 0x88),
];

/// The results for one value of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Point {
    /// The value as text.
    pub(crate) value: String,
    /// One row for each scenario and method.
    pub(crate) rows: Vec<Row>,
    /// One row for each method.
    pub(crate) totals: Vec<Row>,
}

/// A plot: file name and SVG text.
pub(crate) type Plot = (&'static str, String);

/// The quantity that a bar chart shows.
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
        title: "telemetry per diagnosis (bytes)",
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

/// Returns one bar chart for each quantity. `rows` has one row for each method.
pub(crate) fn bars(rows: &[Row]) -> anyhow::Result<Vec<Plot>> {
    QUANTITIES
        .iter()
        .map(|quantity| {
            let height = 72 + BAR_HEIGHT * rows.len() as u32;
            Ok((quantity.file, draw(height, |area| draw_bars(area, rows, quantity))?))
        })
        .collect()
}

/// Returns precision and recall over the values of a sweep. `setting` names what was varied.
pub(crate) fn curves(setting: &str, points: &[Point]) -> anyhow::Result<Vec<Plot>> {
    let curve = |name: &str, value: fn(&Row) -> f64| {
        draw(HEIGHT, |area| draw_curves(area, &format!("{name} over {setting}"), points, value))
    };
    Ok(vec![
        ("precision.svg", curve("precision", |row| row.precision)?),
        ("recall.svg", curve("recall", |row| row.recall)?),
    ])
}

type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
/// Drawing into memory fails only for invalid coordinates.
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(height: u32, content: impl FnOnce(&Area<'_>) -> Drawn) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let drawn = || {
            area.fill(&WHITE)?;
            content(&area)?;
            area.present().map_err(Into::into)
        };
        drawn().map_err(|error: Box<dyn std::error::Error>| anyhow!("cannot draw a plot: {error}"))?;
    }
    Ok(svg)
}

/// Returns an axis with one segment for each of `count` entries; the range of a segmented axis includes its end.
fn segments(count: usize) -> SegmentedCoord<RangedCoordusize> {
    (0..count.saturating_sub(1)).into_segmented()
}

fn draw_bars(area: &Area<'_>, rows: &[Row], quantity: &Quantity) -> Drawn {
    let largest = rows.iter().map(quantity.value).fold(0.0, f64::max);
    // Room for the number behind the longest bar.
    let scale = 1.15 * quantity.scale.unwrap_or(largest).max(f64::MIN_POSITIVE);
    let mut chart = ChartBuilder::on(area)
        .caption(quantity.title, ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(24)
        .y_label_area_size(100)
        .build_cartesian_2d(0.0..scale, segments(rows.len()))?;
    // The first method is at the top.
    let place = |at: usize| rows.len() - 1 - at;
    let name = |segment: &SegmentValue<usize>| match segment {
        SegmentValue::CenterOf(at) if *at < rows.len() => rows[place(*at)].method.clone(),
        _ => String::new(),
    };
    let number = |value: &f64| if scale > 10.0 { format!("{value:.0}") } else { format!("{value:.1}") };
    chart
        .configure_mesh()
        .disable_mesh()
        .x_label_formatter(&number)
        .y_labels(rows.len() + 1)
        .y_label_formatter(&name)
        .draw()?;
    for (at, row) in rows.iter().enumerate() {
        let value = (quantity.value)(row);
        let (from, to) = (SegmentValue::Exact(place(at)), SegmentValue::Exact(place(at) + 1));
        let mut bar = Rectangle::new([(0.0, from), (value, to)], COLOURS[0].filled());
        bar.set_margin(4, 4, 0, 0);
        chart.draw_series([bar])?;
        let text = format!("{value:.*}", quantity.digits);
        let at = (value + 0.01 * scale, SegmentValue::CenterOf(place(at)));
        chart.draw_series([Text::new(text, at, ("sans-serif", 13))])?;
    }
    Ok(())
}

fn draw_curves(area: &Area<'_>, title: &str, points: &[Point], value: fn(&Row) -> f64) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(28)
        .y_label_area_size(40)
        .build_cartesian_2d(segments(points.len()), 0.0..1.0)?;
    let label = |segment: &SegmentValue<usize>| match segment {
        SegmentValue::CenterOf(at) => points.get(*at).map_or_else(String::new, |point| point.value.clone()),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_labels(points.len() + 1)
        .x_label_formatter(&label)
        .draw()?;
    for (method, colour) in Contestant::ALL.iter().zip(COLOURS) {
        let of_method = points.iter().enumerate().filter_map(|(at, point)| {
            let row = point.totals.iter().find(|row| row.method == method.name())?;
            Some((SegmentValue::CenterOf(at), value(row)))
        });
        let places: Vec<(SegmentValue<usize>, f64)> = of_method.collect();
        if places.is_empty() {
            continue;
        }
        chart.draw_series(places.iter().map(|place| Circle::new(place.clone(), 3, colour.filled())))?;
        chart
            .draw_series(LineSeries::new(places, colour.stroke_width(2)))?
            .label(method.name())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use eval::judge::Grade;
    use eval::table::{self, Graded, Observation};

    use super::*;

    fn observation(method: Contestant) -> Observation {
        Observation {
            scenario: "one".to_string(),
            method: method.name().to_string(),
            drawn: 1,
            verdicts: vec![Graded { grade: Grade::Right, confidence: 0.9, is_alarm: true, weight: 1.0 }],
            events: 2,
            named: 1,
            switches_collected: vec![4],
            telemetry_bytes: vec![100],
            polling_bytes: vec![64],
            causal_coverage: vec![1.0],
            time_to_diagnosis_ns: Some(5),
            ..Observation::default()
        }
    }

    #[test]
    fn every_method_has_a_bar_with_its_value() {
        let totals = table::totals(&Contestant::ALL.map(observation));
        for (name, svg) in bars(&totals).expect("plots") {
            let bars = svg.matches("fill=\"#35618E\"").count();
            assert_eq!(bars, Contestant::ALL.len(), "{name}: {svg}");
            assert!(Contestant::ALL.iter().all(|method| svg.contains(method.name())), "{name}: {svg}");
        }
    }

    #[test]
    fn every_method_has_a_line_with_one_point_per_value() {
        let seen = [Contestant::Harrier, Contestant::Hawkeye].map(observation);
        let point = |value: &str| Point {
            value: value.to_string(),
            rows: table::rows(&seen),
            totals: table::totals(&seen),
        };
        let points = ["131 us", "1 ms", "2 ms"].map(point);
        for (name, svg) in curves("the epoch", &points).expect("plots") {
            assert_eq!(svg.matches("<circle").count(), 6, "{name}: {svg}");
            assert!(
                ["131 us", "1 ms", "2 ms", "hawkeye"].iter().all(|text| svg.contains(text)),
                "{name}: {svg}"
            );
        }
    }
}
