//! The entries of one table.

use std::collections::hash_map;
use std::hash::BuildHasher;

use model::Time;
use p4_lang::ir::{self, ActionId, ActionScope, Bits};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::key::{KeyShape, fit};
use super::matcher::Matcher;
use crate::control::{ActionCall, CounterValue, EntryAction, EntryKey, TableEntry, WeightedAction};
use crate::error::ControlError;
use crate::state::meter::Meter;
use crate::state::profile::Shares;

/// Number of an entry in its table, stable for the lifetime of the entry.
pub(crate) type EntryId = u32;

/// A resolved action: its arguments are laid out in limbs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedCall {
    pub(crate) action: ActionId,
    /// Position in the table's list of actions.
    pub(crate) position: u32,
    pub(crate) args: SmallVec<[u64; 4]>,
}

/// What a matching entry runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryTarget {
    Call(ResolvedCall),
    Member(u32),
    Group(u32),
    /// Weighted actions, selected by the hash or at random.
    OneShot {
        actions: Shares<ResolvedCall>,
        random: bool,
    },
}

/// An entry.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) counter: CounterValue,
    pub(crate) meter: Meter,
    pub(crate) last_hit: Time,
    /// When [`crate::Event::EntryIdle`] was last sent. The next event is due one timeout after it or after the last
    /// match.
    pub(crate) reported_idle: Time,
    pub(crate) shown: TableEntry,
    /// Insertion number: of matching entries with equal priority, the oldest wins.
    pub(crate) order: u64,
}

/// State of a table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) shape: KeyShape,
    pub(crate) default: ResolvedCall,
    pub(crate) default_counter: CounterValue,
    pub(crate) default_meter: Meter,
    pub(crate) matcher: Matcher,
    pub(crate) entries: Vec<Option<Entry>>,
    /// What each entry runs, separate from the data that only the control plane reads, so that a packet touches
    /// little memory. Values for removed entries are stale.
    targets: Vec<EntryTarget>,
    free: Vec<EntryId>,
    inserted: u64,
    /// Entries by the hash of their key. The key itself is stored only in its entry.
    by_hash: FxHashMap<u64, SmallVec<[EntryId; 2]>>,
    pub(crate) limit: u64,
    pub(crate) const_entries: bool,
    pub(crate) const_default: bool,
    pub(crate) initial_default: ResolvedCall,
    actions: Vec<AllowedAction>,
    pub(crate) implementation: Option<usize>,
}

#[derive(Clone, Debug)]
struct AllowedAction {
    id: ActionId,
    name: String,
    scope: ActionScope,
    /// Name and width of each parameter.
    params: Vec<(String, u32)>,
}

impl Table {
    pub(crate) fn new(program: &ir::Program, table: &ir::Table, limit: u64) -> Result<Table, ControlError> {
        let actions = table
            .actions
            .iter()
            .map(|reference| {
                let missing = || ControlError::not_found(format!("action number {}", reference.action.0));
                let action = program.actions.get(reference.action.index()).ok_or_else(missing)?;
                let params = action.params.iter().map(|p| (p.name.clone(), p.kind.width())).collect();
                let name = action.preamble.name.clone();
                Ok(AllowedAction { id: reference.action, name, scope: reference.scope, params })
            })
            .collect::<Result<Vec<_>, ControlError>>()?;
        let shape = KeyShape::new(&table.keys);
        let nothing = ResolvedCall { action: ActionId(u32::MAX), position: 0, args: SmallVec::new() };
        let mut made = Table {
            name: table.preamble.name.clone(),
            matcher: Matcher::new(&shape),
            shape,
            default: nothing.clone(),
            default_counter: CounterValue::default(),
            default_meter: Meter::default(),
            entries: Vec::new(),
            targets: Vec::new(),
            free: Vec::new(),
            inserted: 0,
            by_hash: FxHashMap::default(),
            limit: if table.size == 0 { limit } else { table.size.min(limit) },
            const_entries: table.const_entries,
            const_default: table.const_default,
            initial_default: nothing,
            actions,
            implementation: table.implementation.map(|p| p.index()),
        };
        let default = made.bound_call(&table.default_action)?;
        made.initial_default = made.resolve(&default, false)?;
        made.default = made.initial_default.clone();
        Ok(made)
    }

    /// Converts an action of the source with its arguments to a call.
    pub(crate) fn bound_call(&self, bound: &ir::BoundAction) -> Result<ActionCall, ControlError> {
        let missing = || ControlError::not_found(format!("action at position {}", bound.action));
        let action = self.actions.get(bound.action).ok_or_else(missing)?;
        Ok(ActionCall { action: action.id, args: bound.args.clone() })
    }

    /// Checks and resolves a call of an entry (`for_entry`) or of the default action.
    pub(crate) fn resolve(&self, call: &ActionCall, for_entry: bool) -> Result<ResolvedCall, ControlError> {
        let found = self.actions.iter().position(|a| a.id == call.action);
        let Some((position, action)) = found.and_then(|p| Some((p, self.actions.get(p)?))) else {
            return Err(ControlError::invalid("action", format!("is not an action of table {}", self.name)));
        };
        match (action.scope, for_entry) {
            (ActionScope::DefaultOnly, true) => {
                let reason = format!("{} can only be the default action", action.name);
                return Err(ControlError::invalid("action", reason));
            }
            (ActionScope::TableOnly, false) => {
                let reason = format!("{} can only be used in entries", action.name);
                return Err(ControlError::invalid("action", reason));
            }
            _ => {}
        }
        let params = action.params.iter().map(|(name, width)| (name.as_str(), *width));
        let args = pack_args(&action.name, params, &call.args)?;
        Ok(ResolvedCall { action: call.action, position: position as u32, args })
    }

    /// Converts a resolved call to the form of the control plane.
    pub(crate) fn shown_call(&self, call: &ResolvedCall) -> ActionCall {
        let params = self.actions.get(call.position as usize).map_or(&[][..], |a| &a.params);
        let mut at = 0;
        let args = params
            .iter()
            .map(|(_, width)| {
                let limbs = crate::limbs::count(*width);
                let value = Bits::from_limbs(*width, call.args[at..at + limbs].to_vec());
                at += limbs;
                value
            })
            .collect();
        ActionCall { action: call.action, args }
    }

    /// Returns the position of an action in the table's list.
    pub(crate) fn position(&self, action: ActionId) -> Option<u32> {
        self.actions.iter().position(|a| a.id == action).map(|p| p as u32)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    fn describe(&self, key: &EntryKey) -> String {
        format!("entry {} of table {}", ShownKey(key, &self.shape), self.name)
    }

    /// Finds an entry by its key, in any form.
    pub(crate) fn find(&self, key: &EntryKey) -> Result<EntryId, ControlError> {
        let canonical = self.shape.canonical(key)?;
        let missing = || ControlError::not_found(self.describe(&canonical));
        self.lookup(&canonical).ok_or_else(missing)
    }

    /// Finds an entry by its canonical key.
    fn lookup(&self, key: &EntryKey) -> Option<EntryId> {
        let alike = self.by_hash.get(&hash(key))?;
        alike.iter().copied().find(|id| self.get(*id).is_some_and(|entry| entry.shown.key == *key))
    }

    pub(crate) fn get(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(id as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: EntryId) -> Option<&mut Entry> {
        self.entries.get_mut(id as usize)?.as_mut()
    }

    /// Returns what an entry runs.
    #[inline]
    pub(crate) fn target_of(&self, id: EntryId) -> Option<&EntryTarget> {
        self.targets.get(id as usize)
    }

    /// Iterates over the entries by ascending number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().flatten()
    }

    /// Adds an entry whose action has been checked by [`Table::target`].
    pub(crate) fn insert(
        &mut self,
        now: Time,
        entry: TableEntry,
        target: EntryTarget,
    ) -> Result<(), ControlError> {
        let key = self.shape.canonical(&entry.key)?;
        if self.lookup(&key).is_some() {
            return Err(ControlError::AlreadyExists { what: self.describe(&key) });
        }
        if self.len() as u64 >= self.limit {
            return Err(ControlError::Full { what: format!("table {}", self.name), limit: self.limit });
        }
        let rule = self.shape.rule(&key);
        let hash = hash(&key);
        let stored = Entry {
            counter: CounterValue::default(),
            meter: Meter::default(),
            last_hit: now,
            reported_idle: now,
            shown: TableEntry { key, ..entry },
            order: self.inserted,
        };
        self.inserted += 1;
        let id = match self.free.pop() {
            Some(id) => {
                self.entries[id as usize] = Some(stored);
                self.targets[id as usize] = target;
                id
            }
            None => {
                self.entries.push(Some(stored));
                self.targets.push(target);
                (self.entries.len() - 1) as EntryId
            }
        };
        self.by_hash.entry(hash).or_default().push(id);
        self.matcher.insert(id, rule);
        Ok(())
    }

    /// Adds an entry of the source. The source may repeat keys; the first entry wins, as in a `select`.
    pub(crate) fn insert_from_source(
        &mut self,
        now: Time,
        entry: TableEntry,
        target: EntryTarget,
    ) -> Result<(), ControlError> {
        if self.lookup(&self.shape.canonical(&entry.key)?).is_some() {
            return Ok(());
        }
        // The source may hold more entries than the declared size.
        self.limit = self.limit.max(self.len() as u64 + 1);
        self.insert(now, entry, target)
    }

    /// Replaces the action of an entry; its counter and its hit time are kept.
    pub(crate) fn modify(
        &mut self,
        now: Time,
        entry: TableEntry,
        target: EntryTarget,
    ) -> Result<(), ControlError> {
        let id = self.find(&entry.key)?;
        let Some(stored) = self.get_mut(id) else { return Err(ControlError::not_found("entry")) };
        stored.last_hit = now;
        stored.reported_idle = now;
        stored.shown = TableEntry { key: stored.shown.key.clone(), ..entry };
        if let Some(slot) = self.targets.get_mut(id as usize) {
            *slot = target;
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, id: EntryId) -> Option<Entry> {
        let entry = self.entries.get_mut(id as usize)?.take()?;
        if let hash_map::Entry::Occupied(mut alike) = self.by_hash.entry(hash(&entry.shown.key)) {
            alike.get_mut().retain(|other| *other != id);
            if alike.get().is_empty() {
                alike.remove();
            }
        }
        self.matcher.remove(id, &self.shape.rule(&entry.shown.key));
        self.free.push(id);
        Some(entry)
    }

    /// Checks and resolves the action of an entry. The caller checks that members and groups exist.
    pub(crate) fn target(&self, action: &EntryAction) -> Result<EntryTarget, ControlError> {
        match (action, self.implementation) {
            (EntryAction::Direct(call), None) => Ok(EntryTarget::Call(self.resolve(call, true)?)),
            (EntryAction::Direct(_), Some(_)) => {
                Err(ControlError::invalid("action", "must be a member, a group or a one-shot action set"))
            }
            (_, None) => Err(ControlError::invalid("action", "the table has no action profile")),
            (EntryAction::Member(id), Some(_)) => Ok(EntryTarget::Member(*id)),
            (EntryAction::Group(id), Some(_)) => Ok(EntryTarget::Group(*id)),
            (EntryAction::OneShot(actions), Some(_)) => self.one_shot(actions, false),
            (EntryAction::OneShotRandom(actions), Some(_)) => self.one_shot(actions, true),
        }
    }

    fn one_shot(&self, actions: &[WeightedAction], random: bool) -> Result<EntryTarget, ControlError> {
        let mut choices = Shares::default();
        for action in actions {
            if action.weight == 0 {
                return Err(ControlError::invalid("action set weight", "must be at least 1"));
            }
            choices.push(action.weight, &action.watch, self.resolve(&action.call, true)?);
        }
        Ok(EntryTarget::OneShot { actions: choices, random })
    }
}

fn hash(key: &EntryKey) -> u64 {
    FxBuildHasher.hash_one(key)
}

/// Checks arguments against the names and widths of the parameters and lays them out in limbs.
pub(crate) fn pack_args<'a>(
    action: &str,
    params: impl ExactSizeIterator<Item = (&'a str, u32)>,
    values: &[Bits],
) -> Result<SmallVec<[u64; 4]>, ControlError> {
    if values.len() != params.len() {
        let reason =
            format!("{action} has {} parameters, but {} values were given", params.len(), values.len());
        return Err(ControlError::invalid("action", reason));
    }
    let mut args = SmallVec::new();
    for ((name, width), value) in params.zip(values) {
        let value = fit(value, width, &format!("parameter {name} of {action}"))?;
        let start = args.len();
        args.resize(start + crate::limbs::count(width), 0);
        crate::limbs::copy(&mut args[start..], value.limbs());
    }
    Ok(args)
}

/// Displays the key of an entry in messages.
pub(crate) struct ShownKey<'a>(pub(crate) &'a EntryKey, pub(crate) &'a KeyShape);

impl std::fmt::Display for ShownKey<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use crate::control::FieldMatch;
        for (index, (wanted, component)) in self.0.matches.iter().zip(&self.1.components).enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{}=", component.name)?;
            match wanted {
                FieldMatch::Any => f.write_str("*")?,
                FieldMatch::Exact(value) => write!(f, "{}", Hex(value))?,
                FieldMatch::Lpm { value, prefix_bits } => write!(f, "{}/{prefix_bits}", Hex(value))?,
                FieldMatch::Ternary { value, mask } => write!(f, "{}&&&{}", Hex(value), Hex(mask))?,
                FieldMatch::Range { low, high } => write!(f, "{}..{}", Hex(low), Hex(high))?,
            }
        }
        if self.1.needs_priority() { write!(f, " priority {}", self.0.priority) } else { Ok(()) }
    }
}

/// Displays a value in hexadecimal.
pub(crate) struct Hex<'a>(pub(crate) &'a Bits);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("0x")?;
        let mut leading = true;
        for limb in self.0.limbs().iter().rev() {
            match (leading, *limb) {
                (true, 0) => {}
                (true, limb) => write!(f, "{limb:x}")?,
                (false, limb) => write!(f, "{limb:016x}")?,
            }
            leading &= *limb == 0;
        }
        if leading { f.write_str("0") } else { Ok(()) }
    }
}
