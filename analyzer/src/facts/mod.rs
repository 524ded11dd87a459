//! Stage 1, facts: a snapshot as an indexed view, the time and the ports under analysis, and what happened at one port
//! or link: pauses, queue episodes, losses, link events. No fact attributes anything.

pub(crate) mod flow_paths;
pub(crate) mod gap;
pub(crate) mod path;
pub(crate) mod queue_episode;
pub(crate) mod span;
pub mod topology_index;
pub mod validate;
pub(crate) mod victim_links;
pub(crate) mod view;
pub(crate) mod wording;
