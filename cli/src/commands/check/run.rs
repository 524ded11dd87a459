//! Runs all rules on all files, on all cores and in batches, so that memory does not grow with the fleet.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::bail;
use buffer_config::baseline::{Baseline, FindingFilter};
use buffer_config::device::Device;
use buffer_config::finding::{Finding, Severity};
use buffer_config::fleet::Fleet;
use buffer_config::report::{Catalogue, Summary, Unread};
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::source::SourceText;
use buffer_config::{hosts, input, rules};

use super::inputs::{Input, Inputs};
use super::read::located;
use super::setup::Setup;
use super::{Args, write_text};
use crate::finding_reports::{FormatArg, Sink, outcome};
use crate::input::fail_with;
use crate::{Outcome, finding_reports};

/// Files per core in a batch: enough to keep all cores busy, few enough to limit memory.
const FILES_A_CORE: usize = 16;

/// Rules that report a broken text or one without known tables: whether such a file is judged at all is decided then.
pub(crate) const DOUBTS: [&str; 2] = ["SRC001", "SRC014"];

/// The result of one file.
pub(super) struct Checked {
    pub(super) text: String,
    pub(super) findings: Vec<Finding>,
    pub(super) switches: Vec<ResolvedSwitch>,
    pub(super) device: Option<Device>,
}

/// The state of a run: filters, counts and writes findings.
struct Run<'r> {
    args: &'r Args,
    setup: &'r Setup,
    filter: FindingFilter,
    summary: Summary,
    sinks: Vec<Sink>,
    /// The baseline that is written instead of reports, with `--write-baseline`.
    baseline: Baseline,
    fleet: Fleet,
    /// The switch of each file that shares a switch with other files.
    switches: BTreeMap<String, String>,
    /// The files that were checked, to find entries of the baseline that no longer occur.
    checked: Vec<String>,
    unread: Vec<String>,
}

/// What a file is.
pub(super) enum Judged {
    Configuration(Checked),
    /// Not a switch configuration; in a folder, such files are left out.
    SomethingElse,
}

/// Runs the rules on the inputs and prints the findings.
pub(super) fn run(args: &Args, setup: &Setup, inputs: &Inputs) -> anyhow::Result<Outcome> {
    let mut run = Run::new(args, setup)?;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    for unread in &inputs.unread {
        run.unread(unread.clone())?;
    }
    for batch in inputs.all.chunks(workers * FILES_A_CORE) {
        let done = check_batch(batch, workers, |input| one(input, args, setup));
        for (input, result) in batch.iter().zip(done) {
            match result {
                Ok(Judged::Configuration(checked)) => run.file(input, checked)?,
                Ok(Judged::SomethingElse) => run.summary.skipped.push(input.name.clone()),
                Err(reason) => run.unread(Unread { file: input.name.clone(), reason })?,
            }
        }
    }
    run.finish(inputs.all.len())
}

/// Checks a file.
///
/// # Errors
/// Why it is not judged.
pub(super) fn one(input: &Input, args: &Args, setup: &Setup) -> Result<Judged, String> {
    let (text, table) = input.read(args.lookup.as_deref(), setup.limit_bytes)?;
    let source = SourceText { name: &input.name, text: &text };
    let rules::Checked { mut findings, switches, device } =
        rules::check_file(source, table.as_ref(), &setup.options);
    let is_else = input.may_be_something_else();
    if input.is_lookup() {
        if is_else && table.is_none_or(|table| table.rows.is_empty()) {
            return Ok(Judged::SomethingElse);
        }
    } else if findings.iter().any(|finding| DOUBTS.contains(&finding.code)) {
        if let Some(reason) = input::refusal(&text) {
            return Err(reason);
        }
        if is_else && !input::has_known_table(&text) {
            return Ok(Judged::SomethingElse);
        }
    }
    if let Some(hosts) = &setup.hosts {
        for switch in &switches {
            findings.extend(hosts::check(hosts, &input.name, switch));
        }
    }
    Ok(Judged::Configuration(Checked { text, findings, switches, device }))
}

/// Calls `work` for each input of a batch, on all cores. The results are in the order of the inputs.
fn check_batch<T: Send>(batch: &[Input], workers: usize, work: impl Fn(&Input) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(batch.len()));
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
    fn new(args: &'r Args, setup: &'r Setup) -> anyhow::Result<Self> {
        let mut run = Self {
            args,
            setup,
            filter: setup.filter()?,
            summary: empty_summary(setup),
            sinks: Vec::new(),
            baseline: Baseline::default(),
            fleet: Fleet::default(),
            switches: BTreeMap::new(),
            checked: Vec::new(),
            unread: Vec::new(),
        };
        if args.write_baseline.is_none() {
            run.sinks = sinks(args, setup)?;
        }
        Ok(run)
    }

    fn file(&mut self, input: &Input, checked: Checked) -> anyhow::Result<()> {
        let Checked { text, mut findings, switches, device } = checked;
        self.setup.select(&mut findings);
        self.hold_back(&mut findings, Some(&text));
        self.checked.push(input.name.clone());
        for switch in &switches {
            self.fleet.add(&input.name, switch);
        }
        if let Some(device) = &device {
            self.fleet.add_device(SourceText { name: &input.name, text: &text }, device);
        }
        let switch = input.switch();
        self.summary.add(&input.name, &switch, &findings);
        if switch != input.name {
            self.switches.insert(input.name.clone(), switch);
        }
        self.put(&input.name, Some(&text), &findings)
    }

    /// Removes suppressed and known findings, and keeps one for each defect. With `--write-baseline`, all that are not
    /// suppressed become known.
    fn hold_back(&mut self, findings: &mut Vec<Finding>, text: Option<&str>) {
        self.filter.remove_suppressed(findings);
        if let Some(path) = &self.args.write_baseline {
            self.baseline.add_of_text(findings, text, &self.setup.root_of(path));
        }
        self.filter.remove_known(findings, text);
    }

    fn put(&mut self, name: &str, text: Option<&str>, findings: &[Finding]) -> anyhow::Result<()> {
        for sink in &mut self.sinks {
            sink.file(name, text, findings)?;
        }
        Ok(())
    }

    /// Lists an input that was not checked in every report.
    fn unread(&mut self, unread: Unread) -> anyhow::Result<()> {
        self.unread.push(located(&unread.file, &unread.reason));
        self.summary.unread += 1;
        for sink in &mut self.sinks {
            sink.unread(unread.clone())?;
        }
        Ok(())
    }

    /// Says on standard error what was left out and what is out of date.
    fn remark(&self) {
        let skipped = &self.summary.skipped;
        if let Some(first) = skipped.first() {
            let (files, are) = if skipped.len() == 1 { ("file", "is no") } else { ("files", "are no") };
            let rest = if skipped.len() == 1 { "" } else { ", ..." };
            stderr_line!("skipped {} {files} that {are} switch configuration: {first}{rest}", skipped.len());
        }
        if !self.summary.stale.is_empty() {
            let baseline = self.setup.baseline.as_deref().unwrap_or(Path::new("")).display();
            stderr_line!("{baseline} has entries without a finding; write it again with --write-baseline:");
            self.summary.stale.iter().for_each(|entry| stderr_line!("  {entry}"));
        }
    }

    /// Runs the checks across files and completes all reports.
    fn finish(mut self, inputs: usize) -> anyhow::Result<Outcome> {
        self.setup.links().iter().for_each(|ends| self.fleet.connect(ends));
        let mut rest = self.fleet.check();
        self.setup.select(&mut rest);
        self.hold_back(&mut rest, None);
        if let Some(path) = &self.setup.suppressions {
            rest.extend(self.filter.remarks(&path.display().to_string()));
        }
        if !rest.is_empty() {
            let switches = std::mem::take(&mut self.switches);
            self.summary.add_rest(&rest, |file| switches.get(file).map_or(file, String::as_str));
            self.put("all switches together", None, &rest)?;
        }
        self.summary.suppressed = self.filter.suppressed;
        let selection = &self.setup.selection;
        let is_selected = |code: &str| rules::find(code).is_none_or(|r| selection.wants(code, r.meta.name));
        self.summary.stale = self.filter.stale(self.checked.iter().map(String::as_str), is_selected);
        self.remark();
        if let Some(path) = &self.args.write_baseline {
            write_text(path, &self.baseline.to_text())?;
            stderr_line!("{}; written to {}", self.summary.line(), path.display());
            fail_with("some inputs were not checked", &self.unread)?;
            return Ok(Outcome::Fine);
        }
        for sink in self.sinks {
            sink.close(&self.summary)?;
        }
        if inputs > 1 || self.args.statistics {
            stderr_text!("{}", self.summary.table());
        }
        stderr_line!("{}", self.summary.line());
        let is_concise = self.args.format.contains(&FormatArg::Concise);
        if is_concise && self.summary.at_least(Severity::Warning) > 0 {
            // Not in the report, every line of which is a finding.
            stderr_line!(
                "harrier check --explain CODE prints the page of a rule: an example, its fix and its source"
            );
        }
        fail_with("some inputs were not checked", &self.unread)?;
        if self.checked.is_empty() && !self.summary.skipped.is_empty() {
            bail!(
                "nothing was checked: no file is a switch configuration; specify a file to check it nevertheless"
            );
        }
        Ok(outcome(&self.summary, self.setup.threshold))
    }
}

fn empty_summary(setup: &Setup) -> Summary {
    let mut summary = Summary::default();
    summary.notes_are_hidden = !setup.has_notes;
    summary
}

/// Opens the requested reports.
fn sinks(args: &Args, setup: &Setup) -> anyhow::Result<Vec<Sink>> {
    finding_reports::sinks(&args.format, &args.output, Catalogue::of_switches(), setup.has_notes)
}

/// Filters and prints the findings of one file that were computed elsewhere.
pub(super) fn print(
    args: &Args,
    setup: &Setup,
    name: &str,
    text: &str,
    mut findings: Vec<Finding>,
    unchanged: usize,
) -> anyhow::Result<Outcome> {
    let mut filter = setup.filter()?;
    filter.apply_to_text(&mut findings, Some(text));
    if let Some(path) = &setup.suppressions {
        findings.extend(filter.remarks(&path.display().to_string()));
    }
    let mut summary = empty_summary(setup);
    summary.add(name, name, &findings);
    summary.suppressed = filter.suppressed;
    for mut sink in sinks(args, setup)? {
        sink.file(name, Some(text), &findings)?;
        sink.close(&summary)?;
    }
    stderr_line!("{}; {unchanged} unchanged", summary.line());
    Ok(outcome(&summary, setup.threshold))
}
