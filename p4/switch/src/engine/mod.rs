//! The bytecode engine: compiles a program and runs its blocks on a frame of limbs.
//!
//! [`compile`] translates the intermediate representation to [`code::Code`], [`optimise`] optimises it, and [`run`]
//! executes it. The plain interpreter ([`crate::oracle`]) shares the packet ([`context`]) and the tables and arrays
//! ([`crate::state`]), but not the layout of the frame ([`layout`]).

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
