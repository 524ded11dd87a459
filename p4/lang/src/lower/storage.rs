//! Allocation of storage.

use super::Lowerer;
use super::lvalue::LValue;
use crate::hir::Type;
use crate::ir::{
    Header, HeaderId, HeaderRef, Scalar, ScalarId, ScalarKind, Stack, StackElements, StackId, Union, UnionId,
};

impl Lowerer<'_> {
    pub(super) fn new_scalar(&mut self, name: impl Into<String>, kind: ScalarKind) -> ScalarId {
        let id = ScalarId(self.program.storage.scalars.len() as u32);
        self.program.storage.scalars.push(Scalar { name: name.into(), kind });
        id
    }

    /// Allocates a scalar without a name in the source.
    pub(super) fn temporary(&mut self, what: &str, kind: ScalarKind) -> ScalarId {
        let number = self.program.storage.scalars.len();
        self.new_scalar(format!("${what}{number}"), kind)
    }

    /// Allocates storage for a value of a type.
    pub(super) fn allocate(&mut self, ty: &Type, name: &str) -> LValue {
        let ty = self.ty(ty);
        if let Some(kind) = self.scalar_kind(&ty) {
            return LValue::Scalar(self.new_scalar(name, kind));
        }
        match &ty {
            Type::Stack(of, size) if self.is_stack(&ty) => self.allocate_stack(of, *size, name),
            _ if self.module.is_header(&ty) => {
                LValue::Header(HeaderRef::Static(self.allocate_header(&ty, name, None)))
            }
            _ if self.module.is_union(&ty) => LValue::Union(self.allocate_union(&ty, name)),
            _ => {
                let fields = self.module.fields(&ty).unwrap_or_default();
                let parts = fields
                    .iter()
                    .enumerate()
                    .map(|(i, (field, ty))| {
                        let name =
                            if field.is_empty() { format!("{name}[{i}]") } else { format!("{name}.{field}") };
                        self.allocate(ty, &name)
                    })
                    .collect();
                LValue::Struct(parts)
            }
        }
    }

    fn allocate_header(&mut self, ty: &Type, name: &str, union: Option<UnionId>) -> HeaderId {
        let valid = self.new_scalar(format!("{name}.$valid$"), ScalarKind::Unsigned(1));
        let mut fields = Vec::new();
        self.header_fields(ty, name, &mut fields);
        let id = HeaderId(self.program.storage.headers.len() as u32);
        let type_name = self.module.show(ty);
        self.program.storage.headers.push(Header { name: name.to_owned(), type_name, valid, fields, union });
        id
    }

    fn header_fields(&mut self, ty: &Type, name: &str, out: &mut Vec<ScalarId>) {
        let ty = self.ty(ty);
        for (i, (field, field_ty)) in self.module.fields(&ty).unwrap_or_default().into_iter().enumerate() {
            let name = if field.is_empty() { format!("{name}[{i}]") } else { format!("{name}.{field}") };
            match self.scalar_kind(&field_ty) {
                Some(kind) => out.push(self.new_scalar(name, kind)),
                None => self.header_fields(&field_ty, &name, out),
            }
        }
    }

    fn allocate_union(&mut self, ty: &Type, name: &str) -> UnionId {
        let id = UnionId(self.program.storage.unions.len() as u32);
        self.program.storage.unions.push(Union { name: name.to_owned(), members: Vec::new() });
        let mut members = Vec::new();
        for (field, ty) in self.module.fields(ty).unwrap_or_default() {
            let ty = self.ty(&ty);
            members.push(self.allocate_header(&ty, &format!("{name}.{field}"), Some(id)));
        }
        if let Some(union) = self.program.storage.unions.get_mut(id.index()) {
            union.members = members;
        }
        id
    }

    fn allocate_stack(&mut self, of: &Type, size: u32, name: &str) -> LValue {
        let of = self.ty(of);
        let elements = if self.module.is_union(&of) {
            StackElements::Unions(
                (0..size).map(|i| self.allocate_union(&of, &format!("{name}[{i}]"))).collect(),
            )
        } else {
            StackElements::Headers(
                (0..size).map(|i| self.allocate_header(&of, &format!("{name}[{i}]"), None)).collect(),
            )
        };
        let next_index = self.new_scalar(format!("{name}.nextIndex"), ScalarKind::Unsigned(32));
        let id = StackId(self.program.storage.stacks.len() as u32);
        self.program.storage.stacks.push(Stack { name: name.to_owned(), elements, next_index });
        LValue::Stack(id)
    }
}
