//! Runs all rules on all files, on all cores and in batches, so that memory does not grow with the fleet.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use buffer_config::baseline::{Baseline, FindingFilter, Selection, Suppressions};
use buffer_config::finding::Finding;
use buffer_config::fleet::Fleet;
use buffer_config::hosts::{self, Hosts};
use buffer_config::report::{Catalogue, Summary};
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;

use super::inputs::Input;
use super::{Args, write_text};
use crate::Outcome;
use crate::finding_reports::{Sink, sinks};
use crate::input::{fail_with, read_text};

/// Files per core in a batch: enough to keep all cores busy, few enough to limit memory.
const FILES_A_CORE: usize = 16;

/// The result of one file.
struct Checked {
    text: String,
    findings: Vec<Finding>,
    switches: Vec<ResolvedSwitch>,
}

/// The state of a run: filters, counts and writes findings.
struct Run<'r> {
    args: &'r Args,
    selection: &'r Selection,
    filter: FindingFilter,
    summary: Summary,
    sinks: Vec<Sink>,
    /// The baseline that is written instead of reports, with `--write-baseline`.
    baseline: Baseline,
    fleet: Fleet,
    /// The switch of each file that shares a switch with other files.
    switches: BTreeMap<String, String>,
}

/// Runs the rules on `inputs` and prints the findings.
pub(super) fn run(
    args: &Args,
    options: &Options,
    selection: &Selection,
    inputs: &[Input],
) -> anyhow::Result<Outcome> {
    let hosts = match &args.hosts {
        Some(path) => {
            Some(hosts::parse(&read_text(path)?).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?)
        }
        None => None,
    };
    let mut run = Run::new(args, selection)?;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut unreadable = Vec::new();
    for batch in inputs.chunks(workers * FILES_A_CORE) {
        let done = check_batch(batch, workers, |input| one(input, args, options, hosts.as_ref()));
        for (input, result) in batch.iter().zip(done) {
            match result {
                Ok(checked) => run.file(input, checked)?,
                Err(error) => unreadable.push(format!("{error:#}")),
            }
        }
    }
    let outcome = run.finish(inputs.len())?;
    fail_with("some files were not checked", &unreadable)?;
    Ok(outcome)
}

fn one(input: &Input, args: &Args, options: &Options, hosts: Option<&Hosts>) -> anyhow::Result<Checked> {
    let (text, table) = input.read(args.lookup.as_deref())?;
    let source = SourceText { name: &input.name, text: &text };
    let rules::Checked { mut findings, switches } = rules::check_file(source, table.as_ref(), options);
    if let Some(hosts) = hosts {
        for switch in &switches {
            findings.extend(hosts::check(hosts, &input.name, switch));
        }
    }
    Ok(Checked { text, findings, switches })
}

/// Calls `work` for each input of a batch, on all cores. The results are in the order of the inputs.
fn check_batch<T: Send>(
    batch: &[Input],
    workers: usize,
    work: impl Fn(&Input) -> anyhow::Result<T> + Sync,
) -> Vec<anyhow::Result<T>> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, anyhow::Result<T>)>> = Mutex::new(Vec::with_capacity(batch.len()));
    thread::scope(|scope| {
        for _ in 0..workers.min(batch.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(input) = batch.get(index) else { break };
                    let result = work(input);
                    done.lock().unwrap_or_else(|e| e.into_inner()).push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

impl<'r> Run<'r> {
    fn new(args: &'r Args, selection: &'r Selection) -> anyhow::Result<Self> {
        let mut run = Self {
            args,
            selection,
            filter: filter(args)?,
            summary: Summary::default(),
            sinks: Vec::new(),
            baseline: Baseline::default(),
            fleet: Fleet::default(),
            switches: BTreeMap::new(),
        };
        if args.write_baseline.is_none() {
            run.sinks = sinks(&args.format, &args.output, Catalogue::of_switches())?;
        }
        Ok(run)
    }

    fn file(&mut self, input: &Input, checked: Checked) -> anyhow::Result<()> {
        let Checked { text, mut findings, switches } = checked;
        findings.retain(|f| self.selection.wants(f.code, f.rule));
        self.filter.apply(&mut findings);
        for switch in &switches {
            self.fleet.add(&input.name, switch);
        }
        let switch = input.switch();
        self.summary.add(&input.name, &switch, &findings);
        if switch != input.name {
            self.switches.insert(input.name.clone(), switch);
        }
        self.put(&input.name, Some(&text), &findings)
    }

    fn put(&mut self, name: &str, text: Option<&str>, findings: &[Finding]) -> anyhow::Result<()> {
        if self.args.write_baseline.is_some() {
            self.baseline.add(findings);
        }
        for sink in &mut self.sinks {
            sink.file(name, text, findings)?;
        }
        Ok(())
    }

    /// Runs the checks across files and completes all reports.
    fn finish(mut self, inputs: usize) -> anyhow::Result<Outcome> {
        let mut rest = self.fleet.check();
        rest.retain(|f| self.selection.wants(f.code, f.rule));
        self.filter.apply(&mut rest);
        if let Some(path) = &self.args.suppressions {
            rest.extend(self.filter.remarks(&path.display().to_string()));
        }
        if !rest.is_empty() {
            let switches = std::mem::take(&mut self.switches);
            self.summary.add_rest(&rest, |file| switches.get(file).map_or(file, String::as_str));
            self.put("all switches together", None, &rest)?;
        }
        self.summary.suppressed = self.filter.suppressed;
        if let Some(path) = &self.args.write_baseline {
            let text = serde_json::to_string_pretty(&self.baseline)? + "\n";
            write_text(path, &text)?;
            eprintln!("{}; written to {}", self.summary.line(), path.display());
            return Ok(Outcome::Fine);
        }
        for sink in self.sinks {
            sink.close(&self.summary)?;
        }
        if inputs > 1 {
            eprint!("{}", self.summary.table());
        }
        eprintln!("{}", self.summary.line());
        Ok(self.args.severity_threshold.outcome(&self.summary))
    }
}

/// Reads suppressions and baseline.
fn filter(args: &Args) -> anyhow::Result<FindingFilter> {
    let suppressions = match &args.suppressions {
        Some(path) => {
            Suppressions::parse(&read_text(path)?).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?
        }
        None => Suppressions::default(),
    };
    let baseline = match &args.baseline {
        Some(path) => {
            Baseline::parse(&read_text(path)?).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?
        }
        None => Baseline::default(),
    };
    Ok(FindingFilter::new(suppressions, baseline, &today()))
}

/// Filters and prints the findings of one file that were computed elsewhere.
pub(super) fn print(
    args: &Args,
    name: &str,
    text: &str,
    mut findings: Vec<Finding>,
    unchanged: usize,
) -> anyhow::Result<Outcome> {
    let mut filter = filter(args)?;
    filter.apply(&mut findings);
    if let Some(path) = &args.suppressions {
        findings.extend(filter.remarks(&path.display().to_string()));
    }
    let mut summary = Summary::default();
    summary.add(name, name, &findings);
    summary.suppressed = filter.suppressed;
    for mut sink in sinks(&args.format, &args.output, Catalogue::of_switches())? {
        sink.file(name, Some(text), &findings)?;
        sink.close(&summary)?;
    }
    eprintln!("{}; {unchanged} unchanged", summary.line());
    Ok(args.severity_threshold.outcome(&summary))
}

/// Today's date in UTC, `YYYY-MM-DD`.
fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Days to date: Howard Hinnant, "chrono-compatible low-level date algorithms", civil_from_days.
    let z = (since.as_secs() / 86_400) as i64 + 719_468;
    let era = z / 146_097;
    let doe = z - era * 146_097;
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    let year = yoe + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
