//! Commands that configure a switch or read its state.

use std::collections::BTreeMap;
use std::sync::Arc;

use p4_lang::ir::{Bits, Program, Table};

use super::entries;
use super::parse::{Call, Command, CounterIndex};
use crate::control::{
    CloneSession, CounterValue, EntryAction, EntryKey, FieldMatch, GroupMember, MeterConfig, ProfileGroup,
    ProfileMember, Replica, TableEntry,
};
use crate::error::ControlError;
use crate::switch::Switch;
use crate::trace::shown;

/// State shared by the commands of a test, and their output.
pub(super) struct Setup {
    program: Arc<Program>,
    nodes: Vec<Vec<Replica>>,
    /// Entries with an identifier: table and key.
    entries: BTreeMap<String, (String, EntryKey)>,
    pub(super) output: Vec<String>,
}

impl Setup {
    pub(super) fn new(program: &Arc<Program>) -> Setup {
        Setup {
            program: Arc::clone(program),
            nodes: Vec::new(),
            entries: BTreeMap::new(),
            output: Vec::new(),
        }
    }

    /// Executes one command.
    pub(super) fn command(&mut self, switch: &mut Switch, command: &Command) -> Result<(), String> {
        let program = Arc::clone(&self.program);
        match command {
            Command::Add { table, priority, matches, call, id } => {
                let table = entries::table(&program, table)?;
                let key = entries::key(table, *priority, matches)?;
                let action = entry_action(&program, table, call)?;
                if let Some(id) = id {
                    self.entries.insert(id.clone(), (table.preamble.name.clone(), key.clone()));
                }
                let entry =
                    TableEntry { key, action, idle_timeout: None, metadata: Vec::new(), is_const: false };
                switch.control().table_insert(&table.preamble.name, entry).map_err(text)
            }
            Command::SetDefault { table, call } => {
                let table = entries::table(&program, table)?;
                let call = entries::action(&program, table, call)?;
                switch.control().set_default_action(&table.preamble.name, Some(&call)).map_err(text)
            }
            Command::RemoveAll => {
                let mut open = program.tables.iter().filter(|t| !t.const_entries);
                open.try_for_each(|t| switch.control().table_clear(&t.preamble.name).map_err(text))
            }
            Command::Remove { table, priority, matches } => {
                let table = entries::table(&program, table)?;
                let key = entries::key(table, *priority, matches)?;
                switch.control().table_delete(&table.preamble.name, &key).map_err(text)
            }
            Command::Member { profile, id, call } => {
                let call = entries::member_action(&program, profile, call)?;
                switch.control().member_insert(profile, &ProfileMember { id: *id, call }).map_err(text)
            }
            Command::Group { profile, id, members } => {
                let member = |(member, weight): &(u32, u32)| GroupMember {
                    member: *member,
                    weight: *weight,
                    watch: Vec::new(),
                };
                let members = members.iter().map(member).collect();
                let group = ProfileGroup { id: *id, max_size: 0, members };
                switch.control().group_insert(profile, &group).map_err(text)
            }
            Command::ValueSet { name, members } => value_set(switch, &program, name, members),
            other => self.replication_command(switch, other),
        }
    }

    fn replication_command(&mut self, switch: &mut Switch, command: &Command) -> Result<(), String> {
        match command {
            Command::MirroringAdd { session, port } => {
                let replicas = vec![Replica { egress_port: *port, instance: 0 }];
                session_of(switch, *session, CloneSession { replicas, ..CloneSession::default() })
            }
            Command::MirroringAddGroup { session, group } => {
                let multicast_group = Some(*group);
                session_of(switch, *session, CloneSession { multicast_group, ..CloneSession::default() })
            }
            Command::MirroringDelete { session } => {
                switch.control().clone_session_delete(*session).map_err(text)
            }
            Command::MirroringGet { session } => {
                let control = switch.control();
                let mut sessions = control.clone_sessions().map_err(text)?;
                let found = sessions.find(|(id, _)| id == session).map(|(_, s)| s.clone());
                drop(sessions);
                self.output.push(format!("clone session {session}: {found:?}"));
                Ok(())
            }
            Command::GroupCreate { group } => {
                switch.control().multicast_insert(*group, Vec::new()).map_err(text)
            }
            Command::NodeCreate { instance, ports } => {
                let replica = |port: &u16| Replica { egress_port: *port, instance: *instance };
                self.nodes.push(ports.iter().map(replica).collect());
                Ok(())
            }
            Command::NodeAssociate { group, node } => self.associate(switch, *group, *node),
            other => self.array_command(switch, other),
        }
    }

    fn associate(&mut self, switch: &mut Switch, group: u32, node: usize) -> Result<(), String> {
        let node = self.nodes.get(node).ok_or_else(|| format!("node {node} does not exist"))?;
        let mut control = switch.control();
        let members =
            control.multicast_groups().map_err(text)?.find(|(id, _)| *id == group).map(|(_, m)| m.to_vec());
        let mut members = members.ok_or_else(|| format!("multicast group {group} does not exist"))?;
        members.extend(node);
        control.multicast_modify(group, members).map_err(text)
    }

    fn array_command(&mut self, switch: &mut Switch, command: &Command) -> Result<(), String> {
        let mut control = switch.control();
        let output = match command {
            Command::CheckCounter { name, index, check } => {
                let value = match index {
                    CounterIndex::Number(number) => control.counter_read(name, *number),
                    CounterIndex::Entry(id) => match self.entries.get(id) {
                        Some((table, key)) => control.direct_counter(table, Some(key)),
                        None => return Err(format!("no entry has the identifier {id}")),
                    },
                };
                let value = value.map_err(text)?;
                let number = |bytes: bool| if bytes { value.bytes } else { value.packets };
                return match check {
                    Some(check) if !check.holds(number(check.bytes)) => {
                        let (number, operator) = (number(check.bytes), &check.operator);
                        Err(format!("{name}({index}) is {number}, not {operator} {}", check.number))
                    }
                    _ => Ok(()),
                };
            }
            Command::CheckRegister { name, index, values } => {
                let found = control.register_read(name, *index).map_err(text)?;
                let wanted = found.iter().zip(values);
                let wanted: Vec<Bits> =
                    wanted.map(|(f, v)| entries::number(v, f.width())).collect::<Result<_, _>>()?;
                if wanted == found {
                    return Ok(());
                }
                let shown: Vec<String> = found.iter().map(shown).collect();
                return Err(format!("{name}({index}) is {}", shown.join(" ")));
            }
            Command::CounterRead { name, index } => {
                format!("{name}[{index}] = {:?}", control.counter_read(name, *index).map_err(text)?)
            }
            Command::CounterWrite { name, index, packets, bytes } => {
                let value = CounterValue { packets: *packets, bytes: *bytes };
                return control.counter_write(name, *index, value).map_err(text);
            }
            Command::RegisterRead { name, index } => {
                let values = control.register_read(name, *index).map_err(text)?;
                let shown: Vec<String> = values.iter().map(shown).collect();
                format!("{name}[{index}] = {}", shown.join(", "))
            }
            Command::RegisterWrite { name, index, value } => {
                let components = register_components(&control, name)?;
                let values = entries::register_value(&components, *value);
                return control.register_write(name, *index, &values).map_err(text);
            }
            Command::RegisterReset { name } => {
                let components = register_components(&control, name)?;
                return control.register_fill(name, &entries::register_value(&components, 0)).map_err(text);
            }
            Command::MeterGetRates { name, index } => {
                format!("{name}[{index}] = {:?}", control.meter_read(name, *index).map_err(text)?)
            }
            Command::EntryMeter { id, rates } => {
                let (table, key) =
                    self.entries.get(id).ok_or_else(|| format!("no entry has the identifier {id}"))?;
                return control.set_direct_meter(table, Some(key), meter_config(rates)).map_err(text);
            }
            Command::MeterSetRates { name, index, rates } => {
                let config = meter_config(rates);
                let all = 0..control.meter_len(name).map_err(text)?;
                let range = index.map_or(all, |i| i..i + 1);
                return range
                    .into_iter()
                    .try_for_each(|i| control.meter_write(name, i, config).map_err(text));
            }
            _ => return Ok(()),
        };
        self.output.push(output);
        Ok(())
    }
}

/// Returns the action of an entry: an action of the table, or `member(ID)` or `group(ID)` of its action profile.
fn entry_action(program: &Program, table: &Table, call: &Call) -> Result<EntryAction, String> {
    let reference = match call.args.as_slice() {
        [(_, id)] if table.implementation.is_some() => {
            super::words::number(id).and_then(|id| u32::try_from(id).ok())
        }
        _ => None,
    };
    match (call.action.as_str(), reference) {
        ("member", Some(id)) => Ok(EntryAction::Member(id)),
        ("group", Some(id)) => Ok(EntryAction::Group(id)),
        _ => Ok(EntryAction::Direct(entries::action(program, table, call)?)),
    }
}

/// Replaces the members of a value set. Components of a member are separated by commas.
fn value_set(switch: &mut Switch, program: &Program, name: &str, members: &[String]) -> Result<(), String> {
    let found = program.value_sets.iter().find(|set| set.preamble.name.ends_with(name));
    let set = found.ok_or_else(|| format!("value set {name} does not exist"))?;
    let member = |text: &String| -> Result<Vec<FieldMatch>, String> {
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() != set.components.len() {
            return Err(format!("{text}: expected {} components", set.components.len()));
        }
        let parts = parts.iter().zip(&set.components);
        parts.map(|(part, (_, width, kind))| entries::field_match(*kind, *width, part)).collect()
    };
    let members = members.iter().map(member).collect::<Result<Vec<_>, _>>()?;
    switch.control().value_set_write(&set.preamble.name, &members).map_err(text)
}

fn session_of(switch: &mut Switch, id: u32, session: CloneSession) -> Result<(), String> {
    let mut control = switch.control();
    match control.clone_session_insert(id, session.clone()) {
        Err(ControlError::AlreadyExists { .. }) => control.clone_session_modify(id, session).map_err(text),
        other => other.map_err(text),
    }
}

fn text(error: ControlError) -> String {
    error.to_string()
}

fn register_components(
    control: &crate::control::ControlPlane<'_>,
    name: &str,
) -> Result<Vec<(String, p4_lang::ir::ScalarKind)>, String> {
    let array = control.register(name).map_err(text)?;
    Ok(array.components().iter().map(|c| (c.name.clone(), c.kind)).collect())
}

/// Converts rates per microsecond to rates per second.
fn meter_config(rates: &[(f64, u64)]) -> Option<MeterConfig> {
    let per_second = |rate: f64| (rate * 1e6).round() as u64;
    match rates {
        [(committed, committed_burst), (peak, peak_burst)] => Some(MeterConfig {
            committed_rate: per_second(*committed),
            committed_burst: *committed_burst,
            peak_rate: per_second(*peak),
            peak_burst: *peak_burst,
        }),
        _ => None,
    }
}
