//! The switch forwards packets without allocating, once its storage has grown.

use allocation_counter::measure;
use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::ir::Bits;
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::control::{ActionCall, FieldMatch, TableEntry};
use p4_switch::tm::TmConfig;
use p4_switch::{Event, Switch, SwitchConfig};

fn router() -> Switch {
    let loader = MemoryLoader::new().with("router.p4", include_str!("programs/router.p4"));
    let compilation = compile("router.p4", &loader, &Options::default());
    let program = compilation.program.expect("the program compiles");
    let tm = TmConfig::lossy((0..=4).map(|port| (port, Rate::from_gbps(100))), 1 << 20);
    let mut switch = Switch::new(SwitchConfig::new(tm));
    switch.load(program.into()).expect("it fits");
    let action = switch.control().action("forward").expect("the program declares the action");
    for route in 0..64u128 {
        let value = Bits::new(32, 0x0a00_0000 | route << 8);
        let args = vec![Bits::new(48, 0x0600_0000_0000 + route), Bits::new(9, 2)];
        let entry =
            TableEntry::new(vec![FieldMatch::Lpm { value, prefix_bits: 24 }], 0, ActionCall { action, args });
        switch.control().table_insert("routes", entry).expect("a new route");
    }
    switch
}

fn packet(route: u8) -> Frame {
    let mut head = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    let mut ip = [0x45, 0, 0, 50, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, route, 9];
    let sum = model::wire::ipv4::checksum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    head.extend(ip);
    head.resize(64, 0);
    Frame::new(&head, 0)
}

/// Forwards the frames for a number of rounds; returns how many packets left.
fn forward(switch: &mut Switch, frames: &[Frame], events: &mut Vec<Event>, rounds: usize) -> usize {
    let mut sent = 0;
    for frame in frames.iter().cycle().take(rounds * frames.len()) {
        switch.receive(Time::ZERO, 1, frame.clone());
        sent += usize::from(switch.transmit(Time::ZERO, 2).is_some());
        switch.drain_events(events);
        events.clear();
    }
    sent
}

#[test]
fn routing_does_not_allocate() {
    let mut switch = router();
    let frames: Vec<Frame> = (0..64).map(packet).collect();
    let mut events = Vec::new();
    assert_eq!(forward(&mut switch, &frames, &mut events, 4), 256);
    let mut sent = 0;
    let allocated = measure(|| sent = forward(&mut switch, &frames, &mut events, 16));
    assert_eq!(sent, 1024);
    assert_eq!(allocated.count_total, 0, "{allocated:?}");
}
