//! Inspection of a host: settings of its NICs, PCIe functions, memory and processes, checked by rules.
//!
//! [`read()`] takes the files of a recorded tree or of a live host and returns an [`Inspection`](model::host::inspection)
//! with the place of each value, and all problems of the input. [`check()`] runs the rules, one a file in `rules`, each
//! with its source. [`drift()`] compares desired and running settings.
//!
//! Rules about the switch compare with [`SwitchPort`]s that the caller resolved from switch configurations.

mod cpu_list;
mod drift;
mod finding;
mod firmware;
mod place;
mod read;
mod rules;
mod switch_port;

pub use cpu_list::processors;
pub use drift::{DesiredError, desired, drift};
pub use finding::{InspectionFinding, InspectionSeverity};
pub use firmware::{FIRMWARE_ISSUES, FirmwareIssue};
pub use place::{Place, Places, Problem};
pub use read::{Reading, read};
pub(crate) use rules::data_rate_mbps;
pub use rules::{InspectionRule, check, rule, rules};
pub use switch_port::SwitchPort;
