//! Gives all verdicts about one deadlock the same root cause.
//!
//! Only the records of the time in which a loop of pauses closed show what started it. Agents poll again while the
//! deadlock lasts; the verdicts on those polls take the root cause of the earlier ones, as in a finished run
//! ([`analyzer::incident::settle`]).

use std::collections::VecDeque;

use analyzer::incident::settle;
use model::{Diagnosis, Snapshot};

use crate::daemons::analysis::AnalysedEvent;

/// Verdicts that are kept, each with its snapshot.
const KEPT: usize = 32;

/// The latest verdicts that name the root cause of a loop of pauses.
#[derive(Default)]
pub(super) struct Standstills {
    known: VecDeque<(Snapshot, Diagnosis)>,
}

impl Standstills {
    /// Sets the root cause of an event's verdicts to that of earlier verdicts about the same deadlock.
    pub(super) fn unify(&mut self, event: &mut AnalysedEvent) {
        let is_loop = |diagnosis: &Diagnosis| !diagnosis.pause_loop.is_empty();
        let own: Vec<Diagnosis> =
            event.analyses.iter().map(|analysis| analysis.diagnosis.clone()).filter(is_loop).collect();
        if own.is_empty() {
            return;
        }
        let roots = own.iter().filter(|diagnosis| diagnosis.root_cause.port.is_some());
        let roots: Vec<Diagnosis> = roots.cloned().collect();
        let earlier = self.known.iter().map(|(snapshot, diagnosis)| (snapshot, vec![diagnosis.clone()]));
        let settled = settle(earlier.chain([(&event.snapshot, own)]).collect());
        for analysis in &mut event.analyses {
            if let Some(same) = settled.iter().find(|diagnosis| diagnosis.id == analysis.diagnosis.id) {
                analysis.diagnosis.clone_from(same);
            }
        }
        for diagnosis in roots {
            self.known.push_back((event.snapshot.clone(), diagnosis));
            if self.known.len() > KEPT {
                self.known.pop_front();
            }
        }
    }
}
