//! `harrier switch` on real interfaces: frames cross it whole, its ports pause and are paused, and what cannot work is
//! one clear error.

use crate::network::{Running, bytes, enter_namespace, ip, open, receive_until, veth};
use crate::support::{fixture, harrier, scratch};
use model::wire::{Frame, Pfc};

/// A switch between the interfaces `h1` and `h2`. With `--tm` if there are settings of buffers.
fn start(mtu: u32, rate: &str, settings: Option<&str>, name: &str) -> Running {
    start_program("switch/wire.p4", mtu, rate, settings, name)
}

fn start_program(program: &str, mtu: u32, rate: &str, settings: Option<&str>, name: &str) -> Running {
    veth("h1", "p1", mtu);
    veth("h2", "p2", mtu);
    let program = fixture(program).display().to_string();
    let (first, second) = (format!("1=p1@{rate}"), format!("2=p2@{rate}"));
    let mut args = vec!["switch", &program, "--listen", "127.0.0.1:0", "--port", &first, "--port", &second];
    let file = scratch(name).join("tm.toml");
    let path = file.display().to_string();
    if let Some(text) = settings {
        #[allow(clippy::disallowed_methods, reason = "the file is the input")]
        std::fs::write(&file, text).expect("the folder exists");
        args.extend(["--tm", &path]);
    }
    Running::start(&args, "listening on")
}

/// A frame of a priority with these bytes after the addresses.
fn frame(priority: u8, after_addresses: &[u8], length: usize) -> Frame {
    let mut head = vec![2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, priority];
    head.extend_from_slice(after_addresses);
    head.extend((1..=64).take(length - head.len()));
    let tail = length - head.len();
    Frame::new(&head, tail as u32)
}

fn pauses(frames: &[Vec<u8>]) -> Vec<Pfc> {
    frames.iter().filter_map(|frame| Pfc::from_bytes(frame)).collect()
}

#[track_caller]
fn check_frames_cross(program: &str, name: &str) {
    if !enter_namespace() {
        return;
    }
    let switch = start_program(program, 9216, "1G", None, name);
    let (mut h1, mut h2) = (open("h1"), open("h2"));
    let frames = [
        frame(0, &[0x88, 0xb5], 60),
        frame(0, &[0x88, 0xb5], 1514),
        frame(0, &[0x81, 0x00, 0x60, 0x64, 0x08, 0x00], 100),
        frame(0, &[0x81, 0x00, 0xa0, 0x00, 0x08, 0x00], 1518),
        frame(0, &[0x88, 0xb5], 9230),
    ];
    h1.send(&frames);
    let expected: Vec<Vec<u8>> = frames.iter().map(bytes).collect();
    assert_eq!(receive_until(&mut h2, |seen| seen.len() >= frames.len()), expected);
    h2.send(&frames);
    assert_eq!(receive_until(&mut h1, |seen| seen.len() >= frames.len()), expected);
    let (status, errors) = switch.terminate();
    assert_eq!(status, Some(0), "{errors}");
    assert!(errors.contains("port 1 (p1): 5 frames received, 5 sent"), "{errors}");
}

#[test]
fn frames_cross_the_switch_whole() {
    check_frames_cross("switch/wire.p4", "switch-frames");
}

#[test]
fn frames_cross_the_switch_with_a_program_of_bmv2() {
    check_frames_cross("switch/wire.json", "switch-frames-bmv2");
}

#[test]
fn a_full_lossless_queue_pauses_its_sender_and_loses_nothing() {
    if !enter_namespace() {
        return;
    }
    let settings =
        "[switch]\nlossless = [3]\nthreshold = \"20kB\"\nxon_offset = \"5kB\"\nheadroom = \"1MB\"\n";
    let _switch = start(1500, "20M", Some(settings), "switch-pause");
    let (mut h1, mut h2) = (open("h1"), open("h2"));
    let burst: Vec<Frame> = (0..100).map(|_| frame(3, &[0x88, 0xb5], 1514)).collect();
    h1.send(&burst);
    let to_sender = receive_until(&mut h1, |frames| pauses(frames).iter().any(|pfc| pfc.quanta[3] == 0));
    let pauses = pauses(&to_sender);
    assert_eq!(pauses[0], Pfc::single(3, u16::MAX), "the pause comes first");
    assert_eq!(receive_until(&mut h2, |frames| frames.len() >= burst.len()).len(), burst.len());
}

#[test]
fn a_paused_priority_waits_while_others_are_sent() {
    if !enter_namespace() {
        return;
    }
    let _switch = start(1500, "1M", None, "switch-paused");
    let (mut h1, mut h2) = (open("h1"), open("h2"));
    // 33 s at 1 Mb/s; the frame behind it shows that the switch has processed it.
    h2.send(&[Pfc::single(3, u16::MAX).to_frame([2; 6]), frame(0, &[0x88, 0xb5], 60)]);
    receive_until(&mut h1, |frames| !frames.is_empty());
    let (paused, other) = (frame(3, &[0x88, 0xb5], 80), frame(0, &[0x88, 0xb5], 90));
    h1.send(&[paused.clone(), other.clone()]);
    assert_eq!(receive_until(&mut h2, |frames| !frames.is_empty()), [bytes(&other)]);
    h2.send(&[Pfc::single(3, 0).to_frame([2; 6])]);
    assert_eq!(receive_until(&mut h2, |frames| !frames.is_empty()), [bytes(&paused)]);
}

/// The command fails with exit status 2 and one error that contains a text.
fn check_error(args: &[&str], expected: &str) {
    let program = fixture("switch/wire.p4").display().to_string();
    let ran = harrier(&[&["switch", &program, "--listen", "127.0.0.1:0"], args].concat());
    assert_eq!(ran.status, 2, "{args:?}: {}", ran.stderr);
    assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    assert_eq!(ran.stderr.matches("error:").count(), 1, "{args:?}: {}", ran.stderr);
    assert_eq!(ran.stdout, "", "{args:?}");
}

#[test]
fn ports_that_cannot_work_are_one_error() {
    if !enter_namespace() {
        return;
    }
    ip("link add down0 type veth peer name down1");
    veth("h1", "p1", 1500);
    check_error(&["--port", "1=eth77"], "--port 1: no interface eth77 in this network namespace");
    check_error(&["--port", "1=down0"], "interface down0 is down; `ip link set down0 up`");
    check_error(&["--port", "1=p1@fast"], "`fast` is not a rate; expected e.g. 10M, 1G or 25G");
    check_error(&["--port", "0=p1"], "expected a number from 1 to 509");
    check_error(&["--port", "1=p1", "--port", "1=h1"], "port 1 is attached to both p1 and h1");
    check_error(&["--port", "1=p1", "--port", "2=p1"], "interface p1 is attached to both port 1 and port 2");
    check_error(&["--port", "1=p1", "--cable", "2:3"], "either ports on interfaces or cables and tunnels");
    check_error(&["--port", "1=p1", "--tm", "/nonexistent.toml"], "/nonexistent.toml");
}

#[test]
fn settings_of_buffers_are_reported_with_their_position() {
    if !enter_namespace() {
        return;
    }
    veth("h1", "p1", 1500);
    let file = scratch("switch-settings").join("tm.toml");
    #[allow(clippy::disallowed_methods, reason = "the file is the input")]
    std::fs::write(&file, "[switch]\nlossless = [3]\nthreshhold = \"20kB\"\n").expect("the folder exists");
    let path = file.display().to_string();
    check_error(&["--port", "1=p1", "--tm", &path], "tm.toml:3:");
}
