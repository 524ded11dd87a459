//! State that outlives a packet: tables, arrays, groups.

pub(crate) mod array;
pub(crate) mod meter;
pub(crate) mod names;
pub(crate) mod profile;
pub(crate) mod replication;
pub(crate) mod value_set;

use model::Time;
use p4_lang::ir;

use crate::config::Limits;
use crate::control::{CounterValue, DigestConfig, EntryAction, FieldMatch, TableEntry};
use crate::error::{ControlError, LoadError};
use crate::table::{EntryTarget, Table};
use array::{CounterArray, Registers};
use meter::Meter;
use profile::Profile;
use replication::Replication;
use value_set::ValueSet;

/// The state of a loaded program.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) tables: Vec<Table>,
    pub(crate) registers: Registers,
    pub(crate) counters: Vec<CounterArray>,
    pub(crate) meters: Vec<Vec<Meter>>,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) value_sets: Vec<ValueSet>,
    pub(crate) replication: Replication,
    pub(crate) digests: Vec<Option<DigestConfig>>,
}

impl State {
    /// Creates the state of a newly loaded program: arrays are zero, tables hold the entries of the source.
    pub(crate) fn new(program: &ir::Program, limits: &Limits) -> Result<State, LoadError> {
        check_arrays(program, limits)?;
        let limit = limits.table_entries;
        Ok(State {
            tables: program.tables.iter().map(|t| new_table(program, t, limit)).collect::<Result<_, _>>()?,
            registers: Registers::new(program.registers.iter().map(|r| (r.components.as_slice(), r.size))),
            counters: program
                .counters
                .iter()
                .map(|c| CounterArray { values: vec![CounterValue::default(); c.size as usize] })
                .collect(),
            meters: program.meters.iter().map(|m| vec![Meter::default(); m.size as usize]).collect(),
            profiles: program.action_profiles.iter().map(|p| Profile::new(p, limit)).collect(),
            value_sets: program.value_sets.iter().map(|v| ValueSet::new(v, limit)).collect(),
            replication: Replication::default(),
            digests: vec![None; program.digests.len()],
        })
    }
}

/// Rejects programs whose arrays exceed the memory limit.
fn check_arrays(program: &ir::Program, limits: &Limits) -> Result<(), LoadError> {
    let registers = program.registers.iter().map(|r| {
        let limbs: usize = r.components.iter().map(|(_, kind)| crate::limbs::count(kind.width())).sum();
        (&r.preamble.name, r.size.saturating_mul(8 * limbs as u64))
    });
    let counters = program.counters.iter().map(|c| (&c.preamble.name, c.size.saturating_mul(16)));
    let meter_bytes = size_of::<Meter>() as u64;
    let meters = program.meters.iter().map(|m| (&m.preamble.name, m.size.saturating_mul(meter_bytes)));
    let mut wanted = 0u64;
    for (name, bytes) in registers.chain(counters).chain(meters) {
        wanted = wanted.saturating_add(bytes);
        if wanted > limits.array_bytes {
            return Err(LoadError::Limit {
                place: name.clone(),
                limit: "array_bytes",
                wanted,
                allowed: limits.array_bytes,
                unit: "bytes",
            });
        }
    }
    Ok(())
}

fn new_table(program: &ir::Program, source: &ir::Table, limit: u64) -> Result<Table, LoadError> {
    let entry_error = |entry| {
        let table = source.preamble.name.clone();
        move |error: ControlError| LoadError::Entry { table, entry, error }
    };
    let mut table = Table::new(program, source, limit).map_err(entry_error(0))?;
    for (index, entry) in source.entries.iter().enumerate() {
        let rank = (source.entries.len() - index) as i32;
        add_source_entry(&mut table, entry, rank).map_err(entry_error(index + 1))?;
    }
    Ok(table)
}

/// Adds an entry of the source. `rank` is the priority of entries that declare none; earlier entries win.
fn add_source_entry(table: &mut Table, entry: &ir::Entry, rank: i32) -> Result<(), ControlError> {
    let call = table.bound_call(&entry.action)?;
    let matches = entry.patterns.iter().map(source_match).collect::<Result<Vec<_>, _>>()?;
    let priority = if table.shape.needs_priority() { entry.priority.unwrap_or(rank) } else { 0 };
    let shown = TableEntry { is_const: entry.is_const, ..TableEntry::new(matches, priority, call) };
    let target = match &shown.action {
        EntryAction::Direct(call) => EntryTarget::Call(table.resolve(call, true)?),
        other => table.target(other)?,
    };
    table.insert_from_source(Time::ZERO, shown, target)
}

fn source_match(pattern: &ir::Pattern) -> Result<FieldMatch, ControlError> {
    use ir::Pattern;
    Ok(match pattern {
        Pattern::Any => FieldMatch::Any,
        Pattern::Value(value) => FieldMatch::Exact(value.clone()),
        Pattern::Mask { value, mask } => {
            let masked = value.limbs().iter().zip(mask.limbs()).map(|(v, m)| v & m).collect();
            let value = ir::Bits::from_limbs(value.width(), masked);
            FieldMatch::Ternary { value, mask: mask.clone() }
        }
        Pattern::Range { low, high, .. } => FieldMatch::Range { low: low.clone(), high: high.clone() },
        Pattern::ValueSet(_) => {
            return Err(ControlError::invalid("match", "an entry cannot match a value set"));
        }
    })
}
