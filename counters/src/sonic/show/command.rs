//! Which command printed a table: whether a table that appears again is a second reading.

/// A command of a paste.
#[derive(Clone, Debug, Default)]
pub(super) struct Command {
    /// Counts commands and dates.
    number: u64,
    /// The command's words; empty if the paste does not have them.
    text: String,
}

/// What a table is that appears again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Another table of the same reading.
    Addition,
    /// That of a second reading.
    Reading,
    /// It has no place: nothing says that time passed, or that the switch is another one.
    Contradiction,
}

impl Command {
    /// The command after this one.
    pub(super) fn next(&self, text: &str) -> Command {
        let text = text.split_whitespace().filter(|word| *word != "sudo").collect::<Vec<_>>().join(" ");
        Command { number: self.number + 1, text }
    }

    /// The same command at a later time, as a loop that prints dates runs it.
    pub(super) fn again(&self) -> Command {
        Command { number: self.number + 1, text: self.text.clone() }
    }

    /// What a table of this command is that `earlier` printed before.
    pub(super) fn repeats(&self, earlier: &Command) -> Repeat {
        let is_loop = ["for ", "while ", "until ", "watch "].iter().any(|word| self.text.starts_with(word));
        if self.number == earlier.number {
            return if is_loop { Repeat::Reading } else { Repeat::Contradiction };
        }
        let is_other = self.text != earlier.text && !self.text.is_empty() && !earlier.text.is_empty();
        if is_other && !is_loop { Repeat::Addition } else { Repeat::Reading }
    }
}
