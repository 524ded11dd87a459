//! All externs and all ways to copy a packet, with `programs/externs.p4`.

use std::sync::Arc;

use crate::common::{bytes, drain, switch};
use model::Time;
use model::wire::Frame;
use p4_lang::ir::{Bits, Program};
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::control::{
    ActionCall, CloneSession, CounterValue, EntryAction, EntryKey, FieldMatch, GroupMember, MeterConfig,
    ProfileGroup, ProfileMember, Replica, TableEntry,
};
use p4_switch::{ControlError, DropReason, Event, Switch};
use proptest::prelude::*;

fn program() -> Arc<Program> {
    let loader = MemoryLoader::new().with("externs.p4", include_str!("programs/externs.p4"));
    let compilation = compile("externs.p4", &loader, &Options::default());
    let report = compilation.report(false);
    Arc::new(compilation.program.unwrap_or_else(|| panic!("{report}")))
}

fn packet(op: u8, index: u8, value: u32) -> Frame {
    let mut head = vec![op, index];
    head.extend(value.to_be_bytes());
    head.extend([0xee; 4]);
    Frame::new(&head, 0)
}

/// Sends a packet and returns the packets that leave port 1.
fn send(switch: &mut Switch, op: u8, index: u8, value: u32) -> Vec<Vec<u8>> {
    switch.receive(Time::ZERO, 2, packet(op, index, value));
    drain(switch, 1)
}

/// Returns the value field of the only packet.
fn value(packets: &[Vec<u8>]) -> u32 {
    assert_eq!(packets.len(), 1, "one packet");
    u32::from_be_bytes(packets[0][2..6].try_into().expect("four bytes"))
}

fn call(switch: &mut Switch, action: &str, port: Option<u128>) -> ActionCall {
    let action = switch.control().action(action).unwrap_or_else(|e| panic!("{e}"));
    ActionCall { action, args: port.map(|p| Bits::new(9, p)).into_iter().collect() }
}

fn exact(index: u128) -> Vec<FieldMatch> {
    vec![FieldMatch::Exact(Bits::new(8, index))]
}

fn key(index: u128) -> EntryKey {
    EntryKey { matches: exact(index), priority: 0 }
}

#[test]
fn registers_are_shared_by_program_and_control_plane() {
    let mut switch = switch(&program());
    switch.control().register_write("cells", 3, &[Bits::new(32, 7)]).expect("in bounds");
    assert_eq!(value(&send(&mut switch, 1, 3, 5)), 7);
    assert_eq!(value(&send(&mut switch, 1, 3, 5)), 12);
    assert_eq!(switch.control().register_read("cells", 3), Ok(vec![Bits::new(32, 17)]));
    // Out of bounds: reads return zero, writes are ignored.
    assert_eq!(value(&send(&mut switch, 1, 99, 5)), 0);
    let mut control = switch.control();
    assert_eq!(control.register("cells").expect("it exists").limbs().iter().sum::<u64>(), 17);
    control.register_write_limbs("cells", 4, &[1, u64::MAX]).expect("in bounds");
    assert_eq!(control.register("cells").expect("it exists").limbs()[3..7], [17, 1, 0xffff_ffff, 0]);
    let beyond = control.register_write("cells", 16, &[Bits::new(32, 0)]);
    assert!(matches!(beyond, Err(ControlError::InvalidArgument { .. })));
}

#[test]
fn counters_count_packets_and_bytes() {
    let mut switch = switch(&program());
    send(&mut switch, 2, 5, 0);
    send(&mut switch, 2, 5, 0);
    assert_eq!(switch.control().counter_read("seen", 5), Ok(CounterValue { packets: 2, bytes: 20 }));
}

#[test]
fn meters_mark_by_two_rates() {
    let mut switch = switch(&program());
    let config = MeterConfig { committed_rate: 1, committed_burst: 1, peak_rate: 2, peak_burst: 2 };
    switch.control().meter_write("limit", 4, Some(config)).expect("in bounds");
    let colours: Vec<u32> = (0..3).map(|_| value(&send(&mut switch, 3, 4, 9))).collect();
    assert_eq!(colours, [0, 1, 2]);
    assert_eq!(value(&send(&mut switch, 3, 5, 9)), 0);
}

#[test]
fn direct_counters_belong_to_entries_and_idle_entries_are_reported() {
    let mut switch = switch(&program());
    let counted = call(&mut switch, "counted", Some(1));
    let entry = TableEntry { idle_timeout: Some(Time::from_ms(1)), ..TableEntry::new(exact(7), 0, counted) };
    switch.control().table_insert("count_table", entry.clone()).expect("a new entry");
    let again = switch.control().table_insert("count_table", entry);
    assert!(matches!(again, Err(ControlError::AlreadyExists { .. })));
    assert_eq!(send(&mut switch, 4, 7, 0).len(), 1);
    assert_eq!(send(&mut switch, 4, 8, 0).len(), 0);
    let counter = switch.control().direct_counter("count_table", Some(&key(7)));
    assert_eq!(counter, Ok(CounterValue { packets: 1, bytes: 10 }));
    switch.take_events();
    assert_eq!(switch.next_wake(), Some(Time::from_ms(1)));
    switch.wake(Time::from_ms(1));
    let idle = |e: &Event| matches!(e, Event::EntryIdle { key: k, .. } if *k == key(7));
    assert_eq!(switch.take_events().iter().filter(|e| idle(e)).count(), 1);
    // Repeated each time the timeout passes, but not more often than entries are scanned.
    assert_eq!(switch.next_wake(), Some(Time::from_ms(11)));
    switch.receive(Time::from_ms(10), 2, packet(4, 7, 0));
    switch.take_events();
    switch.wake(Time::from_us(10_999));
    assert!(switch.take_events().is_empty(), "the entry has matched");
    switch.wake(Time::from_ms(11));
    assert_eq!(switch.take_events().iter().filter(|e| idle(e)).count(), 1);
    switch.wake(Time::from_ms(21));
    assert_eq!(switch.take_events().iter().filter(|e| idle(e)).count(), 1);
}

#[test]
fn tables_reject_invalid_entries() {
    let mut switch = switch(&program());
    let refuse = call(&mut switch, "refuse", None);
    for index in 0..4 {
        let entry = TableEntry::new(exact(index), 0, refuse.clone());
        switch.control().table_insert("count_table", entry).expect("there is room");
    }
    let mut control = switch.control();
    let full = control.table_insert("count_table", TableEntry::new(exact(9), 0, refuse.clone()));
    assert!(matches!(full, Err(ControlError::Full { limit: 4, .. })));
    let wide = vec![FieldMatch::Exact(Bits::new(16, 0x100))];
    let wide = control.table_insert("meter_table", TableEntry::new(wide, 0, refuse.clone()));
    assert_eq!(
        wide.map_err(|e| e.to_string()),
        Err("match hdr.op.index: the value does not fit into 8 bits".to_owned())
    );
    let direct = control.table_insert("profile_table", TableEntry::new(exact(1), 0, refuse.clone()));
    assert!(matches!(direct, Err(ControlError::InvalidArgument { .. })));
    let missing = control.table_delete("count_table", &key(9));
    assert!(matches!(missing, Err(ControlError::NotFound { .. })));
    control.table_delete("count_table", &key(0)).expect("the object exists");
    assert_eq!(control.table_len("count_table"), Ok(3));
    assert!(matches!(control.table_len("nowhere"), Err(ControlError::NotFound { .. })));
}

#[test]
fn direct_meters_mark_per_entry() {
    let mut switch = switch(&program());
    let metered = call(&mut switch, "metered", Some(1));
    let config = MeterConfig { committed_rate: 1, committed_burst: 0, peak_rate: 1, peak_burst: 1 };
    let mut control = switch.control();
    control.table_insert("meter_table", TableEntry::new(exact(1), 0, metered)).expect("a new entry");
    control.set_direct_meter("meter_table", Some(&key(1)), Some(config)).expect("a direct meter");
    assert_eq!(value(&send(&mut switch, 5, 1, 9)), 1);
    assert_eq!(value(&send(&mut switch, 5, 1, 9)), 2);
}

#[test]
fn selectors_choose_members_by_hash_and_weight() {
    let mut switch = switch(&program());
    for id in 1..=2 {
        let call = call(&mut switch, "send", Some(u128::from(id)));
        switch.control().member_insert("spread", &ProfileMember { id, call }).expect("a new member");
    }
    let member = |member, weight| GroupMember { member, weight, watch: Vec::new() };
    let group = ProfileGroup { id: 1, max_size: 0, members: vec![member(1, 3), member(2, 1)] };
    let mut control = switch.control();
    control.group_insert("spread", &group).expect("a new group");
    let entry =
        TableEntry { action: EntryAction::Group(1), ..TableEntry::new(exact(1), 0, placeholder_call()) };
    control.table_insert("select_table", entry).expect("a new entry");
    assert!(matches!(control.member_delete("spread", 1), Err(ControlError::InUse { .. })));
    assert!(matches!(control.group_delete("spread", 1), Err(ControlError::InUse { .. })));
    for flow in 0..400u32 {
        switch.receive(Time::ZERO, 3, packet(6, 1, flow.wrapping_mul(0x9e37_79b1)));
    }
    let (first, second) = (drain(&mut switch, 1).len(), drain(&mut switch, 2).len());
    assert_eq!(first + second, 400);
    assert!((240..360).contains(&first), "{first} of 400 by weight 3 of 4");
}

/// A placeholder that is replaced before use.
fn placeholder_call() -> ActionCall {
    ActionCall { action: p4_lang::ir::ActionId(0), args: Vec::new() }
}

#[test]
fn profiles_share_actions() {
    let mut switch = switch(&program());
    let to_one = call(&mut switch, "send", Some(1));
    let mut control = switch.control();
    control.member_insert("shared_actions", &ProfileMember { id: 5, call: to_one }).expect("a new member");
    let entry =
        TableEntry { action: EntryAction::Member(5), ..TableEntry::new(exact(1), 0, placeholder_call()) };
    control.table_insert("profile_table", entry.clone()).expect("a new entry");
    let other = TableEntry { action: EntryAction::Member(6), key: key(2), ..entry };
    assert!(matches!(control.table_insert("profile_table", other), Err(ControlError::NotFound { .. })));
    assert_eq!(value(&send(&mut switch, 7, 1, 0)), 1);
    let elsewhere = call(&mut switch, "send", Some(4));
    let member = ProfileMember { id: 5, call: elsewhere };
    switch.control().member_modify("shared_actions", &member).expect("the object exists");
    assert!(send(&mut switch, 7, 1, 0).is_empty());
    assert_eq!(drain(&mut switch, 4).len(), 1);
}

#[test]
fn digests_carry_their_arguments() {
    let mut switch = switch(&program());
    send(&mut switch, 8, 3, 0x0102_0304);
    let digests: Vec<Vec<Bits>> = switch
        .take_events()
        .into_iter()
        .filter_map(|e| if let Event::Digest { values, .. } = e { Some(values) } else { None })
        .collect();
    assert_eq!(digests, [vec![Bits::new(8, 3), Bits::new(32, 0x0102_0304)]]);
}

#[test]
fn clones_from_ingress_carry_the_received_packet() {
    let mut switch = switch(&program());
    let replicas = vec![Replica { egress_port: 4, instance: 9 }];
    let session = CloneSession { replicas, truncate_bytes: 7, ..CloneSession::default() };
    switch.control().clone_session_insert(3, session).expect("a new session");
    assert_eq!(value(&send(&mut switch, 9, 3, 5)), 0xffff_ffff);
    assert_eq!(drain(&mut switch, 4), [vec![9, 9, 0, 0, 0, 5, 0xee]]);
    // A clone to a session that does not exist leaves the original unchanged.
    assert_eq!(value(&send(&mut switch, 9, 4, 5)), 0xffff_ffff);
}

#[test]
fn multicast_makes_a_copy_for_each_replica() {
    let mut switch = switch(&program());
    let replicas = vec![
        Replica { egress_port: 1, instance: 1 },
        Replica { egress_port: 4, instance: 2 },
        Replica { egress_port: 4, instance: 3 },
    ];
    switch.control().multicast_insert(6, replicas).expect("a new group");
    let sent = send(&mut switch, 10, 6, 5);
    assert_eq!(sent.iter().map(|p| p[1]).collect::<Vec<_>>(), [1]);
    assert_eq!(drain(&mut switch, 4).iter().map(|p| p[1]).collect::<Vec<_>>(), [2, 3]);
    send(&mut switch, 10, 7, 5);
    assert_eq!(switch.counters().dropped_no_replicas, 1);
}

#[test]
fn packets_to_the_cpu_port_reach_the_controller() {
    let mut switch = switch(&program());
    let replicas = vec![Replica { egress_port: 510, instance: 1 }];
    switch.control().multicast_insert(6, replicas).expect("a new group");
    switch.packet_out(Time::ZERO, packet(10, 6, 5));
    let found = switch.take_events();
    let [Event::PacketIn { frame, .. }] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(bytes(frame)[..2], [10, 1]);
}

#[test]
fn resubmit_and_recirculate_keep_their_field_list() {
    let mut switch = switch(&program());
    assert_eq!(value(&send(&mut switch, 11, 5, 0)), 5);
    assert_eq!(switch.counters().resubmitted, 5);
    assert_eq!(value(&send(&mut switch, 12, 5, 0)), 5);
    assert_eq!(switch.counters().recirculated, 4);
}

#[test]
fn endless_resubmits_recirculations_and_loops_are_stopped() {
    let mut config = p4_switch::SwitchConfig::new(p4_switch::tm::TmConfig::lossy(
        (0..4).map(|port| (port, model::Rate::from_gbps(100))),
        1 << 20,
    ));
    config.limits.passes_per_packet = 20;
    config.limits.jumps_per_packet = 1_000;
    let mut switch = Switch::new(config);
    switch.load(program()).expect("the program compiles");
    assert!(send(&mut switch, 11, 200, 0).is_empty());
    assert!(send(&mut switch, 12, 200, 0).is_empty());
    assert!(send(&mut switch, 17, 0, 1_000_000).is_empty());
    assert_eq!((switch.counters().dropped_pass_limit, switch.counters().dropped_jump_limit), (2, 1));
    assert_eq!(value(&send(&mut switch, 17, 0, 900)), 1800);
}

#[test]
fn truncation_random_numbers_hashes_assertions_and_logs_take_effect() {
    let mut switch = switch(&program());
    assert_eq!(send(&mut switch, 13, 8, 1)[0].len(), 8);
    for _ in 0..20 {
        assert!((10..=13).contains(&value(&send(&mut switch, 14, 0, 0))));
    }
    assert!((100..150).contains(&value(&send(&mut switch, 15, 0, 77))));
    switch.take_events();
    send(&mut switch, 16, 1, 2);
    let events = switch.take_events();
    let failed = |e: &Event| matches!(e, Event::AssertFailed { assume: false, .. });
    assert!(events.iter().any(failed), "{events:?}");
    let logged = |e: &Event| matches!(e, Event::Log { text, .. } if text == "index 1 value 2");
    assert!(events.iter().any(logged), "{events:?}");
}

#[test]
fn enqueue_depth_equals_the_queue_depth() {
    let mut switch = switch(&program());
    for index in [3, 3, 5, 3] {
        switch.receive(Time::ZERO, 2, packet(18, index, 0));
    }
    let depths: Vec<(u8, u8)> = drain(&mut switch, 1).iter().map(|p| (p[1], p[5])).collect();
    assert_eq!(depths, [(5, 0), (3, 0), (3, 1), (3, 2)]);
}

#[test]
fn value_sets_select_parser_states_and_wide_values_are_exact() {
    let mut switch = switch(&program());
    let (a, b) = (0x0123_4567_89ab_cdef_0123_4567_89ab_cdef_u128, -5_000_000_000_000_000_000_000_i128);
    let mut head = vec![99, 0, 0, 0, 0, 7];
    head.extend(a.to_be_bytes());
    head.extend(b.to_be_bytes());
    let sent = |switch: &mut Switch| {
        switch.receive(Time::ZERO, 2, Frame::new(&head, 3));
        drain(switch, 1).remove(0)
    };
    let plain = sent(&mut switch);
    assert_eq!(plain[..38], head[..]);
    switch.control().value_set_write("big_ops", &[exact(99)]).expect("it fits");
    let computed = sent(&mut switch);
    assert_eq!(computed[1], 1);
    assert_eq!(computed[6..22], a.wrapping_mul(3).wrapping_add(7).to_be_bytes());
    assert_eq!(computed[22..38], (b >> 3).to_be_bytes());
    assert_eq!(computed[38..], [0, 0, 0]);
    let many = [exact(1), exact(2), exact(3), exact(4), exact(5)];
    assert!(matches!(
        switch.control().value_set_write("big_ops", &many),
        Err(ControlError::Full { limit: 4, .. })
    ));
}

#[test]
fn a_malformed_program_does_not_replace_the_loaded_one() {
    let mut switch = switch(&program());
    switch.control().register_write("cells", 1, &[Bits::new(32, 5)]).expect("in bounds");
    let mut bad = (*program()).clone();
    bad.registers[0].size = u64::MAX / 64;
    assert!(switch.load(Arc::new(bad)).is_err());
    let mut bad = (*program()).clone();
    bad.actions.clear();
    assert!(switch.load(Arc::new(bad)).is_err());
    assert_eq!(value(&send(&mut switch, 1, 1, 0)), 5);
}

#[test]
fn a_switch_without_a_program_drops_packets() {
    let mut switch = Switch::new(p4_switch::SwitchConfig::new(p4_switch::tm::TmConfig::lossy([], 0)));
    switch.receive(Time::ZERO, 1, packet(1, 1, 1));
    let dropped = |e: &Event| matches!(e, Event::Dropped { reason: DropReason::NoProgram, .. });
    assert!(switch.take_events().iter().any(dropped));
    assert_eq!(switch.control().register_read("cells", 0), Err(ControlError::NoProgram));
}

proptest! {
    #[test]
    fn any_packets_are_processed(
        packets in prop::collection::vec((0u16..600, prop::collection::vec(any::<u8>(), 0..60), 0u32..100), 1..20),
    ) {
        let mut switch = switch(&program());
        let replicas = (0..5).map(|p| Replica { egress_port: p, instance: p }).collect();
        switch.control().multicast_insert(1, replicas).expect("new");
        let session = CloneSession { multicast_group: Some(1), ..CloneSession::default() };
        switch.control().clone_session_insert(1, session).expect("new");
        switch.control().value_set_write("big_ops", &[exact(99)]).expect("it fits");
        for (port, bytes, tail) in packets {
            let mut bytes = bytes;
            if let Some(op) = bytes.first_mut() {
                // Loops of 2^32 iterations end at their limit, but take long.
                *op = if *op % 20 == 17 { 0 } else { *op % 20 };
            }
            switch.receive(Time::ZERO, port, Frame::new(&bytes, tail));
            for port in 0..16 {
                drain(&mut switch, port);
            }
        }
        prop_assert!(switch.traffic_manager().totals().balanced());
    }
}
