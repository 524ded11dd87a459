//! Parser value sets.

use p4_lang::ir;

use crate::control::{EntryKey, FieldMatch};
use crate::error::ControlError;
use crate::limbs;
use crate::table::key::{Component, KeyShape, Method, Rule};

/// State of a value set. Sets are small, so members are compared in order.
#[derive(Clone, Debug)]
pub(crate) struct ValueSet {
    pub(crate) name: String,
    pub(crate) limit: u64,
    shape: KeyShape,
    members: Vec<Vec<FieldMatch>>,
    rules: Vec<Rule>,
}

impl ValueSet {
    pub(crate) fn new(set: &ir::ValueSet, limit: u64) -> ValueSet {
        let mut total = 0;
        let components = set
            .components
            .iter()
            .map(|(name, width, kind)| {
                let offset = total;
                total += limbs::count(*width);
                Component { name: name.clone(), width: *width, kind: *kind, offset }
            })
            .collect();
        ValueSet {
            name: set.preamble.name.clone(),
            limit: if set.size == 0 { limit } else { set.size.min(limit) },
            shape: KeyShape { components, limbs: total, method: Method::Priority },
            members: Vec::new(),
            rules: Vec::new(),
        }
    }

    pub(crate) fn members(&self) -> &[Vec<FieldMatch>] {
        &self.members
    }

    /// Replaces all members.
    pub(crate) fn set(&mut self, members: &[Vec<FieldMatch>]) -> Result<(), ControlError> {
        if members.len() as u64 > self.limit {
            return Err(ControlError::Full { what: format!("value set {}", self.name), limit: self.limit });
        }
        let mut canonical = Vec::with_capacity(members.len());
        for member in members {
            let key = self.shape.canonical(&EntryKey { matches: member.clone(), priority: 0 })?;
            canonical.push(key);
        }
        self.rules = canonical.iter().map(|key| self.shape.rule(key)).collect();
        self.members = canonical.into_iter().map(|key| key.matches).collect();
        Ok(())
    }

    /// Whether a key is a member.
    pub(crate) fn contains(&self, key: &[u64]) -> bool {
        self.rules.iter().any(|rule| rule.matches(&self.shape, key))
    }
}
