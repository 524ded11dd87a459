//! Reads from remote storage: a small request from a client to a server, followed by the data in the other direction.

use super::poisson::starts;
use super::{Arrivals, Message, SizeTable, WorkloadError, at_least};
use crate::random::Random;

/// Bytes of a request.
const REQUEST_BYTES: u64 = 64;

/// Random reads: the first `clients` of `hosts` hosts are clients, the others are servers. `arrivals` counts the data,
/// not the requests.
///
/// # Errors
/// No client, no server, or too many messages.
pub fn storage_reads(
    hosts: usize,
    clients: usize,
    arrivals: Arrivals,
    sizes: &SizeTable,
    scale: f64,
    seed: u64,
) -> Result<Vec<Message>, WorkloadError> {
    at_least(1, clients)?;
    at_least(clients + 1, hosts)?;
    let mut random = Random::new(seed, 0x5706);
    let mut messages = Vec::new();
    for start in starts(&mut random, arrivals, sizes.mean() * scale) {
        let start = start?;
        let client = random.below(clients as u64) as usize;
        let server = clients + random.below((hosts - clients) as u64) as usize;
        let request = messages.len();
        messages.push(Message { src: client, dst: server, bytes: REQUEST_BYTES, start, after: Vec::new() });
        let bytes = sizes.draw(&mut random, scale);
        messages.push(Message {
            src: server,
            dst: client,
            bytes,
            start: model::Time::ZERO,
            after: vec![request],
        });
    }
    Ok(messages)
}
