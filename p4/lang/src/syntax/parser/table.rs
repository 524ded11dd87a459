//! Tables.

use super::{NameKind, Parser};
use crate::syntax::ast::{
    ActionRef, Annotations, Entry, ExprKind, KeyElement, Path, Property, PropertyValue, Table,
};

impl Parser<'_> {
    pub(super) fn table(&mut self, annotations: Annotations) -> Option<Table> {
        self.bump();
        let name = self.ident("the table's name")?;
        self.declare(&name, NameKind::Other);
        let mut properties = Vec::new();
        if self.expect("{") {
            while !self.at("}") && !self.at_end() {
                let before = self.at;
                match self.property() {
                    Some(property) => properties.push(property),
                    None => self.skip_statement(),
                }
                if self.at == before {
                    self.bump();
                }
            }
            self.expect("}");
        }
        Some(Table { annotations, name, properties })
    }

    fn property(&mut self) -> Option<Property> {
        let annotations = self.annotations();
        let is_const = self.eat_word("const");
        let name = self.ident("a table property")?;
        self.expect("=");
        let value = match &*name.name {
            "key" => {
                self.expect("{");
                let mut elements = Vec::new();
                while !self.at("}") && !self.at_end() {
                    let before = self.at;
                    match self.key_element() {
                        Some(element) => elements.push(element),
                        None => self.skip_statement(),
                    }
                    if self.at == before {
                        self.bump();
                    }
                }
                self.expect("}");
                self.eat(";");
                PropertyValue::Key(elements)
            }
            "actions" => {
                self.expect("{");
                let mut actions = Vec::new();
                while !self.at("}") && !self.at_end() {
                    let before = self.at;
                    let annotations = self.annotations();
                    match self.action_ref(annotations) {
                        Some(action) => {
                            self.finish_declaration();
                            actions.push(action);
                        }
                        None => self.skip_statement(),
                    }
                    if self.at == before {
                        self.bump();
                    }
                }
                self.expect("}");
                self.eat(";");
                PropertyValue::Actions(actions)
            }
            "entries" => {
                self.expect("{");
                let mut entries = Vec::new();
                while !self.at("}") && !self.at_end() {
                    let before = self.at;
                    match self.entry() {
                        Some(entry) => entries.push(entry),
                        None => self.skip_statement(),
                    }
                    if self.at == before {
                        self.bump();
                    }
                }
                self.expect("}");
                self.eat(";");
                PropertyValue::Entries(entries)
            }
            _ => {
                let value = self.initializer();
                let bad = matches!(value.kind, ExprKind::Bad);
                self.finish_declaration();
                if bad { PropertyValue::Bad } else { PropertyValue::Expr(value) }
            }
        };
        Some(Property { annotations, name, is_const, value })
    }

    fn key_element(&mut self) -> Option<KeyElement> {
        let expr = self.expr();
        self.expect(":");
        let match_kind = self.ident("a match kind")?;
        let annotations = self.annotations();
        self.finish_declaration();
        Some(KeyElement { expr, match_kind, annotations })
    }

    fn action_ref(&mut self, annotations: Annotations) -> Option<ActionRef> {
        let start = self.span();
        let global = self.eat(".");
        let ident = self.ident("an action")?;
        let args = self.at("(").then(|| self.args());
        let path = Path { global, ident };
        Some(ActionRef { annotations, path, args, span: self.span_from(start) })
    }

    fn entry(&mut self) -> Option<Entry> {
        let start = self.span();
        let is_const = self.eat_word("const");
        let mut priority = None;
        if self.at_word("priority") && self.peek_at(1).is("=") {
            self.bump();
            self.bump();
            priority = Some(self.expr());
            self.expect(":");
        }
        let keysets = self.keysets();
        self.expect(":");
        let action = self.action_ref(Vec::new())?;
        let annotations = self.annotations();
        self.finish_declaration();
        Some(Entry { is_const, priority, keysets, action, annotations, span: self.span_from(start) })
    }
}
