//! What a run looks like to people and their tools: captures ([`pcapng`]), curves ([`series`]) and pictures
//! ([`drawing`]). Everything here gives values; files are written at the edge.

pub mod drawing;
pub mod pcapng;
pub mod series;
