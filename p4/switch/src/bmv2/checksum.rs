//! Calculations and checksums (`JSON_format.md`, "calculations" and "checksums").

use p4_lang::ir::{Checksum, Expr, ExprKind, ExternCall, HashAlgorithm, HeaderRef, ScalarKind, Stmt};

use super::node::Node;
use super::number::{Test, bits};
use super::operand::Scope;
use super::{Calculation, MAX_FIELD_BITS, Reader};

/// Returns the algorithm of a name; `csum16` and `cksum16` are the same.
pub(super) fn algorithm(name: &str) -> Option<HashAlgorithm> {
    Some(match name {
        "crc32" => HashAlgorithm::Crc32,
        "crc32_custom" => HashAlgorithm::Crc32Custom,
        "crc16" => HashAlgorithm::Crc16,
        "crc16_custom" => HashAlgorithm::Crc16Custom,
        "random" => HashAlgorithm::Random,
        "identity" => HashAlgorithm::Identity,
        "csum16" | "cksum16" => HashAlgorithm::Csum16,
        "xor16" => HashAlgorithm::Xor16,
        _ => return None,
    })
}

impl<'j> Reader<'j> {
    pub(super) fn calculations(&mut self, root: &Node<'j>) {
        for node in root.get("calculations").items() {
            let (Some(name), Some(algo)) = (self.text(&node, "name"), self.text(&node, "algo")) else {
                continue;
            };
            let found = algorithm(algo);
            if found.is_none() {
                self.error(&node.get("algo"), format!("the switch has no hash algorithm `{algo}`"));
            }
            let mut data = Vec::new();
            let mut with_payload = false;
            for input in node.get("input").items() {
                match self.text(&input, "type") {
                    Some("payload") => with_payload = true,
                    Some(kind) => self.calculation_input(&input, kind, &mut data),
                    None => {}
                }
            }
            let algorithm = found.unwrap_or(HashAlgorithm::Crc32);
            self.calculations.insert(name, Calculation { algorithm, data, with_payload });
        }
    }

    fn calculation_input(&mut self, input: &Node<'j>, kind: &str, data: &mut Vec<Expr>) {
        let value = input.get("value");
        match kind {
            "field" => {
                data.extend(self.field(&value).map(|(id, ty)| Expr { kind: ExprKind::Scalar(id), ty }))
            }
            "hexstr" => {
                let width = input.get("bitwidth").integer().and_then(|w| u32::try_from(w).ok());
                match width.filter(|width| (1..=MAX_FIELD_BITS).contains(width)) {
                    Some(width) => data.extend(self.constant(&value).map(|number| Expr {
                        kind: ExprKind::Const(bits(&number, width)),
                        ty: ScalarKind::Unsigned(width),
                    })),
                    None => {
                        self.expected::<()>(&input.get("bitwidth"), "a width in bits");
                    }
                }
            }
            "header" => {
                let Some(header) = self.real_header(&value) else { return };
                let fields = self.program.storage.headers.get(header.index()).map(|h| h.fields.clone());
                let all = fields.unwrap_or_default();
                data.extend(all.into_iter().map(|id| Expr { kind: ExprKind::Scalar(id), ty: self.kind(id) }));
            }
            _ => {
                self.expected::<()>(&input.get("type"), "`field`, `hexstr`, `header` or `payload`");
            }
        }
    }

    /// Reads the name of a calculation.
    pub(super) fn calculation(&mut self, node: &Node<'j>) -> Option<Calculation> {
        match node.text().and_then(|name| self.calculations.get(name)).cloned() {
            Some(calculation) => Some(calculation),
            None => self.unknown(node, "calculation"),
        }
    }

    /// Reads checksums: they are verified after the parser and updated before the deparser.
    pub(super) fn checksums(&mut self, root: &Node<'j>) {
        for node in root.get("checksums").items() {
            let target = node.get("target");
            let field = self.field(&target);
            if self.text(&node, "type").is_some_and(|kind| kind != "generic") {
                self.expected::<()>(&node.get("type"), "\"generic\"");
            }
            let calculation = self.calculation(&node.get("calculation"));
            let condition_node = node.get("if_cond");
            let mut scope = Scope::control();
            let condition = match condition_node.is_null() {
                true => Some(Test::Const(true)),
                false => self.test(&condition_node, &mut scope),
            };
            if !scope.before.is_empty() {
                self.error(&condition_node, "the condition of a checksum cannot read a register");
            }
            let (Some((field, _)), Some(calculation), Some(condition)) = (field, calculation, condition)
            else {
                continue;
            };
            // A checksum in an invalid header is not verified.
            let header = target.at(0).text().and_then(|name| self.instances.get(name)?.header);
            let valid = header.map(|id| Test::Valid(HeaderRef::Static(id)));
            let all = Test::all(valid.into_iter().chain([condition]));
            let made = self.translator.test(&all);
            let Some(condition) = self.translated(&condition_node, made) else { continue };
            let Calculation { algorithm, data, with_payload } = calculation;
            let sum = Checksum { condition, data, field, algorithm, with_payload };
            if node.get("verify").flag().unwrap_or(true) {
                let statement = Stmt::Extern(ExternCall::VerifyChecksum(sum.clone()));
                self.program.verify_checksum.body.push(statement);
            }
            if node.get("update").flag().unwrap_or(true) {
                self.program.compute_checksum.body.push(Stmt::Extern(ExternCall::UpdateChecksum(sum)));
            }
        }
    }
}
