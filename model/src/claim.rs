//! A claim as a sentence with places for its values: a reader formats times, sizes and names as the rest of its page.

use serde::{Deserialize, Serialize};

use crate::{FlowKey, PortRef};

/// A sentence with places for values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClaimTemplate {
    /// The sentence; `{0}` is the place of the first value. Words beside a count are in the plural where it is not 1.
    pub text: String,
    /// The values, in the order of their places.
    pub values: Vec<ClaimValue>,
}

/// A value of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ClaimValue {
    /// A duration.
    Duration {
        /// In nanoseconds.
        ns: u64,
    },
    /// A point in switch time.
    Time {
        /// In nanoseconds.
        ns: u64,
    },
    /// A number of things.
    Count {
        /// How many.
        count: u64,
        /// One of them, e.g. `packet`.
        unit: String,
    },
    /// A number with a fixed number of decimals.
    Number {
        /// The number.
        number: f64,
        /// Its decimals.
        decimals: u8,
    },
    /// A part of a whole.
    Share {
        /// From 0 to 1.
        share: f64,
    },
    /// A flow.
    Flow {
        /// The flow.
        flow: FlowKey,
    },
    /// A port.
    Port {
        /// The port.
        port: PortRef,
    },
    /// The name of a host, a switch or a job.
    Name {
        /// The name.
        name: String,
    },
}

impl ClaimTemplate {
    /// Returns the sentence with the text that `text_of` gives to each value. A place without a value stays as it is.
    pub fn filled(&self, text_of: impl Fn(&ClaimValue) -> String) -> String {
        let mut filled = String::new();
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let place = after.split_once('}');
            let value = place.and_then(|(number, _)| self.values.get(number.parse::<usize>().ok()?));
            match (value, place) {
                (Some(value), Some((_, after))) => {
                    filled.push_str(&text_of(value));
                    rest = after;
                }
                _ => {
                    filled.push('{');
                    rest = after;
                }
            }
        }
        filled + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_in_any_order_and_others_stay() {
        let name = |name: &str| ClaimValue::Name { name: name.into() };
        let check = |text: &str, expected: &str| {
            let template = ClaimTemplate { text: text.into(), values: vec![name("a{1}"), name("b")] };
            let filled = template.filled(|value| match value {
                ClaimValue::Name { name } => name.clone(),
                other => panic!("{other:?}"),
            });
            assert_eq!(filled, expected);
        };
        check("{1} before {0}, {1}", "b before a{1}, b");
        check("{2} {x} { {0", "{2} {x} { {0");
        check("", "");
    }
}
