//! Which clients may call: those whose certificate has one of the permitted DNS names.
//!
//! TLS itself accepts every certificate of the authority. Where one authority issues the certificates of controllers and
//! of other programs, only the names tell them apart.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustls_pki_types::{CertificateDer, ServerName};
use tonic::service::Interceptor;
use tonic::{Request, Status};

/// The permitted names; clones share them.
#[derive(Clone, Debug)]
pub(super) struct ClientNames {
    /// Of clients that may make every call.
    permitted: Arc<[String]>,
    /// Of clients that may read.
    readers: Arc<[String]>,
    /// Calls that were rejected.
    rejected: Arc<AtomicU64>,
}

impl ClientNames {
    /// Permits clients with one of the names `permitted`, all clients if there are none; and those with one of `readers` to
    /// read.
    pub(super) fn new(permitted: Vec<String>, readers: Vec<String>) -> ClientNames {
        ClientNames { permitted: permitted.into(), readers: readers.into(), rejected: Arc::default() }
    }
}

/// Marks the calls of a client that may only read.
#[derive(Clone, Copy, Debug)]
struct ReadsOnly;

/// Checks that the client of a call may change something.
///
/// # Errors
/// By its certificate it may only read.
pub(super) fn may_change<T>(request: &Request<T>) -> Result<(), Status> {
    match request.extensions().get::<ReadsOnly>() {
        Some(ReadsOnly) => Err(Status::permission_denied("by its certificate, the client may only read")),
        None => Ok(()),
    }
}

/// Whether a certificate has one of these names.
fn has_one(certificate: Option<&CertificateDer<'_>>, patterns: &[String]) -> bool {
    let certificate = certificate.and_then(|der| webpki::EndEntityCert::try_from(der).ok());
    certificate.is_some_and(|certificate| {
        let names = certificate.valid_dns_names();
        let mut permitted = names.filter(|name| patterns.iter().any(|pattern| matches(pattern, name)));
        permitted.any(|name| {
            let name = ServerName::try_from(name);
            name.is_ok_and(|name| certificate.verify_is_valid_for_subject_name(&name).is_ok())
        })
    })
}

impl Interceptor for ClientNames {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let chain = request.peer_certs();
        let certificate = chain.as_ref().and_then(|chain| chain.first());
        if self.permitted.is_empty() || has_one(certificate, &self.permitted) {
            return Ok(request);
        }
        if has_one(certificate, &self.readers) {
            request.extensions_mut().insert(ReadsOnly);
            return Ok(request);
        }
        let expected = self.permitted.join(" or ");
        let rejected = self.rejected.fetch_add(1, Ordering::Relaxed) + 1;
        // A client that tries again and again must not fill the log.
        if rejected.is_power_of_two() {
            tracing::warn!(
                rejected,
                "rejected calls of clients whose certificate does not have the name {expected}"
            );
        }
        Err(Status::permission_denied(format!("the client's certificate does not have the name {expected}")))
    }
}

/// Whether a name is the permitted one, or one label longer than that of `*.NAME`. DNS names have no case.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix("*."), name.split_once('.')) {
        (Some(parent), Some((label, rest))) => !label.is_empty() && rest.eq_ignore_ascii_case(parent),
        (Some(_), None) => false,
        (None, _) => name.eq_ignore_ascii_case(pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_wildcard_stands_for_one_label() {
        let check =
            |pattern, name, expected| assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        check("*.controller.harrier", "c1.controller.harrier", true);
        check("*.controller.harrier", "C1.Controller.Harrier", true);
        check("*.controller.harrier", "a.b.controller.harrier", false);
        check("*.controller.harrier", "controller.harrier", false);
        check("*.controller.harrier", "c1.agent.harrier", false);
        check("*.controller.harrier", "c1.controller.harrier.example", false);
        check("operator.example", "operator.example", true);
        check("operator.example", "c1.operator.example", false);
    }
}
