//! The engine: compiles a program and runs its blocks on a frame of limbs.
//!
//! [`compile`] turns the intermediate representation into [`code::Code`], [`optimise`] makes that shorter, [`run`]
//! executes it. The frame's layout ([`layout`]), the packet ([`context`]), tables and arrays ([`crate::state`]) belong to neither: the plain
//! interpreter ([`crate::oracle`]) does without the first and shares the other two.

pub(crate) mod apply;
pub(crate) mod bits;
pub(crate) mod code;
pub(crate) mod compile;
pub(crate) mod compiled;
pub(crate) mod context;
pub(crate) mod hash;
pub(crate) mod layout;
mod operands;
pub(crate) mod optimise;
mod plan;
pub(crate) mod run;
mod site;
pub(crate) mod sites;
pub(crate) mod wide;
