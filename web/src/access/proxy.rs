//! Login through a reverse proxy that has authenticated the user, for example with OpenID Connect: it sends the name and
//! the groups of the user in headers, in the way of oauth2-proxy (oauth2-proxy.github.io, "Header options").
//!
//! The headers count only on connections from configured addresses. The proxy must replace headers of these names that its
//! clients send.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName};

use super::{Identity, Role};

/// Maximum bytes of a user's name; a longer one is rejected.
const NAME_BYTES: usize = 128;
/// Maximum groups of a user that are read.
const GROUPS: usize = 1_000;

/// The address of the client of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Addresses with a common prefix, written `10.1.0.0/16`; without a length, one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

/// Why a text is not a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an IP address or a network, e.g. 10.1.0.0/16")]
pub struct ParseNetworkError(String);

impl FromStr for Network {
    type Err = ParseNetworkError;

    fn from_str(text: &str) -> Result<Network, ParseNetworkError> {
        let fail = || ParseNetworkError(text.to_string());
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| fail())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| fail())?;
        let length = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(length);
        if bits > length {
            return Err(fail());
        }
        Ok(Network { address, bits })
    }
}

impl Network {
    /// Whether an address is in it.
    fn contains(self, address: IpAddr) -> bool {
        // A socket for both families shows IPv4 peers as mapped addresses (RFC 4291, section 2.5.5.2).
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differing = own.to_bits() ^ other.to_bits();
                differing.checked_shr(32 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differing = own.to_bits() ^ other.to_bits();
                differing.checked_shr(128 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

/// A group of users and its role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRole {
    /// The name of the group; `*` is every user.
    pub group: String,
    /// What its users may do.
    pub role: Role,
}

/// Why a text is not a group and its role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not `GROUP=ROLE` with the role `viewer`, `operator` or `admin`")]
pub struct ParseGroupRoleError(String);

impl FromStr for GroupRole {
    type Err = ParseGroupRoleError;

    /// Reads `GROUP=ROLE`. The group may have `=` in it, as names of a directory do.
    fn from_str(text: &str) -> Result<GroupRole, ParseGroupRoleError> {
        let fail = || ParseGroupRoleError(text.to_string());
        let (group, role) = text.rsplit_once('=').ok_or_else(fail)?;
        let role = Role::ALL.into_iter().find(|known| known.name() == role.trim()).ok_or_else(fail)?;
        let group = group.trim();
        if group.is_empty() || group.contains(',') {
            return Err(fail());
        }
        Ok(GroupRole { group: group.to_string(), role })
    }
}

/// The reverse proxies whose headers are believed.
#[derive(Clone, Debug)]
pub struct Proxies {
    /// Their addresses.
    pub networks: Vec<Network>,
    /// The header with the name of the user.
    pub user_header: HeaderName,
    /// The header with the groups of the user, separated by commas.
    pub groups_header: HeaderName,
    /// The roles of groups. A user has the highest role of any of its groups.
    pub roles: Vec<GroupRole>,
}

/// Why the headers of a proxy let no one in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ProxyError {
    /// The header is there several times, or no name is in it.
    #[error(
        "the proxy must send one header `{0}` with the name of the user, at most {NAME_BYTES} ASCII characters"
    )]
    Name(HeaderName),
    /// No group of the user has a role.
    #[error("no group of `{0}` has a role on this server (`proxy_roles`)")]
    NoRole(String),
}

impl Proxies {
    /// Returns the user of a request; `None` if it is not from a proxy, or the proxy names none.
    pub(super) fn identify(
        &self,
        peer: Option<Peer>,
        headers: &HeaderMap,
    ) -> Option<Result<Identity, ProxyError>> {
        headers.get(&self.user_header)?;
        self.is_proxy(peer?).then(|| self.user(headers))
    }

    /// Returns the address and the header of a request that names a user and is not from a proxy.
    pub(super) fn ignored(&self, peer: Option<Peer>, headers: &HeaderMap) -> Option<(IpAddr, &HeaderName)> {
        headers.get(&self.user_header)?;
        let peer = peer?;
        (!self.is_proxy(peer)).then_some((peer.0.to_canonical(), &self.user_header))
    }

    fn is_proxy(&self, Peer(address): Peer) -> bool {
        self.networks.iter().any(|network| network.contains(address))
    }

    fn user(&self, headers: &HeaderMap) -> Result<Identity, ProxyError> {
        let malformed = || ProxyError::Name(self.user_header.clone());
        let mut names = headers.get_all(&self.user_header).iter();
        let (Some(name), None) = (names.next(), names.next()) else { return Err(malformed()) };
        let name = name.to_str().map_err(|_| malformed())?.trim();
        if name.is_empty() || name.len() > NAME_BYTES {
            return Err(malformed());
        }
        let listed = headers.get_all(&self.groups_header).iter().filter_map(|groups| groups.to_str().ok());
        let groups: Vec<&str> =
            listed.flat_map(|groups| groups.split(',')).take(GROUPS).map(str::trim).collect();
        let has = |entry: &&GroupRole| entry.group == "*" || groups.contains(&entry.group.as_str());
        let role = self.roles.iter().filter(has).map(|entry| entry.role).max();
        let role = role.ok_or_else(|| ProxyError::NoRole(name.to_string()))?;
        Ok(Identity { name: name.to_string(), role, via: "proxy" })
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_network_contains_the_addresses_with_its_prefix() {
        let check = |network: &str, address: &str, expected: bool| {
            let network: Network = network.parse().unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), expected, "{network:?} {address}");
        };
        check("10.1.2.3", "10.1.2.3", true);
        check("10.1.2.3", "10.1.2.4", false);
        check("10.1.2.3", "::ffff:10.1.2.3", true);
        check("10.1.0.0/16", "10.1.255.1", true);
        check("10.1.0.0/16", "10.2.0.1", false);
        check("0.0.0.0/0", "192.0.2.1", true);
        check("0.0.0.0/0", "2001:db8::1", false);
        check("2001:db8::/32", "2001:db8:1::1", true);
        check("2001:db8::/32", "2001:db9::1", false);
        check("::/0", "2001:db9::1", true);
        check("::1", "127.0.0.1", false);
        for malformed in ["", "10.1.0.0/33", "::/129", "10.1/16", "10.1.0.0/", "10.1.0.0/-1", "proxy"] {
            assert!(malformed.parse::<Network>().is_err(), "{malformed}");
        }
    }

    #[test]
    fn a_role_follows_the_last_equals_sign() {
        let parsed: GroupRole = "ou=noc = operator".parse().unwrap();
        assert_eq!(parsed, GroupRole { group: "ou=noc".into(), role: Role::Operator });
        // The header separates groups by commas.
        for malformed in ["", "noc", "noc=", "=admin", "noc=root", "noc=Admin", "cn=noc,dc=example=viewer"] {
            assert!(malformed.parse::<GroupRole>().is_err(), "{malformed}");
        }
    }

    fn proxies() -> Proxies {
        let roles = ["noc=viewer", "net-ops=operator", "platform=admin"];
        Proxies {
            networks: vec!["10.1.0.7".parse().unwrap()],
            user_header: HeaderName::from_static("x-forwarded-user"),
            groups_header: HeaderName::from_static("x-forwarded-groups"),
            roles: roles.map(|role| role.parse().unwrap()).to_vec(),
        }
    }

    fn identify(from: &str, headers: &[(&'static str, &str)]) -> Option<Result<Identity, ProxyError>> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        proxies().identify(Some(Peer(from.parse().unwrap())), &map)
    }

    #[test]
    fn a_user_has_the_highest_role_of_its_groups() {
        let check = |groups: &str, expected: Option<Role>| {
            let user = identify("10.1.0.7", &[("x-forwarded-user", "alice"), ("x-forwarded-groups", groups)]);
            match (user.expect("the proxy names a user"), expected) {
                (Ok(identity), Some(role)) => {
                    assert_eq!((identity.name.as_str(), identity.role), ("alice", role), "{groups}");
                }
                (Err(error), None) => assert_eq!(error, ProxyError::NoRole("alice".into()), "{groups}"),
                other => panic!("{groups}: {other:?}"),
            }
        };
        check("noc", Some(Role::Viewer));
        check("staff, net-ops,noc", Some(Role::Operator));
        check("platform,noc", Some(Role::Admin));
        check("NOC", None);
        check("", None);
        let mut all = proxies();
        all.roles = vec!["*=viewer".parse().unwrap()];
        let headers = HeaderMap::from_iter([(all.user_header.clone(), HeaderValue::from_static("bob"))]);
        let peer = Some(Peer("10.1.0.7".parse().unwrap()));
        assert_eq!(all.identify(peer, &headers).unwrap().unwrap().role, Role::Viewer);
    }

    #[test]
    fn headers_of_others_are_ignored_and_malformed_ones_rejected() {
        let user = ("x-forwarded-user", "alice");
        assert_eq!(identify("10.1.0.8", &[user, ("x-forwarded-groups", "platform")]), None);
        assert_eq!(identify("10.1.0.7", &[("x-forwarded-groups", "platform")]), None);
        assert_eq!(proxies().identify(None, &HeaderMap::new()), None, "no connection");
        let long = "a".repeat(129);
        for headers in [vec![user, user], vec![("x-forwarded-user", "")], vec![("x-forwarded-user", &long)]] {
            let rejected = identify("10.1.0.7", &headers).expect("a header is there");
            assert!(matches!(rejected, Err(ProxyError::Name(_))), "{headers:?}");
        }
    }
}
