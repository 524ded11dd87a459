//! A JSON value with its position.

use std::rc::Rc;

use serde_json::Value;

/// A step of a JSON pointer.
#[derive(Debug)]
enum Step<'j> {
    Key(&'j str),
    Index(usize),
}

#[derive(Debug)]
struct Path<'j> {
    parent: Option<Rc<Path<'j>>>,
    step: Step<'j>,
}

/// A JSON value with its position.
#[derive(Clone, Debug)]
pub(super) struct Node<'j> {
    value: &'j Value,
    path: Option<Rc<Path<'j>>>,
}

/// Returned for a value that is missing.
static MISSING: Value = Value::Null;

impl<'j> Node<'j> {
    pub(super) fn root(value: &'j Value) -> Node<'j> {
        Node { value, path: None }
    }

    fn child(&self, value: &'j Value, step: Step<'j>) -> Node<'j> {
        Node { value, path: Some(Rc::new(Path { parent: self.path.clone(), step })) }
    }

    /// Returns the member `key`: null if there is none.
    pub(super) fn get(&self, key: &'j str) -> Node<'j> {
        self.child(self.value.get(key).unwrap_or(&MISSING), Step::Key(key))
    }

    /// Returns the element at `index`: null if there is none.
    pub(super) fn at(&self, index: usize) -> Node<'j> {
        self.child(self.value.get(index).unwrap_or(&MISSING), Step::Index(index))
    }

    /// Returns the elements of an array; none if the value is no array.
    pub(super) fn items(&self) -> Vec<Node<'j>> {
        let all = self.value.as_array().map_or(&[][..], Vec::as_slice);
        all.iter().enumerate().map(|(i, value)| self.child(value, Step::Index(i))).collect()
    }

    /// Returns the members of an object; none if the value is no object.
    pub(super) fn members(&self) -> Vec<(&'j str, Node<'j>)> {
        let all = self.value.as_object();
        let pair = |(key, value): (&'j String, &'j Value)| (key.as_str(), self.child(value, Step::Key(key)));
        all.map(|all| all.iter().map(pair).collect()).unwrap_or_default()
    }

    pub(super) fn is_null(&self) -> bool {
        self.value.is_null()
    }

    pub(super) fn is_object(&self) -> bool {
        self.value.is_object()
    }

    pub(super) fn is_array(&self) -> bool {
        self.value.is_array()
    }

    pub(super) fn text(&self) -> Option<&'j str> {
        self.value.as_str()
    }

    pub(super) fn integer(&self) -> Option<i64> {
        self.value.as_i64()
    }

    pub(super) fn flag(&self) -> Option<bool> {
        self.value.as_bool()
    }

    /// Returns a short description of the value for messages.
    pub(super) fn shown(&self) -> String {
        match self.value {
            Value::Null => "nothing".to_owned(),
            Value::Array(_) => "an array".to_owned(),
            Value::Object(_) => "an object".to_owned(),
            Value::String(text) if text.chars().count() > 40 => "a long string".to_owned(),
            other => other.to_string(),
        }
    }

    /// Returns the position as a JSON pointer.
    pub(super) fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut at = self.path.as_ref();
        while let Some(path) = at {
            steps.push(match path.step {
                Step::Key(key) => key.replace('~', "~0").replace('/', "~1"),
                Step::Index(index) => index.to_string(),
            });
            at = path.parent.as_ref();
        }
        steps.iter().rev().map(|step| format!("/{step}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_escape_keys() {
        let value = serde_json::json!({ "a/b~c": [{ "d": 1 }] });
        let root = Node::root(&value);
        let (_, array) = root.members().remove(0);
        assert_eq!(array.at(0).get("d").pointer(), "/a~1b~0c/0/d");
        assert_eq!(array.at(0).get("d").integer(), Some(1));
        assert!(array.at(7).get("e").is_null());
    }
}
