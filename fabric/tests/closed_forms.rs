//! Simulation against arithmetic: latency and headroom to the picosecond and the byte, DCQCN against its theory and a
//! measurement.

mod common;

use common::plain::PlainSwitch;
use common::{check_conservation, plain_fabric};
use fabric::nic::dcqcn::{Cut, DcqcnConfig};
use fabric::nic::generation::Generation;
use fabric::nic::message::Messages;
use fabric::scenario::{Headroom, Notification, Reaction};
use fabric::{Fabric, Scenario, scenario};
use model::{Rate, Time};
use p4_switch::tm::{Threshold, standard_reaction};

/// A packet of 1000 B payload on the wire.
const PACKET: u64 = 1_058;

fn parse(text: &str) -> Scenario {
    scenario::parse("closed.toml", text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Hosts h0 to h`n` at one switch, each with its delay; every one but h0 sends to h0 without end.
fn star(gbps: u64, delays: &[Time]) -> Scenario {
    let n = delays.len();
    let hosts: Vec<String> = (0..n).map(|host| format!("\"h{host}\"")).collect();
    let links: String = (0..n)
        .map(|h| {
            let delay = delays[h].0;
            format!("[[link]]\na=\"h{h}:1\"\nb=\"s:{}\"\nrate=\"{gbps}Gbps\"\ndelay=\"{delay}ps\"\n", h + 1)
        })
        .collect();
    let flows: String =
        (1..n).map(|h| format!("[[flow]]\nfrom=\"h{h}\"\nto=\"h0\"\nsize=\"1000GB\"\n")).collect();
    parse(&format!(
        "name=\"star\"\nstop=\"10s\"\n[topology]\nswitches=[\"s\"]\nhosts=[{}]\n{links}\
         [host]\npayload=1000\nheaders=58\n[switch]\nlossless=[3]\nmemory=\"400MB\"\nheadroom=\"20MB\"\n{flows}",
        hosts.join(",")
    ))
}

#[test]
fn latency_over_links_of_different_rates_is_exact() {
    let scenario = parse(
        r#"
        name = "line"
        stop = "20ms"
        [topology]
        switches = ["s1", "s2"]
        hosts = ["h1", "h2"]
        [[link]]
        a = "h1:1"
        b = "s1:1"
        rate = "100Gbps"
        delay = "300ns"
        [[link]]
        a = "s1:2"
        b = "s2:1"
        rate = "40Gbps"
        delay = "7us"
        [[link]]
        a = "s2:2"
        b = "h2:1"
        rate = "25Gbps"
        delay = "450ns"
        [switch]
        mark_congestion = false
        memory = "100MB"
        [host]
        payload = 1000
        headers = 58
        congestion_control = false
        [[flow]]
        from = "h1"
        to = "h2"
        size = "1MB"
        "#,
    );
    let mut fabric = plain_fabric(&scenario, 1);
    fabric.run_until(scenario.stop);
    let wire = |gbps, bytes| Rate::from_gbps(gbps).serialisation(bytes);
    let flight = Time::from_ns(7_750);
    // The first packet crosses all links; from then on the slowest delivers one after the other.
    let data = wire(100, PACKET) + wire(40, PACKET) + Time(1_000 * wire(25, PACKET).0) + flight;
    let ack = wire(100, 60) + wire(40, 60) + wire(25, 60) + flight;
    assert_eq!(fabric.flows()[0].duration(), Some(data + ack));
    assert_eq!(fabric.pauses(), []);
}

/// One sender whose traffic cannot leave the switch, with so much headroom.
fn dammed(delay: Time, reaction: Reaction, headroom_bytes: u64) -> Fabric<PlainSwitch> {
    let mut scenario = star(100, &[delay, delay]);
    scenario.host.dcqcn = None;
    scenario.host.pfc_reaction = reaction;
    scenario.switch.reserved_bytes = 0;
    scenario.switch.threshold = Threshold::Static(10 * PACKET);
    scenario.switch.headroom = Headroom::Bytes(headroom_bytes);
    let mut fabric = plain_fabric(&scenario, 1);
    fabric.switch_mut("s").expect("it exists").tm_mut().block(1);
    fabric.run_until(Time::from_ms(1));
    check_conservation(&fabric);
    fabric
}

#[test]
fn headroom_is_what_arrives_until_the_pause_works_to_the_byte() {
    let rate = Rate::from_gbps(100);
    for (delay, reaction) in [
        (Time::from_ns(200), Reaction::None),
        (Time::from_us(1), Reaction::Standard),
        (Time::from_us(3), Reaction::After(Time::from_ns(1_234))),
    ] {
        // The pause leaves at once, crosses the link and takes effect; what the sender has begun by then comes.
        let until_silent = rate.serialisation(60) + delay + delay + reaction.time(rate);
        let packets = until_silent.0.div_ceil(rate.serialisation(PACKET).0);
        let fits = dammed(delay, reaction, packets * PACKET);
        let group = fits.switches().next().expect("it exists").1.tm().group(2, 3).expect("it exists");
        assert_eq!(group.headroom_watermark_bytes, packets * PACKET, "{delay} {reaction:?}");
        assert_eq!((group.bytes, fits.lossless_drops().count()), (10 * PACKET, 0));
        let short = dammed(delay, reaction, packets * PACKET - 1);
        let drops: Vec<_> = short.lossless_drops().map(|d| (d.packets, d.profile.as_str())).collect();
        assert_eq!(drops, [(1, "lossless")], "{delay} {reaction:?}");
    }
    assert_eq!(standard_reaction(rate), Time(2_017_280));
}
