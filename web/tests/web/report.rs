//! The report of an incident.

use axum::body::Body;
use axum::http::{Request, header};
use harrier_web::{AppState, LiveState, router};
use http_body_util::BodyExt as _;
use model::diagnosis::{FlowPath, FlowRole, Hop, Known, Record};
use model::{Diagnosis, Verification};
use store::{Feedback, Handling, NewNote, Store};
use tower::ServiceExt as _;

use crate::fixture::{START_NS, culprits, incast, incast_graph, port, snapshot, topology, victim};

/// When the victim is measured as slow.
const SLOW_NS: u64 = START_NS + 40_000;

/// A report as it was answered.
struct Answer {
    status: u16,
    media_type: String,
    disposition: String,
    text: String,
}

/// Answers a request about the incident of `diagnosis`, which is acknowledged.
async fn report_of(diagnosis: &Diagnosis, path: &str) -> Answer {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    live.push_diagnosis(diagnosis, &incast_graph(), Some(&snapshot())).await.unwrap();
    let note = NewNote {
        diagnosis: None,
        author: "night shift".into(),
        handling: Some(Handling::Acknowledged),
        feedback: Some(Feedback::Right),
        text: "spread the | job <b>".into(),
    };
    live.store().add_note("i-d1", &note, 1_000_000_000).await.unwrap();
    let request = Request::get(format!("/api/v1/incidents/{path}")).body(Body::empty()).unwrap();
    let response = router(AppState::new(live)).oneshot(request).await.unwrap();
    let header = |name| {
        let value = response.headers().get(name).map(|value| value.to_str().unwrap().to_string());
        value.unwrap_or_default()
    };
    let (status, media_type, disposition) =
        (response.status().as_u16(), header(header::CONTENT_TYPE), header(header::CONTENT_DISPOSITION));
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    Answer { status, media_type, disposition, text: String::from_utf8(bytes.to_vec()).unwrap() }
}

async fn report(path: &str) -> Answer {
    report_of(&incast("d1", SLOW_NS, victim()), path).await
}

#[track_caller]
fn check(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// The path of the victim, at whose last switch it left no record, and that of a culprit which is not known to arrive.
fn with_paths() -> Diagnosis {
    let hop = |at: &str, known| Hop { port: port(at), known };
    let path = |flow, role, hops| FlowPath { flow, role, hops };
    let of_victim =
        vec![hop("sw1:1", Known::Recorded), hop("sw2:2", Known::Recorded), hop("sw3:2", Known::Derived)];
    let of_culprit = vec![hop("sw4:2", Known::Recorded)];
    let paths = vec![
        path(victim(), FlowRole::Victim, of_victim),
        path(culprits()[0], FlowRole::Culprit, of_culprit),
        path(culprits()[1], FlowRole::Culprit, vec![hop("sw4:7", Known::Assumed)]),
    ];
    Diagnosis { paths, ..incast("d1", SLOW_NS, victim()) }
}

#[tokio::test]
async fn a_report_has_verdict_advice_cause_path_evidence_and_commands() {
    let Answer { status, media_type, disposition, text } = report("i-d1/report").await;
    assert_eq!((status, media_type.as_str()), (200, "text/markdown; charset=utf-8"));
    assert_eq!(disposition, "attachment; filename=\"i-d1.md\"");
    check(
        &text,
        &[
            "# Incident i-d1: Incast of 4 flows to h3 pauses 2 flows, sw4:2\n",
            "| anomaly | pfc\\_backpressure\\_flow\\_contention |\n| cause | incast |\n",
            "4 flows to h3 contend at sw4:2",
            "| confidence | 97 % |",
            "\n## Root cause\n\n- port sw4:2\n- flow ",
            "\n## Pause path\n\nsw1:1 → sw2:3 → sw4:2\n",
            "(the victim that was measured)",
            "| 1 | the victim's RTT is 17.1 us, base RTT 9.1 us |",
            "/api/v1/diagnoses/d1/snapshot",
            "harrier analyze event.json --topology topology.json",
        ],
    );
    let Answer { status, media_type, disposition, text } = report("i-d1/report?format=html").await;
    assert_eq!((status, media_type.as_str()), (200, "text/html; charset=utf-8"));
    assert_eq!(disposition, "inline; filename=\"i-d1.html\"");
    assert!(text.starts_with("<!doctype html>") && text.contains("<h2>Evidence</h2>"), "{text}");
    assert!(!text.contains("<script") && !text.contains("src="), "{text}");
}

/// The pauses of the fixture: sw1:1 from 11.077 to 19.529 us, sw2:3 from 6.315 to 18.094 and from 20.745 to 35.158 us. The
/// time is 6.315 to 40 us, 64 columns of 526 ns.
#[tokio::test]
async fn pauses_are_drawn_on_one_time_axis() {
    let text = report("i-d1/report").await.text;
    check(
        &text,
        &[
            "\n## Pauses\n\nPauses of each port. The time axis is 33.7 us long. ",
            "The victim was measured as slow 33.7 us after its beginning",
            "\nsw1:1  .........#################......................................\n",
            "\nsw2:3  #######################....############################.........\n",
            "\nsw4:2  ................................................................\n",
        ],
    );
    let html = report("i-d1/report?format=html").await.text;
    check(&html, &["aria-label=\"Pauses by port\"", "<path class=\"slow\" d=\"M692.0 0V72\"/>"]);
    assert_eq!(html.matches("<rect class=\"pause\"").count(), 3, "{html}");
    assert_eq!(html.matches("<rect class=\"track\"").count(), 3, "{html}");
}

/// sw2:3 was paused for 30 us until it was read, and the second of its pauses lasted.
#[tokio::test]
async fn a_pause_without_an_end_lasts_until_the_switch_was_read() {
    let mut diagnosis = incast("d1", SLOW_NS, victim());
    let records =
        &mut diagnosis.evidence.iter_mut().find(|claim| claim.port == Some(port("sw2:3"))).unwrap().records;
    let Record::Pause(last) = &mut records[1] else { panic!("{records:?}") };
    last.end_ns = None;
    // 11,779 ns of the first one, and 38,221 ns from 20,745 ns on.
    records.push(Record::PauseTotal { port: port("sw2:3"), pauses: 2, paused_ns: 50_000 });
    let text = report_of(&diagnosis, "i-d1/report").await.text;
    check(
        &text,
        &[
            "The time axis is 52.7 us long",
            "\nsw2:3  ###############..###############################################\n",
        ],
    );
}

#[tokio::test]
async fn paths_are_drawn_from_sender_to_receiver() {
    let html = report_of(&with_paths(), "i-d1/report?format=html").await.text;
    let drawn = html.split("aria-label=\"Paths of victim and culprits\"").nth(1).unwrap();
    let drawn = drawn.split("</svg>").next().unwrap();
    let texts: Vec<&str> =
        drawn.split("<text").skip(1).map(|part| part.split(['>', '<']).nth(1).unwrap()).collect();
    assert_eq!(
        texts,
        [
            "victim", "h2", "sw1:1", "sw2:2", "sw3:2", "h4", "culprit", "h5", "sw4:2", "h3", "culprit", "h6",
            "sw4:7", "?"
        ]
    );
    check(drawn, &["class=\"root\"", "class=\"paused\"", "class=\"port dashed\""]);
    check(&html, &["Red: the root port.", "Dashed: no record shows the flow there."]);
}

#[tokio::test]
async fn the_run_without_the_root_cause_stands_beside_the_run_that_happened() {
    let text = report("i-d1/report").await.text;
    assert!(!text.contains("Without the root cause"), "the run of a real network cannot be repeated: {text}");
    let verification = Verification {
        without: vec!["flow a is not sent".into()],
        shown: "the victim's slowest round trip is 9.2 us instead of 17.1 us".into(),
        window_ns: (START_NS, SLOW_NS),
        base_rtt_ns: Some(9_072),
        rtt_before_ns: 17_115,
        rtt_after_ns: Some(9_200),
        finish_before_ns: None,
        finish_after_ns: None,
        paused_before_ns: 34_000,
        paused_after_ns: 0,
        corrected: None,
    };
    let diagnosis = Diagnosis {
        verified: Some(true),
        verification: Some(verification),
        ..incast("d1", SLOW_NS, victim())
    };
    check(
        &report_of(&diagnosis, "i-d1/report").await.text,
        &[
            "\n## Without the root cause\n\nThe same run without the root cause confirms the verdict: ",
            "\n- flow a is not sent\n",
            "| slowest round trip of the victim | 17.1 us | 9.2 us |\n",
            "summed over its ports | 34.0 us | 0 ns |\n",
        ],
    );
}

#[tokio::test]
async fn notes_of_people_are_part_of_it() {
    let text = report("i-d1/report").await.text;
    check(
        &text,
        &[
            "| 1970-01-01T00:00:01Z | night shift | acknowledged, verdict right | spread the \\| job \\<b\\> |",
        ],
    );
}

#[tokio::test]
async fn an_unknown_incident_or_form_is_a_problem() {
    assert_eq!(report("i-none/report").await.status, 404);
    assert_eq!(report("i-d1/report?format=pdf").await.status, 400);
}
