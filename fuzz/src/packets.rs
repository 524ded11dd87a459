//! The packet path: arbitrary frames, table entries and times for loaded programs.
//!
//! The first byte of an input selects the program; the rest is a list of steps. Afterwards the accounting of the
//! traffic manager must be consistent.

use arbitrary::{Result, Unstructured};
use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::ir::{ActionId, Bits, MatchKind, Program, Table};
use p4_switch::control::{ActionCall, FieldMatch, Replica, TableEntry};
use p4_switch::tm::TmConfig;
use p4_switch::{Switch, SwitchConfig};

use crate::programs;

const PORTS: u16 = 4;
/// Maximum number of steps of one input.
const STEPS: usize = 64;
/// Pass and jump limits, far below the defaults, so that inputs that reach them are fast.
const PASSES: u32 = 32;
const JUMPS: u32 = 2_000;

pub(crate) fn run(bytes: &[u8]) {
    let Some((&pick, rest)) = bytes.split_first() else { return };
    let all = programs::all();
    let Some(loaded) = all.get(usize::from(pick) % all.len()) else { return };
    let mut tm = TmConfig::lossy((1..=PORTS).map(|port| (port, Rate::from_gbps(100))), 1 << 16);
    tm.ports.truncate(usize::from(PORTS));
    let mut config = SwitchConfig::new(tm);
    config.limits.passes_per_packet = PASSES;
    config.limits.jumps_per_packet = JUMPS;
    let mut switch = Switch::new(config);
    if switch.load(loaded.program.clone()).is_err() {
        return;
    }
    let mut drive = Drive { switch, program: &loaded.program, now: Time::ZERO };
    let mut input = Unstructured::new(rest);
    for _ in 0..STEPS {
        if input.is_empty() || drive.step(&mut input).is_err() {
            break;
        }
    }
    drive.settle();
    assert!(
        drive.switch.traffic_manager().totals().balanced(),
        "{}: the accounting of the traffic manager is consistent",
        loaded.path.display()
    );
}

struct Drive<'p> {
    switch: Switch,
    program: &'p Program,
    now: Time,
}

impl Drive<'_> {
    fn step(&mut self, input: &mut Unstructured<'_>) -> Result<()> {
        match input.int_in_range(0..=9u8)? {
            0..=3 => {
                let port = input.int_in_range(0..=PORTS + 1)?;
                let frame = frame(input)?;
                self.switch.receive(self.now, port, frame);
            }
            4 => {
                let frame = frame(input)?;
                self.switch.packet_out(self.now, frame);
            }
            5 => {
                let port = input.arbitrary()?;
                self.switch.transmit(self.now, port);
            }
            6 => {
                self.now = Time(self.now.0 + u64::from(input.arbitrary::<u32>()?));
                self.switch.wake(self.now);
            }
            7 => self.insert(input)?,
            8 => self.write_register(input)?,
            _ => self.replicate(input)?,
        }
        Ok(())
    }

    /// Transmits all packets that can leave.
    fn settle(&mut self) {
        for port in 0..=PORTS + 1 {
            while self.switch.transmit(self.now, port).is_some() {}
        }
        self.switch.take_events();
    }

    fn insert(&mut self, input: &mut Unstructured<'_>) -> Result<()> {
        let Some(table) = pick(&self.program.tables, input)? else { return Ok(()) };
        let Some(chosen) = pick(&table.actions, input)?.map(|chosen| chosen.action) else { return Ok(()) };
        let entry =
            TableEntry::new(matches(table, input)?, input.int_in_range(0..=9)?, self.call(chosen, input)?);
        // Many entries are invalid and rejected, which is part of the test.
        let _ = self.switch.control().table_insert(table.preamble.name.as_str(), entry);
        Ok(())
    }

    fn call(&self, action: ActionId, input: &mut Unstructured<'_>) -> Result<ActionCall> {
        let params =
            self.program.actions.get(action.index()).map(|a| a.params.as_slice()).unwrap_or_default();
        let args = params.iter().map(|param| bits(param.kind.width(), input)).collect::<Result<_>>()?;
        Ok(ActionCall { action, args })
    }

    fn write_register(&mut self, input: &mut Unstructured<'_>) -> Result<()> {
        let Some(register) = pick(&self.program.registers, input)? else { return Ok(()) };
        let name = register.preamble.name.as_str();
        let index = u64::from(input.arbitrary::<u16>()?) % 64;
        let mut control = self.switch.control();
        let Ok(mut value) = control.register_read(name, index) else { return Ok(()) };
        for component in &mut value {
            *component = bits(component.width(), input)?;
        }
        let _ = control.register_write(name, index, &value);
        Ok(())
    }

    fn replicate(&mut self, input: &mut Unstructured<'_>) -> Result<()> {
        let group = input.int_in_range(0..=7u32)?;
        let mut replicas = Vec::new();
        for _ in 0..input.int_in_range(0..=3u8)? {
            replicas.push(Replica {
                egress_port: input.int_in_range(0..=PORTS + 1)?,
                instance: input.arbitrary()?,
            });
        }
        let _ = self.switch.control().multicast_insert(group, replicas);
        Ok(())
    }
}

fn pick<'a, T>(list: &'a [T], input: &mut Unstructured<'_>) -> Result<Option<&'a T>> {
    Ok(list.get(usize::from(input.arbitrary::<u16>()?) % list.len().max(1)))
}

fn frame(input: &mut Unstructured<'_>) -> Result<Frame> {
    let len = usize::from(input.arbitrary::<u8>()?).min(input.len());
    let tail = u32::from(input.arbitrary::<u16>()?) % 1_500;
    Ok(Frame::new(input.bytes(len.min(input.len()))?, tail))
}

fn bits(width: u32, input: &mut Unstructured<'_>) -> Result<Bits> {
    let len = (width as usize).div_ceil(8).min(input.len());
    Ok(Bits::from_be_bytes(width, input.bytes(len)?))
}

fn matches(table: &Table, input: &mut Unstructured<'_>) -> Result<Vec<FieldMatch>> {
    let keys = table.keys.iter().filter(|key| key.match_kind != MatchKind::Selector);
    keys.map(|key| {
        let width = key.expr.ty.width();
        let value = bits(width, input)?;
        Ok(match key.match_kind {
            _ if input.ratio(1, 8)? => FieldMatch::Any,
            MatchKind::Lpm => FieldMatch::Lpm { value, prefix_bits: input.int_in_range(0..=width + 1)? },
            MatchKind::Ternary => FieldMatch::Ternary { value, mask: bits(width, input)? },
            MatchKind::Range => FieldMatch::Range { low: value, high: bits(width, input)? },
            MatchKind::Exact | MatchKind::Optional | MatchKind::Selector => FieldMatch::Exact(value),
        })
    })
    .collect()
}

/// Seeds per program: an Ethernet frame with IPv4 and UDP, an empty frame, an entry.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut udp =
        vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0, 50, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1];
    udp.extend([10, 0, 0, 2, 0x27, 0x10, 0x12, 0xb7, 0, 30, 0, 0]);
    udp.resize(64, 0);
    let pfc =
        [1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0x08, 1, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
    let programs = 0..programs::all().len().min(256);
    let steps: [&[u8]; 3] = [&udp, &pfc, &[]];
    programs
        .flat_map(|program| {
            steps.map(|frame| {
                let mut seed = vec![program as u8];
                for port in [1u8, 2] {
                    seed.extend([0, port, frame.len() as u8, 0, 0]);
                    seed.extend(frame);
                }
                // An entry in a table, then the frame again.
                seed.extend([7, 0, 0, 1, 0, 1, 1, 10, 0, 0, 2, 24, 0, 0, 1]);
                seed.extend([0, 1, frame.len() as u8, 0, 0]);
                seed.extend(frame);
                seed
            })
        })
        .collect()
}
