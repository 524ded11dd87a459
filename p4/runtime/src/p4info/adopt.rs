//! Completes a program by a P4Info that was made together with it.
//!
//! A file in the JSON format of the reference switch has the names of objects, but not what only controllers see: ids,
//! the names of match fields, types, scopes of actions, units of counters, and the headers of packets to and from the
//! controller. They are taken over here; [`super::differences`] then checks the rest.

use std::collections::BTreeMap;

use super::types::{data_type, declared_types};
use crate::proto::p4::config::v1 as config;
use config::counter_spec::Unit as CounterUnit;
use config::meter_spec::Unit as MeterUnit;
use p4_lang::ir::{
    self, ActionId, ActionScope, ControllerField, ControllerHeader, DigestId, MatchKind, Program, RegisterId,
    Unit,
};

/// Takes over from a P4Info what a program without P4 source lacks. Objects that the P4Info does not have become
/// invisible to controllers; what the program does not have is not taken over.
pub fn adopt(program: &mut Program, info: &config::P4Info) {
    if let Some(types) = &info.type_info {
        declared_types(types, &mut program.types);
    }
    preambles(program, info);
    actions(program, info);
    let action_ids: BTreeMap<u32, Vec<ActionId>> = {
        let mut ids: BTreeMap<u32, Vec<ActionId>> = BTreeMap::new();
        for (at, action) in (0..).zip(&program.actions) {
            ids.entry(action.preamble.id).or_default().push(ActionId(at));
        }
        ids
    };
    for table in &info.tables {
        adopt_table(program, table, &action_ids);
    }
    profiles(program, info);
    counters_and_meters(program, info);
    registers_and_digests(program, info);
    value_sets(program, info);
    controller_headers(program, info);
}

/// Ids by name; a name that is not there is hidden.
fn preambles(program: &mut Program, info: &config::P4Info) {
    fn ids<'a>(all: impl Iterator<Item = &'a Option<config::Preamble>>) -> BTreeMap<String, (u32, String)> {
        all.flatten().map(|p| (p.name.clone(), (p.id, p.alias.clone()))).collect()
    }
    let set = |preamble: &mut ir::Preamble, known: &BTreeMap<String, (u32, String)>| {
        let (id, alias) = known.get(&preamble.name).cloned().unwrap_or_default();
        preamble.id = id;
        preamble.alias = alias;
        // Such tables were hidden for lack of a P4Info.
        if id != 0 {
            preamble.annotations.retain(|text| text != "@hidden");
        }
    };
    let tables = ids(info.tables.iter().map(|o| &o.preamble));
    for table in &mut program.tables {
        set(&mut table.preamble, &tables);
        table.hidden = table.preamble.id == 0;
    }
    let actions = ids(info.actions.iter().map(|o| &o.preamble));
    program.actions.iter_mut().for_each(|o| set(&mut o.preamble, &actions));
    let profiles = ids(info.action_profiles.iter().map(|o| &o.preamble));
    program.action_profiles.iter_mut().for_each(|o| set(&mut o.preamble, &profiles));
    let registers = ids(info.registers.iter().map(|o| &o.preamble));
    program.registers.iter_mut().for_each(|o| set(&mut o.preamble, &registers));
    let value_sets = ids(info.value_sets.iter().map(|o| &o.preamble));
    program.value_sets.iter_mut().for_each(|o| set(&mut o.preamble, &value_sets));
    let indirect = ids(info.counters.iter().map(|o| &o.preamble));
    let direct = ids(info.direct_counters.iter().map(|o| &o.preamble));
    for counter in &mut program.counters {
        set(&mut counter.preamble, if counter.direct { &direct } else { &indirect });
    }
    let indirect = ids(info.meters.iter().map(|o| &o.preamble));
    let direct = ids(info.direct_meters.iter().map(|o| &o.preamble));
    for meter in &mut program.meters {
        set(&mut meter.preamble, if meter.direct { &direct } else { &indirect });
    }
    let digests = ids(info.digests.iter().map(|o| &o.preamble));
    program.digests.iter_mut().for_each(|o| set(&mut o.preamble, &digests));
}

fn type_name(named: Option<&config::P4NamedType>) -> Option<String> {
    named.map(|named| named.name.clone())
}

fn actions(program: &mut Program, info: &config::P4Info) {
    for theirs in &info.actions {
        let id = theirs.preamble.as_ref().map_or(0, |p| p.id);
        for ours in program.actions.iter_mut().filter(|a| a.preamble.id == id && id != 0) {
            for (param, described) in ours.params.iter_mut().zip(&theirs.params) {
                param.id = described.id;
                param.name.clone_from(&described.name);
                param.type_name = type_name(described.type_name.as_ref());
            }
        }
    }
}

fn adopt_table(program: &mut Program, theirs: &config::Table, actions: &BTreeMap<u32, Vec<ActionId>>) {
    let id = theirs.preamble.as_ref().map_or(0, |p| p.id);
    let Some(ours) = program.tables.iter_mut().find(|t| t.preamble.id == id && id != 0) else { return };
    let keys = ours.keys.iter_mut().filter(|key| key.match_kind != MatchKind::Selector);
    for (key, described) in keys.zip(&theirs.match_fields) {
        key.id = described.id;
        key.name.clone_from(&described.name);
        key.type_name = type_name(described.type_name.as_ref());
        // p4c writes `optional` as `ternary` for the reference switch.
        use config::match_field::{Match, MatchType};
        let optional = Match::MatchType(MatchType::Optional as i32);
        if key.match_kind == MatchKind::Ternary && described.r#match == Some(optional) {
            key.match_kind = MatchKind::Optional;
        }
    }
    for reference in &theirs.action_refs {
        let scope = match reference.scope() {
            // Programs for v1model have no group actions; what differs is then reported.
            config::action_ref::Scope::TableAndDefault | config::action_ref::Scope::GroupAction => {
                ActionScope::TableAndDefault
            }
            config::action_ref::Scope::TableOnly => ActionScope::TableOnly,
            config::action_ref::Scope::DefaultOnly => ActionScope::DefaultOnly,
        };
        let same = actions.get(&reference.id).map_or(&[][..], Vec::as_slice);
        ours.actions.iter_mut().filter(|a| same.contains(&a.action)).for_each(|a| a.scope = scope);
    }
    ours.const_default = theirs.const_default_action_id != 0;
    ours.const_entries = theirs.is_const_table;
    if let Ok(size) = u64::try_from(theirs.size)
        && size > 0
    {
        ours.size = size;
    }
    let notify = config::table::IdleTimeoutBehavior::NotifyControl;
    ours.idle_timeout = theirs.idle_timeout_behavior() == notify;
}

fn profiles(program: &mut Program, info: &config::P4Info) {
    use config::action_profile::SelectorSizeSemantics;
    for theirs in &info.action_profiles {
        let id = theirs.preamble.as_ref().map_or(0, |p| p.id);
        let Some(ours) = program.action_profiles.iter_mut().find(|p| p.preamble.id == id && id != 0) else {
            continue;
        };
        if let Ok(size) = u64::try_from(theirs.size) {
            ours.size = size;
        }
        if let (Some(selector), Ok(size)) = (&mut ours.selector, u32::try_from(theirs.max_group_size)) {
            selector.max_group_size = size;
        }
        if let Some(SelectorSizeSemantics::SumOfMembers(_)) = theirs.selector_size_semantics {
            let text = "@selector_size_semantics(\"sum_of_members\")";
            ours.preamble.annotations.push(text.to_owned());
        }
    }
}

fn counters_and_meters(program: &mut Program, info: &config::P4Info) {
    let counter_unit = |spec: &Option<config::CounterSpec>| match spec.as_ref().map(|s| s.unit()) {
        Some(CounterUnit::Packets) => Unit::Packets,
        Some(CounterUnit::Bytes) => Unit::Bytes,
        _ => Unit::PacketsAndBytes,
    };
    let described = info.counters.iter().map(|c| (&c.preamble, &c.spec, c.index_type_name.as_ref()));
    let direct = info.direct_counters.iter().map(|c| (&c.preamble, &c.spec, None));
    for (preamble, spec, index) in described.chain(direct) {
        let id = preamble.as_ref().map_or(0, |p| p.id);
        for ours in program.counters.iter_mut().filter(|c| c.preamble.id == id && id != 0) {
            ours.unit = counter_unit(spec);
            if let Some(index) = index {
                program.types.index_types.insert(ours.preamble.name.clone(), index.name.clone());
            }
        }
    }
    let described = info.meters.iter().map(|m| (&m.preamble, &m.spec, m.index_type_name.as_ref()));
    let direct = info.direct_meters.iter().map(|m| (&m.preamble, &m.spec, None));
    for (preamble, spec, index) in described.chain(direct) {
        let id = preamble.as_ref().map_or(0, |p| p.id);
        for ours in program.meters.iter_mut().filter(|m| m.preamble.id == id && id != 0) {
            ours.unit = match spec.as_ref().map(|s| s.unit()) {
                Some(MeterUnit::Packets) => Unit::Packets,
                Some(MeterUnit::Bytes) => Unit::Bytes,
                _ => ours.unit,
            };
            if let Some(index) = index {
                program.types.index_types.insert(ours.preamble.name.clone(), index.name.clone());
            }
        }
    }
}

fn registers_and_digests(program: &mut Program, info: &config::P4Info) {
    for theirs in &info.registers {
        let id = theirs.preamble.as_ref().map_or(0, |p| p.id);
        let at = program.registers.iter().position(|r| r.preamble.id == id && id != 0);
        let ty = theirs.type_spec.as_ref().and_then(data_type);
        if let (Some(at), Some(ty)) = (at, ty) {
            program.types.registers.insert(RegisterId(at as u32), ty);
        }
        if let (Some(ours), Some(index)) =
            (at.and_then(|at| program.registers.get(at)), &theirs.index_type_name)
        {
            program.types.index_types.insert(ours.preamble.name.clone(), index.name.clone());
        }
    }
    for theirs in &info.digests {
        let id = theirs.preamble.as_ref().map_or(0, |p| p.id);
        let at = program.digests.iter().position(|d| d.preamble.id == id && id != 0);
        let ty = theirs.type_spec.as_ref().and_then(data_type);
        if let (Some(at), Some(ty)) = (at, ty) {
            let is_struct = matches!(ty, ir::DataType::Struct(_));
            if let (Some(ours), false) = (program.digests.get_mut(at), is_struct) {
                ours.type_name = None;
            }
            program.types.digests.insert(DigestId(at as u32), ty);
        }
    }
}

fn value_sets(program: &mut Program, info: &config::P4Info) {
    for theirs in &info.value_sets {
        let id = theirs.preamble.as_ref().map_or(0, |p| p.id);
        let Some(ours) = program.value_sets.iter_mut().find(|v| v.preamble.id == id && id != 0) else {
            continue;
        };
        for ((name, _, kind), described) in ours.components.iter_mut().zip(&theirs.r#match) {
            name.clone_from(&described.name);
            use config::match_field::{Match, MatchType};
            if let Some(Match::MatchType(theirs)) = described.r#match {
                *kind = match MatchType::try_from(theirs) {
                    Ok(MatchType::Lpm) => MatchKind::Lpm,
                    Ok(MatchType::Ternary) => MatchKind::Ternary,
                    Ok(MatchType::Range) => MatchKind::Range,
                    Ok(MatchType::Optional) => MatchKind::Optional,
                    _ => MatchKind::Exact,
                };
            }
        }
        if let Ok(size) = u64::try_from(theirs.size)
            && size > 0
        {
            ours.size = size;
        }
    }
}

/// The headers of packets to and from the controller. Their widths on the wire are those of the header of the program
/// that has the same fields; the P4Info has those of the controller's values.
fn controller_headers(program: &mut Program, info: &config::P4Info) {
    for theirs in &info.controller_packet_metadata {
        let preamble = theirs.preamble.clone().unwrap_or_default();
        let names: Vec<&str> = theirs.metadata.iter().map(|field| field.name.as_str()).collect();
        let widths = wire_widths(program, &names);
        let mut fields = Vec::new();
        for (at, field) in theirs.metadata.iter().enumerate() {
            let described = u32::try_from(field.bitwidth).unwrap_or(0);
            let width = widths.as_ref().and_then(|widths| widths.get(at)).copied().unwrap_or(described);
            fields.push((field.id, field.name.clone(), width));
            let known =
                ControllerField { type_name: type_name(field.type_name.as_ref()), annotations: Vec::new() };
            program.types.controller_fields.insert((preamble.name.clone(), field.name.clone()), known);
        }
        program.controller_headers.push(ControllerHeader {
            preamble: ir::Preamble {
                id: preamble.id,
                name: preamble.name.clone(),
                alias: preamble.alias,
                ..ir::Preamble::default()
            },
            fields,
            type_name: preamble.name,
        });
    }
}

/// Returns the widths of the fields of a header whose fields have these names.
fn wire_widths(program: &Program, names: &[&str]) -> Option<Vec<u32>> {
    let storage = &program.storage;
    storage.headers.iter().find_map(|header| {
        let fields: Option<Vec<&ir::Scalar>> =
            header.fields.iter().map(|id| storage.scalars.get(id.index())).collect();
        let fields = fields?;
        let ends = fields.iter().map(|field| field.name.rsplit('.').next().unwrap_or(""));
        ends.eq(names.iter().copied()).then(|| fields.iter().map(|field| field.kind.width()).collect())
    })
}
