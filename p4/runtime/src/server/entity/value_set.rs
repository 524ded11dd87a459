//! Parser value sets.
//!
//! Source: P4Runtime specification, "ValueSetEntry".

use super::matching::{self, Field};
use super::{Target, modify_only, wrap};
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, update::Type};
use crate::server::read::Output;
use p4_lang::ir;
use std::collections::BTreeSet;
use tonic::Code;

fn fields(set: &ir::ValueSet) -> Vec<Field<'_>> {
    set.components
        .iter()
        .enumerate()
        .map(|(i, (name, width, kind))| Field {
            id: i as u32 + 1,
            name,
            width: *width,
            kind: *kind,
            type_name: None,
        })
        .collect()
}

pub(crate) fn write(target: &mut Target<'_>, kind: Type, entry: &v1::ValueSetEntry) -> Result<(), Refusal> {
    modify_only(kind, "value set")?;
    let set = target.pipeline.value_set(entry.value_set_id)?;
    let fields = fields(set);
    let mut seen = BTreeSet::new();
    let mut members = Vec::with_capacity(entry.members.len());
    if entry.members.len() as u64 > set.size {
        let message = format!("value set {} holds {} members", set.preamble.name, set.size);
        return Err(Refusal::new(Code::ResourceExhausted, message));
    }
    for member in &entry.members {
        let matches = matching::decode(target.pipeline, &fields, &member.r#match)?;
        if !seen.insert(matches.clone()) {
            return Err(Refusal::new(Code::AlreadyExists, "a member is given twice"));
        }
        members.push(matches);
    }
    Ok(target.control.value_set_write(entry.value_set_id, &members)?)
}

pub(crate) fn read(
    target: &mut Target<'_>,
    filter: &v1::ValueSetEntry,
    out: &mut Output,
) -> Result<(), Refusal> {
    let pipeline = target.pipeline;
    let all: Vec<&ir::ValueSet> = match filter.value_set_id {
        0 => pipeline.program.value_sets.iter().filter(|set| set.preamble.id != 0).collect(),
        id => vec![pipeline.value_set(id)?],
    };
    for set in all {
        let fields = fields(set);
        let members = target.control.value_set(set.preamble.id)?;
        let members = members
            .iter()
            .map(|member| v1::ValueSetMember {
                r#match: fields
                    .iter()
                    .zip(member)
                    .filter_map(|(field, m)| matching::encode(target.pipeline, *field, m))
                    .collect(),
            })
            .collect();
        out.push(wrap(Kind::ValueSetEntry(v1::ValueSetEntry { value_set_id: set.preamble.id, members })));
    }
    Ok(())
}
