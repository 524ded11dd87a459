//! What X-RDMA (Ma et al., CLUSTER 2019) knows about messages on RDMA: request times, message windows, keepalive, settings that
//! change while a library runs, and its runbook.

mod keepalive;
mod request_time;
mod runbook;
mod settings;
mod window;

pub use keepalive::{Keepalive, KeepaliveAction};
pub use request_time::request_time_ns;
pub use runbook::{RUNBOOK, RunbookRow, runbook};
pub use settings::{Setting, SettingError, Settings};
pub use window::{Endpoint, Message, WindowError, is_deadlocked};
