//! Further settings of devices: watchdogs, reaction times, NIC generations, messages and faults.

use model::host::descriptor::{Opcode, Transport};
use model::{PortRef, Rate, Time};
use p4_switch::tm::{Watchdog, WatchdogAction};

use super::check::check_start;
use super::table::{Load, Reader, Section};
use super::units::{A_RATE, A_SIZE, A_TIME, parse_bytes, parse_rate, parse_time};
use super::{host_name, set};
use crate::nic::{
    ContextModel, Cut, Generation, HostBus, Messages, MttModel, Operation, PollGapModel, ReceiveLimits,
    ReceiveWqeModel, Reliability, WriteOrdering,
};
use crate::settings::{HostSettings, Reaction, SwitchSettings};
use crate::{FaultKind, FaultSpec, Scenario};

const A_TIME_ABOVE_ZERO: &str = "a time above zero, e.g. \"10us\"";
const A_REACTION: &str = "\"none\", \"standard\" (IEEE 802.3) or a time";

fn above_zero(text: &str) -> Option<Time> {
    parse_time(text).filter(|time| *time > Time::ZERO)
}

fn reaction(text: &str) -> Option<Reaction> {
    match text {
        "none" => Some(Reaction::None),
        "standard" => Some(Reaction::Standard),
        time => parse_time(time).map(Reaction::After),
    }
}

/// One of a few words.
pub(super) fn word<T: Copy>(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    words: &[(&str, T)],
) -> Option<T> {
    let text = section.text(reader, key)?;
    let found = words.iter().find(|(word, _)| *word == text.value).map(|(_, value)| *value);
    if found.is_none() {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        reader.problem(&text.span, format!("`{key}` must be one of {}", known.join(", ")));
    }
    found
}

/// Cells, shared headroom, reaction, watchdog and SONiC configuration of a switch.
pub(super) fn read_switch(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    settings: &mut SwitchSettings,
    load: Load<'_>,
) {
    let cell = |w: &str| parse_bytes(w).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    set(&mut settings.cell_bytes, section.quantity(reader, "cell", "a size above zero, e.g. \"208B\"", cell));
    let shared = section.quantity(reader, "shared_headroom", A_SIZE, parse_bytes);
    settings.shared_headroom_bytes = shared.or(settings.shared_headroom_bytes);
    set(&mut settings.pfc_reaction, section.quantity(reader, "pfc_reaction", A_REACTION, reaction));
    if let Some(section) = section.section(reader, "watchdog") {
        settings.watchdog = Some(read_watchdog(reader, section, settings.lossless));
    }
    super::sonic_file::read(reader, section, settings, load);
}

fn read_watchdog(reader: &mut Reader<'_>, mut section: Section<'_>, lossless: u8) -> Watchdog {
    let detection = section.quantity(reader, "detection", A_TIME, above_zero).unwrap_or(Time::from_ms(200));
    let never_or = |w: &str| if w == "never" { Some(None) } else { above_zero(w).map(Some) };
    let restoration = section.quantity(reader, "restoration", "a time above zero or \"never\"", never_or);
    let actions = [
        ("drop", WatchdogAction::Drop),
        ("forward", WatchdogAction::Forward),
        ("alert", WatchdogAction::Alert),
    ];
    let action = word(reader, &mut section, "action", &actions).unwrap_or(WatchdogAction::Drop);
    let priorities = section.priorities(reader, "priorities").unwrap_or(lossless);
    section.finish(reader);
    Watchdog { detection, restoration: restoration.unwrap_or(Some(Time::from_ms(200))), action, priorities }
}

/// Generation, reliability, burst size, receive buffer, reaction time and watchdog of a NIC.
pub(super) fn read_host(reader: &mut Reader<'_>, section: &mut Section<'_>, host: &mut HostSettings) {
    let generations = [("gen1", Generation::Gen1), ("gen2", Generation::Gen2), ("gen3", Generation::Gen3)];
    let generation = word(reader, section, "generation", &generations);
    let interoperable = section.flag(reader, "interoperable") == Some(true);
    match generation {
        Some(generation) if interoperable => generation.interoperable(host),
        Some(generation) => generation.apply(host),
        None if interoperable => {
            reader.problem(&section.span, "`interoperable` needs `generation`");
        }
        None => {}
    }
    let kinds = [("go-back-n", Reliability::GoBackN), ("selective-repeat", Reliability::SelectiveRepeat)];
    set(&mut host.reliability, word(reader, section, "reliability", &kinds));
    let size = |section: &mut Section<'_>, reader: &mut Reader<'_>, key| {
        section.quantity(reader, key, A_SIZE, parse_bytes)
    };
    set(&mut host.burst_bytes, size(section, reader, "burst"));
    set(&mut host.receive.size_bytes, size(section, reader, "receive_buffer"));
    set(&mut host.receive.xoff_bytes, size(section, reader, "receive_xoff"));
    set(&mut host.receive.xon_bytes, size(section, reader, "receive_xon"));
    read_receive_pfc(reader, section, host);
    let pauses = host.receive.xoff_bytes != ReceiveLimits::NEVER_PAUSES;
    if pauses && host.receive.xon_bytes > host.receive.xoff_bytes {
        reader.problem(&section.place("receive_xon"), "`receive_xon` is above `receive_xoff`");
    }
    if pauses && host.receive.xoff_bytes > host.receive.size_bytes {
        let message = format!(
            "`receive_xoff` of {} B is above the `receive_buffer` of {} B: the NIC would drop packets and never pause",
            host.receive.xoff_bytes, host.receive.size_bytes
        );
        let place = section.given("receive_xoff").unwrap_or_else(|| section.place("receive_buffer"));
        reader.problem(&place, message);
    }
    set(&mut host.pfc_reaction, section.quantity(reader, "pfc_reaction", A_REACTION, reaction));
    set(&mut host.fences_registrations, section.flag(reader, "registration_fence"));
    set(&mut host.leaks_congestion, section.flag(reader, "congestion_leaking"));
    set(&mut host.translations.entries, section.integer::<u64>(reader, "translation_entries", 1..=1 << 24));
    set(&mut host.translations.miss, section.quantity(reader, "translation_miss", A_TIME, parse_time));
    let never_or = |w: &str| if w == "none" { Some(None) } else { above_zero(w).map(Some) };
    set(&mut host.watchdog, section.quantity(reader, "watchdog", "a time above zero or \"none\"", never_or));
}

/// Whether the NIC pauses its switch.
fn read_receive_pfc(reader: &mut Reader<'_>, section: &mut Section<'_>, host: &mut HostSettings) {
    match section.flag(reader, "receive_pfc") {
        Some(false) => {
            if let Some(place) = section.given("receive_xoff") {
                reader.problem(&place, "`receive_xoff` has no effect: `receive_pfc` is false");
            }
            host.receive.xoff_bytes = ReceiveLimits::NEVER_PAUSES;
        }
        // A host may differ from the others.
        Some(true) if host.receive.xoff_bytes == ReceiveLimits::NEVER_PAUSES => {
            host.receive.xoff_bytes = ReceiveLimits::default().xoff_bytes;
        }
        _ => {}
    }
}

/// When CNPs lower the rate.
pub(super) fn read_cut(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<Cut> {
    word(reader, section, "cut", &[("polled", Cut::Polled), ("immediate", Cut::Immediate)])
}

/// Messages of a flow.
pub(super) fn read_messages(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Messages {
    let operations = [("write", Operation::Write), ("send", Operation::Send), ("read", Operation::Read)];
    let size = |w: &str| parse_bytes(w).filter(|bytes| *bytes > 0);
    let operation = word(reader, section, "operation", &operations).unwrap_or_default();
    let registration = section.quantity(reader, "registration", A_TIME, parse_time);
    if registration.is_some() && operation == Operation::Read {
        let message = "`registration` has no effect on reads: their data is sent by the other host";
        reader.problem(&section.place("registration"), message);
    }
    Messages {
        operation,
        registration,
        bytes: section.quantity(reader, "message", "a size above zero", size),
        outstanding: section.integer::<u32>(reader, "outstanding", 1..=1_000_000),
        interval: section.quantity(reader, "message_interval", A_TIME, parse_time).unwrap_or(Time::ZERO),
        window_bytes: section.quantity(reader, "window", "a size above zero or \"none\"", |w| match w {
            "none" => Some(Messages::NO_WINDOW),
            w => size(w),
        }),
    }
}

/// `[[fault]]`: faults of hosts.
pub(super) fn read_faults(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    scenario: &Scenario,
) -> Vec<FaultSpec> {
    let mut faults = Vec::new();
    for mut section in root.sections(reader, "fault") {
        let host = host_name(reader, &mut section, "host", &scenario.topology);
        let start = section.quantity(reader, "start", A_TIME, parse_time).unwrap_or(Time::ZERO);
        check_start(reader, &section, start, scenario.stop);
        let start_jitter = section.quantity(reader, "jitter", A_TIME, parse_time).unwrap_or(Time::ZERO);
        let duration = section.quantity(reader, "duration", A_TIME_ABOVE_ZERO, above_zero);
        if duration.is_none() {
            section.missing(reader, "duration");
        }
        let kind = read_fault_kind(reader, &mut section, scenario, host.as_deref());
        section.finish(reader);
        if let (Some(host), Some(duration), Some(kind)) = (host, duration, kind) {
            let (kind, ordering) = kind;
            faults.push(FaultSpec { host, kind, ordering, start, start_jitter, duration });
        }
    }
    faults
}

fn read_fault_kind(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    scenario: &Scenario,
    host: Option<&str>,
) -> Option<(FaultKind, Option<WriteOrdering>)> {
    let Some(kind) = section.text(reader, "kind") else {
        section.missing(reader, "kind");
        return None;
    };
    let kind = match kind.value.as_str() {
        "storm" => Some(storm(reader, section, scenario, host)),
        "slow_receiver" => slow_receiver(reader, section, scenario, host),
        "mtt_misses" => mtt_misses(reader, section),
        "context_misses" => context_misses(reader, section),
        "receive_wqe_misses" => receive_wqe_misses(reader, section, scenario, host),
        "host_bus" => return host_bus(reader, section, scenario, host),
        "stopped_pipeline" => Some(FaultKind::StoppedPipeline),
        "poll_gaps" => poll_gaps(reader, section),
        _ => {
            let known = "\"storm\", \"slow_receiver\", \"mtt_misses\", \"context_misses\", \"receive_wqe_misses\", \"host_bus\", \"stopped_pipeline\" or \"poll_gaps\"";
            reader.problem(&kind.span, format!("`kind` must be {known}"));
            None
        }
    };
    kind.map(|kind| (kind, None))
}

/// Bytes of a pause frame on the wire: the frame of 64, preamble and interframe gap (IEEE 802.3, 4.2.3.2 and annex
/// 31D).
const PAUSE_WIRE_BYTES: u64 = 64 + 8 + 12;

/// By default the times between the frames of a storm vary by a tenth of their mean.
const STORM_JITTER_PARTS: u64 = 10;

fn storm(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    scenario: &Scenario,
    host: Option<&str>,
) -> FaultKind {
    let priority = section.integer::<u8>(reader, "priority", 0..=7).unwrap_or(3);
    let quanta = section.integer::<u16>(reader, "quanta", 1..=u16::MAX).unwrap_or(u16::MAX);
    let interval =
        section.quantity(reader, "interval", A_TIME_ABOVE_ZERO, above_zero).unwrap_or(Time::from_us(50));
    let rate = host.and_then(|host| scenario.topology.link_of(&PortRef::new(host, 1))).map(|link| link.rate);
    let frame = rate.map(|rate| rate.serialisation(PAUSE_WIRE_BYTES));
    if let (Some(host), Some(frame)) = (host, frame.filter(|frame| interval < *frame)) {
        let message = format!(
            "`interval` of {interval} is less than the {frame} that a pause frame takes on the link of `{host}`"
        );
        reader.problem(&section.place("interval"), message);
    }
    let jitter = section.quantity(reader, "interval_jitter", A_TIME, parse_time);
    let interval_jitter = jitter.unwrap_or(Time(interval.0 / STORM_JITTER_PARTS));
    if interval_jitter > interval {
        let message = format!("`interval_jitter` of {interval_jitter} is above the `interval` of {interval}");
        reader.problem(&section.place("interval_jitter"), message);
    }
    FaultKind::Storm { priority, quanta, interval, interval_jitter }
}

fn required_rate(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<Rate> {
    let rate = section.quantity(reader, "rate", A_RATE, |w| parse_rate(w).filter(|r| r.0 > 0));
    if rate.is_none() {
        section.missing(reader, "rate");
    }
    rate
}

fn slow_receiver(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    scenario: &Scenario,
    host: Option<&str>,
) -> Option<FaultKind> {
    let rate = required_rate(reader, section);
    let xoff_bytes = section.quantity(reader, "xoff", A_SIZE, parse_bytes).unwrap_or(64 << 10);
    let xon_bytes = section.quantity(reader, "xon", A_SIZE, parse_bytes).unwrap_or(32 << 10);
    if xon_bytes > xoff_bytes {
        let message = format!("`xon` of {xon_bytes} B is above the `xoff` of {xoff_bytes} B");
        reader.problem(&section.place("xon"), message);
    }
    let buffer_bytes = host.map(|host| scenario.host_settings(host).receive.size_bytes);
    if let Some(bytes) = buffer_bytes.filter(|bytes| xoff_bytes > *bytes) {
        let message = format!("`xoff` of {xoff_bytes} B is above the host's `receive_buffer` of {bytes} B");
        reader.problem(&section.place("xoff"), message);
    }
    Some(FaultKind::SlowReceiver { rate: rate?, xoff_bytes, xon_bytes })
}

fn mtt_misses(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<FaultKind> {
    let size = |w: &str| parse_bytes(w).filter(|bytes| *bytes > 0);
    let entries = section.integer::<u64>(reader, "entries", 0..=1 << 32).unwrap_or(2_048);
    let page_bytes = section.quantity(reader, "page", "a size above zero", size).unwrap_or(4_096);
    let region_bytes = section.quantity(reader, "region", "a size above zero", size);
    if region_bytes.is_none() {
        section.missing(reader, "region");
    }
    let miss = section.quantity(reader, "miss", A_TIME, above_zero).unwrap_or(Time::from_us(1));
    Some(FaultKind::MttMisses(MttModel { entries, page_bytes, region_bytes: region_bytes?, miss }))
}

fn context_misses(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<FaultKind> {
    let entries = section.integer::<u64>(reader, "entries", 0..=1 << 32).unwrap_or(256);
    let queue_pairs = section.integer::<u64>(reader, "queue_pairs", 1..=1 << 24);
    if queue_pairs.is_none() {
        section.missing(reader, "queue_pairs");
    }
    let miss = section.quantity(reader, "miss", A_TIME_ABOVE_ZERO, above_zero).unwrap_or(Time::from_us(1));
    Some(FaultKind::ContextMisses(ContextModel { entries, queue_pairs: queue_pairs?, miss }))
}

fn poll_gaps(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<FaultKind> {
    let gap = section.quantity(reader, "gap", A_TIME_ABOVE_ZERO, above_zero);
    if gap.is_none() {
        section.missing(reader, "gap");
    }
    // By default the application polls only between two gaps.
    let interval = section.quantity(reader, "interval", A_TIME_ABOVE_ZERO, above_zero).or(gap);
    let (gap, interval) = (gap?, interval?);
    if gap > interval {
        let message =
            format!("`gap` of {gap} is above the `interval` of {interval} between the starts of two gaps");
        reader.problem(&section.place("gap"), message);
    }
    Some(FaultKind::PollGaps(PollGapModel { gap, interval }))
}

const TRANSPORTS: [(&str, Transport); 3] =
    [("rc", Transport::Rc), ("uc", Transport::Uc), ("ud", Transport::Ud)];
const OPERATIONS: [(&str, Opcode); 3] =
    [("send", Opcode::Send), ("write", Opcode::Write), ("read", Opcode::Read)];

/// The queue pairs share one size of message; a packet has at most one message, and a message of UD has one packet.
fn receive_wqe_misses(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    scenario: &Scenario,
    host: Option<&str>,
) -> Option<FaultKind> {
    let transport = word(reader, section, "transport", &TRANSPORTS).unwrap_or(Transport::Ud);
    let operation = word(reader, section, "operation", &OPERATIONS).unwrap_or(Opcode::Send);
    let batch = section.integer::<u32>(reader, "batch", 1..=1 << 16);
    let depth = section.integer::<u32>(reader, "depth", 1..=1 << 16);
    for (key, given) in [("batch", batch), ("depth", depth)] {
        if given.is_none() {
            section.missing(reader, key);
        }
    }
    let queue_pairs = section.integer::<u32>(reader, "queue_pairs", 1..=1 << 24).unwrap_or(1);
    let entries = section.integer::<u64>(reader, "entries", 1..=1 << 32).unwrap_or(128);
    let prefetch = section.integer::<u64>(reader, "prefetch", 0..=1 << 16).unwrap_or(32);
    let miss = section.quantity(reader, "miss", A_TIME_ABOVE_ZERO, above_zero).unwrap_or(Time::from_us(1));
    let packet_bytes = scenario.host_settings(host.unwrap_or_default()).payload_bytes;
    let message = section.quantity(reader, "message", A_SIZE, parse_bytes);
    let message_bytes = message.unwrap_or(packet_bytes.into());
    if message_bytes < packet_bytes.into() {
        let message = format!("`message` of {message_bytes} B is below the `payload` of {packet_bytes} B");
        reader.problem(&section.place("message"), message);
    } else if transport == Transport::Ud && message_bytes > packet_bytes.into() {
        let message = format!(
            "`message` of {message_bytes} B is above the `payload` of {packet_bytes} B, and a message of UD is one packet"
        );
        reader.problem(&section.place("message"), message);
    }
    let (batch, depth) = (batch?, depth?);
    Some(FaultKind::ReceiveWqeMisses(ReceiveWqeModel {
        entries,
        prefetch,
        miss,
        transport,
        operation,
        batch,
        depth,
        queue_pairs,
        message_bytes,
        packet_bytes,
    }))
}

fn host_bus(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    scenario: &Scenario,
    host: Option<&str>,
) -> Option<(FaultKind, Option<WriteOrdering>)> {
    let latency = section.quantity(reader, "write_latency", A_TIME_ABOVE_ZERO, above_zero);
    let given = match latency {
        // A bus whose writes are ordered is as fast as the link otherwise.
        Some(_) => section.quantity(reader, "rate", A_RATE, |w| parse_rate(w).filter(|r| r.0 > 0)),
        None => required_rate(reader, section),
    };
    let loopback =
        section.quantity(reader, "loopback", "a rate, e.g. \"10Gbps\"", parse_rate).unwrap_or(Rate(0));
    let size = |w: &str| parse_bytes(w).filter(|bytes| *bytes > 0);
    let payload_bytes = section.quantity(reader, "write_payload", "a size above zero", size);
    let in_flight = section.integer::<u64>(reader, "writes_in_flight", 1..=65_536);
    for key in ["write_payload", "writes_in_flight"] {
        if let Some(place) = section.given(key).filter(|_| latency.is_none()) {
            reader.problem(&place, format!("`{key}` needs `write_latency`"));
        }
    }
    let line = host.and_then(|host| scenario.topology.link_of(&PortRef::new(host, 1))).map(|link| link.rate);
    let link = given.or_else(|| line.map(|line| HostBus::for_link(line).rate))?;
    let ordering = latency.map(|latency| WriteOrdering {
        link,
        payload_bytes: payload_bytes.unwrap_or(256),
        in_flight: in_flight.unwrap_or(16),
        latency,
    });
    let rate = ordering.map_or(link, |ordering| ordering.rate());
    Some((FaultKind::HostBus(HostBus { rate, loopback }), ordering))
}
