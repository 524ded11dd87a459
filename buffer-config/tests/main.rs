//! The tests of the configuration checker, one binary: most of the time goes into compiling what they share.

mod baseline;
mod docs;
mod examples;
mod fixes;
mod fleet;
mod formats;
mod headroom;
mod messages;
mod one_defect;
mod repeats;
mod reports;
mod resolve;
mod rules;
mod settings;
mod support;
mod texts;
mod topology;
mod yang;
