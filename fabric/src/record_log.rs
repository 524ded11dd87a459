//! A bounded log of records, so that a network that runs for days keeps a limited number of them.

/// Number of latest records that every log keeps until they are taken.
pub const RECENT_RECORDS: usize = 65_536;

/// Records in order of time. Without [`RecordLog::keep_all`] the oldest are discarded, a batch at a time: the log holds
/// fewer than twice [`RECENT_RECORDS`].
#[derive(Debug)]
pub(crate) struct RecordLog<T> {
    records: Vec<T>,
    keeps_all: bool,
    discarded: u64,
}

impl<T> Default for RecordLog<T> {
    fn default() -> RecordLog<T> {
        RecordLog { records: Vec::new(), keeps_all: false, discarded: 0 }
    }
}

impl<T> RecordLog<T> {
    /// Keeps all records from now on.
    pub(crate) fn keep_all(&mut self) {
        self.keeps_all = true;
    }

    pub(crate) fn push(&mut self, record: T) {
        self.records.push(record);
        if !self.keeps_all && self.records.len() >= 2 * RECENT_RECORDS {
            self.records.drain(..RECENT_RECORDS);
            self.discarded += RECENT_RECORDS as u64;
        }
    }

    /// The records that are kept, oldest first.
    pub(crate) fn records(&self) -> &[T] {
        &self.records
    }

    /// Removes and returns the records that are kept.
    pub(crate) fn take(&mut self) -> Vec<T> {
        std::mem::take(&mut self.records)
    }

    /// Number of records that were discarded because the log was full.
    pub(crate) fn discarded(&self) -> u64 {
        self.discarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_records_are_discarded_and_counted() {
        let mut log = RecordLog::default();
        for number in 0..5 * RECENT_RECORDS {
            log.push(number);
            assert!(log.records().len() < 2 * RECENT_RECORDS);
        }
        assert_eq!(log.records().last(), Some(&(5 * RECENT_RECORDS - 1)));
        assert_eq!(log.discarded() as usize + log.records().len(), 5 * RECENT_RECORDS);
    }

    #[test]
    fn a_log_that_keeps_all_discards_nothing() {
        let mut log = RecordLog::default();
        log.keep_all();
        (0..3 * RECENT_RECORDS).for_each(|number| log.push(number));
        assert_eq!((log.records().len(), log.discarded()), (3 * RECENT_RECORDS, 0));
        assert_eq!(log.take().len(), 3 * RECENT_RECORDS);
        assert!(log.records().is_empty());
    }
}
