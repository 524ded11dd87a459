//! The positions of objects in P4Info, and the actions that P4Info lists.
//!
//! P4Info lists objects in the order of a walk over the program: first the top-level declarations, then the blocks in
//! the order of the package's parameters, each with its declarations in source order; the objects of an inner instance
//! are listed at the declaration of the instance. Top-level actions are listed in each block that uses them, before its
//! other objects, in order of use. An action that only other actions call is part of these and is not listed.

use super::Lowerer;
use crate::hir::{Declared, Type, VarId};
use crate::ir;

impl Lowerer<'_> {
    /// Returns the position of a declaration of the enclosing instance or of the top level.
    pub(super) fn position_of(&self, declared: Declared) -> Vec<u32> {
        let mut position = self.env.position.clone();
        if position.is_empty() {
            // The top level comes before the blocks.
            position.push(0);
        }
        let index = match self.env.instance.and_then(|i| self.instances.get(i)).map(|i| &i.ty) {
            Some(Type::Control(id, _)) => self
                .module
                .controls
                .get(id.index())
                .and_then(|c| c.declared.iter().position(|d| *d == declared)),
            Some(Type::Parser(id, _)) => self
                .module
                .parsers
                .get(id.index())
                .and_then(|p| p.declared.iter().position(|d| *d == declared)),
            _ => self.module.instances.iter().position(|i| Declared::Object(i.var) == declared),
        };
        position.push(index.map_or(u32::MAX, |i| i as u32 + 1));
        position
    }

    pub(super) fn object_position(&self, var: VarId) -> Vec<u32> {
        self.position_of(Declared::Object(var))
    }

    /// Returns the position of an instance that is created where it is applied: after the declarations.
    pub(super) fn position_in_place(&self) -> Vec<u32> {
        let mut position = self.env.position.clone();
        position.extend([u32::MAX, self.instances.len() as u32]);
        position
    }

    /// Returns the position of a digest: in the action that sends it, or after the declarations of the block.
    pub(super) fn digest_position(&self) -> Vec<u32> {
        match self.sender.last() {
            Some(action) => action.clone(),
            None => vec![self.block_number, u32::MAX, self.program.digests.len() as u32],
        }
    }

    /// Assigns positions in the block lowered last to the top-level actions it uses.
    pub(super) fn position_global_actions(&mut self) {
        let block = self.block_number;
        let mut tables: Vec<&ir::Table> =
            self.program.tables.iter().filter(|t| t.preamble.position.first() == Some(&block)).collect();
        tables.sort_by(|a, b| a.preamble.position.cmp(&b.preamble.position));
        let mut used: Vec<ir::ActionId> =
            tables.iter().flat_map(|t| &t.actions).map(|reference| reference.action).collect();
        used.append(&mut self.called_here);
        self.listed.extend(&used);
        for (i, id) in used.into_iter().enumerate() {
            if let Some(action) = self.program.actions.get_mut(id.index())
                && action.preamble.position.is_empty()
            {
                action.preamble.position = vec![block, 0, i as u32];
            }
        }
    }
}
