//! Parser and deparser (`JSON_format.md`, "parsers" and "deparsers").

use std::collections::BTreeMap;

use num_bigint::BigInt;
use p4_lang::ir::{
    Bits, Expr, ExprKind, HeaderRef, MatchKind, Pattern, ScalarKind, SelectCase, State, StateId, Stmt,
    Target, Transition,
};

use super::Reader;
use super::node::Node;
use super::number::Number;
use super::operand::{Locals, Operand, Scope, hex};

/// Maximum number of states.
const MAX_STATES: usize = 20_000;
/// Maximum number of parts of a transition key.
const MAX_KEYS: usize = 256;

impl<'j> Reader<'j> {
    /// Finds the object with a name in a list.
    pub(super) fn named(&mut self, root: &Node<'j>, list: &'j str, name: &str) -> Option<Node<'j>> {
        let found = root.get(list).items().into_iter().find(|node| node.get("name").text() == Some(name));
        if found.is_none() {
            self.error(&root.get(list), format!("simple_switch needs one with the name `{name}`"));
        }
        found
    }

    pub(super) fn parser(&mut self, root: &Node<'j>) {
        let Some(parser) = self.named(root, "parsers", "parser") else { return };
        let mut nodes = parser.get("parse_states").items();
        if nodes.len() > MAX_STATES {
            self.error(&parser.get("parse_states"), format!("there are more than {MAX_STATES} states"));
            nodes.truncate(MAX_STATES);
        }
        // Parsing starts at the first state.
        let initial = parser.get("init_state").text();
        match nodes.iter().position(|node| node.get("name").text() == initial) {
            Some(first) => nodes.swap(0, first),
            None => {
                self.unknown::<()>(&parser.get("init_state"), "state");
            }
        }
        let mut numbers: BTreeMap<&'j str, StateId> = BTreeMap::new();
        for (at, node) in nodes.iter().enumerate() {
            if let Some(name) = self.text(node, "name")
                && numbers.insert(name, StateId(at as u32)).is_some()
            {
                self.error(&node.get("name"), format!("there are two states `{name}`"));
            }
        }
        for node in &nodes {
            let mut body = Vec::new();
            for op in node.get("parser_ops").items() {
                body.extend(self.parser_op(&op).unwrap_or_default());
            }
            let transition = self.transition(node, &numbers);
            let name = node.get("name").text().unwrap_or("?").to_owned();
            self.program.parser.states.push(State { name, body, transition });
        }
    }

    fn parser_op(&mut self, node: &Node<'j>) -> Option<Vec<Stmt>> {
        let params = node.get("parameters");
        let mut scope = Scope::parser();
        let stmts = match self.text(node, "op")? {
            "extract" => vec![self.extract(&params.at(0))?],
            "extract_VL" => {
                let header = self.extracted(&params.at(0));
                let bits = self.bits(&params.at(1), &mut scope);
                vec![Stmt::ExtractVarbit(header?.0, bits?)]
            }
            "set" => return self.set(&params),
            "verify" => {
                let test = self.test(&params.at(0), &mut scope);
                let error = match params.at(1).integer() {
                    Some(error) => Some(Number::Const(BigInt::from(error))),
                    None => self.number(&params.at(1), &mut scope),
                };
                let (condition, error) = (self.translator.test(&test?), self.translator.low(&error?, 32));
                let condition = self.translated(&params.at(0), condition);
                let error = self.translated(&params.at(1), error);
                vec![Stmt::Verify { condition: condition?, error: error? }]
            }
            "advance" => vec![Stmt::Advance(self.bits(&params.at(0), &mut scope)?)],
            "shift" => match params.at(0).integer().and_then(|bytes| u32::try_from(bytes).ok()) {
                Some(bytes) => vec![Stmt::Advance(Expr {
                    kind: ExprKind::Const(Bits::new(40, u128::from(bytes) * 8)),
                    ty: ScalarKind::Unsigned(40),
                })],
                None => return self.expected(&params.at(0), "a number of bytes"),
            },
            "primitive" => return self.primitive(&params.at(0), &mut scope),
            other => {
                let message = format!("unknown operation `{other}` of a parser");
                self.error(&node.get("op"), message);
                return None;
            }
        };
        let mut all = scope.before;
        all.extend(stmts);
        Some(all)
    }

    fn bits(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Expr> {
        let number = self.number(node, scope)?;
        let made = self.translator.exact(&number);
        self.translated(node, made)
    }

    /// `set` is the primitive `assign` with operands of the parser.
    fn set(&mut self, params: &Node<'j>) -> Option<Vec<Stmt>> {
        let mut scope = Scope::parser();
        let target = params.at(0);
        let (id, kind) = self.field(&target.get("value"))?;
        let source = params.at(1);
        let value = self.number(&source, &mut scope)?;
        if let (ScalarKind::Varbit(_), Number::Scalar(from, ty @ ScalarKind::Varbit(_))) = (kind, &value) {
            return Some(vec![Stmt::Assign(id, Expr { kind: ExprKind::Scalar(*from), ty: *ty })]);
        }
        let made = self.translator.stored(&value, kind);
        let value = self.translated(&source, made)?;
        let mut all = scope.before;
        all.push(Stmt::Assign(id, value));
        Some(all)
    }

    /// Reads the target of `extract`, with the name of its header type.
    fn extracted(&mut self, node: &Node<'j>) -> Option<(HeaderRef, String)> {
        let value = node.get("value");
        let (reference, header) = match self.text(node, "type")? {
            "regular" => match self.header(&value)? {
                Operand::Header(HeaderRef::Static(id)) => (HeaderRef::Static(id), id),
                _ => return self.expected(&value, "a header that is not metadata"),
            },
            "stack" => {
                let stack = self.stack(&value)?;
                (HeaderRef::Next { stack, member: 0 }, self.first_header(&value, stack, 0)?)
            }
            "union_stack" => {
                let stack = self.union_stack(&value.at(0))?;
                let member = self.union_stack_member(&value.at(0), &value.at(1))?;
                (HeaderRef::Next { stack, member }, self.first_header(&value.at(0), stack, member)?)
            }
            _ => return self.expected(&node.get("type"), "`regular`, `stack` or `union_stack`"),
        };
        let type_name = self.program.storage.headers.get(header.index()).map(|h| h.type_name.clone());
        Some((reference, type_name.unwrap_or_default()))
    }

    /// Reads `extract`. A header with a field of variable length has an expression for it, which refers to the fields
    /// before.
    fn extract(&mut self, node: &Node<'j>) -> Option<Stmt> {
        let (header, type_name) = self.extracted(node)?;
        let Some(header_type) = self.header_types.get(type_name.as_str()).cloned() else {
            return Some(Stmt::Extract(header));
        };
        if !header_type.fields.iter().any(|(_, kind)| matches!(kind, ScalarKind::Varbit(_))) {
            return Some(Stmt::Extract(header));
        }
        if header_type.length.is_null() {
            self.error(node, "the header has a field of variable length; use `extract_VL`");
            return None;
        }
        let mut ahead = Vec::new();
        let mut offset = 0;
        for (_, kind) in header_type.fields.iter().take_while(|(_, k)| !matches!(k, ScalarKind::Varbit(_))) {
            ahead.push((offset, kind.width()));
            offset = u32::saturating_add(offset, kind.width());
        }
        let mut scope = Scope { locals: Locals::Ahead(&ahead), in_parser: true, before: Vec::new() };
        let bits = self.bits(&header_type.length, &mut scope)?;
        Some(Stmt::ExtractVarbit(header, bits))
    }

    fn transition(&mut self, state: &Node<'j>, numbers: &BTreeMap<&'j str, StateId>) -> Transition {
        let key = state.get("transition_key");
        let mut keys = Vec::new();
        let parts = key.items();
        if parts.len() > MAX_KEYS {
            self.error(&key, format!("a transition key has at most {MAX_KEYS} parts"));
            return Transition::Accept;
        }
        for part in &parts {
            let kind = part.get("type").text();
            if !matches!(kind, Some("field" | "stack_field" | "union_stack_field" | "lookahead")) {
                let what = "`field`, `stack_field`, `union_stack_field` or `lookahead`";
                self.expected::<()>(&part.get("type"), what);
                continue;
            }
            keys.extend(self.bits(part, &mut Scope::parser()));
        }
        let complete = keys.len() == parts.len();
        let mut cases = Vec::new();
        let mut default = Target::Accept;
        for node in state.get("transitions").items() {
            let next = node.get("next_state");
            let target = match next.text() {
                None if next.is_null() => Target::Accept,
                name => match name.and_then(|name| numbers.get(name)) {
                    Some(state) => Target::State(*state),
                    None => self.unknown(&next, "state").unwrap_or(Target::Accept),
                },
            };
            let value = node.get("value");
            // Files of old versions have no type.
            let kind = match node.get("type").text().unwrap_or("hexstr") {
                "hexstr" if value.text() == Some("default") => "default",
                kind => kind,
            };
            match kind {
                "default" => default = target,
                "hexstr" if complete => {
                    if let Some(patterns) = self.patterns(&value, &node.get("mask"), &keys) {
                        cases.push(SelectCase { patterns, target });
                    }
                }
                "parse_vset" if complete => {
                    if let Some(patterns) = self.value_set(&value, &node.get("mask"), &keys) {
                        cases.push(SelectCase { patterns, target });
                    }
                }
                "hexstr" | "parse_vset" => {}
                _ => {
                    self.expected::<()>(&node.get("type"), "`default`, `hexstr` or `parse_vset`");
                }
            }
        }
        if keys.is_empty() || cases.is_empty() {
            return match default {
                Target::Accept => Transition::Accept,
                Target::Reject => Transition::Reject,
                Target::State(state) => Transition::Goto(state),
            };
        }
        // Without a default, parsing ends.
        cases.push(SelectCase { patterns: vec![Pattern::Any; keys.len()], target: default });
        Transition::Select { keys, cases }
    }

    /// Reads a value and a mask: each key has whole bytes of both.
    fn patterns(&mut self, value: &Node<'j>, mask: &Node<'j>, keys: &[Expr]) -> Option<Vec<Pattern>> {
        let values = self.padded(value, keys)?;
        let masks = match mask.is_null() {
            true => None,
            false => Some(self.padded(mask, keys)?),
        };
        let pattern = |(at, value): (usize, Bits)| match masks.as_ref().and_then(|masks| masks.get(at)) {
            None => Pattern::Value(value),
            Some(mask) if *mask == Bits::ones(mask.width()) => Pattern::Value(value),
            Some(mask) if mask.limbs().iter().all(|limb| *limb == 0) => Pattern::Any,
            Some(mask) => {
                let both = value.limbs().iter().zip(mask.limbs()).map(|(v, m)| v & m).collect();
                Pattern::Mask { value: Bits::from_limbs(mask.width(), both), mask: mask.clone() }
            }
        };
        Some(values.into_iter().enumerate().map(pattern).collect())
    }

    /// Splits a value into those of the keys.
    fn padded(&mut self, node: &Node<'j>, keys: &[Expr]) -> Option<Vec<Bits>> {
        let bytes: u64 = keys.iter().map(|key| u64::from(key.ty.width().div_ceil(8))).sum();
        let digits = node.text().map(|text| text.trim_start_matches("0x").len() as u64);
        let number = node.text().and_then(hex).filter(|_| digits.is_some_and(|d| d <= 2 * bytes));
        let Some(number) = number else {
            return self.expected(node, &format!("hexadecimal text of {bytes} bytes"));
        };
        let mut rest = bytes * 8;
        let mut parts = Vec::with_capacity(keys.len());
        for key in keys {
            rest -= u64::from(key.ty.width().div_ceil(8)) * 8;
            parts.push(super::number::bits(&(&number >> rest), key.ty.width()));
        }
        Some(parts)
    }

    /// Reads a transition by a value set: it covers all keys.
    fn value_set(&mut self, name: &Node<'j>, mask: &Node<'j>, keys: &[Expr]) -> Option<Vec<Pattern>> {
        let Some(id) = name.text().and_then(|name| self.value_sets.get(name)).copied() else {
            return self.unknown(name, "value set");
        };
        if let Some(mask) = mask.text()
            && !mask.trim_start_matches("0x").bytes().all(|digit| matches!(digit, b'f' | b'F'))
        {
            self.error(name, "a value set with a mask is not supported");
        }
        let set = self.program.value_sets.get_mut(id.index())?;
        let total: u64 = set.components.iter().map(|(_, width, _)| u64::from(*width)).sum();
        let wanted: u64 = keys.iter().map(|key| u64::from(key.ty.width())).sum();
        if total != wanted {
            let message = format!("the value set has {total} bits, the key {wanted}");
            self.error(name, message);
            return None;
        }
        let widths: Vec<u32> = keys.iter().map(|key| key.ty.width()).collect();
        let name_of = |at: usize| if widths.len() == 1 { String::new() } else { format!("f{at}") };
        let components = widths.iter().enumerate().map(|(at, w)| (name_of(at), *w, MatchKind::Exact));
        set.components = components.collect();
        if self.value_set_keys.insert(id, widths.clone()).is_some_and(|known| known != widths) {
            self.error(name, "the value set is used with keys of different widths, which is not supported");
        }
        let mut patterns = vec![Pattern::Any; keys.len()];
        if let Some(first) = patterns.first_mut() {
            *first = Pattern::ValueSet(id);
        }
        Some(patterns)
    }

    /// Reads the deparser: primitives, then the order of the headers.
    pub(super) fn deparser(&mut self, root: &Node<'j>) {
        let Some(deparser) = self.named(root, "deparsers", "deparser") else { return };
        let mut body = Vec::new();
        for primitive in deparser.get("primitives").items() {
            body.extend(self.primitive(&primitive, &mut Scope::control()).unwrap_or_default());
        }
        for name in deparser.get("order").items() {
            body.extend(self.real_header(&name).map(|id| Stmt::Emit(HeaderRef::Static(id))));
        }
        self.program.deparser.body = body;
    }
}
