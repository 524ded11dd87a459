//! Typed access of the control plane to a switch.
//!
//! Every operation either succeeds completely or returns a [`ControlError`] and leaves the switch unchanged. An
//! [`ObjectRef`] names an object: a P4Runtime id, a full name, an alias or a unique suffix.

mod arrays;
mod entry;
mod profiles;
mod replication;
mod tables;

pub use crate::state::array::{Component as RegisterComponent, RegisterArray};
pub use entry::*;

use std::sync::Arc;

use model::Time;
use p4_lang::ir::{ActionId, DigestId, Preamble, Program};

use crate::config::Limits;
use crate::error::ControlError;
use crate::state::{State, names};

/// Access to the state of a switch, created by [`crate::Switch::control`].
#[derive(Debug)]
pub struct ControlPlane<'a> {
    pub(crate) now: Time,
    pub(crate) limits: &'a Limits,
    pub(crate) idle_check: &'a mut Option<Time>,
    pub(crate) loaded: Option<Loaded<'a>>,
}

/// The program and its state.
#[derive(Debug)]
pub(crate) struct Loaded<'a> {
    pub(crate) program: &'a Arc<Program>,
    pub(crate) state: &'a mut State,
}

type Result<T> = std::result::Result<T, ControlError>;

impl ControlPlane<'_> {
    /// The loaded program.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.loaded.as_ref().map(|l| l.program)
    }

    fn loaded(&self) -> Result<&Loaded<'_>> {
        self.loaded.as_ref().ok_or(ControlError::NoProgram)
    }

    fn state(&mut self) -> Result<&mut State> {
        self.loaded.as_mut().map(|l| &mut *l.state).ok_or(ControlError::NoProgram)
    }

    /// Looks up an action.
    pub fn action<'r>(&self, reference: impl Into<ObjectRef<'r>>) -> Result<ActionId> {
        let actions = &self.loaded()?.program.actions;
        let index = names::find("action", actions.iter().map(|a| &a.preamble), reference.into())?;
        Ok(ActionId(index as u32))
    }

    /// Looks up a digest.
    pub fn digest<'r>(&self, reference: impl Into<ObjectRef<'r>>) -> Result<DigestId> {
        let digests = &self.loaded()?.program.digests;
        let index = names::find("digest", digests.iter().map(|d| &d.preamble), reference.into())?;
        Ok(DigestId(index as u32))
    }

    /// Returns how a digest is sent to the controller; `None` when it is disabled.
    pub fn digest_config(&self, digest: DigestId) -> Result<Option<DigestConfig>> {
        let configs = &self.loaded()?.state.digests;
        configs.get(digest.index()).copied().ok_or_else(|| ControlError::not_found("digest"))
    }

    /// Sets how a digest is sent to the controller; `None` disables it.
    pub fn set_digest_config(&mut self, digest: DigestId, config: Option<DigestConfig>) -> Result<()> {
        let slot = self.state()?.digests.get_mut(digest.index());
        *slot.ok_or_else(|| ControlError::not_found("digest"))? = config;
        Ok(())
    }

    fn find<'p>(
        &'p self,
        kind: &str,
        preambles: impl FnOnce(&'p Program) -> Vec<&'p Preamble>,
        reference: ObjectRef<'_>,
    ) -> Result<usize> {
        let preambles = preambles(self.loaded()?.program);
        names::find(kind, preambles.into_iter(), reference)
    }
}
