//! Frames of several states at 80x24, as a person sees them.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;

use super::super::answers::{Daemons, Incident, Page, Verdict};
use super::super::keys::Key;
use super::super::state::{Feed, Input, State};
use super::draw;

/// 2026-01-02T03:04:05Z.
const NOW_S: u64 = 1_767_323_045;

/// Applies inputs to a state that has just begun, and compares the last frame with the snapshot of this name.
#[track_caller]
fn check(name: &str, size: (u16, u16), inputs: Vec<(u64, Input)>) {
    let mut state = State::new("harrier.example:8080", size, NOW_S);
    for (at_s, input) in inputs {
        state.apply(input, NOW_S + at_s);
    }
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).expect("in memory");
    terminal.draw(|frame| draw(&state, frame)).expect("in memory");
    insta::assert_snapshot!(name, terminal.backend());
}

fn incident(id: &str, severity: &str, start_ns: u64, summary: &str) -> Incident {
    serde_json::from_value(json!({
        "id": id, "severity": severity, "summary": summary, "confidence": 0.98, "diagnosis": format!("d-{id}"),
        "headline": { "culprit": "NIC storm at h11", "text": "NIC storm at h11 stops 12 flows", "place": "sw4:1" },
        "root_cause": { "port": "sw4:1", "flows": [], "host": "h11", "config": [] },
        "pause_path": ["sw1:1", "sw2:3", "sw4:1"], "loop": [], "start_ns": start_ns, "update_ns": start_ns,
        "end_ns": null, "recurrences": 3, "handling": "acknowledged",
        "occurrences": [{ "start_ns": 1, "start_time": "2026-01-02T03:00:00.000000Z" }],
        "victims": ["10.0.0.1:10000>10.0.3.1:4791/udp", "10.0.0.2:10000>10.0.3.1:4791/udp"], "victim_count": 12,
        "a field of a later version": 1,
    }))
    .expect("an incident")
}

fn incast() -> Incident {
    let summary = "2 flows collide at sw2:1, and their queue delays 1 flow";
    let mut incident = incident("i-2", "minor", 20, summary);
    incident.headline.text = "Collision of 2 large flows slows h1 → h31".into();
    incident.headline.place = Some("sw2:1".into());
    incident.root_cause.host = None;
    incident.root_cause.port = Some("sw2:1".into());
    incident.root_cause.flows =
        vec!["10.0.0.7:10000>10.0.3.1:4791/udp".into(), "10.0.0.8:10000>10.0.3.1:4791/udp".into()];
    (incident.victim_count, incident.recurrences) = (1, 1);
    incident.victims.truncate(1);
    incident
}

fn listed() -> Input {
    let storm =
        incident("i-1", "critical", 10, "The NIC of h11 sends PFC pauses, which stop 12 flows at sw4:1");
    Input::Feed(Feed::Listed(Page { incidents: vec![incast(), storm], open_total: 2 }))
}

fn hosts() -> Input {
    let names = [("10.0.0.1", "h1"), ("10.0.3.1", "h31"), ("10.0.0.7", "h7")];
    let named = names.map(|(address, name)| (address.parse().expect("an address"), name.to_owned()));
    Input::Feed(Feed::Hosts(named.into()))
}

fn verdict() -> Input {
    let verdict = json!({
        "advice": [
            "Check the receiving host h11: driver, PCIe, buffers of its NIC. Until it is repaired, shut its port or \
             enable the PFC watchdog at sw4:1",
            "sonic: sudo pfcwd start --action drop ports Ethernet0 detection-time 400",
        ],
        "missing": ["sw3: not read"],
    });
    let verdict: Verdict = serde_json::from_value(verdict).expect("a verdict");
    Input::Feed(Feed::Verdict("d-i-1".into(), verdict))
}

fn daemons() -> Input {
    let daemons: Daemons = serde_json::from_value(json!({
        "daemons": [
            { "kind": "agent", "name": "h1", "state": "connected" },
            { "kind": "agent", "name": "h2", "state": "silent" },
            { "kind": "controller", "name": "pod1", "state": "connected" },
        ],
        "problems": [{ "subject": "controller pod1", "reason": "sw3 does not answer" }],
    }))
    .expect("daemons");
    Input::Feed(Feed::Daemons(daemons))
}

fn key(key: Key) -> Input {
    Input::Key(key)
}

#[test]
fn the_most_severe_incident_is_first_and_selected() {
    let inputs = vec![(0, listed()), (0, hosts()), (0, daemons()), (1, verdict())];
    check("list", (80, 24), inputs);
}

#[test]
fn the_selection_stays_when_an_incident_begins_above_it() {
    let mut deadlock = incident("i-3", "critical", 30, "A deadlock stops 12 flows");
    deadlock.headline.text = "NIC storm at h11 closes a deadlock and stops 12 flows".into();
    let begun = Input::Feed(Feed::Changed(Box::new(deadlock)));
    check("selection", (80, 24), vec![(0, listed()), (0, hosts()), (0, key(Key::Down)), (9, begun)]);
}

#[test]
fn an_incident_that_ends_leaves_the_list() {
    let mut ended = incast();
    ended.end_ns = Some(99);
    let ended = Input::Feed(Feed::Changed(Box::new(ended)));
    let inputs = vec![(0, listed()), (0, key(Key::Last)), (0, key(Key::Open)), (5, ended)];
    check("ended", (80, 24), inputs);
}

#[test]
fn without_an_open_incident_the_latest_that_have_ended_are_shown() {
    let mut before = incident("i-0", "major", 5, "");
    before.headline.text = "Slow receiver h4 pauses 4 flows".into();
    (before.end_ns, before.end_time) = (Some(6), Some("2026-01-02T02:00:00Z".into()));
    let mut ended = incast();
    (ended.end_ns, ended.end_time) = (Some(99), Some("2026-01-02T03:04:00Z".into()));
    let noted =
        Input::Feed(Feed::Changed(Box::new(Incident { handling: "acknowledged".into(), ..before.clone() })));
    let latest = Input::Feed(Feed::Latest(Page { incidents: vec![incast(), before], open_total: 1 }));
    let open = Input::Feed(Feed::Listed(Page { incidents: vec![incast()], open_total: 1 }));
    let ended = Input::Feed(Feed::Changed(Box::new(ended)));
    check("nothing_open", (80, 24), vec![(0, latest), (0, open), (5, ended), (6, noted)]);
}

#[test]
fn the_page_of_an_incident_wraps_and_scrolls() {
    let inputs = vec![(0, listed()), (0, hosts()), (0, verdict()), (0, key(Key::Open))];
    check("page", (80, 24), inputs);
    let mut inputs = vec![(0, listed()), (0, verdict()), (0, key(Key::Open))];
    inputs.extend((0..50).map(|_| (0, key(Key::Down))));
    check("page_scrolled", (44, 12), inputs);
}

#[test]
fn a_lost_connection_shows_what_was_known_and_its_age() {
    let error = "cannot reach the server at harrier.example:8080: Connection refused (os error 111)";
    let lost = Input::Feed(Feed::Lost(error.into(), 3_200));
    check("lost", (80, 24), vec![(0, listed()), (0, verdict()), (200, lost)]);
    let lost = Input::Feed(Feed::Lost(error.into(), 3_200));
    check("never_connected", (80, 24), vec![(0, lost)]);
}

#[test]
fn a_silent_server_is_not_shown_as_live() {
    check("silent", (80, 24), vec![(0, Input::Feed(Feed::Listed(Page::default()))), (21, Input::Tick)]);
}

#[test]
fn the_help_covers_the_list() {
    check("help", (80, 24), vec![(0, listed()), (0, key(Key::Help))]);
}

#[test]
fn a_small_terminal_shows_the_list_alone() {
    check("small", (80, 24), vec![(0, listed()), (0, Input::Size(40, 8))]);
    check(
        "tiny",
        (80, 24),
        vec![(0, listed()), (0, Input::Feed(Feed::Lost("x".into(), 1))), (0, Input::Size(1, 1))],
    );
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let mut hostile = incident("i-1", "critical", 10, "a\u{1b}[2Jb\u{7}c");
    hostile.headline.text = "NIC storm at a\u{1b}[2Jb\u{7}c stops 12 flows".into();
    hostile.root_cause.host = Some("a\u{1b}[2Jb\u{7}c".into());
    check("hostile", (40, 8), vec![(0, Input::Feed(Feed::Changed(Box::new(hostile))))]);
}
