//! Two answers about one trouble: an agent asks at its beginning and once more when it can be seen whole. The first
//! waits for the second, so that one trouble makes one incident.

use std::collections::BTreeMap;

use analyzer::Analysis;
use analyzer::incident::settle;
use model::Snapshot;

/// A first answer that no second one has followed for this long, in the network's time, stands by itself. Agents ask again
/// after 400 us, and the collection takes its time.
const HOLD_NS: u64 = 800_000;

/// A collection and what was made of it.
pub(super) struct Answered {
    pub(super) snapshot: Snapshot,
    pub(super) analyses: Vec<Analysis>,
}

/// First answers that wait for the second.
#[derive(Default)]
pub(super) struct Answers {
    /// By event.
    first: BTreeMap<u32, Answered>,
}

impl Answers {
    /// Takes an answer, and gives those that hold now: of the two about one trouble the one that says more.
    pub(super) fn take(&mut self, snapshot: Snapshot, analyses: Vec<Analysis>) -> Vec<Answered> {
        let Some(trigger) = &snapshot.trigger else { return vec![Answered { snapshot, analyses }] };
        let second = match trigger.follows {
            Some(first) => match self.first.remove(&first.event) {
                Some(first) => return better(first, Answered { snapshot, analyses }),
                None => Answered { snapshot, analyses },
            },
            None => {
                self.first.insert(snapshot.event, Answered { snapshot, analyses });
                return Vec::new();
            }
        };
        vec![second]
    }

    /// Gives the first answers that have waited long enough by `now_ns`.
    pub(super) fn settled(&mut self, now_ns: u64) -> Vec<Answered> {
        let asked = |answered: &Answered| answered.snapshot.trigger.as_ref().map_or(0, |t| t.time_ns);
        let waits = |answered: &Answered| asked(answered).saturating_add(HOLD_NS) > now_ns;
        let due: Vec<u32> =
            self.first.iter().filter(|(_, answered)| !waits(answered)).map(|(event, _)| *event).collect();
        due.into_iter().filter_map(|event| self.first.remove(&event)).collect()
    }
}

/// What holds of two answers about one trouble.
fn better(first: Answered, second: Answered) -> Vec<Answered> {
    let verdicts = |a: &Answered| a.analyses.iter().map(|analysis| analysis.diagnosis.clone()).collect();
    let settled = settle(vec![(&first.snapshot, verdicts(&first)), (&second.snapshot, verdicts(&second))]);
    let holds = |answered: &mut Answered| {
        answered.analyses.retain(|a| settled.iter().any(|verdict| verdict.id == a.diagnosis.id));
        !answered.analyses.is_empty()
    };
    let mut both = vec![first, second];
    both.retain_mut(holds);
    both
}
