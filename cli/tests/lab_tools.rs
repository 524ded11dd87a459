//! The usual tools of network engineers in a lab: `ping` and `iperf3` between hosts through the P4 switches, and `tshark`
//! on any interface. What they see and send is that of a real network.
//!
//! A lab needs the right to create network namespaces; without it, or without a tool, these tests are skipped.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests of processes read files and sockets"
)]

use std::cell::RefCell;
use std::process::{Child, Command, Output, Stdio};

use crate::lab::Lab;
use crate::support::skipped;
use serde_json::Value;

const SCENARIO: &str = "poster-fig1";
/// Bytes that iperf3 sends: some seconds at the rate of the lab's links.
const BYTES: u64 = 4 << 20;
/// Largest payload of an ICMP echo request in a frame of the lab: MTU 9000 without the headers of IPv4 and ICMP.
const PING_BYTES: usize = 9_000 - 20 - 8;

/// Whether a program is installed; reports the package that is missing otherwise.
fn has(program: &str, package: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    // `ping` has another option for its version; that it starts is enough.
    if version.is_err() {
        skipped(format_args!("there is no {program} (Debian package {package})"));
    }
    version.is_ok()
}

fn address(lab: &Lab, host: &str) -> String {
    lab.addresses(host).remove(0)
}

/// A process that is killed on drop.
struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn ping_gets_answers_from_every_host() {
    if !has("ping", "iputils-ping") {
        return;
    }
    let Some(lab) = Lab::up(SCENARIO, 48) else { return };
    let ping = |from: &str, to: &str, bytes: usize| {
        let (to, bytes) = (address(&lab, to), bytes.to_string());
        // Not fragmented.
        let arguments = ["-n", "-c", "3", "-i", "0.2", "-W", "10", "-M", "do", "-s", &bytes, &to];
        let output = lab.command(from, "ping").args(arguments).output().expect("ip(8) runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{from}: {text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("3 received, 0% packet loss"), "{from}: {text}");
    };
    for host in ["h2", "h3", "h4", "h5", "h6", "h7", "h8"] {
        ping("h1", host, 56);
    }
    ping("h8", "h1", 56);
    ping("h1", "h8", PING_BYTES);
}

#[test]
fn iperf3_moves_data_both_ways() {
    if !has("iperf3", "iperf3") {
        return;
    }
    let Some(lab) = Lab::up(SCENARIO, 49) else { return };
    let server = lab.command("h5", "iperf3").arg("-s").stdout(Stdio::null()).spawn().expect("ip(8) runs");
    let _server = Background(server);
    let (to, bytes) = (address(&lab, "h5"), BYTES.to_string());
    let client = |more: &[&str]| -> Output {
        let mut command = lab.command("h1", "iperf3");
        command.args(["-c", &to, "-n", &bytes, "-J"]).args(more).output().expect("ip(8) runs")
    };
    lab.until("the server listens", || client(&["-n", "1K"]).status.success());
    for more in [&[][..], &["-R"], &["-P", "4"]] {
        let output = client(more);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{more:?}: {text}");
        let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        // What is in buffers when the client has sent everything is not counted.
        let received = report["end"]["sum_received"]["bytes"].as_u64();
        let received = received.unwrap_or_else(|| panic!("{more:?}: without a sum of what arrived: {text}"));
        assert!(received > BYTES / 4, "{more:?}: only {received} of {BYTES} bytes arrived: {text}");
        let bits_per_second = report["end"]["sum_received"]["bits_per_second"].as_f64().unwrap_or(0.0);
        eprintln!("{more:?}: {received} bytes at {:.1} Mb/s", bits_per_second / 1e6);
    }
}

/// Captures at an interface, in the background, until this number of frames has passed the filter.
fn capture(lab: &Lab, node: &str, interface: &str, filter: &str, frames: u32) -> (Background, String) {
    let file = lab.directory().join(format!("{node}-{interface}.pcapng")).display().to_string();
    let child = lab
        .command(node, "tshark")
        .args(["-Q", "-i", interface, "-f", filter, "-c", &frames.to_string(), "-w", &file])
        .stderr(Stdio::null())
        .spawn()
        .expect("ip(8) runs");
    (Background(child), file)
}

/// Reads fields of all frames of a capture, one line each.
fn fields(file: &str, fields: &[&str]) -> Vec<Vec<String>> {
    let names = fields.iter().flat_map(|field| ["-e", field]);
    let output = Command::new("tshark")
        .args(["-r", file, "-o", "ip.check_checksum:TRUE", "-T", "fields", "-E", "separator=;"])
        .args(names)
        .output()
        .expect("tshark runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && !text.is_empty(),
        "{file}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.lines().map(|line| line.split(';').map(str::to_string).collect()).collect()
}

#[test]
fn tshark_decodes_rocev2_and_pfc_frames() {
    if !has("tshark", "tshark") {
        return;
    }
    let Some(lab) = Lab::up(SCENARIO, 46) else { return };
    // Data passes both switches; sw4 pauses sw2 during the incast.
    let captures = [
        capture(&lab, "sw2", "p3", "ether proto 0x8808", 4),
        capture(&lab, "h2", "eth0", "udp port 4791 or icmp", 200),
        capture(&lab, "sw4", "p2", "udp port 4791 or icmp", 200),
    ];
    let exists = |(_, file): &(Background, String)| std::path::Path::new(file).exists();
    lab.until("the captures have begun", || captures.iter().all(exists));
    lab.must(&["traffic"]);
    let [(pauses, pause_file), data @ ..] = captures;
    for (mut running, file) in data {
        assert!(running.0.wait().expect("a child").success());
        for frame in fields(
            &file,
            &["frame.protocols", "_ws.malformed", "ip.checksum.status", "infiniband.bth.opcode"],
        ) {
            let [protocols, malformed, checksum, opcode] = frame.as_slice() else { panic!("{frame:?}") };
            assert!(protocols.starts_with("eth:ethertype:ip:udp:infiniband"), "{file}: {frame:?}");
            assert_eq!((malformed.as_str(), checksum.as_str()), ("", "1"), "{file}: {frame:?}");
            // Reliable connections: SEND and WRITE are 0 to 11, ACK is 17, congestion notifications are 129.
            let opcode: u8 = opcode.parse().unwrap_or_else(|error| panic!("{error}: {frame:?}"));
            assert!(opcode <= 11 || [17, 129].contains(&opcode), "{file}: {frame:?}");
        }
    }
    // On a busy machine the senders of the incast may not meet, and the port pauses less often.
    let pauses = RefCell::new(pauses);
    let captured = || pauses.borrow_mut().0.try_wait().expect("a child");
    assert!(lab.wait_for_repeated("four pauses are captured", captured).success());
    let names =
        ["eth.dst", "_ws.malformed", "macc.opcode", "macc.cbfc.enbv", "macc.cbfc.pause_time.c3", "frame.len"];
    let frames = fields(&pause_file, &names);
    for frame in &frames {
        let expected = ["01:80:c2:00:00:01", "", "0x0101", "0x0008"];
        assert_eq!((&frame[..4], frame[5].as_str()), (&expected.map(String::from)[..], "60"));
    }
    let quanta: Vec<&str> = frames.iter().map(|frame| frame[4].as_str()).collect();
    assert!(quanta.iter().any(|quanta| *quanta != "0"), "a pause of priority 3: {quanta:?}");
}
