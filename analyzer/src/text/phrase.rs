//! Claims from a template and values. A claim has both its text in ASCII, for terminals and logs, and the template, for pages.

use model::claim::{ClaimTemplate, ClaimValue};
use model::diagnosis::{Evidence, Record};
use model::units::counted;
use model::{FlowKey, PortRef};

use crate::facts::topology_index::TopologyIndex;
use crate::facts::wording::{duration, flow_name};

/// A value with its text.
pub(crate) struct Word {
    value: ClaimValue,
    text: String,
}

pub(crate) fn time(ns: u64) -> Word {
    Word { value: ClaimValue::Duration { ns }, text: duration(ns) }
}

/// A point in switch time.
pub(crate) fn moment(ns: u64) -> Word {
    Word { value: ClaimValue::Time { ns }, text: duration(ns) }
}

pub(crate) fn count(count: u64, unit: &str) -> Word {
    Word { value: ClaimValue::Count { count, unit: unit.to_string() }, text: counted(count, unit) }
}

pub(crate) fn number(number: f64, decimals: u8) -> Word {
    Word {
        value: ClaimValue::Number { number, decimals },
        text: format!("{number:.places$}", places = usize::from(decimals)),
    }
}

pub(crate) fn share(share: f64) -> Word {
    Word { value: ClaimValue::Share { share }, text: format!("{:.0} %", 100.0 * share) }
}

pub(crate) fn flow(index: &TopologyIndex<'_>, flow: FlowKey) -> Word {
    Word { value: ClaimValue::Flow { flow }, text: flow_name(index, flow) }
}

pub(crate) fn port(port: &PortRef) -> Word {
    Word { value: ClaimValue::Port { port: port.clone() }, text: port.to_string() }
}

pub(crate) fn name(name: &str) -> Word {
    Word { value: ClaimValue::Name { name: name.to_string() }, text: name.to_string() }
}

/// A sentence.
pub(crate) struct Phrase {
    text: String,
    template: ClaimTemplate,
}

impl Phrase {
    /// Fills each `{}` of a template with the next value. A place without a value, and a value without a place, are left out. Names
    /// of the network are values and never a part of the template.
    pub(crate) fn new(template: &str, words: impl IntoIterator<Item = Word>) -> Phrase {
        let mut words = words.into_iter();
        let mut phrase = Phrase {
            text: String::new(),
            template: ClaimTemplate { text: String::new(), values: Vec::new() },
        };
        for (number, part) in template.split("{}").enumerate() {
            if let Some(word) = (number > 0).then(|| words.next()).flatten() {
                phrase.text.push_str(&word.text);
                phrase.template.text.push_str(&format!("{{{}}}", phrase.template.values.len()));
                phrase.template.values.push(word.value);
            }
            phrase.text.push_str(part);
            phrase.template.text.push_str(part);
        }
        phrase
    }

    /// The claim with its records; the switch is that of the port unless it is given.
    pub(crate) fn evidence(
        self,
        switch: Option<&str>,
        port: Option<PortRef>,
        epoch: Option<u64>,
        records: Vec<Record>,
    ) -> Evidence {
        let of_port = || port.as_ref().map(|port| port.switch.clone());
        Evidence {
            claim: self.text,
            template: Some(self.template),
            switch: switch.map(str::to_string).or_else(of_port),
            port,
            epoch,
            records,
        }
    }

    /// The claim of other evidence, with its records.
    pub(crate) fn instead_of(self, evidence: Evidence) -> Evidence {
        Evidence { claim: self.text, template: Some(self.template), ..evidence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_has_its_text_and_its_template() {
        let port = PortRef::new("sw{0}", 3);
        let phrase = Phrase::new(
            "{} was paused {} times, {} in total; {} were enqueued",
            [super::port(&port), number(3.0, 0), time(25_000), count(7, "packet")],
        );
        assert_eq!(phrase.text, "sw{0}:3 was paused 3 times, 25.0 us in total; 7 packets were enqueued");
        assert_eq!(phrase.template.text, "{0} was paused {1} times, {2} in total; {3} were enqueued");
        let filled = phrase.template.filled(|value| match value {
            ClaimValue::Port { port } => port.to_string(),
            ClaimValue::Number { number, .. } => number.to_string(),
            ClaimValue::Duration { ns } => duration(*ns),
            ClaimValue::Count { count, unit } => counted(*count, unit),
            other => panic!("{other:?}"),
        });
        assert_eq!(filled, phrase.text);
    }
}
