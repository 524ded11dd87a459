//! Action profiles: members, groups, one-shot action sets.

use crate::common::program::id;
use crate::common::{Bench, SOURCE, device_config};
use crate::entities::*;
use p4runtime::client::{Client, ClientError};
use p4runtime::proto::p4::v1::{self, entity::Entity as Kind, table_action::Type};
use std::sync::Arc;
use tonic::Code;

#[track_caller]
fn check(result: Result<(), ClientError>, expected: Code) {
    let code = result.as_ref().map_or_else(|error| error.code().unwrap_or(Code::Unknown), |()| Code::Ok);
    assert_eq!(code, expected, "{result:?}");
}

fn entry(table_id: u32, value: u8, action: Type) -> Kind {
    let action = Some(v1::TableAction { r#type: Some(action) });
    table(v1::TableEntry { table_id, r#match: vec![exact(1, &[value])], action, ..Default::default() })
}

fn set(weights: &[i32]) -> Type {
    let action = |weight: &i32| v1::ActionProfileAction {
        action: Some(call(id::FORWARD, &[&[1]])),
        weight: *weight,
        watch_kind: Some(v1::action_profile_action::WatchKind::WatchPort(vec![3])),
    };
    Type::ActionProfileActionSet(v1::ActionProfileActionSet {
        action_profile_actions: weights.iter().map(action).collect(),
        ..Default::default()
    })
}

async fn all(client: &mut Client, wildcard: Kind) -> Vec<Kind> {
    client.read([wildcard]).await.expect("read")
}

#[tokio::test]
async fn members_are_inserted_modified_and_deleted() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.modify([member(id::SELECTOR, 1, 1)]).await, Code::NotFound);
    check(c.insert([member(id::SELECTOR, 0, 1)]).await, Code::InvalidArgument);
    check(c.insert([member(0, 1, 1)]).await, Code::InvalidArgument);
    check(c.insert([member(id::SELECTOR, 1, 1)]).await, Code::Ok);
    check(c.insert([member(id::SELECTOR, 1, 1)]).await, Code::AlreadyExists);
    check(c.modify([member(id::SELECTOR, 1, 2)]).await, Code::Ok);
    check(c.insert([member(id::PROFILE, 1, 4)]).await, Code::Ok);
    let wildcard = Kind::ActionProfileMember(Box::default());
    assert_eq!(all(c, wildcard.clone()).await, [member(id::SELECTOR, 1, 2), member(id::PROFILE, 1, 4)]);
    check(c.insert((2..=8).map(|n| member(id::PROFILE, n, 1))).await, Code::Ok);
    check(c.insert([member(id::PROFILE, 9, 1)]).await, Code::ResourceExhausted);
    check(c.delete([member(id::PROFILE, 9, 1)]).await, Code::NotFound);
    check(c.delete([member(id::PROFILE, 8, 1)]).await, Code::Ok);
    assert_eq!(all(c, wildcard).await.len(), 8);
}

#[tokio::test]
async fn groups_are_checked_against_size_weights_and_use() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.insert([group(1, 4, &[(1, 1)])]).await, Code::NotFound);
    check(c.insert([member(id::SELECTOR, 1, 1), member(id::SELECTOR, 2, 2)]).await, Code::Ok);
    check(c.insert([group(0, 4, &[])]).await, Code::InvalidArgument);
    check(c.insert([group(1, 5, &[])]).await, Code::InvalidArgument);
    check(c.insert([group(1, 0, &[])]).await, Code::InvalidArgument);
    check(c.insert([group(1, 4, &[(1, 0)])]).await, Code::InvalidArgument);
    check(c.insert([group(1, 4, &[(1, 1), (1, 1)])]).await, Code::InvalidArgument);
    check(c.insert([group(1, 4, &[(1, 3), (2, 2)])]).await, Code::ResourceExhausted);
    check(c.insert([group(1, 4, &[(1, 3), (2, 1)])]).await, Code::Ok);
    check(c.insert([group(1, 4, &[])]).await, Code::AlreadyExists);
    check(c.modify([group(1, 3, &[(1, 1)])]).await, Code::InvalidArgument);
    check(c.modify([group(2, 4, &[(1, 1)])]).await, Code::NotFound);
    check(c.delete([member(id::SELECTOR, 2, 2)]).await, Code::FailedPrecondition);
    check(c.modify([group(1, 4, &[(1, 1)])]).await, Code::Ok);
    check(c.delete([member(id::SELECTOR, 2, 2)]).await, Code::Ok);
    assert_eq!(all(c, Kind::ActionProfileGroup(Box::default())).await, [group(1, 4, &[(1, 1)])]);
    check(c.insert([entry(id::GROUPS, 1, Type::ActionProfileGroupId(1))]).await, Code::Ok);
    check(c.delete([group(1, 0, &[])]).await, Code::FailedPrecondition);
    check(c.delete([entry(id::GROUPS, 1, Type::ActionProfileGroupId(1))]).await, Code::Ok);
    check(c.delete([group(1, 0, &[])]).await, Code::Ok);
    check(c.delete([group(1, 0, &[])]).await, Code::NotFound);
}

/// The size of the selector is 8: of the weights in all groups together, not of its members.
#[tokio::test]
async fn the_size_of_a_selector_limits_the_weights_in_all_groups() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.insert((1..=9).map(|n| member(id::SELECTOR, n, 1))).await, Code::Ok);
    check(c.insert([group(1, 4, &[(1, 3), (2, 1)]), group(2, 4, &[(1, 3)])]).await, Code::Ok);
    check(c.insert([group(3, 4, &[(3, 1), (4, 1)])]).await, Code::ResourceExhausted);
    check(c.insert([group(3, 4, &[(3, 1)])]).await, Code::Ok);
    check(c.modify([group(2, 4, &[(1, 4)])]).await, Code::ResourceExhausted);
    check(c.modify([group(2, 4, &[(1, 2)])]).await, Code::Ok);
    check(c.modify([group(3, 4, &[(3, 2)])]).await, Code::Ok);
    check(c.delete([group(1, 4, &[])]).await, Code::Ok);
    check(c.insert([group(4, 4, &[(9, 4)])]).await, Code::Ok);
    check(c.insert([group(5, 4, &[(9, 1)])]).await, Code::ResourceExhausted);
}

#[tokio::test]
async fn a_group_larger_than_its_selector_is_refused() {
    let mut program = crate::common::program::program();
    let selector = program.action_profiles.iter_mut().find_map(|p| p.selector.as_mut());
    selector.expect("the program has a selector").max_group_size = 0;
    let described = p4runtime::p4info::from_program(&program);
    let bench = Bench::with(move |config| config.compile = Arc::new(move |_, _| Ok(program.clone()))).await;
    let mut client = bench.client(1).await;
    let _session = client.become_primary().await.expect("no other controller is connected");
    client.set_pipeline(described, device_config(SOURCE), 1).await.expect("the pipeline is good");
    let c = &mut client;
    check(c.insert([group(1, 9, &[])]).await, Code::ResourceExhausted);
    check(c.insert([group(1, 9_999_999, &[])]).await, Code::ResourceExhausted);
    check(c.insert([group(1, 0, &[])]).await, Code::Ok);
    check(c.insert([group(2, 8, &[])]).await, Code::Ok);
}

#[tokio::test]
async fn entries_refer_to_members_and_groups() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.insert([member(id::SELECTOR, 1, 1), member(id::PROFILE, 1, 1)]).await, Code::Ok);
    let member_entry = entry(id::GROUPS, 1, Type::ActionProfileMemberId(1));
    check(c.insert([member_entry.clone()]).await, Code::Ok);
    check(c.insert([entry(id::GROUPS, 2, Type::ActionProfileMemberId(2))]).await, Code::NotFound);
    check(c.insert([entry(id::GROUPS, 2, Type::ActionProfileGroupId(2))]).await, Code::NotFound);
    check(c.insert([entry(id::GROUPS, 2, Type::ActionProfileMemberId(0))]).await, Code::InvalidArgument);
    let direct = Type::Action(call(id::FORWARD, &[&[1]]));
    check(c.insert([entry(id::GROUPS, 2, direct)]).await, Code::InvalidArgument);
    check(c.insert([entry(id::MEMBERS, 1, Type::ActionProfileMemberId(1))]).await, Code::Ok);
    check(c.insert([entry(id::MEMBERS, 2, Type::ActionProfileGroupId(1))]).await, Code::InvalidArgument);
    check(c.insert([entry(id::MEMBERS, 2, set(&[1]))]).await, Code::InvalidArgument);
    check(c.delete([member(id::SELECTOR, 1, 1)]).await, Code::FailedPrecondition);
    let shown = all(c, table(v1::TableEntry { table_id: id::GROUPS, ..Default::default() })).await;
    assert_eq!(shown, [member_entry]);
}

#[tokio::test]
async fn one_shot_sets_are_checked_and_read_back() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.insert([entry(id::GROUPS, 1, set(&[1, 0]))]).await, Code::InvalidArgument);
    check(c.insert([entry(id::GROUPS, 1, set(&[3, 2]))]).await, Code::InvalidArgument);
    let two = entry(id::GROUPS, 1, set(&[1, 2]));
    check(c.insert([two.clone()]).await, Code::Ok);
    assert_eq!(all(c, table(v1::TableEntry { table_id: id::GROUPS, ..Default::default() })).await, [two]);
    check(c.insert([member(id::SELECTOR, 1, 1)]).await, Code::Ok);
    check(c.insert([entry(id::GROUPS, 2, Type::ActionProfileMemberId(1))]).await, Code::InvalidArgument);
    let Type::ActionProfileActionSet(good) = set(&[1]) else { unreachable!("a set was made") };
    let with_group_action =
        v1::ActionProfileActionSet { group_action: Some(v1::Action::default()), ..good.clone() };
    let rejected = Type::ActionProfileActionSet(with_group_action);
    check(c.insert([entry(id::GROUPS, 3, rejected)]).await, Code::Unimplemented);
    use v1::action_profile_action_set::ActionSelectionMode::Random;
    let random = v1::ActionProfileActionSet { action_selection_mode: Random as i32, ..good.clone() };
    let random = entry(id::GROUPS, 3, Type::ActionProfileActionSet(random));
    check(c.insert([random.clone()]).await, Code::Ok);
    let shown = all(c, table(v1::TableEntry { table_id: id::GROUPS, ..Default::default() })).await;
    assert!(shown.contains(&random), "{shown:?}");
    let mut elsewhere = good;
    elsewhere.action_profile_actions[0].watch_kind =
        Some(v1::action_profile_action::WatchKind::WatchPort(vec![200]));
    check(
        c.insert([entry(id::GROUPS, 3, Type::ActionProfileActionSet(elsewhere))]).await,
        Code::InvalidArgument,
    );
}
