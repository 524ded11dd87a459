//! The packets of all input captures, merged by time and read in batches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

use anyhow::anyhow;
use model::Time;
use model::wire::Frame;

use super::PortFile;
use crate::capture::Reader;
use crate::input::fail_with;

/// Limits of a batch: number of packets, and bytes of their frames.
const BATCH_PACKETS: usize = 16_384;
const BATCH_BYTES: u64 = 8 << 20;

/// A packet that arrives at the switch.
pub(super) struct Arrival {
    pub(super) port: u16,
    pub(super) at: Time,
    pub(super) frame: Frame,
}

/// A seekable file, or the contents of a pipe.
trait Source: Read + Seek {}

impl<S: Read + Seek> Source for S {}

/// A packet of a capture that is not in order of time.
struct Indexed {
    time_ns: u64,
    at: u64,
    length: u32,
    missing: u32,
}

/// How a capture is read.
enum Packets {
    /// From start to end.
    InOrder(Reader<Box<dyn Source>>),
    /// By an index that is sorted by time.
    Sorted { file: BufReader<Box<dyn Source>>, next: usize },
}

/// An input capture.
struct Input<'a> {
    of: &'a PortFile,
    /// Contents, if it is not a regular file.
    contents: Option<Arc<[u8]>>,
    /// All packets by time, if the file is not in order.
    index: Option<Vec<Indexed>>,
    packets: Packets,
    /// The next packet.
    next: Option<(u64, Frame)>,
}

/// All packets. Packets with the same time stay in the order of the files.
pub(super) struct Arrivals<'a> {
    inputs: Vec<Input<'a>>,
    /// Time of the next packet of each input, and the number of the input.
    waiting: BinaryHeap<Reverse<(u64, usize)>>,
    /// Number of packets.
    pub(super) count: u64,
    /// Time of the first packet and of the last packet, since 1970.
    pub(super) start_ns: u64,
    end_ns: u64,
}

/// What a first pass over a capture found.
#[derive(Default)]
struct Scanned {
    count: u64,
    cut: u64,
    first_ns: Option<u64>,
    last_ns: u64,
    disordered: bool,
}

impl<'a> Arrivals<'a> {
    /// Opens all captures and reads them once, so that a broken one is reported before a packet is sent.
    ///
    /// Memory does not depend on the number of packets, with two exceptions: a capture that is not in order of time
    /// takes 24 bytes for each packet, and one that is not a regular file is held in memory.
    ///
    /// # Errors
    /// If a capture cannot be read; all problems are listed.
    pub(super) fn open(inputs: &'a [PortFile]) -> anyhow::Result<Arrivals<'a>> {
        let mut arrivals =
            Arrivals { inputs: Vec::new(), waiting: BinaryHeap::new(), count: 0, start_ns: 0, end_ns: 0 };
        let (mut problems, mut start_ns) = (Vec::new(), None::<u64>);
        for of in inputs {
            match Input::open(of) {
                Ok((input, scanned)) => {
                    if scanned.cut > 0 {
                        let (path, cut) = (of.path.display(), scanned.cut);
                        stderr_line!(
                            "{path}: {cut} packets were truncated by the capture; the missing bytes are zero"
                        );
                    }
                    arrivals.count += scanned.count;
                    arrivals.end_ns = arrivals.end_ns.max(scanned.last_ns);
                    start_ns = start_ns.into_iter().chain(scanned.first_ns).min();
                    arrivals.inputs.push(input);
                }
                Err(problem) => problems.push(problem),
            }
        }
        fail_with("captures", &problems)?;
        arrivals.start_ns = start_ns.unwrap_or(0);
        arrivals.rewind()?;
        Ok(arrivals)
    }

    /// Returns the time of the last packet, counted from the first.
    pub(super) fn end(&self) -> Time {
        self.since_start(self.end_ns)
    }

    fn since_start(&self, time_ns: u64) -> Time {
        Time(time_ns.saturating_sub(self.start_ns).saturating_mul(1_000))
    }

    /// Starts again with the first packet.
    pub(super) fn rewind(&mut self) -> anyhow::Result<()> {
        self.waiting.clear();
        for (number, input) in self.inputs.iter_mut().enumerate() {
            input.rewind().and_then(|()| input.advance()).map_err(|problem| anyhow!("{problem}"))?;
            self.waiting.extend(input.next.as_ref().map(|(time_ns, _)| Reverse((*time_ns, number))));
        }
        Ok(())
    }

    /// Replaces `batch` by the next packets; it is empty after the last.
    pub(super) fn fill(&mut self, batch: &mut Vec<Arrival>) -> anyhow::Result<()> {
        batch.clear();
        let mut bytes = 0;
        while batch.len() < BATCH_PACKETS && bytes < BATCH_BYTES {
            let Some(Reverse((_, number))) = self.waiting.pop() else { return Ok(()) };
            let Some((time_ns, frame)) = self.inputs[number].next.take() else { continue };
            bytes += frame.head.len() as u64;
            batch.push(Arrival { port: self.inputs[number].of.port, at: self.since_start(time_ns), frame });
            let input = &mut self.inputs[number];
            input.advance().map_err(|problem| anyhow!("{problem}"))?;
            self.waiting.extend(input.next.as_ref().map(|(time_ns, _)| Reverse((*time_ns, number))));
        }
        Ok(())
    }
}

impl<'a> Input<'a> {
    fn open(of: &'a PortFile) -> Result<(Input<'a>, Scanned), String> {
        let contents = contents(of).map_err(|error| unreadable(of, &error))?;
        let scanned = scan(reader(of, contents.as_ref())?, of, None)?;
        let index = match scanned.disordered {
            true => {
                let mut index = Vec::new();
                scan(reader(of, contents.as_ref())?, of, Some(&mut index))?;
                // A stable sort: packets with the same time stay in order.
                index.sort_by_key(|packet| packet.time_ns);
                Some(index)
            }
            false => None,
        };
        let packets = Packets::InOrder(reader(of, contents.as_ref())?);
        Ok((Input { of, contents, index, packets, next: None }, scanned))
    }

    fn rewind(&mut self) -> Result<(), String> {
        self.packets = match &self.index {
            None => Packets::InOrder(reader(self.of, self.contents.as_ref())?),
            Some(_) => {
                let file = source(self.of, self.contents.as_ref()).map_err(|e| unreadable(self.of, &e))?;
                Packets::Sorted { file: BufReader::new(file), next: 0 }
            }
        };
        Ok(())
    }

    /// Reads the next packet.
    fn advance(&mut self) -> Result<(), String> {
        self.next = match &mut self.packets {
            Packets::InOrder(reader) => {
                let packet = reader.next().map_err(|problem| broken(self.of, &problem))?;
                packet.map(|packet| (packet.time_ns, packet.frame()))
            }
            Packets::Sorted { file, next } => {
                let found = self.index.as_ref().and_then(|index| index.get(*next));
                *next += 1;
                found.map(|packet| read_at(file, packet)).transpose().map_err(|e| unreadable(self.of, &e))?
            }
        };
        Ok(())
    }
}

/// Reads a packet of the index.
fn read_at(file: &mut BufReader<Box<dyn Source>>, packet: &Indexed) -> std::io::Result<(u64, Frame)> {
    // The buffer survives a seek within it: most captures are almost in order.
    let from = file.stream_position()?;
    match i64::try_from(i128::from(packet.at) - i128::from(from)) {
        Ok(by) => file.seek_relative(by)?,
        Err(_) => _ = file.seek(SeekFrom::Start(packet.at))?,
    }
    let mut frame = Frame::new(&[], packet.missing);
    frame.head.resize(packet.length as usize, 0);
    file.read_exact(&mut frame.head)?;
    Ok((packet.time_ns, frame))
}

/// Reads a whole capture; adds its packets to `index`, if there is one.
fn scan(
    mut reader: Reader<Box<dyn Source>>,
    of: &PortFile,
    mut index: Option<&mut Vec<Indexed>>,
) -> Result<Scanned, String> {
    let mut scanned = Scanned::default();
    while let Some(packet) = reader.next().map_err(|problem| broken(of, &problem))? {
        let time_ns = packet.time_ns;
        scanned.count += 1;
        scanned.cut += u64::from(packet.missing > 0);
        scanned.disordered |= time_ns < scanned.last_ns;
        scanned.last_ns = scanned.last_ns.max(time_ns);
        scanned.first_ns = Some(scanned.first_ns.map_or(time_ns, |first| first.min(time_ns)));
        if let Some(index) = &mut index {
            let length = packet.bytes.len() as u32;
            index.push(Indexed { time_ns, at: packet.at, length, missing: packet.missing });
        }
    }
    Ok(scanned)
}

/// Reads a file that is not a regular file, which can be read only once; `None` for a regular file.
fn contents(of: &PortFile) -> std::io::Result<Option<Arc<[u8]>>> {
    let mut file = File::open(&of.path)?;
    if file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut contents = Vec::new();
    file.read_to_end(&mut contents)?;
    Ok(Some(contents.into()))
}

fn source(of: &PortFile, contents: Option<&Arc<[u8]>>) -> std::io::Result<Box<dyn Source>> {
    Ok(match contents {
        Some(contents) => Box::new(Cursor::new(Arc::clone(contents))),
        None => Box::new(File::open(&of.path)?),
    })
}

fn reader(of: &PortFile, contents: Option<&Arc<[u8]>>) -> Result<Reader<Box<dyn Source>>, String> {
    let source = source(of, contents).map_err(|error| unreadable(of, &error))?;
    Reader::new(source).map_err(|problem| broken(of, &problem))
}

fn unreadable(of: &PortFile, error: &std::io::Error) -> String {
    format!("cannot read {}: {error}", of.path.display())
}

fn broken(of: &PortFile, problem: &str) -> String {
    format!("{}: {problem}", of.path.display())
}
