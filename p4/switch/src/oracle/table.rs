//! Tables (specification, section 14.2): linear search for the best matching entry.

use p4_lang::ir::{self, ActionId, MatchKind, ScalarId, TableId};
use rand_core::Rng;

use super::expr::field_matches;
use super::value::Value;
use super::{Run, Runner};
use crate::control::{ActionCall, EntryAction, FieldMatch, TableEntry};
use crate::ports::{self, DownPorts};
use crate::state::profile::Profile;
use crate::table::entries::Entry;
use crate::trace::{MatchedEntry, Named, Step, TracedAction, shown};

/// The outcome of a lookup.
#[derive(Default)]
struct Chosen {
    /// `None` for an empty group.
    call: Option<ActionCall>,
    member: Option<u32>,
    group: Option<u32>,
}

impl Chosen {
    fn of(call: ActionCall) -> Chosen {
        Chosen { call: Some(call), ..Chosen::default() }
    }
}

/// Returns the position of an action in the table's list, which `action_run` is compared with.
fn position(table: &ir::Table, action: ActionId) -> u64 {
    let found = table.actions.iter().position(|a| a.action == action);
    found.map_or(u64::from(u32::MAX), |at| at as u64)
}

impl Runner<'_> {
    pub(super) fn apply(&mut self, id: TableId, hit: Option<ScalarId>, action_run: Option<ScalarId>) -> Run {
        let program = self.program;
        let table = &program.tables[id.index()];
        let by_kind = |selector: bool| {
            table.keys.iter().filter(move |k| (k.match_kind == MatchKind::Selector) == selector)
        };
        let key = by_kind(false).map(|k| self.expr(&k.expr)).collect::<Run<Vec<Value>>>()?;
        let selector = by_kind(true).map(|k| self.expr(&k.expr)).collect::<Run<Vec<Value>>>()?;
        let found = self.lookup(id, &key);
        if let Some(hit) = hit {
            self.store(hit, Value::boolean(found.is_some()));
        }
        self.settle_direct(id, found);
        let entry = found.and_then(|at| self.state.tables[id.index()].get(at as u32));
        let entry = entry.map(|entry| entry.shown.clone());
        let chosen = match &entry {
            Some(entry) => self.chosen(table, entry, &selector),
            None => {
                let state = &self.state.tables[id.index()];
                Chosen::of(state.shown_call(&state.default))
            }
        };
        if self.cx.trace.is_some() {
            self.trace_table(table, &key, entry.as_ref(), &chosen);
        }
        if let Some(target) = action_run {
            let run = chosen.call.as_ref().map_or(u64::from(u32::MAX), |call| position(table, call.action));
            self.store(target, Value::of_u64(run, self.kind(target)));
        }
        match chosen.call {
            Some(call) => self.run_action(&call),
            None => Ok(()),
        }
    }

    /// Returns the index of the winning entry.
    fn lookup(&self, id: TableId, key: &[Value]) -> Option<usize> {
        let kinds: Vec<MatchKind> =
            self.program.tables[id.index()].keys.iter().map(|k| k.match_kind).collect();
        let matched: Vec<MatchKind> = kinds.into_iter().filter(|k| *k != MatchKind::Selector).collect();
        let by_priority =
            matched.iter().any(|k| matches!(k, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional));
        let widths: Vec<u32> = key.iter().map(|value| value.kind.width()).collect();
        let rank = |entry: &Entry| {
            let wanted = &entry.shown.key;
            if by_priority {
                return i64::from(wanted.priority);
            }
            // Without priorities the longest prefix wins; with several prefixes, the largest total length.
            let prefixes = wanted.matches.iter().zip(&matched).zip(&widths);
            prefixes.map(|((wanted, kind), width)| prefix_bits(*kind, wanted, *width)).sum()
        };
        let entries = self.state.tables[id.index()].entries.iter().enumerate();
        let matching = entries.filter_map(|(at, entry)| Some((at, entry.as_ref()?))).filter(|(_, entry)| {
            key.iter().zip(&entry.shown.key.matches).all(|(value, wanted)| field_matches(value, wanted))
        });
        // Of equal ranks the oldest entry wins.
        let best = matching.max_by_key(|(_, entry)| (rank(entry), std::cmp::Reverse(entry.order)));
        best.map(|(at, _)| at)
    }

    /// Returns the action of an entry: its own, that of a member, or that of an alternative selected by the hash.
    fn chosen(&mut self, table: &ir::Table, entry: &TableEntry, selector: &[Value]) -> Chosen {
        let hash = match entry.action {
            EntryAction::Group(_) | EntryAction::OneShot(_) => self.selector_hash(table, selector),
            EntryAction::OneShotRandom(_) => self.cx.random.next_u64(),
            EntryAction::Direct(_) | EntryAction::Member(_) => 0,
        };
        let profile = table.implementation.and_then(|p| self.state.profiles.get(p.index()));
        let down = &self.cx.down;
        let call_of = |profile: &Profile, id: u32| profile.members.get(&id).map(|m| m.shown.call.clone());
        match (&entry.action, profile) {
            (EntryAction::Direct(call), _) => Chosen::of(call.clone()),
            (EntryAction::Member(id), Some(profile)) => {
                Chosen { call: call_of(profile, *id), member: Some(*id), group: None }
            }
            (EntryAction::Group(id), Some(profile)) => {
                let members = profile.groups.get(id).map_or(&[][..], |g| &g.shown.members);
                let member = weighted(members, hash, |m| live(down, m.weight, &m.watch)).map(|m| m.member);
                let call = member.and_then(|member| call_of(profile, member));
                Chosen { call, member, group: Some(*id) }
            }
            (EntryAction::OneShot(actions) | EntryAction::OneShotRandom(actions), Some(_)) => {
                let chosen = weighted(actions, hash, |a| live(down, a.weight, &a.watch));
                Chosen { call: chosen.map(|a| a.call.clone()), ..Chosen::default() }
            }
            (_, None) => Chosen::default(),
        }
    }

    /// Returns the hash of the selector's fields, truncated to the width that the program declares.
    fn selector_hash(&mut self, table: &ir::Table, selector: &[Value]) -> u64 {
        let profile = table.implementation.and_then(|p| self.program.action_profiles.get(p.index()));
        let Some(wanted) = profile.and_then(|p| p.selector) else { return 0 };
        let hash = self.hash(wanted.algorithm, selector, &[]);
        if wanted.output_width >= 64 { hash } else { hash % (1 << wanted.output_width) }
    }

    /// Passes the arguments and runs the action.
    fn run_action(&mut self, call: &ActionCall) -> Run {
        let program = self.program;
        let Some(action) = program.actions.get(call.action.index()) else { return Ok(()) };
        for (param, arg) in action.params.iter().zip(&call.args) {
            self.store(param.scalar, Value::of_bits(arg, param.kind));
        }
        self.until_return(&action.body)
    }

    /// Updates direct counters and meters, which run with every match and with the default action.
    fn settle_direct(&mut self, id: TableId, found: Option<usize>) {
        let program = self.program;
        let source = &program.tables[id.index()];
        let (now, bytes) = (self.cx.now, self.cx.packet_bytes);
        let table = &mut self.state.tables[id.index()];
        let entry = found.and_then(|at| table.entries.get_mut(at)?.as_mut());
        let (counter, meter) = match entry {
            Some(entry) => {
                if source.idle_timeout || source.direct_counter.is_some() || source.direct_meter.is_some() {
                    entry.last_hit = now;
                }
                (&mut entry.counter, &mut entry.meter)
            }
            None => (&mut table.default_counter, &mut table.default_meter),
        };
        if let Some(id) = source.direct_counter {
            counter.count(bytes);
            let name = &program.counters[id.index()].preamble.name;
            self.cx.note(|| Step::Count { counter: name.clone(), index: None, bytes });
        }
        if let Some(id) = source.direct_meter {
            let declared = &program.meters[id.index()];
            let amount = if declared.unit == ir::Unit::Packets { 1 } else { bytes };
            let colour = meter.execute(now, amount, bytes) as u64;
            self.cx.colour = colour;
            self.cx.note(|| Step::Meter { meter: declared.preamble.name.clone(), index: None, colour });
            if let Some(result) = declared.result {
                self.store(result, Value::of_u64(colour, self.kind(result)));
            }
        }
    }

    fn trace_table(&mut self, table: &ir::Table, key: &[Value], entry: Option<&TableEntry>, chosen: &Chosen) {
        let names = || table.keys.iter().filter(|k| k.match_kind != MatchKind::Selector).map(|k| &k.name);
        let program = self.program;
        let action = chosen.call.as_ref().and_then(|call| {
            let action = program.actions.get(call.action.index())?;
            let args = action.params.iter().zip(&call.args).map(|(p, arg)| Named::new(&p.name, arg));
            Some(TracedAction { name: action.preamble.name.clone(), args: args.collect() })
        });
        let matched = entry.map(|entry| MatchedEntry {
            key: names()
                .zip(&entry.key.matches)
                .map(|(name, wanted)| Named { name: name.clone(), value: shown_match(wanted) })
                .collect(),
            priority: entry.key.priority,
            member: chosen.member,
            group: chosen.group,
        });
        self.cx.note(|| Step::Table {
            table: table.preamble.name.clone(),
            key: names().zip(key).map(|(name, value)| Named::new(name, &value.bits())).collect(),
            hit: entry.is_some(),
            entry: matched,
            action,
        });
    }
}

fn prefix_bits(kind: MatchKind, wanted: &FieldMatch, width: u32) -> i64 {
    match (kind, wanted) {
        (MatchKind::Lpm, FieldMatch::Lpm { prefix_bits, .. }) => i64::from(*prefix_bits),
        (MatchKind::Lpm, FieldMatch::Exact(_)) => i64::from(width),
        _ => 0,
    }
}

/// Returns the weight of an alternative; 0 while its watch port is down.
fn live(down: &DownPorts, weight: u32, watch: &[u8]) -> u32 {
    if down.allows(ports::watched(watch)) { weight } else { 0 }
}

/// Returns the item in whose share of the total weight the hash falls.
fn weighted<T>(items: &[T], hash: u64, weight: impl Fn(&T) -> u32) -> Option<&T> {
    let total: u64 = items.iter().map(|item| u64::from(weight(item))).sum();
    let mut left = hash.checked_rem(total)?;
    items.iter().find(|item| match left.checked_sub(u64::from(weight(item))) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    })
}

fn shown_match(wanted: &FieldMatch) -> String {
    match wanted {
        FieldMatch::Any => "*".to_owned(),
        FieldMatch::Exact(value) => shown(value),
        FieldMatch::Lpm { value, prefix_bits } => format!("{}/{prefix_bits}", shown(value)),
        FieldMatch::Ternary { value, mask } => format!("{}&&&{}", shown(value), shown(mask)),
        FieldMatch::Range { low, high } => format!("{}..{}", shown(low), shown(high)),
    }
}
