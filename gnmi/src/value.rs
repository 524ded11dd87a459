//! Values as JSON. Pure.

use serde_json::{Number, Value as Json};

use crate::proto::typed_value::Value;
use crate::proto::{TypedValue, Update};

/// The value of an update as JSON, whatever its encoding; `None` if it has none, or one that is no JSON: bytes and messages of
/// other schemas.
pub fn as_json(update: &Update) -> Option<Json> {
    #[allow(deprecated, reason = "older devices send it")]
    match (&update.val, &update.value) {
        (Some(value), _) => typed(value),
        (None, Some(old)) => serde_json::from_slice(&old.value).ok(),
        (None, None) => None,
    }
}

fn typed(value: &TypedValue) -> Option<Json> {
    #[allow(deprecated, reason = "older devices send it")]
    match value.value.as_ref()? {
        Value::StringVal(text) | Value::AsciiVal(text) => Some(Json::from(text.as_str())),
        Value::IntVal(number) => Some(Json::from(*number)),
        Value::UintVal(number) => Some(Json::from(*number)),
        Value::BoolVal(value) => Some(Json::from(*value)),
        Value::FloatVal(number) => Number::from_f64(f64::from(*number)).map(Json::Number),
        Value::DoubleVal(number) => Number::from_f64(*number).map(Json::Number),
        Value::DecimalVal(decimal) => {
            let scale = 10_f64.powi(i32::try_from(decimal.precision).ok()?);
            Number::from_f64(decimal.digits as f64 / scale).map(Json::Number)
        }
        Value::JsonVal(bytes) | Value::JsonIetfVal(bytes) => serde_json::from_slice(bytes).ok(),
        // A list of leaves: its items are leaves.
        Value::LeaflistVal(list) => {
            let leaf = |value: &TypedValue| match value.value {
                Some(Value::LeaflistVal(_)) => None,
                _ => typed(value),
            };
            Some(Json::Array(list.element.iter().filter_map(leaf).collect()))
        }
        Value::BytesVal(_) | Value::ProtoBytes(_) | Value::AnyVal(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(value: Value, expected: Option<Json>) {
        let val = Some(TypedValue { value: Some(value) });
        assert_eq!(as_json(&Update { val, ..Update::default() }), expected);
    }

    #[test]
    fn every_encoding_is_the_same_value() {
        check(Value::UintVal(u64::MAX), Some(json!(u64::MAX)));
        check(Value::IntVal(-1), Some(json!(-1)));
        check(Value::StringVal("up".into()), Some(json!("up")));
        check(Value::JsonIetfVal(br#"{"a": "1"}"#.to_vec()), Some(json!({"a": "1"})));
        check(Value::JsonVal(b"7".to_vec()), Some(json!(7)));
        check(Value::JsonVal(b"{".to_vec()), None);
        check(Value::DoubleVal(f64::NAN), None);
        check(Value::BytesVal(vec![1]), None);
        assert_eq!(as_json(&Update::default()), None);
    }
}
