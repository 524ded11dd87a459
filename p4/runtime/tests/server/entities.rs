//! Constructors of entities.

use crate::common::program::id;
use p4runtime::proto::p4::v1::{
    self, entity::Entity as Kind, field_match as m, field_match::FieldMatchType as F,
};
use p4runtime::proto::p4::v1::{p4_data::Data, table_action::Type as ActionType, update::Type};

pub(crate) fn exact(field_id: u32, value: &[u8]) -> v1::FieldMatch {
    v1::FieldMatch { field_id, field_match_type: Some(F::Exact(m::Exact { value: value.to_vec() })) }
}

pub(crate) fn lpm(field_id: u32, value: &[u8], prefix_len: i32) -> v1::FieldMatch {
    v1::FieldMatch { field_id, field_match_type: Some(F::Lpm(m::Lpm { value: value.to_vec(), prefix_len })) }
}

pub(crate) fn ternary(field_id: u32, value: &[u8], mask: &[u8]) -> v1::FieldMatch {
    let ternary = m::Ternary { value: value.to_vec(), mask: mask.to_vec() };
    v1::FieldMatch { field_id, field_match_type: Some(F::Ternary(ternary)) }
}

pub(crate) fn range(field_id: u32, low: &[u8], high: &[u8]) -> v1::FieldMatch {
    let range = m::Range { low: low.to_vec(), high: high.to_vec() };
    v1::FieldMatch { field_id, field_match_type: Some(F::Range(range)) }
}

pub(crate) fn optional(field_id: u32, value: &[u8]) -> v1::FieldMatch {
    v1::FieldMatch { field_id, field_match_type: Some(F::Optional(m::Optional { value: value.to_vec() })) }
}

pub(crate) fn call(action_id: u32, params: &[&[u8]]) -> v1::Action {
    let params =
        params.iter().zip(1..).map(|(value, param_id)| v1::action::Param { param_id, value: value.to_vec() });
    v1::Action { action_id, params: params.collect() }
}

pub(crate) fn runs(action: v1::Action) -> Option<v1::TableAction> {
    Some(v1::TableAction { r#type: Some(ActionType::Action(action)) })
}

pub(crate) fn forward(port: u8) -> Option<v1::TableAction> {
    runs(call(id::FORWARD, &[&[port]]))
}

pub(crate) fn l2(dst: &[u8], port: u8) -> v1::TableEntry {
    v1::TableEntry {
        table_id: id::L2,
        r#match: vec![exact(1, dst)],
        action: forward(port),
        ..Default::default()
    }
}

pub(crate) fn route(value: &[u8], prefix: i32) -> v1::TableEntry {
    v1::TableEntry {
        table_id: id::ROUTES,
        r#match: vec![lpm(1, value, prefix)],
        action: forward(1),
        ..Default::default()
    }
}

pub(crate) fn table(entry: v1::TableEntry) -> Kind {
    Kind::TableEntry(Box::new(entry))
}

pub(crate) fn at(index: i64) -> Option<v1::Index> {
    Some(v1::Index { index })
}

pub(crate) fn bits(bytes: &[u8]) -> Option<v1::P4Data> {
    Some(v1::P4Data { data: Some(Data::Bitstring(bytes.to_vec())) })
}

pub(crate) fn register(register_id: u32, index: Option<v1::Index>, data: Option<v1::P4Data>) -> Kind {
    Kind::RegisterEntry(v1::RegisterEntry { register_id, index, data })
}

pub(crate) fn member(profile: u32, member_id: u32, port: u8) -> Kind {
    let action = Some(call(id::FORWARD, &[&[port]]));
    Kind::ActionProfileMember(Box::new(v1::ActionProfileMember {
        action_profile_id: profile,
        member_id,
        action,
    }))
}

pub(crate) fn group(group_id: u32, max_size: i32, members: &[(u32, i32)]) -> Kind {
    let members = members
        .iter()
        .map(|(member_id, weight)| v1::action_profile_group::Member {
            member_id: *member_id,
            weight: *weight,
            watch_kind: None,
        })
        .collect();
    Kind::ActionProfileGroup(Box::new(v1::ActionProfileGroup {
        action_profile_id: id::SELECTOR,
        group_id,
        members,
        max_size,
    }))
}

pub(crate) fn update(kind: Type, entity: Kind) -> v1::Update {
    v1::Update { r#type: kind as i32, entity: Some(v1::Entity { entity: Some(entity) }) }
}
