//! Indirect counters and meters.
//!
//! Source: P4Runtime specification, "CounterEntry", "MeterEntry".

use super::direct::{counter_data, counter_value, marked_message, marked_value, meter_config, meter_message};
use super::{Target, element, modify_only, wrap};
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, update::Type};
use crate::server::read::Output;

pub(crate) fn write_counter(
    target: &mut Target<'_>,
    kind: Type,
    entry: &v1::CounterEntry,
) -> Result<(), Refusal> {
    modify_only(kind, "counter")?;
    let (_, counter) = target.pipeline.counter(entry.counter_id)?;
    let at = element(entry.index.as_ref(), counter.size, &counter.preamble.name)?;
    let Some(data) = entry.data.as_ref() else { return Ok(()) };
    let value = counter_value(data)?;
    for at in at.map_or(0..counter.size, |at| at..at + 1) {
        target.control.counter_write(entry.counter_id, at, value)?;
    }
    Ok(())
}

pub(crate) fn write_meter(
    target: &mut Target<'_>,
    kind: Type,
    entry: &v1::MeterEntry,
) -> Result<(), Refusal> {
    modify_only(kind, "meter")?;
    let (_, meter) = target.pipeline.meter(entry.meter_id)?;
    let at = element(entry.index.as_ref(), meter.size, &meter.preamble.name)?;
    let config = entry.config.as_ref().map(meter_config).transpose()?;
    let marked = marked_value(entry.counter_data.as_ref())?;
    for at in at.map_or(0..meter.size, |at| at..at + 1) {
        target.control.meter_write(entry.meter_id, at, config)?;
        if let Some(marked) = marked {
            target.control.set_meter_marked(entry.meter_id, at, marked)?;
        }
    }
    Ok(())
}

pub(crate) fn read_counters(
    target: &mut Target<'_>,
    filter: &v1::CounterEntry,
    out: &mut Output,
) -> Result<(), Refusal> {
    let pipeline = target.pipeline;
    let all: Vec<_> = match filter.counter_id {
        0 if filter.index.is_some() => return Err(Refusal::invalid("the counter id is not set")),
        0 => pipeline.program.counters.iter().filter(|c| !c.direct && c.preamble.id != 0).collect(),
        id => vec![pipeline.counter(id)?.1],
    };
    for counter in all {
        let id = counter.preamble.id;
        let at = element(filter.index.as_ref(), counter.size, &counter.preamble.name)?;
        let values = target.control.counter(id)?;
        let wanted = values.iter().enumerate().filter(|(i, _)| at.is_none_or(|at| at == *i as u64));
        for (i, value) in wanted {
            let (index, data) = (Some(v1::Index { index: i as i64 }), Some(counter_data(*value)));
            out.push(wrap(Kind::CounterEntry(v1::CounterEntry { counter_id: id, index, data })));
        }
    }
    Ok(())
}

pub(crate) fn read_meters(
    target: &mut Target<'_>,
    filter: &v1::MeterEntry,
    out: &mut Output,
) -> Result<(), Refusal> {
    let pipeline = target.pipeline;
    let all: Vec<_> = match filter.meter_id {
        0 if filter.index.is_some() => return Err(Refusal::invalid("the meter id is not set")),
        0 => pipeline.program.meters.iter().filter(|m| !m.direct && m.preamble.id != 0).collect(),
        id => vec![pipeline.meter(id)?.1],
    };
    for meter in all {
        let id = meter.preamble.id;
        let at = element(filter.index.as_ref(), meter.size, &meter.preamble.name)?;
        for at in at.map_or(0..meter.size, |at| at..at + 1) {
            let config = target.control.meter_read(id, at)?.map(meter_message);
            let index = Some(v1::Index { index: at as i64 });
            let counter_data = match filter.counter_data {
                Some(_) => Some(marked_message(target.control.meter_marked(id, at)?)),
                None => None,
            };
            let entry = v1::MeterEntry { meter_id: id, index, config, counter_data };
            out.push(wrap(Kind::MeterEntry(Box::new(entry))));
        }
    }
    Ok(())
}
