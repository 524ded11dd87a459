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
    permitted: Arc<[String]>,
    /// Calls that were rejected.
    rejected: Arc<AtomicU64>,
}

impl ClientNames {
    /// Permits clients with one of these names; all clients if there are none.
    pub(super) fn new(permitted: Vec<String>) -> ClientNames {
        ClientNames { permitted: permitted.into(), rejected: Arc::default() }
    }

    fn permits(&self, certificate: Option<&CertificateDer<'_>>) -> bool {
        if self.permitted.is_empty() {
            return true;
        }
        let certificate = certificate.and_then(|der| webpki::EndEntityCert::try_from(der).ok());
        certificate.is_some_and(|certificate| {
            let names = certificate.valid_dns_names();
            let mut permitted =
                names.filter(|name| self.permitted.iter().any(|pattern| matches(pattern, name)));
            permitted.any(|name| {
                let name = ServerName::try_from(name);
                name.is_ok_and(|name| certificate.verify_is_valid_for_subject_name(&name).is_ok())
            })
        })
    }
}

impl Interceptor for ClientNames {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let chain = request.peer_certs();
        if self.permits(chain.as_ref().and_then(|chain| chain.first())) {
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
