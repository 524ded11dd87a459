//! LLDP with another implementation: Debian's lldpd is seen, and sees the frames of `model::wire::lldp`.

#![allow(clippy::disallowed_methods, reason = "deadlines, and the folder of another program")]

mod common;

use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{enter_namespace, veth};
use harrier_net::{Options, Port, wait};
use model::wire::lldp::{ChassisId, ETHERTYPE_LLDP, Lldp, PortId};

const DEADLINE: Duration = Duration::from_secs(60);

/// A running lldpd; killed on drop.
struct Lldpd {
    process: Child,
    socket: PathBuf,
}

impl Lldpd {
    /// Starts it on an interface; `None` if it is not installed.
    fn start(interface: &str) -> Option<Lldpd> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lldpd");
        std::fs::create_dir_all(&folder).expect("a folder can be made in the target folder");
        let socket = folder.join("socket");
        let process = Command::new("lldpd")
            .args(["-d", "-I", interface, "-u"])
            .arg(&socket)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match process {
            Ok(process) => Some(Lldpd { process, socket }),
            Err(error) => {
                eprintln!("skipped: lldpd: {error}");
                None
            }
        }
    }

    /// What lldpcli prints about the neighbours.
    fn neighbours(&self) -> String {
        let output = Command::new("lldpcli")
            .arg("-u")
            .arg(&self.socket)
            .args(["-f", "keyvalue", "show", "neighbors"])
            .output()
            .expect("lldpcli is installed with lldpd");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Lldpd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn lldpd_is_seen_and_sees() {
    if !enter_namespace() {
        return;
    }
    veth("ta", "tb", 1500);
    let options = Options { ethertype: Some(ETHERTYPE_LLDP), ..Options::default() };
    let mut port = Port::open("ta", &options).expect("the interface exists");
    let Some(lldpd) = Lldpd::start("tb") else { return };
    let own = Lldp {
        chassis: ChassisId::Local("leaf1".into()),
        port: PortId::Local("3".into()),
        ttl_s: 120,
        port_description: Some("port 3".into()),
        system_name: Some("leaf1".into()),
        system_description: None,
    };
    let end = Instant::now() + DEADLINE;
    let (mut seen, mut ready) = (None, Vec::new());
    let expected = ["lldp.tb.chassis.local=leaf1", "lldp.tb.port.local=3", "lldp.tb.port.descr=port 3"];
    loop {
        // lldpd opens its socket some time after its start, and misses earlier frames.
        port.send(&[own.to_frame([2, 0, 0, 0, 0, 1])]);
        wait(&[port.as_fd()], Some(Duration::from_millis(200)), &mut ready).expect("the port can be polled");
        port.receive(|frame| seen = Lldp::from_bytes(frame.bytes).ok().or(seen.take())).expect("it receives");
        let neighbours = lldpd.neighbours();
        if seen.is_some() && expected.iter().all(|line| neighbours.contains(line)) {
            break;
        }
        assert!(Instant::now() < end, "seen {seen:?}; lldpd sees:\n{neighbours}");
    }
    let seen = seen.expect("an announcement of lldpd");
    assert!(matches!((&seen.chassis, &seen.port), (ChassisId::Mac(_), PortId::Mac(_))), "{seen:?}");
    assert_eq!((seen.ttl_s, seen.port_description.as_deref()), (120, Some("tb")));
    assert!(seen.system_name.is_some() && seen.system_description.is_some(), "{seen:?}");
}
