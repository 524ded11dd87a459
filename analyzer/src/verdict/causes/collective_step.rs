//! Collective step: the culprits are transfers of one step of a collective operation, which its job starts together.
//!
//! A job's description (`model::Job`) says which flow belongs to which step. What looks like an incast or a collision
//! is then the communication pattern of the job itself, and it recurs in every round.

use model::Cause;
use model::job::{JobStep, StepRole};

use super::{Case, Judged};
use crate::facts::wording::enumerate;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let jobs = case.context.view.jobs();
    case.finding.contention.as_ref()?;
    if jobs.is_empty() || case.culprits.is_empty() {
        return None;
    }
    let victim = case.context.victim.unwrap_or(case.culprits[0]);
    let steps = crate::verdict::collective::steps(jobs, victim, case.culprits, case.time_ns());
    let culprits: Vec<&JobStep> = steps.iter().filter(|step| step.role == StepRole::Culprit).collect();
    let of_jobs: usize = culprits.iter().map(|step| step.flows.len()).sum();
    let [first, rest @ ..] = culprits.as_slice() else { return None };
    // Adjacent steps may overlap, since members do not synchronise; all culprits must belong to one job.
    if of_jobs < case.culprits.len() || rest.iter().any(|step| step.job != first.job) {
        return None;
    }
    let names: Vec<String> = culprits.iter().map(|step| step.step.to_string()).collect();
    let which = if rest.is_empty() { "step" } else { "steps" };
    let (transfers, congest) = if of_jobs == 1 { ("transfer", "congests") } else { ("transfers", "congest") };
    Some(Judged {
        cause: Cause::CollectiveStep,
        factor: 1.0,
        because: format!(
            "{of_jobs} {transfers} of {which} {} of {} of job `{}` {congest} that port",
            enumerate(&names),
            first.steps,
            first.job
        ),
        advice: vec![
            format!(
                "place the members of job `{}` so that this step's transfers take different links, or order them \
                 differently",
                first.job
            ),
            "run the jobs that share these links at different times or with different priorities".to_string(),
        ],
        config: Vec::new(),
    })
}
