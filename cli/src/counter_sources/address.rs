//! Addresses of live sources.

use std::str::FromStr;

/// The address of a switch: `[NAME=]sonic://[[USER:]PASSWORD@]HOST[:PORT]`, `sonics://...` with TLS, or
/// `sonic+unix:///PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The switch's name, if the address has one.
    pub(crate) name: Option<String>,
    /// The address of its Redis server, as [`crate::redis::Server::connect`] takes it.
    pub(crate) redis: String,
    /// The address for people, without a password.
    pub(crate) shown: String,
}

/// The schemes of SONiC, and those of Redis that they stand for.
const SCHEMES: [(&str, &str); 3] =
    [("sonic://", "redis://"), ("sonics://", "rediss://"), ("sonic+unix://", "unix://")];

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let expected =
            "expected [NAME=]sonic://HOST[:PORT], sonics://HOST[:PORT] for TLS, or sonic+unix:///PATH";
        let scheme_at = text.find("://").ok_or(expected)?;
        // A password may contain `=`; the name stands before the scheme.
        let (name, address) = match text[..scheme_at].rsplit_once('=') {
            Some((name, _)) => (Some(name), &text[name.len() + 1..]),
            None => (None, text),
        };
        if name == Some("") {
            return Err(format!("the name before `=` is empty; {expected}"));
        }
        let known = SCHEMES.iter().find_map(|(own, redis)| Some((own, redis, address.strip_prefix(own)?)));
        let (scheme, redis, rest) = known.ok_or(expected)?;
        if rest.is_empty() {
            return Err(format!("there is nothing after `{scheme}`; {expected}"));
        }
        // Anything else in front of the path would be shown, and may be a password.
        if *scheme == "sonic+unix://" && !rest.starts_with('/') {
            return Err(format!("expected an absolute path after `{scheme}`; {expected}"));
        }
        let redis = format!("{redis}{rest}");
        // Shown as an address of Redis and then under its own scheme.
        let shown = crate::redis::shown(&redis);
        let shown = shown.split_once("://").map_or("", |(_, rest)| rest);
        Ok(Address { name: name.map(str::to_owned), shown: format!("{scheme}{shown}"), redis })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(Option<&str>, &str, &str)>) {
        let address = text.parse::<Address>();
        let found = address.as_ref().ok().map(|a| (a.name.as_deref(), a.redis.as_str(), a.shown.as_str()));
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
            "gnmi://leaf1",
            "sonic+unix://:pw@leaf1/x",
            "",
        ] {
            check(wrong, None);
        }
    }
}
