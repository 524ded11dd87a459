//! Determines which of SONiC's two buffer models a file uses.

use crate::db::ConfigDb;

/// A buffer model, and how it was determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BufferModel {
    /// Headroom comes from the platform's lookup table. Also the default if `DEVICE_METADATA` names a platform, but
    /// no model.
    Traditional,
    /// Headroom and pools are computed.
    Dynamic,
    /// The dynamic model, inferred: the file names neither a model nor a platform, like the output of a buffer template
    /// or of the minigraph parser, and omits what only the dynamic model computes.
    DynamicByContent,
}

impl BufferModel {
    /// Determines the model of a file.
    pub(crate) fn of(db: &ConfigDb<'_>) -> Self {
        match db.value("DEVICE_METADATA", "localhost", "buffer_model") {
            Some("dynamic") => Self::Dynamic,
            Some(_) => Self::Traditional,
            None if db.value("DEVICE_METADATA", "localhost", "platform").is_some() => Self::Traditional,
            None => {
                let is_null =
                    |e: &crate::db::Entry<'_>| db.field(e, "profile").is_some_and(|f| f.value == "NULL");
                let computes = db.rows("BUFFER_PG").iter().any(is_null)
                    || !db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").is_empty()
                    || !db.rows("LOSSLESS_TRAFFIC_PATTERN").is_empty();
                if computes { Self::DynamicByContent } else { Self::Traditional }
            }
        }
    }

    /// Headroom and pools are computed.
    pub(crate) fn is_dynamic(self) -> bool {
        self != Self::Traditional
    }
}
