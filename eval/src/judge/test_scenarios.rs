//! Scenarios of one switch, for tests of the judge.

use scenario::Scenario;

/// The keys of `[switch]` of a switch with room for every lossless packet.
pub(super) const LOSSLESS: &str = r#"
    lossless = [3]
    memory = "64MB"
    headroom = "100kB"
"#;

/// A flow that starts at once, as the text of a scenario.
pub(super) fn flow(from: &str, to: &str, size: &str) -> String {
    format!(
        r#"
        [[flow]]
        label = "{from} to {to}"
        from = "{from}"
        to = "{to}"
        size = "{size}"
        "#
    )
}

/// A switch with hosts at 100 Gb/s, 1 us away, without congestion control, for 2 ms; `buffer` are the keys of `[switch]`,
/// `events` its flows and failures. Packets that are lost are sent again after its end.
pub(super) fn one_switch(hosts: usize, buffer: &str, events: &str) -> Scenario {
    let text = format!(
        r#"
        version = 2
        name = "one-switch"
        title = "one switch"
        stop = "2ms"
        [topology]
        kind = "leaf-spine"
        leaves = 1
        spines = 1
        hosts_per_leaf = {hosts}
        links_per_pair = 1
        rate = "100Gbps"
        delay = "1us"
        [switch]
        {buffer}
        [host]
        payload = 1024
        congestion_control = "none"
        retransmit_timeout = "10ms"
        {events}
        "#
    );
    scenario::parse("one-switch.toml", &text).unwrap()
}
