//! Switch configurations: SONiC's buffer, QoS, ECN, PFC and PFC watchdog tables, judged and resolved.
//!
//! Text in, values out: the crate opens no file and no socket. The same model is checked by the rules and configures
//! the fabric's shared-buffer MMU ([`resolved`]).

pub mod resolved;
