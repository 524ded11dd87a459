//! The rules: one folder per family, one file per rule, except for rules that only report the schema's violations
//! (`schema_rules.rs`). The module comment of a rule is its documentation page ([`pages`]).

mod buf;
mod chg;
mod context;
mod ecn;
pub mod effect;
mod example;
mod fleet;
mod host;
mod link;
mod map;
pub mod pages;
mod pfc;
mod pg;
mod precedence;
mod repairs;
mod reported;
mod sched;
mod schema_rules;
pub(crate) mod siblings;
mod sources;
mod src;
mod wd;
mod wording;

pub use context::{Context, Options};
pub(crate) use context::{agreeing, bytes, list, names};
pub use example::Example;
pub(crate) use precedence::note_causes_of_device;
pub use precedence::{one_per_defect, remove_weaker};
pub use reported::Findings;

use std::sync::LazyLock;

use effect::Attribution;
use pages::PageText;
use schema_rules::SCHEMA_RULES;

use crate::db::ConfigDb;
use crate::device::{self, Device};
use crate::finding::{Finding, Severity};
use crate::lookup::Lookup;
use crate::resolved::ResolvedSwitch;
use crate::source::{Position, SourceText, Span};
use crate::{ResolveOptions, input, live_update, schema, secrets};

/// The metadata of a rule.
#[derive(Debug)]
pub struct Meta {
    /// Stable code, for example `BUF023`.
    pub code: &'static str,
    /// Stable name.
    pub name: &'static str,
    /// The usual severity; a rule may report another one, for example where an ASIC vendor's convention differs.
    pub severity: Severity,
    /// Whether a diagnosis may name its findings as root cause.
    pub effect: Attribution,
}

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its metadata.
    pub meta: &'static Meta,
    check: Check,
    text: PageText,
}

/// How a rule finds its violations.
#[derive(Clone, Copy, Debug)]
enum Check {
    /// The schema has found them already.
    Schema,
    /// A function of the rule's module.
    Function(for<'c, 'd, 'a> fn(&Context<'c, 'a>, &'d mut Findings)),
}

impl Rule {
    fn report(&self, context: &Context<'_, '_>, out: &mut Findings) {
        match self.check {
            Check::Schema => context.schema(out, self.meta),
            Check::Function(check) => check(context, out),
        }
    }
}

macro_rules! family {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*
        pub(super) const RULES: &[$crate::rules::Rule] = &[$($crate::rules::Rule {
            meta: &$module::META,
            check: $crate::rules::Check::Function($module::check),
            text: $crate::rules::PageText::Module(include_str!(concat!(stringify!($module), ".rs"))),
        }),*];
    };
}
pub(crate) use family;

/// Families in the order of the documentation: the prefix of the codes, and the rules with a module of their own.
const FAMILIES: [(&str, &[Rule]); 12] = [
    ("SRC", src::RULES),
    ("BUF", buf::RULES),
    ("PG", pg::RULES),
    ("PFC", pfc::RULES),
    ("ECN", ecn::RULES),
    ("WD", wd::RULES),
    ("MAP", map::RULES),
    ("SCHED", sched::RULES),
    ("LINK", link::RULES),
    ("FLEET", fleet::RULES),
    ("HOST", host::RULES),
    ("CHG", chg::RULES),
];

static ALL: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let of_schema = SCHEMA_RULES.iter().map(|row| Rule {
        meta: &row.meta,
        check: Check::Schema,
        text: PageText::Row(row),
    });
    let mut all: Vec<Rule> =
        FAMILIES.iter().flat_map(|(_, rules)| rules.iter().copied()).chain(of_schema).collect();
    let family = |code: &str| {
        let prefix = code.trim_end_matches(|c: char| c.is_ascii_digit());
        FAMILIES.iter().position(|(family, _)| *family == prefix)
    };
    all.sort_by_key(|rule| (family(rule.meta.code), rule.meta.code));
    all
});

/// All rules, by family and code.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    ALL.iter()
}

/// The rule with this code (in any case) or name.
pub fn find(code: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.meta.code.eq_ignore_ascii_case(code) || rule.meta.name == code)
}

/// Checks one configuration. Findings are in the order of the file.
pub fn check(
    source: SourceText<'_>,
    db: &ConfigDb<'_>,
    lookup: Option<&Lookup>,
    options: &Options,
) -> Vec<Finding> {
    check_resolved(source, db, lookup, options).0
}

/// The findings of one file, and its resolved switches.
#[derive(Debug, Default)]
pub struct Checked {
    /// Findings in the order of the file.
    pub findings: Vec<Finding>,
    /// The resolved configuration of each chip; one, except in a file for several chips.
    pub switches: Vec<ResolvedSwitch>,
    /// The switch, if it does not run SONiC; `switches` is then empty.
    pub device: Option<Device>,
}

/// Checks a file in any input format, of SONiC or of another operating system. Several findings may be about one defect
/// ([`one_per_defect`]).
pub fn check_file(source: SourceText<'_>, lookup: Option<&Lookup>, options: &Options) -> Checked {
    let mut checked = Checked::default();
    if let Some(system) = device::system_of(source.text) {
        let device = device::read(system, source.text);
        checked.findings = device::check(source, &device);
        secrets::redact(&mut checked.findings, source.text);
        checked.device = Some(device);
        return checked;
    }
    for namespace in input::load_all(source.text) {
        let (findings, switch) = check_resolved(source, &namespace.db, lookup, options);
        checked.findings.extend(findings);
        checked.switches.push(switch);
    }
    checked
}

/// Like [`check`], and returns the resolved configuration.
pub fn check_resolved(
    source: SourceText<'_>,
    db: &ConfigDb<'_>,
    lookup: Option<&Lookup>,
    options: &Options,
) -> (Vec<Finding>, ResolvedSwitch) {
    let resolve_options = ResolveOptions { lookup, asic: options.asic, memory_bytes: options.memory_bytes };
    let switch = crate::resolve(db, resolve_options);
    let violations = schema::validate(db);
    let context = Context::new(db, lookup, &switch, &violations, options);
    let mut out = Findings::default();
    for rule in all() {
        rule.report(&context, &mut out);
    }
    precedence::note_causes(&context, &mut out);
    repairs::add(&context, &mut out);
    let mut findings = out.finish(source);
    secrets::redact(&mut findings, source.text);
    for op in findings.iter_mut().flat_map(|f| &mut f.patch) {
        op.refused_live = live_update::refusal(op, context.asic);
    }
    (findings, switch)
}

/// A finding of a rule that compares several files.
pub(crate) fn finding(
    code: &'static str,
    severity: Severity,
    file: &str,
    pointer: &str,
    message: String,
) -> Finding {
    let rule = find(code).map_or("", |rule| rule.meta.name);
    Finding {
        code,
        rule,
        severity,
        message,
        file: file.to_string(),
        span: Span::default(),
        position: Position { line: 1, column: 1 },
        pointer: pointer.to_string(),
        ports: Vec::new(),
        deviation: None,
        patch: Vec::new(),
        commands: Vec::new(),
        causes: Vec::new(),
    }
}
