//! Header validity: `setValid`, `setInvalid`, assignments.

use super::flow::Flow;
use super::state::Validity;
use super::storage::{Loc, Node};
use crate::hir::{Expr, ExprKind, Type};

impl Flow<'_> {
    /// Sets the validity of all headers and unions of some locations.
    pub(super) fn set_headers(&mut self, locs: &[Loc], validity: Validity) {
        let mut headers = Vec::new();
        locs.iter().for_each(|loc| self.storage.headers(*loc, &mut headers));
        for header in headers {
            self.state.set_validity(header, validity);
        }
    }

    fn set(&mut self, locs: &[Loc], validity: Validity) {
        for loc in locs {
            self.state.set_validity(*loc, validity);
        }
    }

    /// Sets the validity of one header. In a union, all other members become invalid. For an unknown element of a
    /// stack, only a change to valid is recorded.
    pub(super) fn set_header(&mut self, header: &Expr, validity: Validity) {
        if unknown_element(header) && validity != Validity::Yes {
            return;
        }
        if let ExprKind::Field(base, _) = &header.kind
            && self.module.is_union(&base.ty)
        {
            let unknown = unknown_element(base);
            if unknown && validity != Validity::Yes {
                return;
            }
            let (union, member) = (self.locs(base), self.locs(header));
            if !unknown {
                self.set_headers(&union, Validity::No);
                self.set(&union, validity);
            }
            self.set(&member, validity);
            return;
        }
        let locs = self.locs(header);
        self.set(&locs, validity);
    }

    /// Sets the validity that an assignment gives its target.
    pub(super) fn assign_validity(&mut self, target: &Expr, value: &Expr) {
        if self.module.is_header(&target.ty) {
            let validity = self.validity_of(value);
            self.set_header(target, validity);
        } else if !matches!(target.kind, ExprKind::Slice(..) | ExprKind::PlusSlice(..)) {
            let locs = self.locs(target);
            self.transfer(&locs, value);
        }
    }

    /// Returns the validity of a value of a header type.
    fn validity_of(&mut self, value: &Expr) -> Validity {
        match &value.kind {
            ExprKind::Invalid | ExprKind::Default => Validity::No,
            ExprKind::Mux(_, a, b) => {
                let (a, b) = (self.validity_of(a), self.validity_of(b));
                if a == b { a } else { Validity::Maybe }
            }
            ExprKind::Cast(of) => self.validity_of(of),
            _ => {
                let locs = self.locs(value);
                self.state.validity_of_any(&locs)
            }
        }
    }

    /// Copies the validity of the headers of a value.
    pub(super) fn transfer(&mut self, target: &[Loc], value: &Expr) {
        let Some(first) = target.first() else { return };
        if matches!(self.storage.node_at(*first), Node::Scalar) {
            return;
        }
        match &value.kind {
            ExprKind::Invalid | ExprKind::Default => self.set_headers(target, Validity::No),
            ExprKind::Cast(of) => self.transfer(target, of),
            ExprKind::Items(items) => match self.storage.node_at(*first) {
                Node::Header(_) => self.set(target, Validity::Yes),
                _ => {
                    for (index, item) in items.iter().enumerate() {
                        let part = self.part(target, index);
                        self.transfer(&part, item);
                    }
                }
            },
            ExprKind::Mux(_, a, b) => {
                let before = self.state.clone();
                self.transfer(target, a);
                let first = std::mem::replace(&mut self.state, before);
                self.transfer(target, b);
                let second = std::mem::take(&mut self.state);
                self.state = first.join(second);
            }
            _ => {
                let source = self.locs(value);
                if source.is_empty() {
                    self.set_headers(target, Validity::Yes);
                } else {
                    self.copy(target, &source);
                }
            }
        }
    }

    /// Copies validity between locations of the same shape.
    pub(super) fn copy(&mut self, target: &[Loc], source: &[Loc]) {
        let Some(first) = target.first() else { return };
        let node = self.storage.node_at(*first).clone();
        if matches!(node, Node::Header(_) | Node::Union(_)) {
            let validity = self.state.validity_of_any(source);
            self.set(target, validity);
        }
        if !matches!(node, Node::Header(_)) {
            for index in 0..node.parts().len() {
                let (part, from) = (self.part(target, index), self.part(source, index));
                self.copy(&part, &from);
            }
        }
    }

    fn part(&self, locs: &[Loc], index: usize) -> Vec<Loc> {
        locs.iter().filter_map(|loc| self.storage.node_at(*loc).parts().get(index).copied()).collect()
    }

    /// Marks an argument that a call writes as valid.
    pub(super) fn written_by_call(&mut self, argument: &Expr) {
        if matches!(argument.ty, Type::Aggregate(..)) && self.module.is_header(&argument.ty) {
            self.set_header(argument, Validity::Yes);
        } else {
            let locs = self.locs(argument);
            self.set_headers(&locs, Validity::Yes);
        }
    }
}

/// Returns whether an expression is an element of a stack with a run-time index.
fn unknown_element(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Index(_, index) => index.as_int().is_none(),
        ExprKind::Next(_) | ExprKind::Last(_) => true,
        _ => false,
    }
}
