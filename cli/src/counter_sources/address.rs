//! Addresses of live sources.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use redis::IntoConnectionInfo;

/// The address of a switch, with its name if it has one: `[NAME=]sonic://[[USER:]PASSWORD@]HOST[:PORT]`, `sonics://...` with
/// TLS, `sonic+unix:///PATH`, `[NAME=]gnmi://[USER[:PASSWORD]@]HOST[:PORT]`, or `gnmis://...` with TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The switch's name, if the address has one.
    pub(crate) name: Option<String>,
    /// How it is read.
    pub(crate) protocol: Protocol,
    /// The address for people, without a password.
    pub(crate) shown: String,
}

/// How a switch is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// From its Redis server, by the address that [`crate::redis::Server::connect`] takes.
    Redis(String),
    /// Over gNMI.
    Gnmi(GnmiAddress),
    /// The P4Runtime server of a P4 switch.
    P4Runtime(P4Address),
}

/// Where the P4Runtime server of a switch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct P4Address {
    /// `HOST:PORT`.
    pub(crate) authority: String,
    pub(crate) device_id: u64,
    pub(crate) is_tls: bool,
    /// The DNS name that its certificate must have; `None`: the host.
    pub(crate) certificate_name: Option<String>,
}

/// The address of a gNMI server.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct GnmiAddress {
    /// Host and port.
    pub(crate) authority: String,
    pub(crate) is_tls: bool,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
}

impl GnmiAddress {
    /// Whether user and password cross a network without encryption.
    pub(crate) fn is_exposed(&self) -> bool {
        let host = self.authority.rsplit_once(':').map_or(self.authority.as_str(), |(host, _)| host);
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_loopback =
            host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        !self.is_tls && self.user.is_some() && !is_loopback
    }
}

impl fmt::Debug for GnmiAddress {
    /// Omits the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{} (TLS: {})", self.user.as_deref().unwrap_or(""), self.authority, self.is_tls)
    }
}

/// The schemes of SONiC, and those of Redis that they stand for.
const SCHEMES: [(&str, &str); 3] =
    [("sonic://", "redis://"), ("sonics://", "rediss://"), ("sonic+unix://", "unix://")];
/// The schemes of gNMI, and whether they use TLS.
const GNMI_SCHEMES: [(&str, bool); 2] = [("gnmi://", false), ("gnmis://", true)];
/// The port of gNMI (IANA).
const GNMI_PORT: u16 = 9339;
/// Schemes of addresses of P4Runtime, and whether they use TLS.
const P4_SCHEMES: [(&str, bool); 2] = [("p4runtime://", false), ("p4runtimes://", true)];
/// The port of P4Runtime (IANA).
const P4_PORT: u16 = 9559;

const EXPECTED: &str = "expected [NAME=]sonic://HOST[:PORT] or gnmi://USER@HOST[:PORT], sonics:// or gnmis:// for TLS, \
                        sonic+unix:///PATH, or NAME=p4runtime://HOST[:PORT][/DEVICE_ID]";

impl Address {
    /// The address of the P4 switch `name`.
    pub(crate) fn of_p4(name: &str, p4: P4Address) -> Address {
        let shown =
            format!("p4runtime{}://{}/{}", if p4.is_tls { "s" } else { "" }, p4.authority, p4.device_id);
        Address { name: Some(name.to_string()), protocol: Protocol::P4Runtime(p4), shown }
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let scheme_at = text.find("://").ok_or(EXPECTED)?;
        // A password may contain `=`; the name stands before the scheme.
        let (name, address) = match text[..scheme_at].rsplit_once('=') {
            Some((name, _)) => (Some(name), &text[name.len() + 1..]),
            None => (None, text),
        };
        if name == Some("") {
            return Err(format!("the name before `=` is empty; {EXPECTED}"));
        }
        let scheme_of = |schemes: &'static [(&'static str, bool)]| {
            schemes.iter().find_map(|(own, is_tls)| Some((*own, address.strip_prefix(own)?, *is_tls)))
        };
        let (protocol, shown) = match (scheme_of(&GNMI_SCHEMES), scheme_of(&P4_SCHEMES)) {
            (Some((scheme, rest, is_tls)), _) => gnmi_address(scheme, rest, is_tls)?,
            (None, Some((scheme, ..))) if name.is_none() => {
                return Err(format!("a P4 switch does not state its name: expected NAME={scheme}..."));
            }
            (None, Some((scheme, rest, is_tls))) => p4_address(scheme, rest, is_tls)?,
            (None, None) => redis_address(address)?,
        };
        Ok(Address { name: name.map(str::to_owned), protocol, shown })
    }
}

fn redis_address(address: &str) -> Result<(Protocol, String), String> {
    let known = SCHEMES.iter().find_map(|(own, redis)| Some((own, redis, address.strip_prefix(own)?)));
    let (scheme, redis, rest) = known.ok_or(EXPECTED)?;
    if rest.is_empty() {
        return Err(format!("there is nothing after `{scheme}`; {EXPECTED}"));
    }
    // Anything else in front of the path would be shown, and may be a password.
    if *scheme == "sonic+unix://" && !rest.starts_with('/') {
        return Err(format!("expected an absolute path after `{scheme}`; {EXPECTED}"));
    }
    let redis = format!("{redis}{rest}");
    // The crate reads addresses with TLS only if it provides TLS itself.
    let plain = redis.replacen("rediss://", "redis://", 1);
    if plain.as_str().into_connection_info().is_err() {
        return Err(format!("expected HOST[:PORT] after `{scheme}`, with a port up to 65535; {EXPECTED}"));
    }
    // Shown as an address of Redis and then under its own scheme.
    let shown = crate::redis::shown(&redis);
    let shown = shown.split_once("://").map_or("", |(_, rest)| rest);
    Ok((Protocol::Redis(redis), format!("{scheme}{shown}")))
}

fn gnmi_address(scheme: &str, rest: &str, is_tls: bool) -> Result<(Protocol, String), String> {
    // A password may contain `@` and `:`.
    let (login, host) = rest.rsplit_once('@').map_or((None, rest), |(login, host)| (Some(login), host));
    let (user, password) = match login.map(|login| login.split_once(':').unwrap_or((login, ""))) {
        Some((user, password)) => (Some(user.to_string()), Some(password).filter(|text| !text.is_empty())),
        None => (None, None),
    };
    let host = host.strip_suffix('/').unwrap_or(host);
    let authority = authority(host, GNMI_PORT).filter(|_| user.as_deref() != Some(""));
    let authority =
        authority.ok_or_else(|| format!("expected USER@HOST[:PORT] after `{scheme}`; {EXPECTED}"))?;
    let login = user.as_ref().map(|user| format!("{user}{}@", if password.is_some() { ":***" } else { "" }));
    let shown = format!("{scheme}{}{authority}", login.unwrap_or_default());
    let password = password.map(str::to_owned);
    Ok((Protocol::Gnmi(GnmiAddress { authority, is_tls, user, password }), shown))
}

/// The rest of an address of P4Runtime.
fn p4_address(scheme: &str, rest: &str, is_tls: bool) -> Result<(Protocol, String), String> {
    let wrong = || format!("expected HOST[:PORT][/DEVICE_ID] after `{scheme}`; {EXPECTED}");
    let (host, device_id) = match rest.split_once('/') {
        Some((host, "")) => (host, 1),
        Some((host, number)) => (host, number.parse().map_err(|_| wrong())?),
        None => (rest, 1),
    };
    let authority = authority(host, P4_PORT).ok_or_else(wrong)?;
    let shown = format!("{scheme}{authority}/{device_id}");
    Ok((Protocol::P4Runtime(P4Address { authority, device_id, is_tls, certificate_name: None }), shown))
}

/// `HOST:PORT` of a host with or without a port; `None` if it is neither.
fn authority(host: &str, default_port: u16) -> Option<String> {
    let after_address = host.rsplit_once(']').map_or(host, |(_, port)| port);
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    if host.is_empty() || !host.chars().all(is_host) {
        return None;
    }
    match after_address.rsplit_once(':') {
        Some((_, port)) => port.parse::<u16>().is_ok().then(|| host.to_string()),
        None => Some(format!("{host}:{default_port}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(Option<&str>, &str, &str)>) {
        let address = text.parse::<Address>();
        let redis = |a: &Address| match &a.protocol {
            Protocol::Redis(redis) => redis.clone(),
            Protocol::Gnmi(gnmi) => format!("{gnmi:?} {:?}", gnmi.password),
            Protocol::P4Runtime(p4) => format!("{} {} TLS: {}", p4.authority, p4.device_id, p4.is_tls),
        };
        let redis = address.as_ref().ok().map(redis);
        let found = address.as_ref().ok().zip(redis.as_deref());
        let found = found.map(|(a, redis)| (a.name.as_deref(), redis, a.shown.as_str()));
        assert_eq!(found, expected, "{text}: {address:?}");
    }

    #[test]
    fn addresses_name_a_switch_and_its_server() {
        check("sonic://leaf1", Some((None, "redis://leaf1", "sonic://leaf1")));
        check(
            "leaf1=sonic://:s3=cret@10.0.0.1:6380",
            Some((Some("leaf1"), "redis://:s3=cret@10.0.0.1:6380", "sonic://:***@10.0.0.1:6380")),
        );
        check("sonics://leaf1:6380", Some((None, "rediss://leaf1:6380", "sonics://leaf1:6380")));
        check(
            "a=sonic+unix:///run/redis.sock",
            Some((Some("a"), "unix:///run/redis.sock", "sonic+unix:///run/redis.sock")),
        );
        for wrong in [
            "leaf1",
            "redis://leaf1",
            "=sonic://leaf1",
            "sonic://",
            "http://leaf1",
            "sonic+unix://:pw@leaf1/x",
            "sonic://leaf1:99999",
            "sonics://leaf1:port",
            "",
        ] {
            check(wrong, None);
        }
    }

    #[test]
    fn a_login_is_exposed_without_encryption_on_a_network() {
        let exposed = |text: &str| match text.parse::<Address>().map(|address| address.protocol) {
            Ok(Protocol::Gnmi(gnmi)) => gnmi.is_exposed(),
            other => panic!("{text}: {other:?}"),
        };
        for address in ["gnmi://admin@leaf1", "gnmi://admin@10.0.0.1:8080", "gnmi://admin@[fd00::1]"] {
            assert!(exposed(address), "{address}");
        }
        for address in
            ["gnmis://admin@leaf1", "gnmi://leaf1", "gnmi://admin@127.0.0.1", "gnmi://admin@[::1]:8080"]
        {
            assert!(!exposed(address), "{address}");
        }
    }

    #[test]
    fn addresses_of_p4_switches_have_a_name_and_a_device() {
        check(
            "leaf1=p4runtime://10.0.0.1",
            Some((Some("leaf1"), "10.0.0.1:9559 1 TLS: false", "p4runtime://10.0.0.1:9559/1")),
        );
        check(
            "leaf1=p4runtimes://[fd00::1]:9560/7",
            Some((Some("leaf1"), "[fd00::1]:9560 7 TLS: true", "p4runtimes://[fd00::1]:9560/7")),
        );
        for wrong in [
            "p4runtime://leaf1",
            "leaf1=p4runtime://",
            "leaf1=p4runtime://leaf1/x",
            "leaf1=p4runtime://leaf1:x",
        ] {
            check(wrong, None);
        }
    }

    #[test]
    fn addresses_of_gnmi_have_a_user() {
        check("gnmi://leaf1", Some((None, "@leaf1:9339 (TLS: false) None", "gnmi://leaf1:9339")));
        check(
            "leaf1=gnmis://admin:s3c=r@t:x@10.0.0.1:8080",
            Some((
                Some("leaf1"),
                "admin@10.0.0.1:8080 (TLS: true) Some(\"s3c=r@t:x\")",
                "gnmis://admin:***@10.0.0.1:8080",
            )),
        );
        check(
            "gnmi://admin@[fd00::1]",
            Some((None, "admin@[fd00::1]:9339 (TLS: false) None", "gnmi://admin@[fd00::1]:9339")),
        );
        for wrong in ["gnmi://", "gnmi://admin@", "gnmi://@leaf1", "gnmi://leaf1:x", "gnmi://s3cret/@leaf 1"]
        {
            check(wrong, None);
        }
    }
}
