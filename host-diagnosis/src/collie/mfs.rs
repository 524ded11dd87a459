//! The minimal feature set (MFS) of an anomaly: the levels of each factor under which it occurs.
//!
//! Collie varies one factor at a time; a factor is necessary if a change of it removes the anomaly (section 5.2). That
//! alone fails for a workload that triggers two anomalies, because no change of a single factor removes both. Therefore
//! the workload is first reduced: every factor that the anomaly survives takes the level of the reference workload.

use model::host::descriptor::Factor;
use serde::Serialize;

use super::monitor::Symptom;
use super::space::{self, FACTORS, Point, level_text};
use super::subsystem::SubsystemError;

/// A region of the search space that belongs to one anomaly: for each factor, the levels that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mfs {
    allowed: [u32; FACTORS.len()],
}

/// A necessary factor of an MFS, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Necessary {
    /// The factor.
    pub factor: Factor,
    /// Its levels.
    pub levels: String,
}

/// Runs a point: its symptom, or `None` if it is normal or cannot be run.
pub type Probe<'a> = dyn FnMut(Point) -> Result<Option<Symptom>, Stop> + 'a;

/// Why an extraction ended early.
#[derive(Debug)]
pub enum Stop {
    /// The budget is spent.
    Budget,
    /// The subsystem failed.
    Subsystem(SubsystemError),
}

impl Mfs {
    /// Whether a point belongs to the anomaly.
    pub fn contains(&self, point: Point) -> bool {
        FACTORS.iter().zip(self.allowed).all(|(factor, allowed)| allowed & (1 << point.level(*factor)) != 0)
    }

    /// The factors whose levels are restricted.
    pub fn necessary(&self) -> Vec<Necessary> {
        let restricted =
            FACTORS.iter().zip(self.allowed).filter(|(factor, allowed)| *allowed != all(**factor));
        restricted
            .map(|(factor, allowed)| Necessary { factor: *factor, levels: text(*factor, allowed) })
            .collect()
    }
}

fn all(factor: Factor) -> u32 {
    (1 << space::levels(factor)) - 1
}

fn text(factor: Factor, allowed: u32) -> String {
    let count = space::levels(factor);
    let members: Vec<usize> = (0..count).filter(|level| allowed & (1 << level) != 0).collect();
    let (Some(first), Some(last)) = (members.first(), members.last()) else { return String::new() };
    let name = |level: usize| level_text(factor, level);
    if !space::is_ordered(factor) {
        return members.iter().map(|level| name(*level)).collect::<Vec<_>>().join(", ");
    }
    match (*first > 0, *last + 1 < count) {
        (true, false) => format!("at least {}", name(*first)),
        (false, true) => format!("at most {}", name(*last)),
        _ if first == last => name(*first),
        _ => format!("{} to {}", name(*first), name(*last)),
    }
}

/// Reduces an anomalous point and returns it with its MFS. `fixed` factors are not varied, and belong to no MFS.
///
/// # Errors
/// If the budget is spent or the subsystem fails.
pub fn extract(
    point: Point,
    symptom: Symptom,
    fixed: &[Factor],
    probe: &mut Probe<'_>,
) -> Result<(Point, Mfs), Stop> {
    let mut point = point;
    for factor in FACTORS {
        let candidate = point.with(factor, Point::reference().level(factor)).without(fixed);
        if candidate != point && candidate.is_valid() && probe(candidate)? == Some(symptom) {
            point = candidate;
        }
    }
    let mut allowed = [0; FACTORS.len()];
    for (slot, factor) in allowed.iter_mut().zip(FACTORS) {
        *slot = match fixed.contains(&factor) {
            true => all(factor),
            false => range((point, fixed), factor, symptom, probe)?,
        };
    }
    Ok((point, Mfs { allowed }))
}

/// The levels of a factor under which the anomaly occurs. Levels that verbs do not accept do not end a range of amounts;
/// levels without an order belong to the anomaly only if they were run, unless no level removes it.
fn range(
    (point, fixed): (Point, &[Factor]),
    factor: Factor,
    symptom: Symptom,
    probe: &mut Probe<'_>,
) -> Result<u32, Stop> {
    let here = point.level(factor);
    let count = space::levels(factor);
    let mut allowed: u32 = 1 << here;
    // `None` for a level that verbs do not accept.
    let mut belongs = |level: usize| -> Result<Option<bool>, Stop> {
        let candidate = point.with(factor, level).without(fixed);
        Ok(if candidate.is_valid() { Some(probe(candidate)? == Some(symptom)) } else { None })
    };
    if space::is_ordered(factor) {
        let (above, below): (Vec<usize>, Vec<usize>) =
            ((here + 1..count).collect(), (0..here).rev().collect());
        for side in [above, below] {
            for level in side {
                if belongs(level)? == Some(false) {
                    break;
                }
                allowed |= 1 << level;
            }
        }
    } else {
        let mut is_necessary = false;
        for level in (0..count).filter(|level| *level != here) {
            match belongs(level)? {
                Some(true) => allowed |= 1 << level,
                Some(false) => is_necessary = true,
                None => {}
            }
        }
        if !is_necessary {
            allowed = all(factor);
        }
    }
    Ok(allowed)
}
