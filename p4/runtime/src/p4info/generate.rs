//! Generates P4Info from a compiled program.

use super::annotation::{Annotations, find, key_values, number, string};
use super::types::{TypeTable, scalar};
use crate::proto::p4::config::v1 as config;
use p4_lang::ir::{
    self, ActionScope, ControlTypes, CounterId, DataType, DigestId, MatchKind, MeterId, Program, RegisterId,
    Unit,
};
use std::collections::BTreeSet;

/// Name of the built-in type of errors.
const ERROR: &str = "error";

/// Name of the architecture in `pkg_info`.
const ARCHITECTURE: &str = "v1model";

/// Annotations of action profiles that P4Info represents by fields.
const PROFILE_ANNOTATIONS: [&str; 3] = ["max_group_size", "selector_size_semantics", "max_member_weight"];

/// Returns the P4Info of a program, without objects that have no id (`@hidden`).
pub fn from_program(program: &Program) -> config::P4Info {
    let types = complete_types(program);
    let typed = types.has_objects;
    let mut generator = Generator { program, types: TypeTable::new(&types), declared: &types, typed };
    let mut info =
        config::P4Info { pkg_info: Some(package(&types.package_annotations)), ..Default::default() };
    let tables = in_order(&program.tables, |t| &t.preamble);
    info.tables = tables.iter().map(|(_, table)| generator.table(table)).collect();
    let mut actions = in_order(&program.actions, |a| &a.preamble);
    // An action with arguments bound by a table is a separate action in the switch, but not for the controller.
    let mut seen = BTreeSet::new();
    actions.retain(|(_, action)| seen.insert(action.preamble.id));
    info.actions = actions.into_iter().map(|(_, action)| generator.action(action)).collect();
    let profiles = in_order(&program.action_profiles, |p| &p.preamble);
    info.action_profiles = profiles.into_iter().map(|(i, _)| generator.profile(i)).collect();
    generator.counters_and_meters(&mut info);
    info.controller_packet_metadata =
        program.controller_headers.iter().map(|header| generator.controller_header(header)).collect();
    info.value_sets =
        in_order(&program.value_sets, |v| &v.preamble).into_iter().map(|(_, set)| value_set(set)).collect();
    let registers = in_order(&program.registers, |r| &r.preamble);
    info.registers = registers.into_iter().map(|(i, _)| generator.register(RegisterId(i as u32))).collect();
    let digests = in_order(&program.digests, |d| &d.preamble);
    info.digests = digests.into_iter().map(|(i, _)| generator.digest(DigestId(i as u32))).collect();
    // p4c collects types at calls of extern functions (for digests) and emits `type_info` even if it is empty.
    generator.typed |= types.calls_functions;
    info.type_info = generator.typed.then(|| generator.types.finish());
    info
}

/// Returns the objects visible to the control plane with their indexes, in the order of P4Info.
fn in_order<T>(all: &[T], preamble: impl Fn(&T) -> &ir::Preamble) -> Vec<(usize, &T)> {
    let mut shown: Vec<(usize, &T)> = all.iter().enumerate().filter(|(_, o)| preamble(o).id != 0).collect();
    shown.sort_by(|a, b| preamble(a.1).position.cmp(&preamble(b.1).position));
    shown
}

/// The program's types, completed by those of its registers and digests.
fn complete_types(program: &Program) -> ControlTypes {
    let mut types = program.types.clone();
    let members = |fields: &[(String, ir::ScalarKind)]| {
        fields.iter().map(|(name, kind)| (name.clone(), scalar(*kind))).collect::<Vec<_>>()
    };
    for (i, register) in program.registers.iter().enumerate() {
        let id = RegisterId(i as u32);
        if types.registers.contains_key(&id) {
            continue;
        }
        let ty = implied_type(register.type_name.as_ref(), &register.components, true);
        if let DataType::Struct(name) = &ty {
            types.structs.entry(name.clone()).or_insert_with(|| members(&register.components));
        }
        types.registers.insert(id, ty);
    }
    for (i, digest) in program.digests.iter().enumerate() {
        let id = DigestId(i as u32);
        if types.digests.contains_key(&id) {
            continue;
        }
        let ty = implied_type(digest.type_name.as_ref(), &digest.fields, false);
        if let DataType::Struct(name) = &ty {
            types.structs.entry(name.clone()).or_insert_with(|| members(&digest.fields));
        }
        types.digests.insert(id, ty);
    }
    types
}

/// The type of an element or message of which only the scalars are known.
fn implied_type(name: Option<&String>, fields: &[(String, ir::ScalarKind)], single: bool) -> DataType {
    match (name, fields) {
        (Some(name), _) => DataType::Struct(name.clone()),
        (None, [(_, kind)]) if single => scalar(*kind),
        (None, fields) => DataType::Tuple(fields.iter().map(|(_, kind)| scalar(*kind)).collect()),
    }
}

fn package(annotations: &[String]) -> config::PkgInfo {
    let parsed = Annotations::parse(annotations, &["pkginfo", "platform_property"]);
    let mut package = config::PkgInfo {
        arch: ARCHITECTURE.into(),
        annotations: parsed.plain,
        structured_annotations: parsed.structured,
        doc: parsed.documentation,
        ..Default::default()
    };
    for (key, value) in find(annotations, "pkginfo").map(key_values).unwrap_or_default() {
        let Some(config::expression::Value::StringValue(text)) = value.value else { continue };
        match key.as_str() {
            "name" => package.name = text,
            "version" => package.version = text,
            "organization" => package.organization = text,
            "contact" => package.contact = text,
            "url" => package.url = text,
            "arch" => package.arch = text,
            _ => {}
        }
    }
    let Some(properties) = find(annotations, "platform_property") else { return package };
    let platform = package.platform_properties.get_or_insert_with(Default::default);
    for (key, value) in key_values(properties) {
        let Some(config::expression::Value::Int64Value(number)) = value.value else { continue };
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        match key.as_str() {
            "multicast_group_table_size" => platform.multicast_group_table_size = number,
            "multicast_group_table_total_replicas" => platform.multicast_group_table_total_replicas = number,
            "multicast_group_table_max_replicas_per_entry" => {
                platform.multicast_group_table_max_replicas_per_entry = number;
            }
            _ => {}
        }
    }
    package
}

fn preamble(object: &ir::Preamble, hidden: &[&str]) -> config::Preamble {
    let annotations = Annotations::parse(&object.annotations, hidden);
    config::Preamble {
        id: object.id,
        name: object.name.clone(),
        alias: object.alias.clone(),
        annotations: annotations.plain,
        doc: annotations.documentation,
        structured_annotations: annotations.structured,
        ..Default::default()
    }
}

fn value_set(set: &ir::ValueSet) -> config::ValueSet {
    let fields = set
        .components
        .iter()
        .enumerate()
        .map(|(i, (name, width, kind))| config::MatchField {
            id: i as u32 + 1,
            name: name.clone(),
            bitwidth: *width as i32,
            r#match: match_type(*kind),
            ..Default::default()
        })
        .collect();
    config::ValueSet { preamble: Some(preamble(&set.preamble, &[])), r#match: fields, size: set.size as i32 }
}

fn match_type(kind: MatchKind) -> Option<config::match_field::Match> {
    use config::match_field::{Match, MatchType};
    let kind = match kind {
        MatchKind::Exact => MatchType::Exact,
        MatchKind::Lpm => MatchType::Lpm,
        MatchKind::Ternary => MatchType::Ternary,
        MatchKind::Range => MatchType::Range,
        MatchKind::Optional => MatchType::Optional,
        MatchKind::Selector => return None,
    };
    Some(Match::MatchType(kind as i32))
}

struct Generator<'a> {
    program: &'a Program,
    types: TypeTable<'a>,
    declared: &'a ControlTypes,
    /// Whether an object with types was added.
    typed: bool,
}

impl Generator<'_> {
    fn table(&mut self, table: &ir::Table) -> config::Table {
        self.typed = true;
        let keys = table.keys.iter().filter(|key| key.match_kind != MatchKind::Selector);
        let match_fields = keys.map(|key| self.match_field(key)).collect();
        let default = table.actions.get(table.default_action.action);
        let default_id = default.map_or(0, |reference| self.action_id(reference.action));
        let profile = table.implementation.and_then(|id| self.program.action_profiles.get(id.index()));
        let counter = table.direct_counter.and_then(|id| self.program.counters.get(id.index()));
        let meter = table.direct_meter.and_then(|id| self.program.meters.get(id.index()));
        let direct = [counter.map(|c| c.preamble.id), meter.map(|m| m.preamble.id)];
        // Hidden actions: a program without P4 source can have a default action that no controller knows.
        let shown = table.actions.iter().filter(|reference| self.action_id(reference.action) != 0);
        let idle = match table.idle_timeout {
            true => config::table::IdleTimeoutBehavior::NotifyControl,
            false => config::table::IdleTimeoutBehavior::NoTimeout,
        };
        config::Table {
            preamble: Some(preamble(&table.preamble, &[])),
            match_fields,
            action_refs: shown.map(|reference| self.action_ref(reference)).collect(),
            const_default_action_id: if table.const_default { default_id } else { 0 },
            initial_default_action: self.default_action(table, default_id).filter(|call| call.action_id != 0),
            implementation_id: profile.map_or(0, |p| p.preamble.id),
            direct_resource_ids: direct.into_iter().flatten().filter(|id| *id != 0).collect(),
            size: table.size as i64,
            idle_timeout_behavior: idle as i32,
            is_const_table: table.const_entries,
            has_initial_entries: !table.entries.is_empty(),
            other_properties: None,
        }
    }

    fn match_field(&mut self, key: &ir::Key) -> config::MatchField {
        let annotations = Annotations::parse(&key.annotations, &[]);
        let type_name = self.type_name(key.type_name.as_deref());
        config::MatchField {
            id: key.id,
            name: key.name.clone(),
            annotations: annotations.plain,
            bitwidth: self.width(key.type_name.as_deref(), key.expr.ty.width()),
            r#match: match_type(key.match_kind),
            doc: annotations.documentation,
            type_name,
            structured_annotations: annotations.structured,
            ..Default::default()
        }
    }

    /// Adds a type that an object refers to; returns its name if it is a `type` declaration.
    fn type_name(&mut self, name: Option<&str>) -> Option<config::P4NamedType> {
        let name = name?;
        if name == ERROR {
            self.types.mention_errors(&self.program.errors);
        }
        for ty in [DataType::SerializableEnum(name.into()), DataType::Enum(name.into())] {
            self.types.spec(&ty);
        }
        self.types.mention_new_type(name);
        let is_new = self.declared.new_types.contains_key(name);
        is_new.then(|| config::P4NamedType { name: name.into() })
    }

    /// The width for the controller; 0 for strings and errors.
    fn width(&self, type_name: Option<&str>, width: u32) -> i32 {
        match type_name {
            Some(ERROR) => 0,
            name => self.types.controller_width(name, width).unwrap_or(0) as i32,
        }
    }

    fn action_id(&self, action: ir::ActionId) -> u32 {
        self.program.actions.get(action.index()).map_or(0, |action| action.preamble.id)
    }

    fn action_ref(&self, reference: &ir::ActionRef) -> config::ActionRef {
        let annotations = Annotations::parse(&reference.annotations, &[]);
        let scope = match reference.scope {
            ActionScope::TableAndDefault => config::action_ref::Scope::TableAndDefault,
            ActionScope::TableOnly => config::action_ref::Scope::TableOnly,
            ActionScope::DefaultOnly => config::action_ref::Scope::DefaultOnly,
        };
        config::ActionRef {
            id: self.action_id(reference.action),
            annotations: annotations.plain,
            scope: scope as i32,
            structured_annotations: annotations.structured,
            ..Default::default()
        }
    }

    fn default_action(&self, table: &ir::Table, action_id: u32) -> Option<config::TableActionCall> {
        let reference = table.actions.get(table.default_action.action)?;
        let action = self.program.actions.get(reference.action.index())?;
        let arguments = action
            .params
            .iter()
            .zip(&table.default_action.args)
            .map(|(param, value)| config::table_action_call::Argument {
                param_id: param.id,
                value: value.to_be_bytes(),
            })
            .collect();
        Some(config::TableActionCall { action_id, arguments })
    }

    fn action(&mut self, action: &ir::Action) -> config::Action {
        self.typed |= !action.params.is_empty();
        let params = action.params.iter().map(|param| self.param(param)).collect();
        config::Action { preamble: Some(preamble(&action.preamble, &[])), params }
    }

    fn param(&mut self, param: &ir::Param) -> config::action::Param {
        let annotations = Annotations::parse(&param.annotations, &[]);
        let mut type_name = self.type_name(param.type_name.as_deref());
        // The values of an enum without an underlying type are the names of its members.
        let plain_enum = param.type_name.clone().filter(|name| self.declared.enums.contains_key(name));
        let width = self.width(param.type_name.as_deref(), param.kind.width());
        let bitwidth = if plain_enum.is_some() { 0 } else { width };
        type_name = type_name.or(plain_enum.map(|name| config::P4NamedType { name }));
        config::action::Param {
            id: param.id,
            name: param.name.clone(),
            annotations: annotations.plain,
            bitwidth,
            doc: annotations.documentation,
            type_name,
            structured_annotations: annotations.structured,
            ..Default::default()
        }
    }

    fn profile(&self, index: usize) -> config::ActionProfile {
        use config::action_profile::{SelectorSizeSemantics, SumOfMembers, SumOfWeights};
        let profile = &self.program.action_profiles[index];
        let annotations = &profile.preamble.annotations;
        let tables = in_order(&self.program.tables, |t| &t.preamble);
        let users = tables
            .into_iter()
            .filter(|(_, table)| table.implementation.is_some_and(|id| id.index() == index))
            .map(|(_, table)| table.preamble.id);
        let semantics = find(annotations, "selector_size_semantics").and_then(string);
        let semantics = match semantics.map(|s| s.to_ascii_lowercase()).as_deref() {
            Some("sum_of_weights") => Some(SelectorSizeSemantics::SumOfWeights(SumOfWeights {})),
            Some("sum_of_members") => Some(SelectorSizeSemantics::SumOfMembers(SumOfMembers {
                max_member_weight: find(annotations, "max_member_weight")
                    .and_then(number)
                    .map_or(0, |n| i32::try_from(n).unwrap_or(i32::MAX)),
            })),
            _ => None,
        };
        config::ActionProfile {
            preamble: Some(preamble(&profile.preamble, &PROFILE_ANNOTATIONS)),
            table_ids: users.collect(),
            with_selector: profile.selector.is_some(),
            size: profile.size as i64,
            max_group_size: profile.selector.map_or(0, |selector| selector.max_group_size as i32),
            selector_size_semantics: semantics.filter(|_| profile.selector.is_some()),
            weights_disallowed: false,
        }
    }

    fn counters_and_meters(&self, info: &mut config::P4Info) {
        let tables = in_order(&self.program.tables, |t| &t.preamble);
        let first_user = |uses: &dyn Fn(&ir::Table) -> bool| tables.iter().position(|(_, table)| uses(table));
        let mut counters = in_order(&self.program.counters, |c| &c.preamble);
        counters
            .sort_by_key(|(i, _)| first_user(&|table| table.direct_counter == Some(CounterId(*i as u32))));
        for (i, counter) in counters {
            let unit = match counter.unit {
                Unit::Packets => config::counter_spec::Unit::Packets,
                Unit::Bytes => config::counter_spec::Unit::Bytes,
                Unit::PacketsAndBytes => config::counter_spec::Unit::Both,
            };
            let (preamble, spec) =
                (Some(preamble(&counter.preamble, &[])), Some(config::CounterSpec { unit: unit as i32 }));
            if counter.direct {
                let id = Some(CounterId(i as u32));
                let Some(table) = self.user(|table| table.direct_counter == id) else { continue };
                info.direct_counters.push(config::DirectCounter { preamble, spec, direct_table_id: table });
            } else {
                let size = counter.size as i64;
                let index_type_name = self.index_type(&counter.preamble);
                info.counters.push(config::Counter { preamble, spec, size, index_type_name });
            }
        }
        let mut meters = in_order(&self.program.meters, |m| &m.preamble);
        meters.sort_by_key(|(i, _)| first_user(&|table| table.direct_meter == Some(MeterId(*i as u32))));
        for (i, meter) in meters {
            let unit = match meter.unit {
                Unit::Packets => config::meter_spec::Unit::Packets,
                Unit::Bytes | Unit::PacketsAndBytes => config::meter_spec::Unit::Bytes,
            };
            let spec = Some(config::MeterSpec { unit: unit as i32, ..Default::default() });
            let preamble = Some(preamble(&meter.preamble, &[]));
            if meter.direct {
                let id = Some(MeterId(i as u32));
                let Some(table) = self.user(|table| table.direct_meter == id) else { continue };
                info.direct_meters.push(config::DirectMeter { preamble, spec, direct_table_id: table });
            } else {
                let size = meter.size as i64;
                let index_type_name = self.index_type(&meter.preamble);
                info.meters.push(config::Meter { preamble, spec, size, index_type_name });
            }
        }
    }

    /// Id of the table that a direct resource belongs to.
    fn user(&self, uses: impl Fn(&ir::Table) -> bool) -> Option<u32> {
        self.program
            .tables
            .iter()
            .find(|table| uses(table))
            .map(|table| table.preamble.id)
            .filter(|id| *id != 0)
    }

    fn index_type(&self, object: &ir::Preamble) -> Option<config::P4NamedType> {
        self.declared.index_types.get(&object.name).map(|name| config::P4NamedType { name: name.clone() })
    }

    fn controller_header(&mut self, header: &ir::ControllerHeader) -> config::ControllerPacketMetadata {
        self.typed |= !header.fields.is_empty();
        let metadata = header
            .fields
            .iter()
            .map(|(id, name, width)| {
                let key = (header.preamble.name.clone(), name.clone());
                let known = self.declared.controller_fields.get(&key).cloned().unwrap_or_default();
                let annotations = Annotations::parse(&known.annotations, &[]);
                config::controller_packet_metadata::Metadata {
                    id: *id,
                    name: name.clone(),
                    annotations: annotations.plain,
                    structured_annotations: annotations.structured,
                    bitwidth: self.width(known.type_name.as_deref(), *width),
                    type_name: self.type_name(known.type_name.as_deref()),
                    ..Default::default()
                }
            })
            .collect();
        config::ControllerPacketMetadata { preamble: Some(preamble(&header.preamble, &[])), metadata }
    }

    fn register(&mut self, id: RegisterId) -> config::Register {
        let register = &self.program.registers[id.index()];
        let ty = self.declared.registers.get(&id);
        config::Register {
            preamble: Some(preamble(&register.preamble, &[])),
            type_spec: ty.map(|ty| self.type_spec(ty)),
            size: i32::try_from(register.size).unwrap_or(i32::MAX),
            index_type_name: self.index_type(&register.preamble),
        }
    }

    fn digest(&mut self, id: DigestId) -> config::Digest {
        let digest = &self.program.digests[id.index()];
        let ty = self.declared.digests.get(&id);
        config::Digest {
            preamble: Some(preamble(&digest.preamble, &[])),
            type_spec: ty.map(|ty| self.type_spec(ty)),
        }
    }

    fn type_spec(&mut self, ty: &DataType) -> config::P4DataTypeSpec {
        self.typed = true;
        if self.types.contains_error(ty) {
            self.types.mention_errors(&self.program.errors);
        }
        self.types.spec(ty)
    }
}
