//! `harrier top`: the open incidents of a server, full screen.
//!
//! [`state`] turns inputs into a state and [`view`] a state into a frame; both are pure. [`feed`] reads the server,
//! [`terminal`] the keyboard.

pub(crate) mod answers;
mod detail;
mod feed;
mod keys;
mod state;
mod terminal;
mod view;
mod words;

pub(crate) use terminal::run;
