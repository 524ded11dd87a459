//! Reads programs in the JSON format of the reference switch, which p4c's back ends for it write.
//!
//! [`read`] translates a file to [`Program`], the same representation that the P4 front end produces, so that engines,
//! tables and P4Runtime treat both alike. The format is that of p4lang/behavioral-model (`docs/JSON_format.md`, version
//! 2.24); where the text is silent, its reader `P4Objects.cpp` decides. Names, parser, pipelines and tables are those of
//! the target simple_switch: parser `parser`, pipelines `ingress` and `egress`, deparser `deparser`.
//!
//! The file does not say which ids a controller uses. Objects get those that p4c derives from their names; a P4Info
//! that a controller sends can change them. Tables without key whose default action is constant are those that p4c
//! makes of statements; a controller does not see them.
//!
//! Differences from simple_switch, which are those of the switch itself: a digest has the values at
//! `generate_digest`, not those at the end of ingress; a register that is read out of bounds is 0; a field of an
//! invalid header is part of a checksum whose condition holds.

mod action;
mod array;
mod checksum;
mod graph;
mod lookup;
mod node;
mod number;
mod operand;
mod parser;
mod pipeline;
mod primitive;
mod problem;
mod storage;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use p4_lang::ir::{
    self, ActionId, DigestId, Expr, HashAlgorithm, HeaderId, Program, RegisterId, Scalar, ScalarId,
    ScalarKind, StackId, UnionId,
};

use node::Node;
use number::Translator;
use problem::Problems;
pub use problem::{Problem, Severity};

/// Maximum size of a file in bytes.
pub const MAX_BYTES: usize = 32 << 20;
/// Maximum width of a field or parameter in bits.
const MAX_FIELD_BITS: u32 = 1 << 14;
/// Maximum width of all fields together in bits.
const MAX_STORAGE_BITS: u64 = 1 << 22;
/// The major version of the format that can be read.
const MAJOR_VERSION: i64 = 2;
/// The last minor version whose changes are known.
const MINOR_VERSION: i64 = 24;

/// A file that was read.
#[derive(Debug)]
pub struct Reading {
    /// The program; `None` if there are errors.
    pub program: Option<Program>,
    /// The problems in the order in which they were found, at most 1,000.
    pub problems: Vec<Problem>,
    /// The number of all errors.
    pub errors: usize,
    /// The number of all warnings.
    pub warnings: usize,
}

impl Reading {
    /// Formats the problems, one a line: at most `shown`, errors first; the others are counted.
    pub fn report(&self, shown: usize) -> String {
        let of = |severity| self.problems.iter().filter(move |p| p.severity == severity);
        let mut lines: Vec<String> =
            of(Severity::Error).chain(of(Severity::Warning)).take(shown).map(Problem::to_string).collect();
        let hidden = (self.errors + self.warnings).saturating_sub(lines.len());
        if hidden > 0 {
            lines.push(format!("{hidden} more problems"));
        }
        lines.join("\n")
    }
}

/// Returns whether a text looks like a file of this format instead of P4 source.
pub fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Reads a file. `name` is the program's name in messages.
pub fn read(name: &str, text: &str) -> Reading {
    let mut problems = Problems::default();
    let mut program = None;
    if text.len() > MAX_BYTES {
        let message = format!("the file has {} bytes, the limit is {MAX_BYTES}", text.len());
        problems.push(Severity::Error, String::new(), message);
    } else {
        match serde_json::from_str::<serde_json::Value>(text) {
            Ok(value) => {
                let mut reader = Reader::new(name, problems);
                reader.file(&Node::root(&value));
                problems = reader.problems;
                program = Some(reader.program);
            }
            Err(error) => {
                problems.push(Severity::Error, String::new(), format!("this is not JSON: {error}"));
            }
        }
    }
    let program = program.filter(|_| problems.errors() == 0);
    let (problems, errors, warnings) = problems.finish();
    Reading { program, problems, errors, warnings }
}

/// A header type.
#[derive(Clone, Debug)]
struct HeaderType<'j> {
    fields: Vec<(&'j str, ScalarKind)>,
    /// The length of the variable-length field, for `extract`.
    length: Node<'j>,
}

/// A header instance.
#[derive(Clone, Debug)]
struct Instance<'j> {
    /// `None` for metadata.
    header: Option<HeaderId>,
    fields: BTreeMap<&'j str, ScalarId>,
}

/// An array of counters, meters or registers; the direct ones belong to a table.
#[derive(Clone, Copy, Debug)]
enum Array {
    Register(RegisterId),
    Counter(ir::CounterId),
    Meter(ir::MeterId),
}

/// A named calculation.
#[derive(Clone, Debug)]
struct Calculation {
    algorithm: HashAlgorithm,
    data: Vec<Expr>,
    with_payload: bool,
}

#[derive(Debug)]
struct Reader<'j> {
    problems: Problems,
    program: Program,
    translator: Translator,
    header_types: BTreeMap<&'j str, HeaderType<'j>>,
    instances: BTreeMap<&'j str, Instance<'j>>,
    header_numbers: BTreeMap<i64, HeaderId>,
    stacks: BTreeMap<&'j str, StackId>,
    /// Union types: names of the members.
    union_types: BTreeMap<&'j str, Vec<&'j str>>,
    unions: BTreeMap<&'j str, UnionId>,
    union_numbers: BTreeMap<i64, UnionId>,
    /// Stacks of unions, with the union type.
    union_stacks: BTreeMap<&'j str, (StackId, &'j str)>,
    field_lists: BTreeMap<i64, u8>,
    learn_lists: BTreeMap<i64, (DigestId, Vec<Expr>)>,
    registers: BTreeMap<&'j str, Array>,
    counters: BTreeMap<&'j str, Array>,
    meters: BTreeMap<&'j str, Array>,
    /// Direct counter arrays by table.
    bindings: BTreeMap<&'j str, &'j str>,
    calculations: BTreeMap<&'j str, Calculation>,
    value_sets: BTreeMap<&'j str, ir::ValueSetId>,
    /// The widths of the keys that each value set is used with.
    value_set_keys: BTreeMap<ir::ValueSetId, Vec<u32>>,
    profiles: BTreeMap<&'j str, (ir::ActionProfileId, Vec<ir::Key>)>,
    actions: BTreeMap<i64, ActionId>,
    /// The first action of each name.
    action_names: BTreeMap<&'j str, ActionId>,
    /// Actions that tables of the controller use.
    listed: BTreeSet<ActionId>,
    /// The bits of all scalars.
    storage_bits: u64,
}

impl<'j> Reader<'j> {
    fn new(name: &str, problems: Problems) -> Reader<'j> {
        Reader {
            problems,
            program: Program { name: name.to_owned(), ..Program::default() },
            translator: Translator::default(),
            header_types: BTreeMap::new(),
            instances: BTreeMap::new(),
            header_numbers: BTreeMap::new(),
            stacks: BTreeMap::new(),
            union_types: BTreeMap::new(),
            unions: BTreeMap::new(),
            union_numbers: BTreeMap::new(),
            union_stacks: BTreeMap::new(),
            field_lists: BTreeMap::new(),
            learn_lists: BTreeMap::new(),
            registers: BTreeMap::new(),
            counters: BTreeMap::new(),
            meters: BTreeMap::new(),
            bindings: BTreeMap::new(),
            calculations: BTreeMap::new(),
            value_sets: BTreeMap::new(),
            value_set_keys: BTreeMap::new(),
            profiles: BTreeMap::new(),
            actions: BTreeMap::new(),
            action_names: BTreeMap::new(),
            listed: BTreeSet::new(),
            storage_bits: 0,
        }
    }

    /// Reads the whole file.
    fn file(&mut self, root: &Node<'j>) {
        if !root.is_object() || !self.version(root) {
            return;
        }
        self.storage(root);
        self.errors(root);
        self.program.storage.carried = self.program.storage.scalars.len() as u32;
        self.standard_metadata(root);
        self.field_lists(root);
        self.learn_lists(root);
        self.arrays(root);
        self.calculations(root);
        self.value_sets(root);
        for instance in root.get("extern_instances").items() {
            let name = instance.get("type").text().unwrap_or("?");
            let message = format!("the switch has no extern `{name}`; calls of its methods are errors");
            self.warning(&instance.get("type"), message);
        }
        self.actions(root);
        self.parser(root);
        self.pipelines(root);
        self.deparser(root);
        self.checksums(root);
        self.program.types.has_objects = true;
        ir::identity::assign(&mut self.program, &self.listed);
    }

    /// Returns whether the version can be read; files without a version are older than the number.
    fn version(&mut self, root: &Node<'j>) -> bool {
        if root.get("parsers").is_null() && root.get("pipelines").is_null() {
            self.error(
                root,
                "this is not a program of the reference switch: `parsers` and `pipelines` are missing",
            );
            return false;
        }
        let version = root.get("__meta__").get("version");
        if version.is_null() {
            return true;
        }
        match (version.at(0).integer(), version.at(1).integer()) {
            (Some(MAJOR_VERSION), Some(minor)) => {
                if minor > MINOR_VERSION {
                    let message =
                        format!("version 2.{minor} is newer than 2.{MINOR_VERSION}; what it adds is unknown");
                    self.warning(&version, message);
                }
                true
            }
            (Some(major), Some(minor)) => {
                self.error(&version, format!("version {major}.{minor} cannot be read; expected version 2"));
                false
            }
            _ => {
                self.error(&version, "expected two numbers, e.g. [2, 24]");
                false
            }
        }
    }

    fn error(&mut self, node: &Node<'j>, message: impl Into<String>) {
        self.problems.push(Severity::Error, node.pointer(), message.into());
    }

    fn warning(&mut self, node: &Node<'j>, message: impl Into<String>) {
        self.problems.push(Severity::Warning, node.pointer(), message.into());
    }

    fn too_large(&mut self, node: &Node<'j>) {
        self.error(node, "the program is too large: it has more than 2,000,000 expressions");
    }

    /// Reports that something else was expected.
    fn expected<T>(&mut self, node: &Node<'j>, what: &str) -> Option<T> {
        self.error(node, format!("expected {what}, found {}", node.shown()));
        None
    }

    /// Returns the member `key`, a text.
    fn text(&mut self, node: &Node<'j>, key: &'j str) -> Option<&'j str> {
        let member = node.get(key);
        match member.text() {
            Some(text) => Some(text),
            None => self.expected(&member, "a text"),
        }
    }

    /// Returns the member `key`, a number.
    fn integer(&mut self, node: &Node<'j>, key: &'j str) -> Option<i64> {
        let member = node.get(key);
        match member.integer() {
            Some(number) => Some(number),
            None => self.expected(&member, "a number"),
        }
    }

    /// Returns the member `key`, a number of objects; `default` if it is missing.
    fn size(&mut self, node: &Node<'j>, key: &'j str, default: u64) -> u64 {
        let member = node.get(key);
        match member.integer().map(u64::try_from) {
            Some(Ok(size)) => size,
            None if member.is_null() => default,
            _ => self.expected(&member, "a number of at least 0").unwrap_or(default),
        }
    }

    /// Allocates a scalar; all of them together are limited.
    fn scalar(&mut self, node: &Node<'j>, name: String, kind: ScalarKind) -> ScalarId {
        let before = self.storage_bits;
        // Already reported: nothing more is allocated, and no program results.
        if before > MAX_STORAGE_BITS && !self.program.storage.scalars.is_empty() {
            return ScalarId(0);
        }
        self.storage_bits = before.saturating_add(u64::from(kind.width()));
        if before <= MAX_STORAGE_BITS && self.storage_bits > MAX_STORAGE_BITS {
            self.error(node, format!("all fields together have more than {MAX_STORAGE_BITS} bits"));
        }
        self.new_scalar(name, kind)
    }

    fn new_scalar(&mut self, name: String, kind: ScalarKind) -> ScalarId {
        let id = ScalarId(self.program.storage.scalars.len() as u32);
        self.program.storage.scalars.push(Scalar { name, kind });
        id
    }

    /// Allocates a scalar that has no name in the file.
    fn temporary(&mut self, kind: ScalarKind) -> ScalarId {
        let name = format!("$temporary{}", self.program.storage.scalars.len());
        self.new_scalar(name, kind)
    }

    fn preamble(name: &str, position: Vec<u32>) -> ir::Preamble {
        ir::Preamble { name: name.to_owned(), position, ..ir::Preamble::default() }
    }
}
