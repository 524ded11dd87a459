//! Checks a document of an editor with the settings of its repository, as `harrier check FILE` does.

use std::path::Path;

use buffer_config::editor::{self, Edit};
use buffer_config::finding::{Finding, Severity};
use buffer_config::lookup::{self, Lookup};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use clap::Parser;

use super::setup::Setup;
use super::{Args, read};

/// The arguments of `harrier check` without any.
#[derive(Parser)]
struct NoArguments {
    #[command(flatten)]
    args: Args,
}

/// The settings and the lookup table of a document. The default has neither.
#[derive(Default)]
pub(crate) struct Checker {
    setup: Option<Setup>,
    lookup: Option<Lookup>,
    options: Options,
}

impl Checker {
    /// Reads the settings that apply to a file: harrier.toml, suppressions, baseline and lookup table.
    ///
    /// # Errors
    /// One of them cannot be read, or is not valid.
    pub(crate) fn new(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self::default()) };
        let name = path.display().to_string();
        let args = NoArguments::try_parse_from(["check"])?.args;
        let setup = Setup::read(&args, std::slice::from_ref(&name))?;
        let table = path.with_file_name("pg_profile_lookup.ini");
        let lookup = match table.is_file() && table != path {
            true => {
                let text = read::read(&table, setup.limit_bytes).map_err(|reason| {
                    anyhow::anyhow!(read::located(&table.display().to_string(), &reason))
                })?;
                Some(lookup::parse(&text))
            }
            false => None,
        };
        let options = setup.options.clone();
        Ok(Self { setup: Some(setup), lookup, options })
    }

    /// The findings of a text, without those that the settings hide.
    pub(crate) fn check(&self, name: &str, text: &str) -> Vec<Finding> {
        let source = SourceText { name, text };
        let findings = rules::check_file(source, self.lookup.as_ref(), &self.options).findings;
        let mut findings = editor::shown(source, findings);
        if let Some(setup) = &self.setup {
            setup.select(&mut findings);
            match setup.filter() {
                Ok(mut filter) => filter.apply_to_text(&mut findings, Some(text)),
                Err(error) => findings.push(editor::not_checked(name, &format!("{error:#}"))),
            }
        }
        rules::one_per_defect(&mut findings);
        let has_notes = self.setup.as_ref().is_some_and(|setup| setup.has_notes);
        findings.retain(|finding| has_notes || finding.severity > Severity::Info);
        findings
    }

    /// The edit that repairs a finding.
    pub(crate) fn repair(&self, source: SourceText<'_>, finding: &Finding) -> Option<Edit> {
        editor::repair(source, finding, self.lookup.as_ref(), &self.options)
    }
}
