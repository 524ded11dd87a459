//! Whether two P4Infos describe the same program to a controller.
//!
//! Parts that no request depends on may differ: annotations, documentation, source locations, order, names of match
//! fields, and actions that no table offers.

use crate::proto::p4::config::v1 as config;
use std::collections::BTreeMap;

/// Maximum number of reported differences.
const REPORTED: usize = 8;

/// Returns descriptions of the differences; empty if the two agree in all parts that requests depend on.
pub fn differences(ours: &config::P4Info, theirs: &config::P4Info) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |kind: &str, ours: BTreeMap<u32, Object>, theirs: BTreeMap<u32, Object>| {
        for (id, object) in &ours {
            match theirs.get(id) {
                None => found.push(format!("{kind} {} ({id:#010x}) is missing", object.name)),
                Some(other) if other != object => {
                    found.push(format!(
                        "{kind} {} ({id:#010x}) differs: {}",
                        object.name,
                        object.first_difference(other)
                    ));
                }
                Some(_) => {}
            }
        }
        let unknown = theirs.iter().filter(|(id, _)| !ours.contains_key(id));
        found.extend(
            unknown.map(|(id, object)| format!("{kind} {} ({id:#010x}) is not in the program", object.name)),
        );
    };
    check("table", tables(ours), tables(theirs));
    check("action", actions(ours), actions(theirs));
    check("action profile", profiles(ours), profiles(theirs));
    check("counter", counters(ours), counters(theirs));
    check("meter", meters(ours), meters(theirs));
    check("register", registers(ours), registers(theirs));
    check("digest", digests(ours), digests(theirs));
    check("value set", value_sets(ours), value_sets(theirs));
    check("controller header", headers(ours), headers(theirs));
    if found.len() > REPORTED {
        let more = found.len() - REPORTED;
        found.truncate(REPORTED);
        found.push(format!("{more} more differences"));
    }
    found
}

/// The parts of an object that requests depend on: its name and named properties.
#[derive(Debug, PartialEq, Eq)]
struct Object {
    name: String,
    facts: Vec<(String, String)>,
}

impl Object {
    fn new(preamble: Option<&config::Preamble>) -> (u32, Object) {
        let preamble = preamble.cloned().unwrap_or_default();
        (preamble.id, Object { name: preamble.name, facts: Vec::new() })
    }

    fn fact(&mut self, name: impl Into<String>, value: impl std::fmt::Debug) {
        self.facts.push((name.into(), format!("{value:?}")));
    }

    fn first_difference(&self, theirs: &Object) -> String {
        if self.name != theirs.name {
            return format!("it is called {}", theirs.name);
        }
        let pair = self.facts.iter().zip(&theirs.facts).find(|(ours, theirs)| ours != theirs);
        match pair {
            Some((ours, theirs)) if ours.0 == theirs.0 => {
                format!("{} is {} in the program, {} in the P4Info", ours.0, ours.1, theirs.1)
            }
            Some((ours, theirs)) => format!("{} in the program, {} in the P4Info", ours.0, theirs.0),
            None => format!("{} properties in the program, {}", self.facts.len(), theirs.facts.len()),
        }
    }
}

fn tables(info: &config::P4Info) -> BTreeMap<u32, Object> {
    let object = |table: &config::Table| {
        let (id, mut object) = Object::new(table.preamble.as_ref());
        let mut fields: Vec<_> = table.match_fields.iter().collect();
        fields.sort_by_key(|field| field.id);
        for field in fields {
            object.fact(format!("match field {}", field.id), (field.bitwidth, &field.r#match));
        }
        let mut actions: Vec<_> = table.action_refs.iter().map(|action| (action.id, action.scope)).collect();
        actions.sort_unstable();
        object.fact("actions", actions);
        object.fact("constant default action", table.const_default_action_id);
        object.fact("action profile", table.implementation_id);
        let mut resources = table.direct_resource_ids.clone();
        resources.sort_unstable();
        object.fact("direct resources", resources);
        object.fact("idle timeout behaviour", table.idle_timeout_behavior);
        object.fact("constant entries", table.is_const_table);
        object.fact("size", table.size);
        (id, object)
    };
    info.tables.iter().map(object).collect()
}

fn actions(info: &config::P4Info) -> BTreeMap<u32, Object> {
    let object = |action: &config::Action| {
        let (id, mut object) = Object::new(action.preamble.as_ref());
        let mut params: Vec<_> = action.params.iter().collect();
        params.sort_by_key(|param| param.id);
        for param in params {
            object.fact(format!("parameter {}", param.id), (&param.name, param.bitwidth));
        }
        (id, object)
    };
    let offered =
        |id: &u32| info.tables.iter().flat_map(|table| &table.action_refs).any(|action| action.id == *id);
    info.actions.iter().map(object).filter(|(id, _)| offered(id)).collect()
}

fn profiles(info: &config::P4Info) -> BTreeMap<u32, Object> {
    let object = |profile: &config::ActionProfile| {
        let (id, mut object) = Object::new(profile.preamble.as_ref());
        let mut tables = profile.table_ids.clone();
        tables.sort_unstable();
        object.fact("tables", tables);
        object.fact("selector", profile.with_selector);
        object.fact("maximum group size", profile.max_group_size);
        object.fact("size", profile.size);
        (id, object)
    };
    info.action_profiles.iter().map(object).collect()
}

fn counters(info: &config::P4Info) -> BTreeMap<u32, Object> {
    let indirect = info.counters.iter().map(|counter| {
        let (id, mut object) = Object::new(counter.preamble.as_ref());
        object.fact("unit", counter.spec.as_ref().map(|spec| spec.unit));
        object.fact("size", counter.size);
        (id, object)
    });
    let direct = info.direct_counters.iter().map(|counter| {
        let (id, mut object) = Object::new(counter.preamble.as_ref());
        object.fact("unit", counter.spec.as_ref().map(|spec| spec.unit));
        object.fact("table", counter.direct_table_id);
        (id, object)
    });
    indirect.chain(direct).collect()
}

fn meters(info: &config::P4Info) -> BTreeMap<u32, Object> {
    let indirect = info.meters.iter().map(|meter| {
        let (id, mut object) = Object::new(meter.preamble.as_ref());
        object.fact("unit", meter.spec.as_ref().map(|spec| spec.unit));
        object.fact("size", meter.size);
        (id, object)
    });
    let direct = info.direct_meters.iter().map(|meter| {
        let (id, mut object) = Object::new(meter.preamble.as_ref());
        object.fact("unit", meter.spec.as_ref().map(|spec| spec.unit));
        object.fact("table", meter.direct_table_id);
        (id, object)
    });
    indirect.chain(direct).collect()
}

fn registers(info: &config::P4Info) -> BTreeMap<u32, Object> {
    let object = |register: &config::Register| {
        let (id, mut object) = Object::new(register.preamble.as_ref());
        object.fact("type", &register.type_spec);
        object.fact("size", register.size);
        (id, object)
    };
    info.registers.iter().map(object).collect()
}

fn digests(info: &config::P4Info) -> BTreeMap<u32, Object> {
    let object = |digest: &config::Digest| {
        let (id, mut object) = Object::new(digest.preamble.as_ref());
        object.fact("type", &digest.type_spec);
        (id, object)
    };
    info.digests.iter().map(object).collect()
}

fn value_sets(info: &config::P4Info) -> BTreeMap<u32, Object> {
    let object = |set: &config::ValueSet| {
        let (id, mut object) = Object::new(set.preamble.as_ref());
        for field in &set.r#match {
            object.fact(format!("field {}", field.id), (field.bitwidth, &field.r#match));
        }
        (id, object)
    };
    info.value_sets.iter().map(object).collect()
}

fn headers(info: &config::P4Info) -> BTreeMap<u32, Object> {
    let object = |header: &config::ControllerPacketMetadata| {
        let (id, mut object) = Object::new(header.preamble.as_ref());
        for field in &header.metadata {
            object.fact(format!("metadata {}", field.id), (&field.name, field.bitwidth));
        }
        (id, object)
    };
    info.controller_packet_metadata.iter().map(object).collect()
}
