//! The spool on disk: the files of [`proto::spool`].
//!
//! Writes go to the operating system at once, so records survive a kill of the process; they are not synchronised to
//! the medium, so a power failure may lose the latest.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use prost::Message as _;
use proto::clock::ClockOffset;
use proto::limits::{RECORD_BYTES, WINDOW, WINDOW_BYTES};
use proto::spool::{FRAME_HEADER_BYTES, Queue, Slot, frame, read_frames};
use proto::v1::{Record, record};
use tracing::{info, warn};

/// Extension of segments.
const EXTENSION: &str = "spool";
/// Name of the file whose lock keeps a second process away.
const LOCK: &str = "lock";

/// The records of this process and its predecessors that are not acknowledged.
pub(crate) struct Spool {
    folder: PathBuf,
    queue: Queue,
    boot_id: Arc<str>,
    sequence: u64,
    /// The segment that is open for appending.
    active: Option<(u64, File)>,
    /// The segment that was read last.
    reading: Option<(u64, File)>,
    _lock: File,
}

impl Spool {
    /// Opens the spool in `folder`, which is created if it does not exist.
    ///
    /// # Errors
    /// The folder cannot be used, or another process uses it.
    pub(crate) fn open(folder: &Path, max_bytes: u64, boot_id: &str) -> anyhow::Result<Spool> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the spool folder {}", folder.display()))?;
        let lock = lock(folder)?;
        let numbers = segments(folder)?;
        let mut queue = Queue::new(numbers.last().map_or(0, |last| last + 1), max_bytes);
        for number in numbers {
            restore(folder, number, &mut queue)?;
        }
        if queue.waiting() > 0 {
            info!(records = queue.waiting(), "records of an earlier start wait for the server");
        }
        Ok(Spool {
            folder: folder.to_path_buf(),
            queue,
            boot_id: boot_id.into(),
            sequence: 0,
            active: None,
            reading: None,
            _lock: lock,
        })
    }

    /// Adds a record. One that cannot be written is counted as lost.
    pub(crate) fn push(&mut self, time_ns: u64, clock: Option<ClockOffset>, body: record::Body) {
        self.sequence += 1;
        let record = Record {
            boot_id: self.boot_id.to_string(),
            sequence: self.sequence,
            time_ns,
            clock_offset_ns: clock.map(|clock| clock.offset_ns),
            clock_error_ns: clock.map_or(0, |clock| clock.error_ns),
            lost_before: 0,
            body: Some(body),
        };
        let bytes = record.encode_to_vec();
        if bytes.len() > RECORD_BYTES {
            warn!(bytes = bytes.len(), "a record is larger than {RECORD_BYTES} bytes and is dropped");
            self.queue.count_lost(1);
            return;
        }
        let (slot, removed) = self.queue.push(&self.boot_id, self.sequence, bytes.len() as u32);
        if !removed.is_empty() {
            warn!(lost = self.queue.lost(), "the spool is full; the oldest records are dropped");
        }
        self.remove(&removed);
        if let Err(error) = self.append(&slot, &bytes) {
            warn!(%error, folder = %self.folder.display(), "cannot write to the spool; a record is lost");
            self.queue.drop_unreadable(&slot);
            // A part of the record may be in the file, so nothing can follow it there.
            self.queue.close_active();
            self.active = None;
        }
    }

    /// Returns the next record to send, if the window has room. A record of this start that was made before the clock's
    /// offset was known gets the present estimate.
    pub(crate) fn next_to_send(&mut self, clock: Option<ClockOffset>) -> Option<Record> {
        loop {
            let slot = self.queue.next_to_send(WINDOW, WINDOW_BYTES as u64)?;
            match self.read(&slot) {
                Ok(mut record) => {
                    record.lost_before = self.queue.take_unreported();
                    if record.clock_offset_ns.is_none() && *record.boot_id == *self.boot_id {
                        record.clock_offset_ns = clock.map(|clock| clock.offset_ns);
                        record.clock_error_ns = clock.map_or(0, |clock| clock.error_ns);
                    }
                    return Some(record);
                }
                Err(error) => {
                    warn!(%error, "cannot read a record of the spool; it is lost");
                    self.queue.drop_unreadable(&slot);
                }
            }
        }
    }

    /// Removes acknowledged records.
    pub(crate) fn acknowledge(&mut self, boot_id: &str, sequence: u64) {
        let removed = self.queue.acknowledge(boot_id, sequence);
        self.remove(&removed);
    }

    /// After a reconnect: everything that is not acknowledged is sent again.
    pub(crate) fn rewind(&mut self) {
        self.queue.rewind();
    }

    /// Returns the queue, for its counters.
    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    fn append(&mut self, slot: &Slot, record: &[u8]) -> std::io::Result<()> {
        if self.active.as_ref().is_none_or(|(number, _)| *number != slot.segment) {
            let path = segment_path(&self.folder, slot.segment);
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            self.active = Some((slot.segment, file));
        }
        match &mut self.active {
            Some((_, file)) => file.write_all(&frame(record)),
            None => Ok(()),
        }
    }

    fn read(&mut self, slot: &Slot) -> anyhow::Result<Record> {
        if self.reading.as_ref().is_none_or(|(number, _)| *number != slot.segment) {
            let file = File::open(segment_path(&self.folder, slot.segment))?;
            self.reading = Some((slot.segment, file));
        }
        let mut bytes = vec![0; FRAME_HEADER_BYTES + slot.length as usize];
        if let Some((_, file)) = &self.reading {
            file.read_exact_at(&mut bytes, slot.offset - FRAME_HEADER_BYTES as u64)?;
        }
        match (read_frames(&bytes).0.as_slice(), bytes.get(FRAME_HEADER_BYTES..)) {
            ([(_, length)], Some(record)) if *length == slot.length => Ok(Record::decode(record)?),
            _ => bail!("the checksum is wrong"),
        }
    }

    fn remove(&mut self, segments: &[u64]) {
        for number in segments {
            if self.active.as_ref().is_some_and(|(active, _)| active == number) {
                self.active = None;
            }
            if self.reading.as_ref().is_some_and(|(reading, _)| reading == number) {
                self.reading = None;
            }
            let path = segment_path(&self.folder, *number);
            if let Err(error) = std::fs::remove_file(&path) {
                warn!(%error, path = %path.display(), "cannot remove a segment of the spool");
            }
        }
    }
}

fn lock(folder: &Path) -> anyhow::Result<File> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.with_context(|| format!("cannot write to the spool folder {}", folder.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!("another process uses the spool folder {}; each daemon needs its own", folder.display())
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

/// Returns the numbers of the segments in a folder, ascending.
fn segments(folder: &Path) -> anyhow::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let is_segment = path.extension().is_some_and(|extension| extension == EXTENSION);
        let number = path.file_stem().and_then(|stem| u64::from_str_radix(stem.to_str()?, 16).ok());
        numbers.extend(number.filter(|_| is_segment));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:016x}.{EXTENSION}"))
}

/// Adds the records of an earlier process to the queue. A segment without records is removed.
fn restore(folder: &Path, number: u64, queue: &mut Queue) -> anyhow::Result<()> {
    let path = segment_path(folder, number);
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let (frames, rest) = read_frames(&bytes);
    if rest > 0 {
        warn!(path = %path.display(), bytes = rest, "the end of a segment is torn and is skipped");
        queue.count_lost(1);
    }
    let mut restored = 0;
    for (offset, length) in frames {
        let record = bytes.get(offset as usize..offset as usize + length as usize).map(Record::decode);
        let Some(Ok(record)) = record else {
            queue.count_lost(1);
            continue;
        };
        let (boot_id, sequence) = (record.boot_id.into(), record.sequence);
        queue.restore(Slot { boot_id, sequence, segment: number, offset, length });
        restored += 1;
    }
    if restored == 0 {
        std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(text: &str) -> record::Body {
        record::Body::Notice(proto::v1::Notice { text: text.into(), ..Default::default() })
    }

    fn texts(spool: &mut Spool) -> Vec<String> {
        std::iter::from_fn(|| spool.next_to_send(None))
            .map(|record| match record.body {
                Some(record::Body::Notice(notice)) => notice.text,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("harrier-spool-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn unacknowledged_records_survive_a_restart_and_a_torn_end() {
        let folder = scratch("restart");
        let mut spool = Spool::open(&folder, 1 << 20, "a").unwrap();
        for text in ["one", "two", "three"] {
            spool.push(1, None, notice(text));
        }
        assert_eq!(texts(&mut spool), ["one", "two", "three"]);
        assert!(Spool::open(&folder, 1 << 20, "b").is_err(), "the folder is in use");
        drop(spool);
        // The last record is torn, as by a kill in the middle of a write.
        let path = segment_path(&folder, 0);
        let length = std::fs::metadata(&path).unwrap().len();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 2).unwrap();

        let mut spool = Spool::open(&folder, 1 << 20, "b").unwrap();
        spool.push(2, None, notice("four"));
        assert_eq!(texts(&mut spool), ["one", "two", "four"]);
        spool.acknowledge("a", 3);
        assert!(!path.exists(), "acknowledged segments are removed");
        spool.rewind();
        assert_eq!(texts(&mut spool), ["four"]);
        drop(spool);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
