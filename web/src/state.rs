//! The state that request handlers share.

use std::sync::Arc;

use crate::access::Access;
use crate::check::Checker;
use crate::host_report::HostReportBackend;
use crate::live::LiveState;
use crate::probe::Probe;
use crate::query::QueryBackend;
use crate::tokens::TokenBackend;
use crate::what_if::WhatIfBackend;

/// The server's state; clones share it.
#[derive(Clone)]
pub struct AppState {
    pub(crate) live: Arc<LiveState>,
    pub(crate) backend: Option<Arc<dyn QueryBackend>>,
    pub(crate) what_if: Option<Arc<dyn WhatIfBackend>>,
    pub(crate) host_reports: Option<Arc<dyn HostReportBackend>>,
    pub(crate) probe: Option<Arc<dyn Probe>>,
    pub(crate) access: Arc<Access>,
    pub(crate) tokens: Option<Arc<dyn TokenBackend>>,
    pub(crate) checker: Option<Arc<dyn Checker>>,
}

impl AppState {
    /// The state of a server on `live` that rejects queries about flows.
    pub fn new(live: Arc<LiveState>) -> AppState {
        let access = Arc::new(Access::open([]));
        AppState {
            live,
            backend: None,
            what_if: None,
            host_reports: None,
            probe: None,
            access,
            tokens: None,
            checker: None,
        }
    }

    /// Adds a backend for queries about victim flows.
    #[must_use]
    pub fn with_query_backend(mut self, backend: Arc<dyn QueryBackend>) -> AppState {
        self.backend = Some(backend);
        self
    }

    /// Adds a backend that repeats runs without a root cause.
    #[must_use]
    pub fn with_what_if_backend(mut self, backend: Arc<dyn WhatIfBackend>) -> AppState {
        self.what_if = Some(backend);
        self
    }

    /// Adds the reports of hosts.
    #[must_use]
    pub fn with_host_reports(mut self, backend: Arc<dyn HostReportBackend>) -> AppState {
        self.host_reports = Some(backend);
        self
    }

    /// Sets who may do what; otherwise everyone may do everything under the names of loopback addresses.
    #[must_use]
    pub fn with_access(mut self, access: Arc<Access>) -> AppState {
        self.access = access;
        self
    }

    /// Lets admins manage the tokens.
    #[must_use]
    pub fn with_tokens(mut self, tokens: Arc<dyn TokenBackend>) -> AppState {
        self.tokens = Some(tokens);
        self
    }

    /// Adds the rules for switch configurations.
    #[must_use]
    pub fn with_checker(mut self, checker: Arc<dyn Checker>) -> AppState {
        self.checker = Some(checker);
        self
    }

    /// Adds health and metrics of the program around the server.
    #[must_use]
    pub fn with_probe(mut self, probe: Arc<dyn Probe>) -> AppState {
        self.probe = Some(probe);
        self
    }
}

impl std::fmt::Debug for AppState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AppState").field("has_backend", &self.backend.is_some()).finish_non_exhaustive()
    }
}
