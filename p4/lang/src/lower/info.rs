//! What the architecture and the control plane need to know about metadata.

use super::Lowerer;
use super::place::Place;
use crate::hir::Type;
use crate::ir::{ControllerHeader, Preamble, ScalarId};

impl Lowerer<'_> {
    /// Records where the fields of the standard metadata are, and which user metadata belongs to which
    /// `@field_list`.
    pub(super) fn note_metadata(&mut self, meta: &Type, meta_place: &Place, standard: &Type, place: &Place) {
        if let Place::Struct(parts) = place {
            for ((name, _), part) in self.module.fields(standard).unwrap_or_default().iter().zip(parts) {
                if let Place::Scalar(id) = part {
                    self.program.storage.standard_metadata.insert(name.to_string(), *id);
                }
            }
        }
        self.note_field_lists(meta, meta_place);
    }

    fn note_field_lists(&mut self, ty: &Type, place: &Place) {
        let (Type::Aggregate(id, _), Place::Struct(parts)) = (self.ty(ty), place) else { return };
        let module = self.module;
        let Some(decl) = module.aggregates.get(id.index()) else { return };
        let fields = module.fields(&self.ty(ty)).unwrap_or_default();
        for ((field, part), (_, field_ty)) in decl.fields.iter().zip(parts).zip(&fields) {
            for list in field.field_lists.iter().copied() {
                let scalars: Vec<ScalarId> =
                    self.place_scalars(part).map(|s| s.into_iter().collect()).unwrap_or_default();
                let known = self.program.storage.field_lists.entry(list).or_default();
                for scalar in scalars {
                    if !known.contains(&scalar) {
                        known.push(scalar);
                    }
                }
            }
            self.note_field_lists(field_ty, part);
        }
    }

    /// Header types marked `@controller_header("packet_in")`.
    pub(super) fn controller_headers(&mut self) {
        let module = self.module;
        for decl in &module.aggregates {
            let Some(name) = Self::controller_header_name(&decl.annotations) else { continue };
            let annotations = decl.annotations.iter().filter(|a| &*a.name.name != "name").cloned().collect();
            let base: Preamble = self.preamble("", &name, &annotations);
            let mut fields = Vec::new();
            for (i, field) in decl.fields.iter().enumerate() {
                let id = self.id_annotation(&field.annotations).unwrap_or(i as u32 + 1);
                let name = self.name_annotation(&field.annotations).unwrap_or_else(|| field.name.to_string());
                let width = self.scalar_kind(&field.ty).map_or(0, |k| k.width());
                fields.push((id, name, width));
            }
            self.program.controller_headers.push(ControllerHeader {
                preamble: base,
                fields,
                type_name: decl.name.to_string(),
            });
        }
    }
}
