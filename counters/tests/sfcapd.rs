//! The collector of nfdump reads the same flows, packets and bytes from datagrams of sFlow as Harrier.
//!
//! `sfcapd` and `nfdump` are programs of another project (Debian: nfdump, nfdump-sflow); without them the test is skipped. Sampled
//! IPv4 records are left out: version 1.7.1 of sfcapd stores them without addresses.

#![allow(clippy::disallowed_types, reason = "the test sends datagrams to another program")]

use std::collections::BTreeMap;
use std::io::Write;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::sampling::{AGENT, PMACCTD_SFLOW, TIME_NS, collector, datagrams, words};

/// Packets and bytes by addresses and ports: `10.0.0.1 10000 10.0.3.1 4791`.
type Totals = BTreeMap<String, (u64, u64)>;

/// Repetitions of the first datagram until sfcapd receives, at a time-out each.
const PATIENCE: u32 = 200;
const TIME_OUT: Duration = Duration::from_millis(100);

/// An expanded flow sample of one of `rate` packets, with an Ethernet frame of `length` bytes, with or without a VLAN tag.
fn expanded(sequence: u32, rate: u32, length: u32, source: u8, is_tagged: bool) -> Vec<u8> {
    let mut header = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    if is_tagged {
        header.extend([0x81, 0, 0x60, 100]);
    }
    let ip_length = (length - 14 - if is_tagged { 4 } else { 0 }) as u16;
    header.extend([8, 0, 0x45, 0x68]);
    header.extend(ip_length.to_be_bytes());
    header.extend([0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, source, 10, 0, 3, 1]);
    header.extend([0xc0, 0, 0x12, 0xb7]);
    header.extend((ip_length - 20).to_be_bytes());
    header.extend([0, 0]);
    let known = header.len();
    header.resize(known.next_multiple_of(4), 0);
    let record = 16 + header.len() as u32;
    // Source (type and index), rate, pool, drops, input, output, one record: a raw header of Ethernet.
    let mut body = words(&[
        sequence,
        0,
        7,
        rate,
        rate * sequence,
        0,
        0,
        7,
        0,
        5,
        1,
        1,
        record,
        1,
        length,
        4,
        known as u32,
    ]);
    body.extend(header);
    let mut sample = words(&[3, body.len() as u32]);
    sample.extend(body);
    sample
}

/// The datagrams: recorded ones of pmacctd, and one of an agent that samples at two rates.
fn sent() -> Vec<Vec<u8>> {
    let mut all = datagrams(PMACCTD_SFLOW);
    let samples = [
        expanded(1, 1_000, 1_082, 5, false),
        expanded(2, 1_000, 1_086, 6, true),
        expanded(3, 4_096, 64, 5, false),
        expanded(4, 1_000, 4_178, 6, true),
    ];
    let mut datagram = words(&[5, 1, 0x0a00_0009, 7, 1, 1_000, samples.len() as u32]);
    samples.iter().for_each(|sample| datagram.extend(sample));
    all.push(datagram);
    all
}

/// sfcapd, which repeats what it has received to a socket. Stopped on drop.
struct Sfcapd {
    process: Child,
    port: u16,
    repeated: UdpSocket,
    folder: PathBuf,
}

impl Drop for Sfcapd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Sfcapd {
    fn start() -> std::io::Result<Sfcapd> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sfcapd");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let repeated = UdpSocket::bind("127.0.0.1:0")?;
        repeated.set_read_timeout(Some(TIME_OUT))?;
        let port = UdpSocket::bind("127.0.0.1:0")?.local_addr()?.port();
        let repeat = format!("127.0.0.1/{}", repeated.local_addr()?.port());
        let process = Command::new("sfcapd")
            .args(["-b", "127.0.0.1", "-p", &port.to_string(), "-t", "3600", "-R", &repeat, "-w"])
            .arg(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Sfcapd { process, port, repeated, folder })
    }

    /// Sends a datagram without samples until it is repeated: what was sent before has been read then.
    fn synchronise(&self, socket: &UdpSocket, number: u32) {
        let empty = words(&[5, 1, 0x0a00_0009, 99, number, 1_000, 0]);
        let mut received = [0; 65_535];
        for _ in 0..PATIENCE {
            socket.send_to(&empty, ("127.0.0.1", self.port)).expect("a datagram is sent");
            while let Ok(length) = self.repeated.recv(&mut received) {
                if received[..length] == empty {
                    return;
                }
            }
        }
        panic!("sfcapd repeats nothing");
    }

    /// What it has stored of these datagrams, as nfdump prints it.
    fn totals(mut self, datagrams: &[Vec<u8>]) -> Totals {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        self.synchronise(&socket, 1);
        for datagram in datagrams {
            socket.send_to(datagram, ("127.0.0.1", self.port)).expect("a datagram is sent");
        }
        self.synchronise(&socket, 2);
        // It writes its file when it ends.
        let signalled = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status();
        assert!(signalled.expect("kill is there").success());
        self.process.wait().expect("it ends");
        let read = Command::new("nfdump").arg("-R").arg(&self.folder).args(["-q", "-o", "csv"]).output();
        let read = read.expect("nfdump is there");
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        let text = String::from_utf8_lossy(&read.stdout).into_owned();
        let mut totals = Totals::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split(',').collect();
            let [_, _, _, src, dst, sport, dport, _, _, _, _, packets, bytes, ..] = fields.as_slice() else {
                continue;
            };
            // Other lines are a header and a summary.
            let (Ok(packets), Ok(bytes)) = (packets.parse::<u64>(), bytes.parse::<u64>()) else { continue };
            let total = totals.entry(format!("{src} {sport} {dst} {dport}")).or_default();
            *total = (total.0 + packets, total.1 + bytes);
        }
        totals
    }
}

#[test]
fn sfcapd_reads_the_same_flows() {
    let missing = |program: &str| Command::new(program).arg("-V").output().is_err();
    if ["sfcapd", "nfdump"].into_iter().any(missing) {
        let is_required = std::env::var_os("HARRIER_REQUIRE_DATA").is_some_and(|value| value == "1");
        assert!(!is_required, "no sfcapd or nfdump, and HARRIER_REQUIRE_DATA=1 is set; run scripts/setup.sh");
        let line = "SKIPPED: sfcapd_reads_the_same_flows: no sfcapd or nfdump; run scripts/setup.sh\n";
        let _ = std::io::stderr().write_all(line.as_bytes());
        return;
    }
    let datagrams = sent();
    let found = Sfcapd::start().expect("sfcapd starts").totals(&datagrams);
    let mut collector = collector();
    datagrams.iter().for_each(|datagram| collector.take(AGENT, datagram, TIME_NS));
    let mut own = Totals::new();
    for sample in collector.samples(&[]) {
        let flow = &sample.flow;
        let key = format!("{} {} {} {}", flow.src, flow.sport, flow.dst, flow.dport);
        let total = own.entry(key).or_default();
        *total = (total.0 + sample.packets, total.1 + sample.bytes);
    }
    assert_eq!(own.len(), 5, "{own:?}");
    assert_eq!(found, own);
}
