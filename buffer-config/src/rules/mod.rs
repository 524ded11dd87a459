//! The rules: one file each, in a folder a family. A rule's module comment is its page in `docs/rules`.

mod buf;
mod chg;
mod context;
mod ecn;
pub mod effect;
mod fleet;
mod host;
mod link;
mod map;
mod pfc;
mod pg;
mod sched;
mod src;
mod wd;

pub(crate) use context::list;
pub use context::{Context, Findings, Options};

use crate::db::ConfigDb;
use crate::finding::{Finding, Severity};
use crate::lookup::Lookup;
use crate::resolved::ResolvedSwitch;
use crate::source::{Place, Source, Span};
use crate::{Beside, forms, gcu, schema};

/// What identifies a rule.
#[derive(Debug)]
pub struct Meta {
    /// Stable code.
    pub code: &'static str,
    /// Stable name.
    pub name: &'static str,
    /// Severity unless the ASIC's idioms change it.
    pub severity: Severity,
    /// Its rows in the rule table of the reference.
    pub ids: &'static [&'static str],
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// What identifies it.
    pub meta: &'static Meta,
    check: for<'c, 'd, 'a> fn(&Context<'c, 'a>, &'d mut Findings),
    source: &'static str,
}

impl Rule {
    /// Its page: the module comment, as Markdown, and what a diagnosis makes of it.
    pub fn page(&self) -> String {
        let mut page = String::new();
        for line in self.source.lines().map_while(|line| line.strip_prefix("//!")) {
            page.push_str(line.strip_prefix(' ').unwrap_or(line));
            page.push('\n');
        }
        let told = match (effect::of(self.meta.code), effect::why_none(self.meta.code)) {
            (Some(effect), _) => format!(
                "It is about `{}`: {}. A verdict names it where that shows.",
                effect.setting.name(),
                effect.why
            ),
            (None, why) => {
                format!("No verdict rests on it: {}.", why.unwrap_or("nothing is known of its effect"))
            }
        };
        page + "\n## In a diagnosis\n\n" + &told + "\n"
    }

    /// Whether its source has that text; for tests that must cover all rules of a kind.
    #[doc(hidden)]
    pub fn calls(&self, text: &str) -> bool {
        let code = self.source.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("use "));
        code.into_iter().any(|line| line.contains(text) && line.contains("report"))
    }

    /// What it checks, as one paragraph.
    pub fn summary(&self) -> String {
        let page = self.page();
        let lines = page.lines().skip_while(|line| !line.starts_with("Severity:")).skip(1);
        let body: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).map(str::trim).collect();
        body.join(" ").trim().to_string()
    }

    /// The text under a heading of its page, as one paragraph.
    pub fn section(&self, heading: &str) -> String {
        let page = self.page();
        let lines = page.lines().skip_while(|line| line.strip_prefix("## ") != Some(heading)).skip(1);
        let body: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).map(str::trim).collect();
        body.join(" ").trim().to_string()
    }
}

macro_rules! family {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*
        pub(super) const RULES: &[$crate::rules::Rule] = &[$($crate::rules::Rule {
            meta: &$module::META,
            check: $module::check,
            source: include_str!(concat!(stringify!($module), ".rs")),
        }),*];
    };
}
pub(crate) use family;

/// All rules, by family and code.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [
        src::RULES,
        buf::RULES,
        pg::RULES,
        pfc::RULES,
        ecn::RULES,
        wd::RULES,
        map::RULES,
        sched::RULES,
        link::RULES,
        fleet::RULES,
        host::RULES,
        chg::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The rule of that code or name.
pub fn find(code: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.meta.code.eq_ignore_ascii_case(code) || rule.meta.name == code)
}

/// Checks one configuration. Findings are in the order of the file.
pub fn check(
    source: Source<'_>,
    db: &ConfigDb<'_>,
    lookup: Option<&Lookup>,
    options: &Options,
) -> Vec<Finding> {
    check_resolved(source, db, lookup, options).0
}

/// What is found in one file, and what its chips run with.
#[derive(Debug, Default)]
pub struct Checked {
    /// Findings in the order of the file.
    pub findings: Vec<Finding>,
    /// The resolved view of each chip; one, but for a file that holds the databases of several.
    pub switches: Vec<ResolvedSwitch>,
}

/// Checks a file, whatever its form.
pub fn check_file(source: Source<'_>, lookup: Option<&Lookup>, options: &Options) -> Checked {
    let mut checked = Checked::default();
    for namespace in forms::load_all(source.text) {
        let (findings, switch) = check_resolved(source, &namespace.db, lookup, options);
        checked.findings.extend(findings);
        checked.switches.push(switch);
    }
    checked
}

/// The same, with the resolved view that was judged.
pub fn check_resolved(
    source: Source<'_>,
    db: &ConfigDb<'_>,
    lookup: Option<&Lookup>,
    options: &Options,
) -> (Vec<Finding>, ResolvedSwitch) {
    let beside = Beside { lookup, asic: options.asic, memory_bytes: options.memory_bytes };
    let switch = crate::resolve(db, beside);
    let violations = schema::validate(db);
    let context = Context::new(db, lookup, &switch, &violations, options);
    let mut out = Findings::default();
    for rule in all() {
        (rule.check)(&context, &mut out);
    }
    let mut findings = out.finish(source);
    for op in findings.iter_mut().flat_map(|f| &mut f.patch) {
        op.refused_live = gcu::refusal(op, context.asic);
    }
    (findings, switch)
}

/// A finding of a rule that looks at more than one file.
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
        place: Place { line: 1, column: 1 },
        pointer: pointer.to_string(),
        ports: Vec::new(),
        deviation: None,
        patch: Vec::new(),
    }
}
