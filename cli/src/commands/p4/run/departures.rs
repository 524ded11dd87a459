//! The packets that leave the switch in the first repetition, and their captures.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use model::wire::Frame;

use super::PortFile;
use crate::capture::Writer;
use crate::partial_files::PartialFiles;

/// Limits of the packets that are held before they are written: number, and bytes of their frames.
const HELD_PACKETS: usize = 16_384;
const HELD_BYTES: u64 = 8 << 20;

/// Output captures. Packets are held until [`Departures::write`], so that writing is not part of the forwarding loop.
pub(super) struct Departures<'a> {
    files: PartialFiles,
    captures: BTreeMap<u16, (&'a Path, Writer<BufWriter<File>>)>,
    held: Vec<(u16, u64, Frame)>,
    held_bytes: u64,
    /// Number of packets by port that have no capture.
    not_written: BTreeMap<u16, u64>,
}

impl<'a> Departures<'a> {
    /// Creates the captures.
    pub(super) fn create(outputs: &'a [PortFile]) -> anyhow::Result<Departures<'a>> {
        let mut files = PartialFiles::default();
        let mut captures = BTreeMap::new();
        for output in outputs {
            let file = BufWriter::new(files.create(&output.path)?);
            let writer = Writer::new(file).with_context(|| cannot_write(&output.path))?;
            captures.insert(output.port, (output.path.as_path(), writer));
        }
        Ok(Departures { files, captures, held: Vec::new(), held_bytes: 0, not_written: BTreeMap::new() })
    }

    /// Holds a packet. `time_ns` is the time since 1970.
    pub(super) fn push(&mut self, port: u16, time_ns: u64, frame: Frame) {
        if self.captures.contains_key(&port) {
            self.held_bytes += frame.head.len() as u64;
            self.held.push((port, time_ns, frame));
        } else {
            *self.not_written.entry(port).or_default() += 1;
        }
    }

    /// Whether so many packets are held that they must be written.
    pub(super) fn is_full(&self) -> bool {
        self.held.len() >= HELD_PACKETS || self.held_bytes >= HELD_BYTES
    }

    /// Writes the held packets.
    pub(super) fn write(&mut self) -> anyhow::Result<()> {
        for (port, time_ns, frame) in self.held.drain(..) {
            if let Some((path, writer)) = self.captures.get_mut(&port) {
                writer.write(time_ns, &frame).with_context(|| cannot_write(path))?;
            }
        }
        self.held_bytes = 0;
        Ok(())
    }

    /// Completes the captures; returns the number of packets by port that have none.
    pub(super) fn finish(mut self) -> anyhow::Result<BTreeMap<u16, u64>> {
        self.write()?;
        for (path, writer) in self.captures.into_values() {
            writer.into_inner().flush().with_context(|| cannot_write(path))?;
        }
        self.files.complete()?;
        Ok(self.not_written)
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
