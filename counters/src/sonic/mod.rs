//! SONiC: its databases, and what its `show` commands print.
//!
//! Names and types of counters follow sonic-swss (orchagent, the Lua scripts of watermarks and of the PFC watchdog) and
//! sonic-utilities (`pfcstat`, `queuestat`, `watermarkstat`, `pg-drop`, `pfcwd`, `portstat`, `intfutil`, `lldpshow`).

mod counter;
mod database;
mod dump;
mod flex_counter;
pub mod gnmi;
mod natural;
mod plan;
mod qos_map;
mod show;
mod switch_state;

pub use database::{DatabaseName, Databases, reading};
pub use dump::{MAX_HASHES, parse_dump};
pub use flex_counter::polling_keys;
pub use natural::compare as compare_names;
pub use plan::{Plan, Values};
pub use show::{parse_date, parse_show};
