//! Communication patterns of collective operations: the transfers of each step and their dependencies.
//!
//! All-reduce by a ring and by halving and doubling: Thakur, Rabenseifner, Gropp, "Optimization of Collective
//! Communication Operations in MPICH", 2005, sections 4.4 and 4.5. No clock synchronises the steps: a member sends
//! its next part when the part that it depends on has arrived.

use serde::{Deserialize, Serialize};

/// Maximum number of transfers of one operation.
pub const MAX_PARTS: usize = 1_000_000;

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Collective {
    /// 2 (n - 1) steps; in each, every member sends an n-th of the data to the next one.
    AllReduceRing,
    /// 2 log2 n steps between partners at decreasing, then increasing distance, of a half, a quarter, ... of the
    /// data.
    AllReduceHalvingDoubling,
    /// Every member sends an n-th of the data to every other member at the same time, starting with its successor.
    AllToAll,
}

/// A transfer between two members, by their positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The step, from 1.
    pub step: u32,
    /// Sender.
    pub src: usize,
    /// Receiver.
    pub dst: usize,
    /// Size in bytes.
    pub bytes: u64,
    /// Positions of the parts that must have arrived before.
    pub after: Vec<usize>,
}

/// Why an operation cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollectiveError {
    /// There is no other member.
    #[error("it needs at least 2 members and has {0}")]
    Members(usize),
    /// Halving and doubling pairs members by the bits of their numbers.
    #[error("halving and doubling needs a power of two of members and has {0}")]
    NotPowerOfTwo(usize),
    /// More than [`MAX_PARTS`].
    #[error("it has more than {MAX_PARTS} transfers")]
    TooMany,
}

impl Collective {
    /// Returns the transfers of an operation on `bytes` among `members`, in order of steps.
    ///
    /// # Errors
    /// The operation does not support this number of members, or needs more than [`MAX_PARTS`] transfers.
    pub fn parts(self, members: usize, bytes: u64) -> Result<Vec<Part>, CollectiveError> {
        if members < 2 {
            return Err(CollectiveError::Members(members));
        }
        let steps = match self {
            Collective::AllReduceRing => 2 * (members - 1),
            Collective::AllReduceHalvingDoubling if !members.is_power_of_two() => {
                return Err(CollectiveError::NotPowerOfTwo(members));
            }
            Collective::AllReduceHalvingDoubling => 2 * members.trailing_zeros() as usize,
            Collective::AllToAll => members - 1,
        };
        if members.saturating_mul(steps) > MAX_PARTS {
            return Err(CollectiveError::TooMany);
        }
        let share = bytes.div_ceil(members as u64).max(1);
        let part = |step: usize, src: usize| match self {
            Collective::AllReduceRing => {
                // Each member forwards what it received in the previous step.
                let before = step.checked_sub(1).map(|last| last * members + (src + members - 1) % members);
                (step, (src + 1) % members, share, before)
            }
            Collective::AllReduceHalvingDoubling => {
                let level = |step: usize| step.min(steps - 1 - step);
                let partner = |step: usize| src ^ members >> (level(step) + 1);
                let before = step.checked_sub(1).map(|last| last * members + partner(last));
                (step, partner(step), (bytes >> (level(step) + 1)).max(1), before)
            }
            // All transfers start at the same time: one step, in any order of members.
            Collective::AllToAll => (0, (src + step + 1) % members, share, None),
        };
        let all = (0..steps).flat_map(|step| (0..members).map(move |src| (step, src)));
        let make = |(number, src): (usize, usize)| {
            let (step, dst, bytes, before) = part(number, src);
            Part { step: step as u32 + 1, src, dst, bytes, after: before.into_iter().collect() }
        };
        Ok(all.map(make).collect())
    }
}
