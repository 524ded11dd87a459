//! Registers: single elements and whole arrays.
//!
//! Source: P4Runtime specification, "RegisterEntry". The specification allows a read of a whole register to
//! return elements of different times; this server reads all entities of a call at the same time.

use super::{Target, element, modify_only};
use crate::error::Refusal;
use crate::proto::p4::v1::{self, update::Type};
use crate::server::read::{Output, RegisterCopy};

pub(crate) fn write(target: &mut Target<'_>, kind: Type, entry: &v1::RegisterEntry) -> Result<(), Refusal> {
    modify_only(kind, "register")?;
    let (register, codec) = target.pipeline.register(entry.register_id)?;
    let at = element(entry.index.as_ref(), register.size, &register.preamble.name)?;
    let Some(data) = entry.data.as_ref() else {
        return Err(Refusal::invalid("the register's data is not set"));
    };
    let values = codec.decode(data)?;
    match at {
        Some(at) => target.control.register_write(entry.register_id, at, &values)?,
        None => target.control.register_fill(entry.register_id, &values)?,
    }
    Ok(())
}

pub(crate) fn read(
    target: &mut Target<'_>,
    filter: &v1::RegisterEntry,
    out: &mut Output,
) -> Result<(), Refusal> {
    let pipeline = target.pipeline;
    let all: Vec<u32> = match filter.register_id {
        0 if filter.index.is_some() => return Err(Refusal::invalid("the register id is not set")),
        0 => pipeline.program.registers.iter().map(|r| r.preamble.id).filter(|id| *id != 0).collect(),
        id => vec![id],
    };
    for id in all {
        let (register, codec) = pipeline.register(id)?;
        let at = element(filter.index.as_ref(), register.size, &register.preamble.name)?;
        let array = target.control.register(id)?;
        let (first, limbs) = match at {
            None => (0, array.limbs()),
            Some(at) => (at, array.element(at as usize).unwrap_or_default()),
        };
        out.push_register(RegisterCopy {
            id,
            first,
            stride: array.stride(),
            limbs: limbs.to_vec(),
            codec: codec.clone(),
        });
    }
    Ok(())
}
