//! Metadata for the architecture and the control plane.

use super::Lowerer;
use super::lvalue::LValue;
use crate::hir::{Aggregate, Field, Type};
use crate::ir::{ControllerField, ControllerHeader, Preamble, ScalarId};

impl Lowerer<'_> {
    /// Records the scalars of the standard metadata, and the user metadata of each `@field_list`.
    pub(super) fn record_metadata(
        &mut self,
        meta: &Type,
        meta_lvalue: &LValue,
        standard: &Type,
        lvalue: &LValue,
    ) {
        if let LValue::Struct(parts) = lvalue {
            for ((name, _), part) in self.module.fields(standard).unwrap_or_default().iter().zip(parts) {
                if let LValue::Scalar(id) = part {
                    self.program.storage.standard_metadata.insert(name.to_string(), *id);
                }
            }
        }
        self.record_field_lists(meta, meta_lvalue);
    }

    fn record_field_lists(&mut self, ty: &Type, lvalue: &LValue) {
        let (Type::Aggregate(id, _), LValue::Struct(parts)) = (self.ty(ty), lvalue) else { return };
        let module = self.module;
        let Some(decl) = module.aggregates.get(id.index()) else { return };
        let fields = module.fields(&self.ty(ty)).unwrap_or_default();
        for ((field, part), (_, field_ty)) in decl.fields.iter().zip(parts).zip(&fields) {
            for list in field.field_lists.iter().copied() {
                let scalars: Vec<ScalarId> =
                    self.lvalue_scalars(part).map(|s| s.into_iter().collect()).unwrap_or_default();
                let known = self.program.storage.field_lists.entry(list).or_default();
                for scalar in scalars {
                    if !known.contains(&scalar) {
                        known.push(scalar);
                    }
                }
            }
            self.record_field_lists(field_ty, part);
        }
    }

    /// Collects the header types marked `@controller_header("packet_in")`.
    pub(super) fn controller_headers(&mut self) {
        let module = self.module;
        for decl in &module.aggregates {
            let Some(name) = Self::controller_header_name(&decl.annotations) else { continue };
            // The name is that of this annotation; `@name` does not apply.
            let annotations = decl.annotations.iter().filter(|a| &*a.name.name != "name").cloned().collect();
            let base: Preamble = self.preamble("", &name, &annotations);
            let mut flat = Vec::new();
            self.flatten_fields(decl, "", &mut flat);
            let ids = self.field_ids(flat.iter().map(|(_, field)| &*field.annotations));
            let mut fields = Vec::new();
            for ((path, field), id) in flat.into_iter().zip(ids) {
                if field.annotations.iter().any(|a| &*a.name.name == "hidden") {
                    continue;
                }
                let known = ControllerField {
                    type_name: self.user_type_name(&field.ty),
                    annotations: self.annotation_texts(&field.annotations),
                };
                self.program.types.controller_fields.insert((name.clone(), path.clone()), known);
                fields.push((id, path, self.scalar_kind(&field.ty).map_or(0, |k| k.width())));
            }
            self.program.controller_headers.push(ControllerHeader {
                preamble: base,
                fields,
                type_name: decl.name.to_string(),
            });
        }
    }

    /// Collects the fields of a header; those of nested structs have their whole path.
    fn flatten_fields<'m>(&self, decl: &'m Aggregate, prefix: &str, out: &mut Vec<(String, &'m Field)>)
    where
        Self: 'm,
    {
        for field in &decl.fields {
            let name = self.name_annotation(&field.annotations).unwrap_or_else(|| field.name.to_string());
            let path = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
            match &field.ty {
                Type::Aggregate(id, _) => {
                    if let Some(inner) = self.module.aggregates.get(id.index()) {
                        self.flatten_fields(inner, &path, out);
                    }
                }
                _ => out.push((path, field)),
            }
        }
    }
}
