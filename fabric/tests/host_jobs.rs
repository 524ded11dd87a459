//! What the detectors conclude from the reports of simulated hosts whose jobs compute on GPUs, or whose NIC leaks congestion.

use host_diagnosis::{Fabric as Known, HostPart, diagnose};
use model::{Cause, HostReport};

use crate::host_causes;

/// Four hosts at a switch; h1 sends to h2 with these keys of the flow, and with other entries of the scenario.
fn scenario(flow: &str, others: &str) -> String {
    let links: String = (1..=4)
        .map(|n| format!("[[link]]\na = \"h{n}:1\"\nb = \"s:{n}\"\nrate = \"100Gbps\"\ndelay = \"1us\"\n"))
        .collect();
    format!(
        r#"
        name = "job"
        stop = "5ms"
        [topology]
        switches = ["s"]
        hosts = ["h1", "h2", "h3", "h4"]
        {links}
        [switch]
        lossless = [3]
        [host]
        payload = 4096
        [[flow]]
        label = "step"
        from = "h1"
        to = "h2"
        size = "40MB"
        message = "128KiB"
        {flow}
        {others}
        "#
    )
}

/// The report of h1 about the time from 1 to 3 ms.
fn report(scenario: &str) -> HostReport {
    host_causes::report(scenario, "h1", (1_000, 3_000))
}

/// A job of h1 with these keys beside others; `expected` is what the detectors find if the fabric is clean.
#[track_caller]
fn check(job: &str, others: &str, expected: Option<(Cause, HostPart)>) -> HostReport {
    let job =
        format!("[[job]]\nname = \"train\"\nhost = \"h1\"\nflows = \"step\"\ngpus = \"g\"\n{job}\n{others}");
    let report = report(&scenario("outstanding = 1", &job));
    let found = diagnose(&report, &Known::clean());
    let given: Vec<(Cause, HostPart)> =
        found.findings.iter().map(|finding| (finding.cause, finding.part.clone())).collect();
    assert_eq!(given, expected.into_iter().collect::<Vec<_>>(), "{:#?}", found.findings);
    report
}

fn application(cause: Cause) -> Option<(Cause, HostPart)> {
    Some((cause, HostPart::Application("train".to_string())))
}

/// 128 KiB need 10.5 us on the wire (ARK, section 2.2).
#[test]
fn a_processor_that_starts_transfers_delays_them() {
    let with = |overhead| format!("compute = \"50us\"\ncontrol_overhead = \"{overhead}\"");
    let report = check(&with("151.6us"), "", application(Cause::HostControlOverhead));
    let transfers = report.latency.unwrap().transfers;
    assert!(transfers.iter().all(|one| one.posted_after_ns == Some(151_600)), "{transfers:?}");
    check(&with("40us"), "", application(Cause::HostControlOverhead));
    // The rest of the transfer is its time on the wire and a round trip.
    check(&with("1us"), "", None);
    check("compute = \"50us\"", "", None);
}

/// A job falls to 57 % of its rate next to one that uses three quarters of the GPU's time (TGS, section 1).
#[test]
fn another_job_on_the_gpu_slows_a_job_down() {
    let other = |gpu: &str, percent: u8| {
        let keys = format!("gpus = \"{gpu}\"\ngpu_percent = {percent}\nstart = \"1ms\"");
        format!("[[job]]\nname = \"batch\"\nhost = \"h1\"\n{keys}")
    };
    let job = "compute = \"500us\"\nusual = \"515us\"";
    let report = check(job, &other("g", 75), application(Cause::GpuCoLocation));
    let jobs = report.jobs.unwrap().jobs;
    let train = jobs.iter().find(|job| job.name == "train").unwrap();
    let slowest = train.progress.iter().map(|sample| sample.rate).fold(f64::INFINITY, f64::min);
    assert!((slowest / train.usual_rate.unwrap() - 0.57).abs() < 0.02, "{slowest}");
    check(job, &other("g", 10), None);
    check(job, &other("f", 75), None);
    check("compute = \"500us\"\nusual = \"300us\"", "", None);
}

/// 128 KiB take 10.6 us with headers at 100 Gb/s.
#[test]
fn a_job_that_wants_more_than_its_nic_carries_is_bound_by_it() {
    let bound = |wanted| {
        let job =
            format!("[[job]]\nname = \"fetch\"\nhost = \"h1\"\nflows = \"step\"\nwanted = \"{wanted}\"");
        let found = diagnose(&report(&scenario("outstanding = 4", &job)), &Known::clean());
        found.findings.iter().any(|finding| finding.cause == Cause::LegitimatelyNetworkBound)
    };
    assert!(bound("2us") && bound("10us"));
    assert!(!bound("11us") && !bound("50us"));
}

/// Whether the NIC of h1 leaks congestion, beside senders that congest the port of h2.
#[track_caller]
fn check_leaking(keys: &str, senders: &str, expected: bool) {
    let flow = |label: &str, from: &str, to: &str| {
        format!("[[flow]]\nlabel = \"{label}\"\nfrom = \"{from}\"\nto = \"{to}\"\nsize = \"40MB\"\n")
    };
    let own = "message = \"32KiB\"\noutstanding = 32\n";
    let others =
        format!("{}{own}{}{own}{senders}\n{keys}", flow("third", "h1", "h3"), flow("fourth", "h1", "h4"));
    let found = diagnose(&report(&scenario("outstanding = 32", &others)), &Known::clean());
    let leaks = found.findings.iter().any(|finding| finding.cause == Cause::CongestionLeaking);
    assert_eq!(leaks, expected, "{:#?}", found.findings);
}

/// All flows of the NIC are as slow as the one that congestion control slows down (Bai et al., section 8.3).
#[test]
fn congestion_of_one_flow_leaks_to_the_others_of_a_nic_that_serves_them_in_turn() {
    let burst =
        "[[flow]]\nlabel = \"other\"\nfrom = [\"h3\", \"h4\"]\nto = \"h2\"\nsize = \"40MB\"\ncount = 4\n";
    let leaks = "[hosts.h1]\ncongestion_leaking = true";
    check_leaking(leaks, burst, true);
    check_leaking("", burst, false);
    check_leaking(leaks, "", false);
}
