//! `harrier host inspect`: checks the settings of a host.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use anyhow::{Context, bail};
use buffer_config::finding::{Finding, Severity};
use buffer_config::report::{Catalogue, RuleText, Summary};
use buffer_config::resolved::{ResolvedPort, ResolvedSwitch};
use buffer_config::source::{Position, Span};
use buffer_config::{ResolveOptions, input, resolve};
use host_diagnosis::inspection::{self, InspectionFinding, InspectionSeverity, Place, Reading, SwitchPort};
use model::host::inspection::LinkNeighbour;

use crate::Outcome;
use crate::commands::check::inputs::{self, Search};
use crate::finding_reports::{FormatArg, Threshold, outcome, outputs_are_distinct, sinks};
use crate::host_files;
use crate::input::{fail_with, read_text};
use crate::output::print_json;

/// The most bytes that are read of a switch configuration.
const SWITCH_FILE_BYTES: u64 = 512 << 20;

/// Arguments of `harrier host inspect`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Folder of a recorded host: files below sys and proc, and outputs of commands
    #[arg(long, value_name = "DIR", required_unless_present_any = ["live", "list_rules", "explain"])]
    root: Option<PathBuf>,
    /// Read this host; some files and commands require root
    #[arg(long, conflicts_with = "root")]
    live: bool,
    /// Write what --live read to a folder, for --root
    #[arg(long, value_name = "DIR", requires = "live")]
    record: Option<PathBuf>,
    /// Name of the host [default: etc/hostname of the tree]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Configurations of the switches: files, folders or redis://host:port/4
    #[arg(long, value_name = "PATH", num_args = 1..)]
    switches: Vec<String>,
    /// Switch port of an interface, if neither LLDP nor the switch's configuration names it; may be repeated
    #[arg(long, value_name = "INTERFACE=SWITCH:PORT", value_parser = parse_port)]
    port: Vec<(String, LinkNeighbour)>,
    /// Desired settings (JSON, as from --show); items that differ are findings
    #[arg(long, value_name = "FILE")]
    desired: Option<PathBuf>,
    /// Entries of the NIC's memory translation table, if the vendor states them
    #[arg(long, value_name = "N")]
    mtt_entries: Option<u64>,
    /// Print the settings as JSON instead of checking
    #[arg(long)]
    show: bool,
    /// Output format; may be repeated, each with its own --output
    #[arg(long, value_enum)]
    format: Vec<FormatArg>,
    /// File for the --format at the same position; `-` is standard output
    #[arg(long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Run only these rules: codes or names
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    select: Vec<String>,
    /// Do not run these rules
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    ignore: Vec<String>,
    /// Lowest severity that sets the exit status to 1
    #[arg(long, value_enum, default_value_t = Threshold::Error)]
    severity_threshold: Threshold,
    /// List all rules
    #[arg(long)]
    list_rules: bool,
    /// Print the page of a rule
    #[arg(long, value_name = "RULE")]
    explain: Option<String>,
}

/// Parses `eth1=tor-1:Ethernet0`.
fn parse_port(text: &str) -> Result<(String, LinkNeighbour), String> {
    let parts = text.split_once('=').and_then(|(interface, port)| Some((interface, port.split_once(':')?)));
    match parts {
        Some((interface, (switch, port))) if ![interface, switch, port].contains(&"") => {
            let neighbour = LinkNeighbour { switch: switch.to_string(), port: port.to_string() };
            Ok((interface.to_string(), neighbour))
        }
        _ => Err("expected INTERFACE=SWITCH:PORT, e.g. `eth1=tor-1:Ethernet0`".into()),
    }
}

/// Runs the command.
pub(super) fn execute(args: Args) -> anyhow::Result<Outcome> {
    if args.list_rules {
        for rule in inspection::rules() {
            stdout_line!(
                "{:<7} {:<8} {:<18} {}",
                rule.code,
                severity(rule.severity).name(),
                rule.name,
                rule.summary
            )?;
        }
        return Ok(Outcome::Fine);
    }
    if let Some(code) = &args.explain {
        let rule = inspection::rule(code).with_context(|| format!("no rule `{code}`; see --list-rules"))?;
        stdout_text!("{}", rule.page())?;
        return Ok(Outcome::Fine);
    }
    for word in args.select.iter().chain(&args.ignore) {
        inspection::rule(word).with_context(|| format!("no rule `{word}`; see --list-rules"))?;
    }
    outputs_are_distinct(&args.format, &args.output)?;
    let (root, texts) = match &args.root {
        Some(root) => {
            (root.display().to_string().trim_end_matches('/').to_string(), host_files::recorded(root)?)
        }
        None => (String::new(), host_files::live(true)),
    };
    if let Some(folder) = &args.record {
        host_files::record(&texts, folder)?;
    }
    let mut reading = inspection::read(&texts);
    if reading.files == 0 {
        bail!("{root}: no known file of a host; expected sys/class/net/..., proc/meminfo, lspci-vv.txt, ...");
    }
    add_arguments(&args, &mut reading)?;
    if args.show {
        print_json(&reading.inspection)?;
        return fail_with("some files were not read", &problems(&root, &reading)).map(|()| Outcome::Fine);
    }
    let ports = switch_ports(&args.switches, &reading.host)?;
    let mut findings = inspection::check(&reading.inspection, &ports);
    if let Some(path) = &args.desired {
        let desired = inspection::desired(&read_text(path)?)
            .with_context(|| format!("{} is not a file of desired settings", path.display()))?;
        findings.extend(inspection::drift(&desired, &reading.inspection));
    }
    findings.retain(|finding| is_wanted(&args, finding));
    let outcome = report(&args, &root, &texts, &reading, &findings)?;
    fail_with("some files were not read", &problems(&root, &reading))?;
    Ok(outcome)
}

/// Adds what arguments state about the host.
fn add_arguments(args: &Args, reading: &mut Reading) -> anyhow::Result<()> {
    if let Some(name) = &args.host {
        reading.host.clone_from(name);
    }
    for (name, neighbour) in &args.port {
        let known: Vec<&str> = reading.inspection.interfaces.keys().map(String::as_str).collect();
        let known = known.join(", ");
        let interface = reading.inspection.interfaces.get_mut(name);
        interface.with_context(|| format!("--port: no interface `{name}`; known are: {known}"))?.neighbour =
            Some(neighbour.clone());
    }
    if args.mtt_entries.is_some() {
        reading.inspection.memory.mtt_entries = args.mtt_entries;
    }
    Ok(())
}

fn is_wanted(args: &Args, finding: &InspectionFinding) -> bool {
    let names = |words: &[String]| {
        words.iter().any(|word| word.eq_ignore_ascii_case(finding.code) || word == finding.rule)
    };
    (args.select.is_empty() || names(&args.select)) && !names(&args.ignore)
}

/// The problems of the input, with the paths of the files.
fn problems(root: &str, reading: &Reading) -> Vec<String> {
    reading.problems.iter().map(|problem| path(root, &problem.to_string())).collect()
}

/// The file of findings about the host as a whole: its root.
fn whole(root: &str) -> String {
    if root.is_empty() { "/".to_string() } else { root.to_string() }
}

fn path(root: &str, below: &str) -> String {
    format!("{root}/{below}")
}

/// The ports of the switches' configurations.
fn switch_ports(paths: &[String], host: &str) -> anyhow::Result<Vec<SwitchPort>> {
    let mut ports = Vec::new();
    let search = Search {
        limit_bytes: SWITCH_FILE_BYTES,
        redis_ca: None,
        own: Vec::new(),
        has_exclusions: false,
        is_excluded: Box::new(|_| false),
    };
    let inputs = inputs::inputs(paths, &search);
    for input in inputs.sound()? {
        let read = input.read(None, SWITCH_FILE_BYTES);
        let (text, table) = read.map_err(|reason| anyhow::anyhow!("{}: {reason}", input.name))?;
        let options = ResolveOptions { lookup: table.as_ref(), asic: None, memory_bytes: None };
        for chip in input::load_all(&text) {
            let switch = resolve(&chip.db, options);
            ports.extend(switch.ports.iter().map(|port| switch_port(&switch, port, host)));
        }
    }
    if ports.is_empty() && !paths.is_empty() {
        bail!("--switches: {} has no switch with a table PORT", paths.join(", "));
    }
    Ok(ports)
}

fn switch_port(switch: &ResolvedSwitch, port: &ResolvedPort, host: &str) -> SwitchPort {
    let neighbour = port.neighbour.as_ref().filter(|(name, _)| !host.is_empty() && name == host);
    let marks = |class: &u8| {
        let queue = port.tc_to_queue.get(usize::from(*class)).copied().map_or(0, usize::from);
        let profile = port.queue_wred.get(queue).copied().flatten().and_then(|at| switch.wred.get(at));
        profile.is_some_and(|profile| profile.marks_green && profile.green.is_some())
    };
    // Without a map, every DSCP has class 0.
    let is_mapped = port.dscp_to_tc.0.iter().any(|class| *class != 0);
    SwitchPort {
        switch: switch.hostname.clone(),
        port: port.name.clone(),
        alias: port.alias.clone(),
        interface: neighbour.map(|(_, interface)| interface.clone()),
        mtu_bytes: port.mtu_bytes,
        speed_mbps: port.speed_mbps,
        pfc_priorities: (0..8).filter(|priority| port.pfc_priorities >> priority & 1 == 1).collect(),
        class_of_dscp: if is_mapped { port.dscp_to_tc.0.to_vec() } else { Vec::new() },
        marked_classes: (0..8).filter(marks).collect(),
    }
}

/// Prints the findings, file by file.
fn report(
    args: &Args,
    root: &str,
    texts: &BTreeMap<String, String>,
    reading: &Reading,
    findings: &[InspectionFinding],
) -> anyhow::Result<Outcome> {
    let mut by_file: BTreeMap<&str, Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        let place = reading.places.of(&finding.item);
        let file = place.map_or("", |place| place.file.as_str());
        by_file.entry(file).or_default().push(shared_finding(root, finding, place, texts));
    }
    let mut summary = Summary::default();
    let mut sinks = sinks(&args.format, &args.output, catalogue(), true)?;
    for (file, mut findings) in by_file {
        findings.sort_by_key(|finding| (finding.position.line, finding.position.column));
        let name = if file.is_empty() { whole(root) } else { path(root, file) };
        summary.add(&name, &reading.host, &findings);
        for sink in &mut sinks {
            sink.file(&name, texts.get(file).map(String::as_str), &findings)?;
        }
    }
    summary.files = reading.files;
    for sink in sinks {
        sink.close(&summary)?;
    }
    stderr_line!("{}", summary.line());
    Ok(outcome(&summary, args.severity_threshold.severity()))
}

/// The rules of inspections, in the form of reports.
fn catalogue() -> &'static Catalogue {
    static HOSTS: LazyLock<Catalogue> = LazyLock::new(|| {
        let rules = inspection::rules().map(|rule| RuleText {
            code: rule.code,
            name: rule.name,
            severity: severity(rule.severity),
            summary: rule.summary.to_string(),
            why: rule.why.to_string(),
            fix: rule.fix.to_string(),
            page: rule.page(),
        });
        Catalogue { command: "harrier host inspect", rules: rules.collect() }
    });
    &HOSTS
}

fn severity(severity: InspectionSeverity) -> Severity {
    match severity {
        InspectionSeverity::Info => Severity::Info,
        InspectionSeverity::Warning => Severity::Warning,
        InspectionSeverity::Error => Severity::Error,
    }
}

/// A finding in the form of reports. Without a place it is about the host as a whole.
fn shared_finding(
    root: &str,
    finding: &InspectionFinding,
    place: Option<&Place>,
    texts: &BTreeMap<String, String>,
) -> Finding {
    let pointer = if finding.item.is_empty() { String::new() } else { format!("/{}", finding.item) };
    Finding {
        code: finding.code,
        rule: finding.rule,
        severity: severity(finding.severity),
        message: finding.message.clone(),
        file: place.map_or_else(|| whole(root), |place| path(root, &place.file)),
        span: place.and_then(|place| span(texts.get(&place.file)?, place)).unwrap_or_default(),
        position: place.map_or(Position { line: 1, column: 1 }, |place| Position {
            line: place.line,
            column: place.column,
        }),
        pointer,
        ports: Vec::new(),
        deviation: None,
        patch: Vec::new(),
        commands: Vec::new(),
        causes: Vec::new(),
    }
}

/// The bytes from a place to the end of its line.
fn span(text: &str, place: &Place) -> Option<Span> {
    let before: usize = text.split_inclusive('\n').take(place.line as usize - 1).map(str::len).sum();
    let line = text.get(before..)?.lines().next()?.trim_end();
    let column: usize = line.chars().take(place.column as usize - 1).map(char::len_utf8).sum();
    let offset = |at: usize| u32::try_from(before + at).ok();
    Some(Span { start: offset(column)?, end: offset(line.len())? })
}
