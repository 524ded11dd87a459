//! Types as the control plane sees them ([`crate::ir::ControlTypes`]).

use super::{Lowerer, build};
use crate::hir::{Field, Type};
use crate::ir::{DataType, NewType, Preamble, ScalarKind, SerializableEnum, Translation};
use crate::lex::Tok;
use crate::syntax::ast::{AggregateKind, Annotation, AnnotationBody, Annotations};
use num_traits::ToPrimitive as _;

impl Lowerer<'_> {
    /// Returns a type for the control plane, and describes the named types it uses.
    pub(super) fn data_type(&mut self, ty: &Type) -> DataType {
        let ty = self.ty(ty);
        match &ty {
            Type::Signed(width) => DataType::Int(*width),
            Type::Varbit(width) => DataType::Varbit(*width),
            Type::Bool => DataType::Bool,
            Type::Error => DataType::Error,
            Type::Tuple(items) | Type::Seq(items) => {
                DataType::Tuple(items.iter().map(|item| self.data_type(item)).collect())
            }
            Type::Record(fields) => {
                DataType::Tuple(fields.iter().map(|(_, ty)| self.data_type(ty)).collect())
            }
            Type::Stack(of, size) => match self.data_type(of) {
                DataType::HeaderUnion(union) => DataType::HeaderUnionStack { union, size: *size },
                DataType::Header(header) => DataType::HeaderStack { header, size: *size },
                // Arrays of other elements are represented as tuples.
                other => DataType::Tuple(vec![other; *size as usize]),
            },
            Type::Aggregate(..) => self.aggregate_type(&ty),
            Type::Enum(_) => self.enum_type(&ty),
            Type::New(_) => self.new_type(&ty),
            Type::Bit(width) => DataType::Bit(*width),
            other => DataType::Bit(self.scalar_kind(other).map_or(0, ScalarKind::width)),
        }
    }

    /// Returns the name of a type for the control plane.
    pub(super) fn type_name(&self, ty: &Type) -> String {
        let renamed = match ty {
            Type::Aggregate(id, _) => self
                .module
                .aggregates
                .get(id.index())
                .and_then(|decl| self.name_annotation(&decl.annotations)),
            _ => None,
        };
        let name = renamed.unwrap_or_else(|| self.module.show(ty));
        name.strip_prefix('.').map_or(name.clone(), ToOwned::to_owned)
    }

    /// Records the `type` that indexes an array.
    pub(super) fn record_index_type(&mut self, array: &Preamble, index: Option<&Type>) {
        if let Some(ty) = index.map(|ty| self.ty(ty))
            && let DataType::New(name) = self.data_type(&ty)
        {
            self.program.types.index_types.insert(array.name.clone(), name);
        }
    }

    fn aggregate_type(&mut self, ty: &Type) -> DataType {
        let name = self.type_name(ty);
        let Type::Aggregate(id, _) = ty else { return DataType::Struct(name) };
        let module = self.module;
        let Some(decl) = module.aggregates.get(id.index()) else { return DataType::Struct(name) };
        let fields = module.fields(ty).unwrap_or_default();
        let known = &self.program.types;
        match decl.kind {
            AggregateKind::Struct => {
                if !known.structs.contains_key(&name) {
                    let members = decl.fields.iter().zip(&fields);
                    let members =
                        members.map(|(f, (_, ty))| (self.field_name(f), self.data_type(ty))).collect();
                    self.program.types.structs.insert(name.clone(), members);
                }
                DataType::Struct(name)
            }
            AggregateKind::Header => {
                if !known.headers.contains_key(&name) {
                    let mut members = Vec::new();
                    for (field, (_, ty)) in decl.fields.iter().zip(&fields) {
                        self.header_members(&self.field_name(field), ty, &mut members);
                    }
                    self.program.types.headers.insert(name.clone(), members);
                }
                DataType::Header(name)
            }
            AggregateKind::Union => {
                if !known.header_unions.contains_key(&name) {
                    let mut members = Vec::new();
                    for (field, (_, ty)) in decl.fields.iter().zip(&fields) {
                        if let DataType::Header(header) = self.data_type(ty) {
                            members.push((self.field_name(field), header));
                        }
                    }
                    self.program.types.header_unions.insert(name.clone(), members);
                }
                DataType::HeaderUnion(name)
            }
        }
    }

    fn field_name(&self, field: &Field) -> String {
        self.name_annotation(&field.annotations).unwrap_or_else(|| field.name.to_string())
    }

    /// Collects the bit strings of a header; those of nested structs have their whole path.
    fn header_members(&self, path: &str, ty: &Type, out: &mut Vec<(String, ScalarKind)>) {
        let ty = self.ty(ty);
        match self.scalar_kind(&ty) {
            Some(kind) => out.push((path.to_owned(), kind)),
            None => {
                for (i, (name, inner)) in self.module.fields(&ty).unwrap_or_default().iter().enumerate() {
                    let path =
                        if name.is_empty() { format!("{path}[{i}]") } else { format!("{path}.{name}") };
                    self.header_members(&path, inner, out);
                }
            }
        }
    }

    fn enum_type(&mut self, ty: &Type) -> DataType {
        let name = self.type_name(ty);
        let Type::Enum(id) = ty else { return DataType::Enum(name) };
        let Some(decl) = self.module.enums.get(id.index()) else { return DataType::Enum(name) };
        match decl.repr.as_ref().map(|repr| self.module.representation(repr)) {
            None => {
                let members = decl.members.iter().map(|(member, _)| member.to_string()).collect();
                self.program.types.enums.insert(name.clone(), members);
                DataType::Enum(name)
            }
            Some(repr) => {
                let width = self.scalar_kind(&repr).map_or(0, ScalarKind::width);
                let members = decl.members.iter().map(|(m, v)| (m.to_string(), build::bits(v, width)));
                let described = SerializableEnum { width, members: members.collect() };
                self.program.types.serializable_enums.insert(name.clone(), described);
                DataType::SerializableEnum(name)
            }
        }
    }

    fn new_type(&mut self, ty: &Type) -> DataType {
        let name = self.type_name(ty);
        let Type::New(id) = ty else { return DataType::New(name) };
        let Some(decl) = self.module.newtypes.get(id.index()) else { return DataType::New(name) };
        if !self.program.types.new_types.contains_key(&name) {
            let underlying = self.module.underlying(ty);
            let original = self.data_type(&underlying);
            let described = NewType {
                original,
                translation: translation(&decl.annotations),
                annotations: self.annotation_texts(&decl.annotations),
            };
            self.program.types.new_types.insert(name.clone(), described);
        }
        DataType::New(name)
    }
}

/// Parses `@p4runtime_translation("uri", bit<W>)`, `..., W)` or `..., string)`.
fn translation(annotations: &Annotations) -> Option<Translation> {
    let annotation: &Annotation = annotations.iter().find(|a| &*a.name.name == "p4runtime_translation")?;
    let AnnotationBody::Tokens(tokens) = &annotation.body else { return None };
    let mut uri = None;
    let mut sdn_bitwidth = None;
    for token in tokens {
        match &token.tok {
            Tok::Str(text) if uri.is_none() => uri = Some(text.to_string()),
            Tok::Int(number) => sdn_bitwidth = number.value.to_u32(),
            _ => {}
        }
    }
    Some(Translation { uri: uri?, sdn_bitwidth })
}
