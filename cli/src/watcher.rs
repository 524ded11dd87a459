//! Observers of a running scenario: packet captures, time series, counters and the progress bar.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use fabric::output::ns3::QueueMonitor;
use fabric::output::pcapng::{self, Interface};
use fabric::output::series::Series;
use fabric::sonic::{Asic, Polling, PollingSettings};
use fabric::{Fabric, Tap, Watch};
use indicatif::{ProgressBar, ProgressStyle};
use model::Time;
use model::topology::Link;
use model::wire::Frame;
use p4_switch::Switch;
use scenario::Scenario;

use crate::counter_dumps;
use crate::input::write_all;

/// Number of progress updates in a run.
const PROGRESS_UPDATES: u64 = 500;

/// The requested observers of a run.
pub(crate) struct Watcher {
    captures: Option<Captures>,
    series: Option<(PathBuf, Series)>,
    queues: Option<QueueMonitor>,
    counters: Option<(PathBuf, Polling)>,
    progress: Option<Progress>,
}

impl Watcher {
    /// Creates a watcher without captures and series. On a terminal it shows a progress bar.
    pub(crate) fn new(scenario: &Scenario) -> Watcher {
        let progress = io::stderr().is_terminal().then(|| Progress::new(scenario.stop));
        Watcher { captures: None, series: None, queues: None, counters: None, progress }
    }

    /// Captures each link into a file in `directory`.
    pub(crate) fn capture(&mut self, directory: &Path, scenario: &Scenario) -> anyhow::Result<()> {
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
        let links = scenario.topology.links.clone();
        let state =
            CaptureState { directory: directory.to_path_buf(), links, files: BTreeMap::new(), error: None };
        self.captures = Some(Captures(Arc::new(Mutex::new(state))));
        Ok(())
    }

    /// Samples every port at this interval and writes the series to `file`.
    pub(crate) fn record_series(&mut self, file: &Path, interval: Time) -> anyhow::Result<()> {
        if !matches!(file.extension().and_then(|e| e.to_str()), Some("csv" | "json")) {
            bail!("--series {}: the file must end in `.csv` or `.json`", file.display());
        }
        self.series = Some((file.to_path_buf(), Series::new(interval)));
        Ok(())
    }

    /// Polls the counters of all switches at this interval and writes them as SONiC's databases into `directory`.
    pub(crate) fn count(
        &mut self,
        directory: &Path,
        interval: Time,
        asic: Asic,
        seed: u64,
        scenario: &Scenario,
    ) {
        let settings = PollingSettings { interval, seed, start_ns: counter_dumps::START_NS, asic };
        self.counters = Some((directory.to_path_buf(), Polling::new(settings, &scenario.topology)));
    }

    /// Monitors queues as the ns-3 simulators do.
    pub(crate) fn watch_queues(&mut self, monitor: Option<QueueMonitor>) {
        self.queues = monitor;
    }

    /// Writes the remaining files and returns the queue monitor.
    pub(crate) fn finish(self) -> anyhow::Result<Option<QueueMonitor>> {
        if let Some(progress) = &self.progress {
            progress.bar.finish_and_clear();
        }
        if let Some(captures) = &self.captures {
            captures.finish()?;
        }
        if let Some((file, series)) = &self.series {
            let is_json = file.extension().is_some_and(|extension| extension == "json");
            let bytes = match is_json {
                true => serde_json::to_vec(&serde_json::json!({ "samples": series.samples() }))?,
                false => series.to_csv().into_bytes(),
            };
            write_all(&[(file.as_path(), bytes)])?;
        }
        if let Some((directory, polling)) = self.counters {
            counter_dumps::write(&directory, &polling.into_readings())?;
        }
        Ok(self.queues)
    }
}

impl Watch for Watcher {
    fn tap(&mut self) -> Option<Box<dyn Tap>> {
        let captures = self.captures.as_ref()?;
        Some(Box::new(Captures(captures.0.clone())))
    }

    fn next_look(&self) -> Option<Time> {
        let series = self.series.as_ref().map(|(_, series)| series.next_time());
        let progress = self.progress.as_ref().map(|progress| progress.next);
        let queues = self.queues.as_ref().and_then(QueueMonitor::next_time);
        let counters = self.counters.as_ref().and_then(|(_, polling)| polling.next_look());
        [series, queues, counters, progress].into_iter().flatten().min()
    }

    fn look(&mut self, now: Time, fabric: &mut Fabric<Switch>) {
        if let Some((_, series)) = self.series.as_mut().filter(|(_, series)| series.next_time() <= now) {
            series.sample(now, fabric);
        }
        if let Some(queues) = self.queues.as_mut().filter(|q| q.next_time().is_some_and(|at| at <= now)) {
            queues.look(fabric);
        }
        let counters = self.counters.as_mut().map(|(_, polling)| polling);
        if let Some(polling) = counters.filter(|polling| polling.next_look().is_some_and(|at| at <= now)) {
            polling.look(now, fabric);
        }
        if let Some(progress) = self.progress.as_mut().filter(|progress| progress.next <= now) {
            progress.show(now, fabric.counters().events);
        }
    }

    fn after(&mut self, fabric: &mut Fabric<Switch>) {
        if let Some((_, polling)) = &mut self.counters {
            polling.after(fabric);
        }
    }
}

/// A progress bar with simulated time, events and the remaining time.
struct Progress {
    bar: ProgressBar,
    step: Time,
    next: Time,
}

impl Progress {
    fn new(stop: Time) -> Progress {
        let bar = ProgressBar::new(stop.as_ns());
        let style = ProgressStyle::with_template("{bar:40} {percent} %  {msg}  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let step = Time((stop.0 / PROGRESS_UPDATES).max(1));
        Progress { bar, step, next: step }
    }

    fn show(&mut self, now: Time, events: u64) {
        self.next = Time(now.0.saturating_add(self.step.0));
        self.bar.set_message(format!("{now} simulated, {events} events"));
        self.bar.set_position(now.as_ns());
    }
}

/// One file for each link, created with its first frame.
struct Captures(Arc<Mutex<CaptureState>>);

struct CaptureState {
    directory: PathBuf,
    links: Vec<Link>,
    files: BTreeMap<u32, pcapng::Capture<BufWriter<File>>>,
    /// The first error; nothing is written after it.
    error: Option<anyhow::Error>,
}

impl Captures {
    fn finish(&self) -> anyhow::Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        let directory = state.directory.display().to_string();
        for file in state.files.values_mut() {
            file.get_mut().flush().with_context(|| format!("cannot write into {directory}"))?;
        }
        Ok(())
    }
}

impl Tap for Captures {
    fn frame(&mut self, now: Time, link: u32, frame: &Frame) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.error.is_none()
            && let Err(error) = state.write(now, link, frame)
        {
            state.error = Some(error);
        }
    }
}

impl CaptureState {
    fn write(&mut self, now: Time, directed: u32, frame: &Frame) -> anyhow::Result<()> {
        let (number, back) = (directed / 2, directed % 2);
        if !self.files.contains_key(&number) {
            let link = &self.links[number as usize];
            let name = format!("{}-{}_{}-{}.pcapng", link.a.switch, link.a.port, link.b.switch, link.b.port);
            let path = self.directory.join(name);
            let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
            let interface =
                |from: &model::PortRef| Interface { name: format!("{from} sends"), rate: link.rate };
            let interfaces = [interface(&link.a), interface(&link.b)];
            self.files.insert(number, pcapng::Capture::new(BufWriter::new(file), &interfaces)?);
        }
        if let Some(file) = self.files.get_mut(&number) {
            file.packet(back, now, frame)?;
        }
        Ok(())
    }
}
