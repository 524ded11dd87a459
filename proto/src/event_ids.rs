//! Event ids: the number of a host times 2^16, and the host's count. Every polling packet and its telemetry carry one.
//!
//! | numbers of hosts | |
//! |---|---|
//! | 0 to 0x7fff | assigned by the server: the position of the host in the topology |
//! | 0x8000 to 0xfffe | provisional, from a hash of the host's name, until the server has assigned one |
//! | 0xffff | queries of operators |

/// Host numbers that the server assigns are below this one.
pub const PROVISIONAL: u16 = 0x8000;
/// First event id of operators' queries.
pub const FIRST_QUERY: u32 = 0xffff_0000;

/// Returns the number of the host at a position of the topology; `None` if there are too many.
pub fn assigned(position: usize) -> Option<u16> {
    u16::try_from(position).ok().filter(|number| *number < PROVISIONAL)
}

/// Returns the number that a host uses until the server assigns one: 15 bits of a 32-bit FNV-1a hash of its name.
pub fn provisional(name: &str) -> u16 {
    let hash =
        name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    PROVISIONAL | ((hash >> 16 ^ hash) as u16 & 0x7fff).min(0x7ffe)
}

/// Whether an event id may come from a host of this name with this assigned number.
pub fn may_use(event: u32, name: &str, assigned: Option<u16>) -> bool {
    let number = (event >> 16) as u16;
    assigned == Some(number) || provisional(name) == number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_their_own_ids() {
        assert_eq!((assigned(5), assigned(0x7fff), assigned(0x8000)), (Some(5), Some(0x7fff), None));
        for index in 0..10_000 {
            let number = provisional(&format!("host{index}"));
            assert!((PROVISIONAL..0xffff).contains(&number));
        }
        assert!(may_use(0x0005_0001, "h1", Some(5)));
        assert!(may_use(u32::from(provisional("h1")) << 16, "h1", Some(5)));
        assert!(!may_use(0x0006_0001, "h1", Some(5)));
        assert!(!may_use(FIRST_QUERY, "h1", Some(5)));
    }
}
