//! Grades incidents: groups of alarms that an operator sees as one.

use model::Diagnosis;

use super::grade::{Grade, Judgement};

/// Returns the position in `members` of the verdict that represents an incident: the gravest by severity, then by stated
/// delay, then by confidence.
pub fn gravest(verdicts: &[Diagnosis], members: &[usize]) -> Option<usize> {
    members.iter().copied().max_by(|a, b| {
        let (a, b) = (&verdicts[*a], &verdicts[*b]);
        let rank = |verdict: &Diagnosis| (verdict.severity, verdict.cost.delay_ns);
        rank(a)
            .cmp(&rank(b))
            .then(a.confidence.total_cmp(&b.confidence))
            // Of equal ones, the same is chosen in every order.
            .then_with(|| b.id.cmp(&a.id))
    })
}

/// Returns the grade of an incident. It is right only if its gravest verdict is right and no judged verdict of it is
/// wrong. If another one is wrong, it is partly right; otherwise it has the grade of its gravest verdict.
pub fn grade_incident(verdicts: &[Diagnosis], judgements: &[Judgement], members: &[usize]) -> Grade {
    let Some(gravest) = gravest(verdicts, members) else { return Grade::Unjudged };
    let has_wrong = members.iter().any(|at| judgements[*at].grade == Grade::Wrong);
    match judgements[gravest].grade {
        Grade::Right if has_wrong => Grade::Partly,
        // Its culprits are left open.
        Grade::Located | Grade::Mislocated => Grade::Unjudged,
        grade => grade,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::diagnosis::{Cost, Severity};
    use model::{Anomaly, Cause, FlowKey};

    use super::*;
    use Grade::{Partly, Right, Silent, Unjudged, Wrong};

    fn verdict(id: &str, severity: Severity, delay_ns: u64) -> Diagnosis {
        let victim = FlowKey::udp([10, 0, 0, 1].into(), 1, [10, 0, 0, 2].into(), 2);
        Diagnosis {
            id: id.to_string(),
            anomaly: Anomaly::FlowContention,
            cause: Cause::Incast,
            confidence: 0.9,
            severity,
            cost: Cost { delay_ns, ..Cost::default() },
            victims: Vec::new(),
            ..Diagnosis::undetermined(victim)
        }
    }

    /// An incident of a minor, a gravest and another major verdict, with these grades.
    fn graded(grades: [Grade; 3]) -> Grade {
        let verdicts = [
            verdict("a", Severity::Minor, 900),
            verdict("b", Severity::Major, 500),
            verdict("c", Severity::Major, 100),
        ];
        let judgements = grades.map(|grade| Judgement {
            grade,
            guilt: None,
            accused: BTreeSet::new(),
            excess_ns: None,
            weight: 1.0,
            reason: String::new(),
        });
        assert_eq!(gravest(&verdicts, &[0, 1, 2]), Some(1));
        grade_incident(&verdicts, &judgements, &[0, 1, 2])
    }

    #[test]
    fn an_incident_is_right_only_if_its_gravest_verdict_is_and_none_is_wrong() {
        assert_eq!(graded([Right, Right, Right]), Right);
        assert_eq!(graded([Partly, Right, Unjudged]), Right);
        assert_eq!(graded([Wrong, Right, Right]), Partly);
        assert_eq!(graded([Right, Partly, Wrong]), Partly);
        assert_eq!(graded([Right, Wrong, Right]), Wrong);
        assert_eq!(graded([Right, Silent, Right]), Silent);
        assert_eq!(graded([Right, Unjudged, Right]), Unjudged);
    }
}
