//! Random packets and table entries for any program, on the bytecode engine and on the plain interpreter: transmitted
//! packets, events and state must be equal. A case is a function of its seed.

#![allow(
    clippy::disallowed_methods,
    reason = "a test reads its programs, and from the environment what to repeat"
)]

use std::path::Path;
use std::sync::Arc;

use crate::files::Files;
use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::ir::{Bits, Expr, ExprKind, MatchKind, Pattern, Program, Stmt, Table, Target, Transition};
use p4_lang::{Options, compile};
use p4_switch::control::{
    ActionCall, CloneSession, EntryAction, EntryKey, FieldMatch, GroupMember, MeterConfig, ProfileGroup,
    ProfileMember, Replica, TableEntry,
};
use p4_switch::tm::TmConfig;
use p4_switch::{Engine, Event, Switch, SwitchConfig};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

/// Random choices from a seed.
struct Random(SplitMix64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        items.get(self.below(items.len()))
    }

    /// Returns a value that is often a small number or a constant of the program.
    fn bits(&mut self, width: u32, known: &[Bits]) -> Bits {
        match self.below(4) {
            0 => Bits::new(width, self.next() as u128 % 6),
            1 => {
                let same: Vec<&Bits> = known.iter().filter(|b| b.width() == width).collect();
                self.pick(&same).map_or_else(|| Bits::ones(width), |bits| (*bits).clone())
            }
            _ => Bits::from_limbs(width, (0..width.div_ceil(64)).map(|_| self.next()).collect()),
        }
    }
}

fn program(path: &Path) -> Arc<Program> {
    let compilation = compile(&path.display().to_string(), &Files, &Options::default());
    let report = compilation.report(false);
    Arc::new(compilation.program.unwrap_or_else(|| panic!("{report}")))
}

/// Returns the constants of the parser's selects; packets with these values reach more states.
fn select_constants(program: &Program) -> Vec<Bits> {
    let mut known = Vec::new();
    for state in &program.parser.states {
        if let Transition::Select { cases, .. } = &state.transition {
            for pattern in cases.iter().flat_map(|case| &case.patterns) {
                match pattern {
                    Pattern::Value(bits) | Pattern::Mask { value: bits, .. } => known.push(bits.clone()),
                    Pattern::Range { low, high, .. } => known.extend([low.clone(), high.clone()]),
                    Pattern::Any | Pattern::ValueSet(_) => {}
                }
            }
        }
    }
    known
}

/// Returns a packet for a random path through the parser: the headers of its states, with random or constant fields.
fn packet(program: &Program, known: &[Bits], random: &mut Random) -> Vec<u8> {
    if random.one_in(8) {
        return (0..random.below(200)).map(|_| random.next() as u8).collect();
    }
    let mut bits: Vec<bool> = Vec::new();
    let mut at = 0;
    for _ in 0..32 {
        let Some(state) = program.parser.states.get(at) else { break };
        for stmt in &state.body {
            header_bits(program, stmt, known, random, &mut bits);
        }
        at = match &state.transition {
            Transition::Goto(id) => id.index(),
            Transition::Select { keys, cases } => {
                let Some(case) = random.pick(cases) else { break };
                // The key is often the last field of the extracted header: set it to the value of the case.
                if let ([key], [Pattern::Value(value)]) = (keys.as_slice(), case.patterns.as_slice())
                    && let Some(from) = field_offset(program, state, key, bits.len())
                {
                    for i in 0..value.width() as usize {
                        if let Some(bit) = bits.get_mut(from + i) {
                            let shift = value.width() as usize - 1 - i;
                            *bit = value.limbs()[shift / 64] >> (shift % 64) & 1 == 1;
                        }
                    }
                }
                match case.target {
                    Target::State(id) => id.index(),
                    Target::Accept | Target::Reject => break,
                }
            }
            Transition::Accept | Transition::Reject => break,
        };
    }
    let mut bytes: Vec<u8> = bits
        .chunks(8)
        .map(|c| c.iter().enumerate().fold(0, |b, (i, bit)| b | u8::from(*bit) << (7 - i)))
        .collect();
    bytes.extend((0..random.below(40)).map(|_| random.next() as u8));
    if random.one_in(4) {
        for _ in 0..random.below(4) {
            let at = random.below(bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random.next() as u8;
            }
        }
    }
    if random.one_in(6) {
        bytes.truncate(random.below(bytes.len()));
    }
    bytes
}

/// Returns the offset of the field that a key reads, if the state has just extracted its header.
fn field_offset(program: &Program, state: &p4_lang::ir::State, key: &Expr, end: usize) -> Option<usize> {
    let ExprKind::Scalar(id) = key.kind else { return None };
    let extracted = state.body.iter().rev().find_map(|stmt| match stmt {
        Stmt::Extract(p4_lang::ir::HeaderRef::Static(header)) => {
            Some(&program.storage.headers[header.index()])
        }
        _ => None,
    })?;
    let from_key = extracted.fields.iter().skip_while(|field| **field != id);
    let width = |field: &p4_lang::ir::ScalarId| program.storage.scalars[field.index()].kind.width() as usize;
    let behind: usize = from_key.map(width).sum();
    if behind == 0 { None } else { end.checked_sub(behind) }
}

fn header_bits(program: &Program, stmt: &Stmt, known: &[Bits], random: &mut Random, bits: &mut Vec<bool>) {
    use p4_lang::ir::HeaderRef;
    let header = match stmt {
        Stmt::Extract(header) | Stmt::ExtractVarbit(header, _) => header,
        Stmt::Scope(body) => {
            return body.iter().for_each(|stmt| header_bits(program, stmt, known, random, bits));
        }
        _ => return,
    };
    let id = match header {
        HeaderRef::Static(id) => *id,
        HeaderRef::Element { stack, member, .. }
        | HeaderRef::Next { stack, member }
        | HeaderRef::Last { stack, member } => match &program.storage.stacks[stack.index()].elements {
            p4_lang::ir::StackElements::Headers(headers) => headers[0],
            p4_lang::ir::StackElements::Unions(unions) => {
                program.storage.unions[unions[0].index()].members[*member]
            }
        },
    };
    for field in &program.storage.headers[id.index()].fields {
        let kind = program.storage.scalars[field.index()].kind;
        if let p4_lang::ir::ScalarKind::Varbit(_) = kind {
            continue;
        }
        let value = random.bits(kind.width(), known);
        let bit = |at: u32| value.limbs()[(at / 64) as usize] >> (at % 64) & 1 == 1;
        bits.extend((0..kind.width()).rev().map(bit));
    }
}

/// Returns a match with one of few values, so that packets often match.
fn field_match(kind: MatchKind, width: u32, known: &[Bits], random: &mut Random) -> FieldMatch {
    let both = |a: &Bits, b: &Bits| {
        Bits::from_limbs(width, a.limbs().iter().zip(b.limbs()).map(|(a, b)| a & b).collect())
    };
    let value = random.bits(width, known);
    match kind {
        MatchKind::Exact | MatchKind::Selector => FieldMatch::Exact(value),
        MatchKind::Optional if random.one_in(2) => FieldMatch::Any,
        MatchKind::Optional => FieldMatch::Exact(value),
        MatchKind::Lpm => {
            let prefix_bits = random.below(width as usize + 1) as u32;
            let ones: Vec<u64> = Bits::ones(width).limbs().to_vec();
            let mut mask = vec![0u64; ones.len()];
            for at in width - prefix_bits..width {
                mask[(at / 64) as usize] |= 1 << (at % 64);
            }
            FieldMatch::Lpm { value: both(&value, &Bits::from_limbs(width, mask)), prefix_bits }
        }
        MatchKind::Ternary => {
            let mask = random.bits(width, known);
            FieldMatch::Ternary { value: both(&value, &mask), mask }
        }
        MatchKind::Range => {
            let other = random.bits(width, known);
            let larger = |a: &Bits, b: &Bits| a.limbs().iter().rev().gt(b.limbs().iter().rev());
            let (low, high) = if larger(&value, &other) { (other, value) } else { (value, other) };
            FieldMatch::Range { low, high }
        }
    }
}

fn call(program: &Program, table: &Table, known: &[Bits], random: &mut Random) -> Option<ActionCall> {
    let action = random.pick(&table.actions)?.action;
    let params = &program.actions[action.index()].params;
    let args = params
        .iter()
        .map(|p| match p.kind.width() {
            // Probably a port number.
            9 => Bits::new(9, random.below(8) as u128),
            width => random.bits(width, known),
        })
        .collect();
    Some(ActionCall { action, args })
}

/// Fills tables, profiles, meters, value sets, groups and sessions. Both switches must reject invalid requests with
/// the same error.
fn fill(program: &Program, known: &[Bits], random: &mut Random, switches: &mut [Switch; 3]) {
    let mut both = |f: &dyn Fn(&mut Switch) -> Result<(), p4_switch::ControlError>| {
        let [a, b, c] = switches.each_mut().map(|switch| f(switch).map_err(|e| e.to_string()));
        assert_eq!(a, c);
        assert_eq!(a, b);
    };
    for (index, profile) in program.action_profiles.iter().enumerate() {
        let name = &profile.preamble.name;
        let user = program.tables.iter().find(|t| t.implementation.is_some_and(|p| p.index() == index));
        let Some(table) = user else { continue };
        for id in 1..=6 {
            let Some(call) = call(program, table, known, random) else { continue };
            let member = ProfileMember { id, call };
            both(&|s| s.control().member_insert(name, &member));
        }
        for id in 1..=3 {
            let member = |random: &mut Random| GroupMember {
                member: 1 + random.below(6) as u32,
                weight: 1 + random.below(3) as u32,
                watch: Vec::new(),
            };
            let members = (0..random.below(4)).map(|_| member(random)).collect();
            let group = ProfileGroup { id, max_size: 0, members };
            both(&|s| s.control().group_insert(name, &group));
        }
    }
    for table in program.tables.iter().filter(|t| !t.const_entries) {
        let keys: Vec<_> = table.keys.iter().filter(|k| k.match_kind != MatchKind::Selector).collect();
        let by_priority = keys.iter().any(|k| !matches!(k.match_kind, MatchKind::Exact | MatchKind::Lpm));
        for _ in 0..random.below(24) {
            let matches =
                keys.iter().map(|k| field_match(k.match_kind, k.expr.ty.width(), known, random)).collect();
            let priority = if by_priority { 1 + random.below(5) as i32 } else { 0 };
            let action = match (table.implementation, random.below(2)) {
                (Some(_), 0) => EntryAction::Member(1 + random.below(6) as u32),
                (Some(_), _) => EntryAction::Group(1 + random.below(3) as u32),
                (None, _) => match call(program, table, known, random) {
                    Some(call) => EntryAction::Direct(call),
                    None => continue,
                },
            };
            let entry = TableEntry {
                key: EntryKey { matches, priority },
                action,
                idle_timeout: None,
                metadata: Vec::new(),
                is_const: false,
            };
            both(&|s| s.control().table_insert(&table.preamble.name, entry.clone()));
            if table.direct_meter.is_some() {
                let config = MeterConfig {
                    committed_rate: 1_000,
                    committed_burst: random.next() % 200,
                    peak_rate: 5_000,
                    peak_burst: 200 + random.next() % 200,
                };
                both(&|s| s.control().set_direct_meter(&table.preamble.name, Some(&entry.key), Some(config)));
            }
        }
    }
    for set in &program.value_sets {
        let member = |random: &mut Random| {
            let components = set.components.iter();
            components.map(|(_, width, kind)| field_match(*kind, *width, known, random)).collect()
        };
        let members: Vec<Vec<FieldMatch>> = (0..random.below(4)).map(|_| member(random)).collect();
        both(&|s| s.control().value_set_write(&set.preamble.name, &members));
    }
    for id in 1..=3 {
        let replica = |random: &mut Random| Replica {
            egress_port: random.below(8) as u16,
            instance: random.below(100) as u16,
        };
        let replicas: Vec<Replica> = (0..random.below(4)).map(|_| replica(random)).collect();
        let truncate_bytes = if random.one_in(2) { 20 } else { 0 };
        let session = CloneSession { replicas: replicas.clone(), truncate_bytes, ..CloneSession::default() };
        both(&|s| s.control().multicast_insert(id, replicas.clone()));
        both(&|s| s.control().clone_session_insert(id, session.clone()));
    }
}

fn switch(program: &Arc<Program>, engine: Engine) -> Switch {
    let ports = (0..16).map(|port| (port, Rate::from_gbps(100)));
    let mut config = SwitchConfig { engine, ..SwitchConfig::new(TmConfig::lossy(ports, 1 << 24)) };
    // Small limits, so that programs with endless loops end soon.
    config.limits.passes_per_packet = 64;
    config.limits.jumps_per_packet = 2_000;
    let mut switch = Switch::new(config);
    switch.load(Arc::clone(program)).unwrap_or_else(|e| panic!("{e}"));
    switch
}

/// Forwards a packet; returns the transmitted packets and the events.
fn forwarded(switch: &mut Switch, now: Time, port: u16, packet: &[u8]) -> (Vec<(u16, Vec<u8>)>, Vec<Event>) {
    let (mut sent, mut all) = (Vec::new(), Vec::new());
    switch.receive(now, port, Frame::new(packet, 0));
    while switch.has_events() {
        for event in switch.take_events() {
            if let Event::PortReady(port) = event {
                while let Some(frame) = switch.transmit(now, port) {
                    sent.push((port, bytes(&frame)));
                }
            }
            all.push(event);
        }
    }
    (sent, all)
}

fn bytes(frame: &Frame) -> Vec<u8> {
    let mut bytes = frame.head.to_vec();
    bytes.resize(frame.len() as usize, 0);
    bytes
}

fn registers(switch: &mut Switch, program: &Program) -> Vec<Vec<u64>> {
    let control = switch.control();
    let limbs = |name: &String| control.register(name).map(|r| r.limbs().to_vec()).unwrap_or_default();
    program.registers.iter().map(|register| limbs(&register.preamble.name)).collect()
}

fn counters(switch: &mut Switch, program: &Program) -> Vec<String> {
    let control = switch.control();
    let arrays = program.counters.iter().filter(|c| !c.direct);
    let arrays = arrays.map(|c| format!("{:?}", control.counter(&c.preamble.name)));
    let direct = program.tables.iter().map(|table| {
        let name = &table.preamble.name;
        let entries = control.table_entries(name).into_iter().flatten();
        let values = entries.map(|e| control.direct_counter(name, Some(&e.key)));
        format!("{:?}", values.collect::<Vec<_>>())
    });
    arrays.chain(direct).collect()
}

/// Runs one case: entries and packets from a seed.
pub(crate) fn case(name: &str, program: &Arc<Program>, seed: u64) {
    let mut random = Random(SplitMix64::seed_from_u64(seed));
    let known = select_constants(program);
    let mut switches =
        [Engine::MachineCode, Engine::Bytecode, Engine::Interpreter].map(|engine| switch(program, engine));
    fill(program, &known, &mut random, &mut switches);
    let repeat =
        format!("{name}\nP4_SEED={seed} P4_PROGRAM={name} cargo test -p p4-switch --test switch random");
    for number in 0..24 {
        let packet = packet(program, &known, &mut random);
        let port = random.below(8) as u16;
        let now = Time::from_us(10 * number);
        let [compiled, bytecode, interpreted] = switches.each_mut().map(|s| forwarded(s, now, port, &packet));
        assert_eq!(compiled, interpreted, "machine code, packet {number}, {packet:02x?}\n{repeat}");
        assert_eq!(bytecode, interpreted, "bytecode, packet {number}, {packet:02x?}\n{repeat}");
    }
    let [compiled, bytecode, interpreted] =
        switches.each_mut().map(|s| (registers(s, program), counters(s, program), s.counters()));
    assert_eq!(compiled, interpreted, "machine code\n{repeat}");
    assert_eq!(bytecode, interpreted, "bytecode\n{repeat}");
}

/// Reads a number from the environment.
pub(crate) fn environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs cases of a program: that of `P4_SEED`, or `P4_CASES` of them.
pub(crate) fn check(path: &Path) {
    let name = path.display().to_string();
    let program = program(path);
    if let Some(seed) = environment("P4_SEED") {
        return case(&name, &program, seed);
    }
    for seed in 0..environment("P4_CASES").unwrap_or(60) {
        case(&name, &program, seed);
    }
}
