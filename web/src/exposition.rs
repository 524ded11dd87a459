//! The two text formats of metrics: OpenMetrics 1.0 for clients that accept it, the classic Prometheus format 0.0.4 for
//! all others, e.g. `promtool check metrics`.

use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};

/// Media type of the OpenMetrics text format 1.0.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Media type of the classic Prometheus text format.
const CLASSIC: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns metrics in the format that a client accepts.
pub(crate) fn respond(headers: &HeaderMap, open_metrics: String) -> Response {
    let accepted = headers.get_all(header::ACCEPT);
    let is_accepted = |text: &str| text.to_ascii_lowercase().contains("application/openmetrics-text");
    let reply = |kind: &'static str, text: String| {
        let vary: (HeaderName, &str) = (header::VARY, "accept");
        ([(header::CONTENT_TYPE, kind), vary], text).into_response()
    };
    match accepted.iter().filter_map(|value| value.to_str().ok()).any(is_accepted) {
        true => reply(OPEN_METRICS, open_metrics),
        false => reply(CLASSIC, classic(&open_metrics)),
    }
}

/// Converts OpenMetrics text. In the classic format a counter is described by the name of its samples (`_total`), there
/// are no kinds `info` and `unknown`, and no `# UNIT` and `# EOF`.
pub(crate) fn classic(open_metrics: &str) -> String {
    let kinds: Vec<(&str, &str)> =
        open_metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' ')).collect();
    let mut text = String::with_capacity(open_metrics.len());
    for line in open_metrics.lines() {
        match line.strip_prefix("# ").and_then(|rest| rest.split_once(' ')) {
            Some((keyword @ ("HELP" | "TYPE"), rest)) => {
                let (name, described) = rest.split_once(' ').unwrap_or((rest, ""));
                let kind = kinds.iter().find(|(known, _)| *known == name).map_or("unknown", |(_, kind)| kind);
                let (suffix, kind) = match kind {
                    "counter" => ("_total", "counter"),
                    "info" => ("_info", "gauge"),
                    "unknown" => ("", "untyped"),
                    other => ("", other),
                };
                let described = if keyword == "TYPE" { kind } else { described };
                text.push_str(&format!("# {keyword} {name}{suffix} {described}\n"));
            }
            _ if line.starts_with('#') => {}
            _ => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classic_format_describes_samples_by_their_names() {
        let open_metrics = "# HELP a_build Version.\n# TYPE a_build info\na_build_info{version=\"1\"} 1\n\
                            # HELP a_bytes Sent bytes.\n# TYPE a_bytes counter\n# UNIT a_bytes bytes\na_bytes_total 3\n\
                            # HELP a_open Open.\n# TYPE a_open gauge\na_open{kind=\"# x\"} 2\n# EOF\n";
        let expected = "# HELP a_build_info Version.\n# TYPE a_build_info gauge\na_build_info{version=\"1\"} 1\n\
                        # HELP a_bytes_total Sent bytes.\n# TYPE a_bytes_total counter\na_bytes_total 3\n\
                        # HELP a_open Open.\n# TYPE a_open gauge\na_open{kind=\"# x\"} 2\n";
        assert_eq!(classic(open_metrics), expected);
    }
}
