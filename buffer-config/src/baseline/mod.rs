//! Filters findings: selected rules, suppressions with reason and expiry, and a baseline of known findings.

mod known;
mod object;
mod selection;
mod suppressions;

pub use known::{Baseline, Root};
pub use selection::Selection;
pub use suppressions::{Suppression, Suppressions};

pub(crate) use known::fingerprint_parts;
pub(crate) use object::message_shape;
pub(crate) use suppressions::glob_end;

use crate::finding::Finding;
use crate::rules::{one_per_defect, remove_weaker};
use known::Left;

/// Removes suppressed and known findings, file by file.
#[derive(Debug, Default)]
pub struct FindingFilter {
    suppressions: Suppressions,
    used: Vec<bool>,
    left: Left,
    /// `YYYY-MM-DD`.
    today: String,
    /// The number of findings removed so far.
    pub suppressed: usize,
}

impl FindingFilter {
    /// A filter for the suppressions that apply on `today` (`YYYY-MM-DD`) and for the findings of the baseline, whose
    /// file names are relative to the working directory.
    pub fn new(suppressions: Suppressions, baseline: Baseline, today: &str) -> Self {
        Self::with_root(suppressions, baseline, Root::default(), today)
    }

    /// Like [`FindingFilter::new`], with the folder of the baseline.
    pub fn with_root(suppressions: Suppressions, baseline: Baseline, root: Root, today: &str) -> Self {
        let used = vec![false; suppressions.entries.len()];
        Self { suppressions, used, left: Left::new(baseline, root), today: today.to_string(), suppressed: 0 }
    }

    /// Removes suppressed and known findings.
    pub fn apply(&mut self, findings: &mut Vec<Finding>) {
        self.apply_to_text(findings, None);
    }

    /// Like [`FindingFilter::apply`], for the findings of one file with this text. The text is needed for files whose
    /// entries are elements of arrays, because an index does not identify an entry.
    ///
    /// A finding about several ports of which only some are known remains, with the other ports. Of the rest, one finding
    /// is kept for each defect ([`one_per_defect`]).
    pub fn apply_to_text(&mut self, findings: &mut Vec<Finding>, text: Option<&str>) {
        self.remove_suppressed(findings);
        self.remove_known(findings, text);
    }

    /// Removes suppressed findings, and weaker ones about the same defects.
    pub fn remove_suppressed(&mut self, findings: &mut Vec<Finding>) {
        let is_suppressed = |finding: &mut Finding| self.is_suppressed(finding);
        let mut suppressed: Vec<Finding> = findings.extract_if(.., is_suppressed).collect();
        remove_weaker(findings, &suppressed);
        one_per_defect(&mut suppressed);
        self.suppressed += suppressed.len();
    }

    /// Removes findings of the baseline, and keeps one finding for each defect.
    pub fn remove_known(&mut self, findings: &mut Vec<Finding>, text: Option<&str>) {
        self.suppressed += self.left.remove_known(findings, text);
    }

    fn is_suppressed(&mut self, finding: &Finding) -> bool {
        let mut held = false;
        for (entry, used) in self.suppressions.entries.iter().zip(&mut self.used) {
            if entry.matches(finding) {
                *used = true;
                held |= entry.until.as_deref().is_none_or(|until| self.today.as_str() <= until);
            }
        }
        held
    }

    /// Findings in `file` about the suppressions, after all findings were filtered.
    pub fn remarks(&self, file: &str) -> Vec<Finding> {
        self.suppressions.remarks(&self.used, file, &self.today)
    }

    /// The entries of the baseline without a finding, after all findings of `checked` were filtered: one text each.
    /// Entries of other files are not listed, nor those of rules that `is_selected` rejects.
    pub fn stale<'f>(
        &self,
        checked: impl Iterator<Item = &'f str>,
        is_selected: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        self.left.stale(checked, is_selected)
    }
}
