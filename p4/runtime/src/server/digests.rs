//! Digest lists: buffering, identifiers and unacknowledged messages, as a pure state machine.
//!
//! Source: P4Runtime specification, "DigestEntry". Times are nanoseconds of the caller's clock.

use indexmap::IndexSet;
use p4_lang::ir::Bits;
use p4_switch::control::DigestConfig;
use std::collections::{BTreeMap, BTreeSet};

/// The scalars of one digest message.
pub(crate) type Values = Vec<Bits>;

/// The messages of one digest.
#[derive(Debug)]
pub(crate) struct DigestQueue {
    longest_list: usize,
    most_unacknowledged: usize,
    /// Distinct buffered messages, in order of arrival.
    buffer: IndexSet<Values>,
    /// Arrival time of the first buffered message.
    since_ns: u64,
    next_list: u64,
    /// Unacknowledged lists with their time of sending.
    sent: BTreeMap<u64, (u64, Vec<Values>)>,
    /// All messages in `sent`.
    cached: BTreeSet<Values>,
    /// Number of messages suppressed because they are in `sent` or `buffer`.
    pub(crate) duplicates: u64,
}

/// A list to be sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct List {
    pub(crate) id: u64,
    pub(crate) messages: Vec<Values>,
}

impl DigestQueue {
    /// Creates an empty queue.
    pub(crate) fn new(longest_list: usize, most_unacknowledged: usize) -> DigestQueue {
        DigestQueue {
            longest_list: longest_list.max(1),
            most_unacknowledged,
            buffer: IndexSet::new(),
            since_ns: 0,
            next_list: 1,
            sent: BTreeMap::new(),
            cached: BTreeSet::new(),
            duplicates: 0,
        }
    }

    /// Adds a message of the switch.
    pub(crate) fn push(&mut self, now_ns: u64, values: Values, config: &DigestConfig) -> Option<List> {
        self.expire(now_ns, config);
        if self.cached.contains(&values) || self.buffer.contains(&values) {
            self.duplicates += 1;
            return None;
        }
        if self.buffer.is_empty() {
            self.since_ns = now_ns;
        }
        self.buffer.insert(values);
        let longest = match usize::try_from(config.max_list_size) {
            Ok(wanted @ 1..) => wanted.min(self.longest_list),
            _ => self.longest_list,
        };
        let full = self.buffer.len() >= longest || config.max_timeout_ns <= 0;
        full.then(|| self.send(now_ns, config))
    }

    /// Returns the list that is due at a time.
    pub(crate) fn poll(&mut self, now_ns: u64, config: &DigestConfig) -> Option<List> {
        self.expire(now_ns, config);
        let due = self.deadline_ns(config).is_some_and(|deadline| deadline <= now_ns);
        due.then(|| self.send(now_ns, config))
    }

    /// Returns the time at which [`DigestQueue::poll`] returns a list.
    pub(crate) fn deadline_ns(&self, config: &DigestConfig) -> Option<u64> {
        let timeout = u64::try_from(config.max_timeout_ns).unwrap_or(0);
        (!self.buffer.is_empty()).then(|| self.since_ns.saturating_add(timeout))
    }

    /// Processes the acknowledgement of a list.
    pub(crate) fn acknowledge(&mut self, list: u64) {
        if let Some((_, messages)) = self.sent.remove(&list) {
            messages.iter().for_each(|values| {
                self.cached.remove(values);
            });
        }
    }

    /// Clears the queue when the primary or the pipeline changes.
    pub(crate) fn reset(&mut self) {
        self.buffer.clear();
        self.sent.clear();
        self.cached.clear();
    }

    fn send(&mut self, now_ns: u64, config: &DigestConfig) -> List {
        let id = self.next_list;
        self.next_list += 1;
        let messages: Vec<Values> = self.buffer.drain(..).collect();
        if config.ack_timeout_ns > 0 {
            self.cached.extend(messages.iter().cloned());
            self.sent.insert(id, (now_ns, messages.clone()));
        }
        while self.cached.len() > self.most_unacknowledged
            && let Some(oldest) = self.sent.keys().next().copied()
        {
            self.acknowledge(oldest);
        }
        List { id, messages }
    }

    fn expire(&mut self, now_ns: u64, config: &DigestConfig) {
        let timeout = u64::try_from(config.ack_timeout_ns).unwrap_or(0);
        while let Some((list, (sent_ns, _))) = self.sent.iter().next()
            && sent_ns.saturating_add(timeout) <= now_ns
        {
            let list = *list;
            self.acknowledge(list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(number: u128) -> Values {
        vec![Bits::new(32, number)]
    }

    fn config(max_timeout_ns: i64, max_list_size: i32, ack_timeout_ns: i64) -> DigestConfig {
        DigestConfig { max_timeout_ns, max_list_size, ack_timeout_ns }
    }

    /// Pushes numbers at the given times and returns the resulting lists.
    fn check(config: DigestConfig, pushes: &[(u64, u128)], expected: &[(u64, &[u128])]) -> DigestQueue {
        let mut queue = DigestQueue::new(100, 100);
        let lists: Vec<List> =
            pushes.iter().filter_map(|(at, number)| queue.push(*at, value(*number), &config)).collect();
        let expected: Vec<List> = expected
            .iter()
            .map(|(id, numbers)| List { id: *id, messages: numbers.iter().map(|n| value(*n)).collect() })
            .collect();
        assert_eq!(lists, expected);
        queue
    }

    #[test]
    fn lists_contain_distinct_messages() {
        check(config(1000, 2, 0), &[(0, 1), (1, 1), (2, 2), (3, 3), (4, 4)], &[(1, &[1, 2]), (2, &[3, 4])]);
    }

    #[test]
    fn messages_are_sent_at_once_without_a_timeout_or_with_lists_of_one() {
        check(config(0, 0, 0), &[(0, 1), (1, 1)], &[(1, &[1]), (2, &[1])]);
        check(config(1000, 1, 0), &[(0, 1), (1, 2)], &[(1, &[1]), (2, &[2])]);
    }

    #[test]
    fn a_sent_message_is_suppressed_until_acknowledged_or_expired() {
        let settings = config(0, 1, 100);
        let mut queue = check(settings, &[(0, 1), (99, 1), (100, 1)], &[(1, &[1]), (2, &[1])]);
        assert_eq!(queue.duplicates, 1);
        assert_eq!(queue.push(150, value(1), &settings), None);
        queue.acknowledge(2);
        assert!(queue.push(151, value(1), &settings).is_some());
    }

    #[test]
    fn the_timeout_sends_queued_digests() {
        let settings = config(1000, 10, 0);
        let mut queue = check(settings, &[(500, 1), (600, 2)], &[]);
        assert_eq!(queue.deadline_ns(&settings), Some(1500));
        assert_eq!(queue.poll(1499, &settings), None);
        assert_eq!(queue.poll(1500, &settings).map(|list| list.messages.len()), Some(2));
        assert_eq!(queue.deadline_ns(&settings), None);
    }

    #[test]
    fn limits_hold_if_the_controller_never_acknowledges() {
        let mut queue = DigestQueue::new(3, 5);
        let settings = config(i64::MAX, 0, i64::MAX);
        let lists: Vec<List> = (0..30).filter_map(|n| queue.push(n, value(n as u128), &settings)).collect();
        assert_eq!(lists.len(), 10);
        assert!(queue.cached.len() <= 5);
    }
}
