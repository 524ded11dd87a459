//! The simulation compared with arithmetic: latency to the picosecond, headroom to the byte, and DCQCN with its fluid
//! model and a published measurement.
#![allow(clippy::print_stdout, reason = "the figures behind the assertions are for people")]

use crate::common::plain::PlainSwitch;
use crate::common::{check_conservation, plain_fabric};
use fabric::Fabric;
use model::{Rate, Time};
use p4_switch::tm::{Ecn, Threshold, standard_reaction};
use scenario::Scenario;
use scenario::nic::Generation;
use scenario::nic::Messages;
use scenario::nic::{Cut, DcqcnConfig};
use scenario::{Headroom, Notification, Reaction};

/// A packet of 1000 B payload on the wire.
const PACKET: u64 = 1_058;

fn parse(text: &str) -> Scenario {
    scenario::parse("closed.toml", text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Hosts h0 to h`n` at one switch, each with its delay; every host but h0 sends to h0 permanently.
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

/// One sender at a switch with this headroom whose egress port is blocked, after the pause has taken effect.
fn blocked(delay: Time, reaction: Reaction, headroom_bytes: u64) -> Fabric<PlainSwitch> {
    let mut scenario = star(100, &[delay, delay]);
    scenario.host.dcqcn = None;
    scenario.host.pfc_reaction = reaction;
    scenario.switch.reserved_bytes = 0;
    scenario.switch.threshold = Threshold::Static(10 * PACKET);
    scenario.switch.headroom = Headroom::Bytes(headroom_bytes);
    let mut fabric = plain_fabric(&scenario, 1);
    fabric.switch_mut("s").expect("it exists").tm_mut().block(1);
    // Long enough for the first packets, the pause and the packets in flight to arrive.
    fabric.run_until(Time(Time::from_us(500).0 + 4 * delay.0));
    check_conservation(&fabric);
    fabric
}

#[test]
fn the_required_headroom_is_exact_to_the_byte() {
    let rate = Rate::from_gbps(100);
    for (delay, reaction) in [
        (Time::from_ns(200), Reaction::None),
        (Time::from_us(1), Reaction::Standard),
        (Time::from_us(3), Reaction::After(Time::from_ns(1_234))),
        // 80 km of fibre at 5 ns a metre: 10 MB of headroom.
        (Time::from_ns(80_000 * 5), Reaction::Standard),
    ] {
        // The pause is sent at once, crosses the link and takes effect after the reaction time. Packets whose
        // transmission has begun by then still arrive.
        let until_paused = rate.serialisation(60) + delay + delay + reaction.time(rate);
        let packets = until_paused.0.div_ceil(rate.serialisation(PACKET).0);
        let fits = blocked(delay, reaction, packets * PACKET);
        let group = fits.switches().next().expect("it exists").1.tm().group(2, 3).expect("it exists");
        assert_eq!(group.headroom_watermark_bytes, packets * PACKET, "{delay} {reaction:?}");
        assert_eq!((group.bytes, fits.lossless_drops().count()), (10 * PACKET, 0));
        let short = blocked(delay, reaction, packets * PACKET - 1);
        let drops: Vec<_> = short
            .lossless_drops()
            .map(|d| (d.packets, d.profile.as_str(), d.reason.as_str(), d.ingress.to_string()))
            .collect();
        assert_eq!(drops, [(1, "lossless", "HeadroomFull", "s:2".to_string())], "{delay} {reaction:?}");
    }
    assert_eq!(standard_reaction(rate), Time(2_017_280));
}

#[test]
fn an_80_km_link_drops_no_packets_with_enough_headroom_and_reports_drops_without() {
    // A simple estimate of the headroom that a link of this `length` needs: the capacity of the cable in both
    // directions, what the peer sends before it reacts, and a packet at either end.
    let run = |headroom_bytes: u64| {
        let scenario = parse(&format!(
            "name=\"long\"\nstop=\"6ms\"\n[topology]\nrate=\"100Gbps\"\nlength=\"80km\"\n\
             switches=[\"a\",\"b\"]\nhosts=[\"h1\",\"h2\"]\n\
             [[link]]\na=\"h1:1\"\nb=\"a:1\"\nlength=\"10m\"\n[[link]]\na=\"a:2\"\nb=\"b:1\"\n\
             [[link]]\na=\"b:2\"\nb=\"h2:1\"\nlength=\"10m\"\n[switch]\nlossless=[3]\nmemory=\"100MB\"\n\
             threshold=\"100kB\"\nheadroom=\"{headroom_bytes}\"\npfc_reaction=\"standard\"\n\
             [host]\npayload=1000\nheaders=58\ncongestion_control=false\n\
             [[flow]]\nfrom=\"h1\"\nto=\"h2\"\nsize=\"40MB\"\n"
        ));
        let mut fabric = plain_fabric(&scenario, 1);
        fabric.switch_mut("b").expect("it exists").tm_mut().block(2);
        fabric.run_until(Time::from_ms(4));
        check_conservation(&fabric);
        fabric
    };
    let rate = Rate::from_gbps(100);
    let cable = 2 * 80_000 * 5 * 100 / 8;
    let reaction = standard_reaction(rate).0.div_ceil(rate.serialisation(PACKET).0) * PACKET;
    let enough = cable + reaction + 2 * PACKET;
    assert_eq!(cable, 10_000_000);
    let used = |fabric: &Fabric<PlainSwitch>| {
        let (_, b) = fabric.switches().find(|(name, _)| *name == "b").expect("it exists");
        b.tm().group(1, 3).expect("it exists").headroom_watermark_bytes
    };
    let fits = run(enough);
    assert_eq!(fits.lossless_drops().count(), 0);
    assert!((cable..=enough).contains(&used(&fits)), "{} B of {enough} B", used(&fits));
    // With headroom for half of the cable, the other half is dropped; the record has the ports and the profile.
    let short = run(cable / 2);
    let drops: Vec<_> = short.lossless_drops().collect();
    let [drop] = &drops[..] else { panic!("{drops:?}") };
    let lost = drop.packets * PACKET;
    assert!(lost.abs_diff(used(&fits) - cable / 2) <= 2 * PACKET, "{lost} B lost");
    assert_eq!((drop.ingress.to_string(), drop.egress.to_string()), ("b:1".to_string(), "b:2".to_string()));
    assert_eq!((drop.profile.as_str(), drop.reason.as_str()), ("lossless", "HeadroomFull"));
}

fn queue(fabric: &mut Fabric<PlainSwitch>) -> p4_switch::tm::QueueUse {
    let tm = fabric.switch_mut("s").expect("it exists").tm_mut();
    let used = tm.queue(1, 3).expect("it exists");
    tm.clear_watermarks();
    used
}

/// The experiment of Bai et al., NSDI 2023, appendix B: two Gen1 NICs, one in the receiver's rack (2 us) and one in
/// another datacenter (1.77 ms), write 64 KB messages, up to 160 at once, at 40 Gb/s through marking from 1 to 2 MB
/// at up to 5 %. Measured there: about 17 Gb/s for each, and queue watermarks around 1.36 MB.
#[test]
fn two_flows_with_very_different_rtts_get_equal_rates() {
    let near = Time::from_ns(250);
    let mut scenario = star(40, &[near, near, Time::from_us(884)]);
    let plan = scenario.plan_settings(1, Time::ZERO);
    let base = |flow| fabric::base_rtt(&scenario, &mut scenario::Paths::new(&scenario.topology), &plan, flow);
    let bases: Vec<u64> = scenario.run_flows(1).iter().filter_map(base).map(Time::as_ns).collect();
    assert_eq!(bases, [1_447, 1_768_947]);
    Generation::Gen1.apply(&mut scenario.host);
    let marking = Ecn { kmin_bytes: 1_000_000, kmax_bytes: 2_000_000, pmax_ppm: 50_000 };
    scenario.switch.ecn = vec![(Rate::from_gbps(40), marking)];
    for flow in &mut scenario.flows {
        flow.messages = Messages { bytes: Some(64 << 10), outstanding: Some(160), ..Messages::default() };
    }
    let mut fabric = plain_fabric(&scenario, 1);
    let warm = Time::from_ms(100);
    fabric.run_until(warm);
    let acknowledged = |fabric: &Fabric<PlainSwitch>| -> Vec<u64> {
        fabric.flows().iter().map(|flow| flow.acknowledged_bytes).collect()
    };
    let (before, polls) = (acknowledged(&fabric), 7);
    queue(&mut fabric);
    let mut watermarks = Vec::new();
    for poll in 1..=polls {
        fabric.run_until(warm + Time::from_ms(50 * poll));
        watermarks.push(queue(&mut fabric).watermark_bytes as f64 / 1e6);
    }
    let seconds = 0.05 * polls as f64;
    let after = acknowledged(&fabric);
    let gbps: Vec<f64> =
        before.iter().zip(after).map(|(b, a)| (a - b) as f64 * 8.0 / seconds / 1e9).collect();
    let watermark = watermarks.iter().sum::<f64>() / polls as f64;
    println!("{gbps:?} Gb/s, watermarks {watermarks:?}, on average {watermark:.3} MB");
    for rate in &gbps {
        assert!((rate / 17.0 - 1.0).abs() < 0.15, "{gbps:?} Gb/s");
    }
    assert!((watermark / 1.36 - 1.0).abs() < 0.1, "{watermark} MB");
    assert!(watermarks.iter().all(|peak| *peak < 2.0), "{watermarks:?}");
    assert_eq!(fabric.pauses(), []);
}

/// The marking probability at the fixed point of DCQCN's fluid model (Zhu et al., SIGCOMM 2015, equations 5 to 9, and
/// Zhu et al., CoNEXT 2016, section 4): every flow sends `rate` packets a second, and receives at most one
/// notification in `coalescing`.
fn fixed_point(config: &DcqcnConfig, coalescing: Time, rate: f64, packet_bytes: f64) -> f64 {
    let recovery = f64::from(config.fast_recovery_times);
    let counter = config.byte_counter as f64 / packet_bytes;
    let timer = config.increase_timer.as_secs_f64() * rate;
    let step = config.additive_increase.0 as f64 / 8.0 / packet_bytes;
    let window = coalescing.as_secs_f64();
    let excess = |p: f64| {
        let unmarked = |packets: f64| (1.0 - p).powf(packets);
        let cut = 1.0 - unmarked(window * rate);
        let alpha = 1.0 - unmarked(config.alpha_interval.as_secs_f64() * rate);
        let (by_bytes, by_time) = (p / (1.0 / unmarked(counter) - 1.0), p / (1.0 / unmarked(timer) - 1.0));
        let additive = unmarked(recovery * counter) * by_bytes + unmarked(recovery * timer) * by_time;
        // Target minus rate for a constant target; then whether the rate rises or falls.
        let gap = window * step * rate * additive / cut;
        gap / 2.0 * rate * (by_bytes + by_time) - rate * alpha * cut / (2.0 * window)
    };
    let (mut low, mut high) = (1e-9f64, 0.5f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[test]
fn the_mean_queue_is_that_of_the_fluid_model() {
    // Flows, increase timer, byte counter, additive increase in Mb/s, marking curve.
    let curve = |kmin_bytes, kmax_bytes| Ecn { kmin_bytes, kmax_bytes, pmax_ppm: 10_000 };
    for (flows, timer_us, byte_counter, increase_mbps, marking) in [
        (2, 55, 10_000_000, 40, curve(5_000, 200_000)),
        (10, 55, 10_000_000, 40, curve(5_000, 200_000)),
        (4, 300, 10_000_000, 40, curve(40_000, 1_000_000)),
        (4, 1_500, 150_000, 40, curve(40_000, 1_000_000)),
        (20, 300, 10_000_000, 10, curve(40_000, 1_000_000)),
    ] {
        let mut scenario = star(40, &vec![Time::from_ns(500); flows + 1]);
        let coalescing = Time::from_us(50);
        let config = DcqcnConfig {
            cut: Cut::Immediate,
            decrease_interval: Time::ZERO,
            increase_timer: Time::from_us(timer_us),
            byte_counter,
            additive_increase: Rate(increase_mbps * 1_000_000),
            hyper_increase: Rate(increase_mbps * 1_000_000),
            min_rate: Rate(10_000_000),
            ..DcqcnConfig::default()
        };
        scenario.host.dcqcn = Some(config);
        scenario.host.notification = Notification::Packets { interval: coalescing };
        scenario.switch.ecn = vec![(Rate::from_gbps(40), marking)];
        let rate = 40e9 / 8.0 / PACKET as f64 / flows as f64;
        let p = fixed_point(&config, coalescing, rate, PACKET as f64);
        let span = (marking.kmax_bytes - marking.kmin_bytes) as f64;
        let expected = marking.kmin_bytes as f64 + p * 1e6 / f64::from(marking.pmax_ppm) * span;
        let mut fabric = plain_fabric(&scenario, 1);
        let warm = Time::from_ms(50);
        fabric.run_until(warm);
        let samples = 1_000;
        let mut sum = 0;
        for sample in 1..=samples {
            fabric.run_until(warm + Time::from_us(50 * sample));
            sum += queue(&mut fabric).bytes;
        }
        let mean = sum as f64 / samples as f64;
        println!("{flows} flows, p {p:.5}: {expected:.0} B expected, {mean:.0} B on average");
        assert!((mean / expected - 1.0).abs() < 0.25, "{flows} flows: {mean} B, expected {expected} B");
    }
}
