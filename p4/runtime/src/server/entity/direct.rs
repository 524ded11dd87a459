//! Direct counters and meters, and values shared with indirect ones.
//!
//! Source: P4Runtime specification, "DirectCounterEntry", "DirectMeterEntry".

use super::table::{key, read as read_table};
use super::{Target, modify_only, wrap};
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, update::Type};
use crate::server::read::Output;
use p4_lang::ir;
use p4_switch::control::{CounterValue, EntryKey, MarkedCounts, MeterConfig};

pub(crate) fn counter_data(value: CounterValue) -> v1::CounterData {
    let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    v1::CounterData { byte_count: signed(value.bytes), packet_count: signed(value.packets) }
}

pub(crate) fn counter_value(data: &v1::CounterData) -> Result<CounterValue, Refusal> {
    match (u64::try_from(data.packet_count), u64::try_from(data.byte_count)) {
        (Ok(packets), Ok(bytes)) => Ok(CounterValue { packets, bytes }),
        _ => Err(Refusal::invalid("a counter cannot be negative")),
    }
}

pub(crate) fn meter_message(config: MeterConfig) -> v1::MeterConfig {
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    v1::MeterConfig {
        cir: signed(config.committed_rate),
        cburst: signed(config.committed_burst),
        pir: signed(config.peak_rate),
        pburst: signed(config.peak_burst),
        eburst: 0,
    }
}

pub(crate) fn meter_config(message: &v1::MeterConfig) -> Result<MeterConfig, Refusal> {
    let number = |name: &str, value: i64| {
        u64::try_from(value).map_err(|_| Refusal::invalid(format!("meter {name} is negative")))
    };
    if message.eburst != 0 {
        return Err(Refusal::invalid("meter eburst must be unset: v1model's meters have two rates"));
    }
    let config = MeterConfig {
        committed_rate: number("cir", message.cir)?,
        committed_burst: number("cburst", message.cburst)?,
        peak_rate: number("pir", message.pir)?,
        peak_burst: number("pburst", message.pburst)?,
    };
    if config.peak_rate < config.committed_rate {
        return Err(Refusal::invalid("meter pir is below cir"));
    }
    Ok(config)
}

pub(crate) fn marked_message(marked: MarkedCounts) -> v1::MeterCounterData {
    let MarkedCounts { green, yellow, red } = marked;
    let [green, yellow, red] = [green, yellow, red].map(|count| Some(counter_data(count)));
    v1::MeterCounterData { green, yellow, red }
}

/// Decodes the per-colour counters of a meter, which can only be set to zero; `None` leaves them unchanged.
pub(crate) fn marked_value(data: Option<&v1::MeterCounterData>) -> Result<Option<MarkedCounts>, Refusal> {
    let Some(data) = data else { return Ok(None) };
    let zero = v1::CounterData::default();
    match [data.green, data.yellow, data.red].into_iter().flatten().all(|count| count == zero) {
        true => Ok(Some(MarkedCounts::default())),
        false => Err(Refusal::invalid("a meter's counters for each colour can only be set to zero")),
    }
}

/// Decodes the same counters to roll back a failed batch; any value is allowed.
pub(crate) fn marked_before(data: &v1::MeterCounterData) -> MarkedCounts {
    let count =
        |data: Option<v1::CounterData>| data.and_then(|data| counter_value(&data).ok()).unwrap_or_default();
    MarkedCounts { green: count(data.green), yellow: count(data.yellow), red: count(data.red) }
}

/// The entry that a direct resource belongs to; `None` for the default entry.
pub(crate) fn owner<'a>(
    target: &Target<'a>,
    entry: Option<&v1::TableEntry>,
) -> Result<(&'a ir::Table, Option<EntryKey>), Refusal> {
    let Some(entry) = entry else { return Err(Refusal::invalid("table_entry is not set")) };
    let (_, table) = target.pipeline.table(entry.table_id)?;
    if entry.is_default_action {
        if !entry.r#match.is_empty() || entry.priority != 0 {
            return Err(Refusal::invalid("a default entry has neither match fields nor a priority"));
        }
        return Ok((table, None));
    }
    Ok((table, Some(key(target, table, entry)?)))
}

pub(crate) fn write_counter(
    target: &mut Target<'_>,
    kind: Type,
    entry: &v1::DirectCounterEntry,
) -> Result<(), Refusal> {
    modify_only(kind, "direct counter")?;
    let (table, key) = owner(target, entry.table_entry.as_ref())?;
    check_counter(table)?;
    let value = entry.data.as_ref().map(counter_value).transpose()?;
    let current = target.control.direct_counter(table.preamble.id, key.as_ref())?;
    target.control.set_direct_counter(table.preamble.id, key.as_ref(), value.unwrap_or(current))?;
    Ok(())
}

pub(crate) fn write_meter(
    target: &mut Target<'_>,
    kind: Type,
    entry: &v1::DirectMeterEntry,
) -> Result<(), Refusal> {
    modify_only(kind, "direct meter")?;
    let (table, key) = owner(target, entry.table_entry.as_ref())?;
    check_meter(table)?;
    let config = entry.config.as_ref().map(meter_config).transpose()?;
    let marked = marked_value(entry.counter_data.as_ref())?;
    target.control.set_direct_meter(table.preamble.id, key.as_ref(), config)?;
    if let Some(marked) = marked {
        target.control.set_direct_meter_marked(table.preamble.id, key.as_ref(), marked)?;
    }
    Ok(())
}

pub(crate) fn read_counters(
    target: &mut Target<'_>,
    filter: &v1::DirectCounterEntry,
    out: &mut Output,
) -> Result<(), Refusal> {
    let has = |table: &ir::Table| table.direct_counter.is_some();
    for entry in owners(target, filter.table_entry.as_ref(), has, check_counter)? {
        let (table, key) = owner(target, Some(&entry))?;
        let data = target.control.direct_counter(table.preamble.id, key.as_ref())?;
        let data = Some(counter_data(data));
        out.push(wrap(Kind::DirectCounterEntry(Box::new(v1::DirectCounterEntry {
            table_entry: Some(entry),
            data,
        }))));
    }
    Ok(())
}

pub(crate) fn read_meters(
    target: &mut Target<'_>,
    filter: &v1::DirectMeterEntry,
    out: &mut Output,
) -> Result<(), Refusal> {
    let has = |table: &ir::Table| table.direct_meter.is_some();
    for entry in owners(target, filter.table_entry.as_ref(), has, check_meter)? {
        let (table, key) = owner(target, Some(&entry))?;
        let config = target.control.direct_meter(table.preamble.id, key.as_ref())?.map(meter_message);
        let counter_data = match filter.counter_data {
            Some(_) => {
                Some(marked_message(target.control.direct_meter_marked(table.preamble.id, key.as_ref())?))
            }
            None => None,
        };
        let meter = v1::DirectMeterEntry { table_entry: Some(entry), config, counter_data };
        out.push(wrap(Kind::DirectMeterEntry(Box::new(meter))));
    }
    Ok(())
}

/// The keys of the entries whose resources are requested: one, all of a table, or those of all tables.
fn owners(
    target: &mut Target<'_>,
    entry: Option<&v1::TableEntry>,
    has: fn(&ir::Table) -> bool,
    check: fn(&ir::Table) -> Result<(), Refusal>,
) -> Result<Vec<v1::TableEntry>, Refusal> {
    let pipeline = target.pipeline;
    let filter = entry.cloned().unwrap_or_default();
    let single = filter.is_default_action || !filter.r#match.is_empty();
    if filter.table_id != 0 {
        let (_, table) = pipeline.table(filter.table_id)?;
        check(table)?;
        if single && let Some(key) = owner(target, Some(&filter))?.1 {
            target.control.table_entry(filter.table_id, &key)?;
        }
    } else if single {
        return Err(Refusal::invalid("the table id is not set"));
    }
    if single {
        return Ok(vec![key_only(filter)]);
    }
    let tables = pipeline.program.tables.iter().filter(|table| has(table) && table.preamble.id != 0);
    let mut keys = Vec::new();
    for table in tables.filter(|table| filter.table_id == 0 || table.preamble.id == filter.table_id) {
        let mut entries = Output::new();
        let all =
            v1::TableEntry { table_id: table.preamble.id, priority: filter.priority, ..Default::default() };
        read_table(target, &all, &mut entries)?;
        keys.extend(entries.into_entities().filter_map(|entity| match entity.entity {
            Some(Kind::TableEntry(entry)) => Some(key_only(*entry)),
            _ => None,
        }));
    }
    Ok(keys)
}

fn key_only(entry: v1::TableEntry) -> v1::TableEntry {
    v1::TableEntry {
        table_id: entry.table_id,
        r#match: entry.r#match,
        priority: entry.priority,
        is_default_action: entry.is_default_action,
        ..Default::default()
    }
}

fn check_counter(table: &ir::Table) -> Result<(), Refusal> {
    match table.direct_counter {
        Some(_) => Ok(()),
        None => Err(Refusal::invalid(format!("table {} has no direct counter", table.preamble.name))),
    }
}

fn check_meter(table: &ir::Table) -> Result<(), Refusal> {
    match table.direct_meter {
        Some(_) => Ok(()),
        None => Err(Refusal::invalid(format!("table {} has no direct meter", table.preamble.name))),
    }
}
