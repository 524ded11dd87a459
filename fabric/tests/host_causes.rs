//! What the detectors conclude from the reports of simulated hosts: the model makes the symptom, and nothing else names it.

use host_diagnosis::{Fabric as Known, FabricState, HostDiagnosis, HostPart, diagnose};
use model::host::counters::Misses;
use model::{Cause, HostReport, Time};
use scenario::Scenario;

use crate::common::plain_fabric;

/// The report of `host` about the time between two moments, in us.
pub(crate) fn report(text: &str, host: &str, (from, to): (u64, u64)) -> HostReport {
    let scenario: Scenario =
        scenario::parse("host.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
    let mut fabric = plain_fabric(&scenario, 7);
    let mut reading = |at| {
        fabric.run_until(Time::from_us(at));
        fabric.nic_readings().into_iter().find(|reading| reading.host == host).unwrap()
    };
    let (first, last) = (reading(from), reading(to));
    fabric::host_report(&first, &last, 1 << 3)
}

fn causes(found: &HostDiagnosis) -> Vec<(Cause, HostPart)> {
    found.findings.iter().map(|finding| (finding.cause, finding.part.clone())).collect()
}

/// The causes that the detectors give while every hop of the fabric is clean; while it is congested they give none.
#[track_caller]
fn check(report: &HostReport, expected: &[Cause]) -> HostDiagnosis {
    let congested = diagnose(report, &Known::new(FabricState::Congested));
    assert_eq!(causes(&congested), [], "the fabric explains the delay");
    let found = diagnose(report, &Known::clean());
    let given: Vec<Cause> = found.findings.iter().map(|finding| finding.cause).collect();
    assert_eq!(given, expected, "{:#?}", found.findings);
    found
}

/// Three connections with round trips of 0.03, 0.4 and 1.6 ms, with these keys of hosts and flows.
fn connections(host: &str, flow: &str) -> HostReport {
    let text = format!(
        r#"
        name = "storage"
        stop = "25ms"
        [topology]
        switches = ["s"]
        hosts = ["h1", "near", "region", "far"]
        [[link]]
        a = "h1:1"
        b = "s:1"
        rate = "100Gbps"
        [[link]]
        a = "near:1"
        b = "s:2"
        rate = "100Gbps"
        delay = "10us"
        [[link]]
        a = "region:1"
        b = "s:3"
        rate = "100Gbps"
        delay = "200us"
        [[link]]
        a = "far:1"
        b = "s:4"
        rate = "100Gbps"
        delay = "800us"
        [switch]
        lossless = [3]
        [host]
        payload = 4096
        congestion_control = false
        {host}
        [[flow]]
        label = "storage"
        from = "h1"
        to = ["near", "region", "far"]
        size = "20MB"
        operation = "send"
        {flow}
        "#
    );
    report(&text, "h1", (0, 20_000))
}

/// A storage client that registers memory before every request.
fn storage(has_fence: bool, outstanding: u32) -> HostReport {
    let host = format!("registration_fence = {has_fence}");
    let flow = format!("message = \"16kB\"\noutstanding = {outstanding}\nregistration = \"1us\"");
    connections(&host, &flow)
}

/// One request completes in each round trip, however long it is and however many are posted (Bai et al., section 8.3).
#[test]
fn registrations_that_wait_for_completions_are_a_hidden_fence() {
    let found = check(&storage(true, 8), &[Cause::HiddenFence]);
    let HostPart::Connection(names) = &found.findings[0].part else { panic!("{:?}", found.findings) };
    assert_eq!(names.split(", ").count(), 3, "{names}");
    assert!(found.findings[0].confidence > 0.85, "three round trips correlate");
}

#[test]
fn registrations_that_follow_the_transmission_are_no_fence() {
    let report = storage(false, 160);
    let latency = report.latency.as_ref().unwrap();
    assert!(latency.operations.len() > 100 && latency.connections.len() == 3);
    check(&report, &[]);
}

/// Less than one request completes in a round trip, because the window is smaller than a request.
#[test]
fn a_small_window_is_no_fence() {
    check(&connections("window = \"64kB\"", "message = \"200kB\"\noutstanding = 20"), &[]);
    // The fence of a NIC without registrations has no effect.
    check(&connections("registration_fence = true", "message = \"16kB\"\noutstanding = 160"), &[]);
}

/// The application waits for each completion itself.
#[test]
fn one_request_at_a_time_is_no_fence() {
    check(&storage(true, 1), &[]);
    check(&storage(false, 1), &[]);
}

/// The cause of gaps between polls of 150 us, and that a host that polls in time has none.
#[test]
fn an_application_that_polls_late_is_named() {
    let gaps = |gap: &str| {
        let fault = format!(
            "[[fault]]\nkind = \"poll_gaps\"\nhost = \"h1\"\ngap = \"{gap}\"\ninterval = \"200us\"\nduration = \"25ms\""
        );
        connections("", &format!("message = \"16kB\"\noutstanding = 160\n{fault}"))
    };
    let found = check(&gaps("150us"), &[Cause::PollGap]);
    assert_eq!(found.findings[0].part, HostPart::Application("application".to_string()));
    let in_time = connections("", "message = \"16kB\"\noutstanding = 160");
    assert!(in_time.polls.as_ref().is_some_and(|polls| polls.gaps.is_empty()), "{:?}", in_time.polls);
    check(&in_time, &[]);
}

/// A tenant that sends messages of `message` bytes from h1 to h2 with a guarantee of 80 Gb/s, beside `other`.
fn shared(message: u64, other: &str) -> HostReport {
    let text = format!(
        r#"
        name = "shared"
        stop = "3ms"
        [topology]
        switches = ["s"]
        hosts = ["h1", "h2", "h3"]
        [[link]]
        a = "h1:1"
        b = "s:1"
        rate = "100Gbps"
        [[link]]
        a = "h2:1"
        b = "s:2"
        rate = "100Gbps"
        [[link]]
        a = "h3:1"
        b = "s:3"
        rate = "100Gbps"
        [switch]
        lossless = [3]
        [host]
        payload = 1024
        congestion_control = false
        translation_entries = 646
        [[flow]]
        label = "service"
        from = "h1"
        to = "h2"
        size = "60MB"
        message = "{message}B"
        [[tenant]]
        name = "service"
        host = "h1"
        flows = "service"
        alone = "89Gbps"
        guaranteed = "80Gbps"
        pages = 780
        {other}
        "#
    );
    report(&text, "h1", (500, 1_500))
}

fn bandwidth(report: &HostReport, tenant: &str) -> f64 {
    let mut tenants = report.tenants.iter().flat_map(|section| &section.nics[0].tenants);
    tenants.find(|one| one.name == tenant).unwrap().bandwidth_bps as f64 / 1e9
}

fn misses(report: &HostReport) -> Misses {
    report.counters.as_ref().unwrap().nics[0].caches.and_then(|caches| caches.mtt).unwrap()
}

/// A tenant of h1 without flows.
fn beside(keys: &str) -> String {
    format!("[[tenant]]\nname = \"other\"\nhost = \"h1\"\n{keys}")
}

/// Husky, table 1: 17.2 % of misses at nearly line rate, 49.1 % and half of the bandwidth while a tenant without any traffic
/// deregisters memory.
#[test]
fn a_tenant_that_deregisters_memory_takes_half_of_the_bandwidth_without_a_byte() {
    let alone = shared(512, "");
    let share = |report: &HostReport| misses(report).misses as f64 / misses(report).lookups.unwrap() as f64;
    assert!((share(&alone) - 0.172).abs() < 0.01, "{:?}", misses(&alone));
    check(&alone, &[]);
    let report = shared(512, &beside("deregistrations = 6500"));
    assert!((0.4..0.6).contains(&share(&report)), "{:?}", misses(&report));
    let lost = bandwidth(&report, "service") / bandwidth(&alone, "service");
    assert!((0.4..0.65).contains(&lost), "{lost} of the bandwidth");
    assert_eq!(bandwidth(&report, "other"), 0.0);
    let found = check(&report, &[Cause::NoisyTenant]);
    assert_eq!(found.findings[0].part, HostPart::Tenant("other".to_string()));
    assert!(found.findings[0].summary.contains("MTT"), "{}", found.findings[0].summary);
}

/// Husky, section 3.3: a request of the victim for each compare-and-swap.
#[test]
fn a_tenant_of_atomic_operations_occupies_the_processing_units() {
    let report = shared(1_024, &beside("verb = \"compare_swap\"\nrequests = 20_000_000"));
    assert!((30.0..45.0).contains(&bandwidth(&report, "service")), "{}", bandwidth(&report, "service"));
    let found = check(&report, &[Cause::NoisyTenant]);
    assert_eq!(found.findings[0].part, HostPart::Tenant("other".to_string()));
    assert!(found.findings[0].summary.contains("processing units"), "{}", found.findings[0].summary);
    assert!(bandwidth(&report, "other") < 1.0);
}

#[test]
fn a_tenant_that_leaves_what_was_promised_is_not_named() {
    check(&shared(1_024, &beside("verb = \"compare_swap\"\nrequests = 1_000_000")), &[]);
    check(&shared(1_024, &beside("deregistrations = 200")), &[]);
    // It is over before the report.
    check(&shared(512, &beside("deregistrations = 6500\nduration = \"400us\"")), &[]);
}

/// Two tenants fill the link: a rate limiter handles that, and no resource inside the NIC is exhausted.
#[test]
fn tenants_that_fill_the_link_are_not_noisy() {
    let flow =
        "[[flow]]\nlabel = \"bulk\"\nfrom = \"h1\"\nto = \"h3\"\nsize = \"60MB\"\nmessage = \"64KiB\"\n";
    let report = shared(1_024, &format!("{}\n{flow}", beside("flows = \"bulk\"")));
    assert!((40.0..50.0).contains(&bandwidth(&report, "service")), "{}", bandwidth(&report, "service"));
    check(&report, &[]);
}

/// The receiver is slow and pauses the switch, which pauses h1: the fabric explains what the tenant does not get.
#[test]
fn pauses_of_the_fabric_explain_what_a_tenant_does_not_get() {
    let fault = "[[fault]]\nkind = \"slow_receiver\"\nhost = \"h2\"\nrate = \"20Gbps\"\nduration = \"2ms\"\n";
    let tenant = beside("verb = \"compare_swap\"\nrequests = 20_000_000");
    let report = shared(1_024, &format!("{tenant}\n{fault}"));
    let paused = &report.counters.as_ref().unwrap().nics[0].received_pauses;
    assert!(!paused.is_empty() && bandwidth(&report, "service") < 30.0, "{paused:?}");
    check(&report, &[]);
}

/// A receiver of 100 Gb/s whose PCIe bus is slow as `keys` of the fault say, and messages of `message` bytes to it.
fn receiver(keys: &str, message: u64) -> HostReport {
    let text = format!(
        r#"
        name = "bus"
        stop = "3ms"
        [topology]
        switches = ["s"]
        hosts = ["h1", "h2"]
        [[link]]
        a = "h1:1"
        b = "s:1"
        rate = "100Gbps"
        [[link]]
        a = "h2:1"
        b = "s:2"
        rate = "100Gbps"
        [switch]
        lossless = [3]
        [host]
        payload = 4096
        congestion_control = false
        [[flow]]
        from = "h1"
        to = "h2"
        size = "40MB"
        message = "{message}B"
        [[fault]]
        kind = "host_bus"
        host = "h2"
        duration = "3ms"
        {keys}
        "#
    );
    report(&text, "h2", (500, 1_500))
}

/// The causes and the first advice about a host that pauses its switch.
fn of_pauses(report: &HostReport) -> (Vec<Cause>, Option<String>) {
    let found = diagnose(report, &Known::paused_by("h2"));
    let named = found.findings.iter().filter(|finding| finding.cause != Cause::Undetermined);
    let link = named.clone().find(|finding| finding.cause == Cause::IntraHostLink);
    let advice = link.and_then(|finding| finding.advice.first().cloned());
    (named.map(|finding| finding.cause).collect(), advice)
}

/// Collie, anomaly 9: 60 Gb/s on a link of 126, because writes are kept in order.
#[test]
fn ordered_writes_stall_a_link_that_has_room() {
    let ordered = receiver("write_latency = \"540ns\"", 65_536);
    let pcie = ordered.counters.as_ref().unwrap().nics[0].pcie.unwrap();
    let gbps = pcie.to_host_bytes as f64 * 8.0 / ordered.interval_ns as f64;
    assert!((55.0..61.0).contains(&gbps) && pcie.capacity_bps > 120_000_000_000, "{pcie:?}");
    let (causes, advice) = of_pauses(&ordered);
    assert_eq!(causes.first(), Some(&Cause::IntraHostLink), "{causes:?}");
    assert!(advice.unwrap().contains("relaxed ordering"));
    let settings = diagnose(&ordered, &Known::paused_by("h2"));
    assert!(settings.findings.iter().any(|finding| finding.summary.contains("relaxed ordering")));
    // A narrow link is full.
    let (causes, advice) = of_pauses(&receiver("rate = \"60Gbps\"", 65_536));
    assert_eq!(causes.first(), Some(&Cause::IntraHostLink), "{causes:?}");
    assert!(!advice.unwrap().contains("relaxed ordering"));
}

/// A write of 64 bytes takes as long as one of 256.
#[test]
fn ordered_writes_slow_short_messages_down_most() {
    let stalled = |message| {
        let report = receiver("write_latency = \"270ns\"", message);
        report.counters.as_ref().unwrap().nics[0].stalled_writes_ns.unwrap()
    };
    // 121 Gb/s of full writes keep up with the link; a write every 17 ns does not keep up with short messages.
    assert_eq!(stalled(65_536), 0);
    assert!(stalled(64) > 500_000, "{}", stalled(64));
}
