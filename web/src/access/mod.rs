//! Who may do what: roles, tokens, the names under which the server may be addressed, and the rate of questions.
//!
//! Without tokens everyone who reaches the server may do everything; a driver allows that on loopback addresses only.
//! With tokens a request needs one, in `Authorization: Bearer TOKEN` or in the cookie of the login page. A reverse proxy that
//! has authenticated the user may name it in headers instead ([`Proxies`]).

mod guard;
mod login;
mod proxy;
mod rate;

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use ring::digest;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub(crate) use guard::protect;
pub(crate) use proxy::Peer;
pub use proxy::{GroupRole, Network, ParseGroupRoleError, ParseNetworkError, Proxies};
use rate::Bucket;

/// Questions that may follow each other at once. A question freezes telemetry on the switches of a path, and until its
/// end no other event can freeze it there.
const QUESTIONS_AT_ONCE: u32 = 16;
/// Questions a second after that.
const QUESTIONS_PER_S: u32 = 2;

/// What the owner of a token may do. A role includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads everything.
    Viewer,
    /// Also asks about flows, which freezes telemetry.
    Operator,
    /// Also lists, creates and revokes tokens.
    Admin,
}

impl Role {
    /// All roles, in ascending order.
    pub const ALL: [Role; 3] = [Role::Viewer, Role::Operator, Role::Admin];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Operator => "operator",
            Role::Admin => "admin",
        }
    }
}

/// The SHA-256 hash of a token. Tokens are random, so their hashes cannot be inverted by trying.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Hashes a token.
    pub fn of(token: &str) -> TokenHash {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest::digest(&digest::SHA256, token.as_bytes()).as_ref());
        TokenHash(hash)
    }

    /// Reads 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<TokenHash> {
        let mut hash = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (at, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(TokenHash(hash))
    }

    /// Writes 64 hexadecimal digits.
    pub fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl std::fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenHash(..)")
    }
}

/// A token that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// Whose it is, for the audit log.
    pub name: String,
    /// What its owner may do.
    pub role: Role,
    /// The token's hash.
    pub hash: TokenHash,
}

/// The name of the owner of a request, for handlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Author(pub(crate) String);

/// The owner of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    name: String,
    role: Role,
    /// How it is known: `token`, `proxy`, or `open` on a server that needs neither.
    via: &'static str,
}

/// Who may do what.
#[derive(Debug)]
pub struct Access {
    /// `None`: no tokens, everyone may do everything.
    credentials: RwLock<Option<Vec<Credential>>>,
    /// `None`: every host name is accepted.
    hosts: Option<BTreeSet<String>>,
    questions: Bucket,
    proxies: Option<Proxies>,
}

impl Access {
    /// Everyone may do everything, as long as the request addresses the server by an IP address, by `localhost` or by
    /// one of these names. The check keeps a page of another site from reading the server through a name that it
    /// resolves to a loopback address (DNS rebinding).
    pub fn open(hosts: impl IntoIterator<Item = String>) -> Access {
        let hosts = hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect();
        Access {
            credentials: RwLock::new(None),
            hosts: Some(hosts),
            questions: Bucket::new(QUESTIONS_AT_ONCE, QUESTIONS_PER_S),
            proxies: None,
        }
    }

    /// Only the owners of these tokens. The host name is not checked: a page of another site has no token.
    pub fn tokens(credentials: Vec<Credential>) -> Access {
        Access { credentials: RwLock::new(Some(credentials)), hosts: None, ..Access::open([]) }
    }

    /// Also the users that these proxies name. The server requires tokens of all others, if there are any. Requests must
    /// address it by an IP address, by `localhost` or by one of these names: in a browser on the machine of the proxy, a page
    /// of another site could otherwise send the proxy's headers (DNS rebinding).
    #[must_use]
    pub fn with_proxies(self, proxies: Proxies, hosts: impl IntoIterator<Item = String>) -> Access {
        let credentials = self.credentials.into_inner().unwrap_or_else(PoisonError::into_inner);
        Access {
            credentials: RwLock::new(Some(credentials.unwrap_or_default())),
            proxies: Some(proxies),
            ..Access::open(hosts)
        }
    }

    /// Replaces the tokens of a server that requires tokens.
    pub fn replace(&self, credentials: Vec<Credential>) {
        *self.credentials.write().unwrap_or_else(PoisonError::into_inner) = Some(credentials);
    }

    /// Returns the owner of a token, or of a request without one if none is required.
    fn identify(&self, token: Option<&str>) -> Option<Identity> {
        let credentials = self.credentials.read().unwrap_or_else(PoisonError::into_inner);
        let Some(credentials) = credentials.as_ref() else {
            return Some(Identity { name: "anonymous".into(), role: Role::Admin, via: "open" });
        };
        let hash = TokenHash::of(token?);
        let own = credentials.iter().find(|credential| credential.hash == hash)?;
        Some(Identity { name: own.name.clone(), role: own.role, via: "token" })
    }

    /// Whether the server may be addressed as `authority`: a host, with or without a port.
    fn allows_host(&self, authority: &str) -> bool {
        let Some(names) = &self.hosts else { return true };
        let host = host_of(authority).to_ascii_lowercase();
        let host = host.trim_end_matches('.');
        host.parse::<std::net::IpAddr>().is_ok()
            || host == "localhost"
            || host.ends_with(".localhost")
            || names.contains(host)
    }
}

/// The host of `host:port`, without the brackets of an IPv6 address.
fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or(rest, |(host, _)| host),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_and_addresses_are_hosts_of_an_open_server() {
        let access = Access::open(["Harrier.Example".to_string()]);
        let check = |authority: &str, expected: bool| {
            assert_eq!(access.allows_host(authority), expected, "{authority}");
        };
        check("127.0.0.1:8080", true);
        check("[::1]:8080", true);
        check("localhost:8080", true);
        check("LOCALHOST.", true);
        check("a.localhost", true);
        check("harrier.example", true);
        check("HARRIER.example:443", true);
        check("evil.test:8080", false);
        check("harrier.example.evil.test", false);
        check("localhost.evil.test", false);
        check("notlocalhost", false);
        check("", false);
        assert!(Access::tokens(vec![]).allows_host("evil.test"));
    }

    #[test]
    fn a_token_has_the_role_of_its_owner() {
        let credential = |name: &str, role, token| {
            let hash = TokenHash::from_hex(&TokenHash::of(token).to_hex()).unwrap();
            Credential { name: name.into(), role, hash }
        };
        let access = Access::tokens(vec![credential("eve", Role::Viewer, "one")]);
        assert_eq!(access.identify(Some("one")).unwrap().role, Role::Viewer);
        assert_eq!(access.identify(Some("two")), None);
        assert_eq!(access.identify(None), None);
        access.replace(vec![credential("ops", Role::Operator, "two")]);
        assert_eq!(access.identify(Some("two")).unwrap().name, "ops");
        assert_eq!(access.identify(Some("one")), None);
        assert_eq!(Access::open([]).identify(None).unwrap().role, Role::Admin);
    }

    #[test]
    fn a_hash_is_64_hexadecimal_digits() {
        for text in ["", "00", &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(TokenHash::from_hex(text), None, "{text}");
        }
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(TokenHash::of("abc").to_hex(), abc);
    }
}
