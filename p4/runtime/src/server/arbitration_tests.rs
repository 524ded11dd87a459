use super::*;
use proptest::prelude::*;

fn id(low: u64) -> Option<v1::Uint128> {
    Some(v1::Uint128 { high: 0, low })
}

fn message(election_id: Option<v1::Uint128>) -> v1::MasterArbitrationUpdate {
    v1::MasterArbitrationUpdate { device_id: 1, election_id, ..Default::default() }
}

/// A message for a named role, without a configuration.
fn with_role(name: &str, election_id: Option<v1::Uint128>) -> v1::MasterArbitrationUpdate {
    let role = v1::Role { name: name.into(), ..Default::default() };
    v1::MasterArbitrationUpdate { role: Some(role), ..message(election_id) }
}

/// Notices as (client, code, highest election id).
fn brief(notices: &[Notice]) -> Vec<(u64, Code, Option<u64>)> {
    notices
        .iter()
        .map(|notice| {
            let code = notice.update.status.as_ref().map_or(0, |status| status.code);
            (notice.client.0, Code::from(code), notice.update.election_id.map(|id| id.low))
        })
        .collect()
}

struct Bench(Arbitration);

impl Bench {
    fn new() -> Bench {
        Bench(Arbitration::new(1, 3, 4))
    }

    #[track_caller]
    fn check(&mut self, client: u64, election: Option<v1::Uint128>, expected: &[(u64, Code, Option<u64>)]) {
        let notices = self.0.update(ClientId(client), message(election)).expect("accepted");
        assert_eq!(brief(&notices), expected);
    }

    #[track_caller]
    fn rejected(&mut self, client: u64, message: v1::MasterArbitrationUpdate, code: Code) -> String {
        let refusal = self.0.update(ClientId(client), message).expect_err("rejected");
        assert_eq!(refusal.code, code);
        refusal.message
    }

    fn write(&mut self, election: Option<v1::Uint128>) -> Result<WriteTicket, Code> {
        self.0.begin_write(1, RoleKey::default(), election).map_err(|refusal| refusal.code)
    }
}

#[test]
fn the_first_controller_is_primary_until_a_higher_election_id_arrives() {
    let mut bench = Bench::new();
    bench.check(1, id(5), &[(1, Code::Ok, Some(5))]);
    bench.check(2, id(3), &[(2, Code::AlreadyExists, Some(5))]);
    bench.check(
        3,
        id(7),
        &[(1, Code::AlreadyExists, Some(7)), (2, Code::AlreadyExists, Some(7)), (3, Code::Ok, Some(7))],
    );
    assert_eq!(bench.write(id(5)), Err(Code::PermissionDenied));
    assert!(bench.write(id(7)).is_ok());
}

#[test]
fn the_highest_election_id_is_kept_after_its_controller_disconnects() {
    let mut bench = Bench::new();
    bench.check(1, id(9), &[(1, Code::Ok, Some(9))]);
    bench.check(2, id(8), &[(2, Code::AlreadyExists, Some(9))]);
    assert_eq!(brief(&bench.0.disconnect(ClientId(1))), [(2, Code::NotFound, Some(9))]);
    bench.check(2, id(8), &[(2, Code::NotFound, Some(9))]);
    assert_eq!(bench.write(id(8)), Err(Code::PermissionDenied));
    bench.check(2, id(9), &[(2, Code::Ok, Some(9))]);
}

#[test]
fn an_unset_election_id_never_becomes_primary_but_zero_can() {
    let mut bench = Bench::new();
    bench.check(1, None, &[(1, Code::NotFound, None)]);
    bench.check(2, None, &[(2, Code::NotFound, None)]);
    bench.check(1, id(0), &[(2, Code::AlreadyExists, Some(0)), (1, Code::Ok, Some(0))]);
    bench.check(1, None, &[(1, Code::NotFound, Some(0)), (2, Code::NotFound, Some(0))]);
}

#[test]
fn a_primary_that_lowers_its_election_id_is_demoted() {
    let mut bench = Bench::new();
    bench.check(1, id(5), &[(1, Code::Ok, Some(5))]);
    bench.check(2, None, &[(2, Code::AlreadyExists, Some(5))]);
    bench.check(1, id(4), &[(1, Code::NotFound, Some(5)), (2, Code::NotFound, Some(5))]);
}

#[test]
fn a_new_primary_is_pending_until_the_writes_of_the_old_one_end() {
    let mut bench = Bench::new();
    bench.check(1, id(1), &[(1, Code::Ok, Some(1))]);
    let ticket = bench.write(id(1)).expect("primary");
    bench.check(2, id(2), &[(1, Code::AlreadyExists, Some(2))]);
    assert_eq!(bench.write(id(1)), Err(Code::PermissionDenied));
    assert_eq!(bench.write(id(2)), Err(Code::PermissionDenied));
    assert_eq!(brief(&bench.0.end_write(ticket)), [(2, Code::Ok, Some(2))]);
    assert!(bench.write(id(2)).is_ok());
}

#[test]
fn a_pending_primary_that_disconnects_leaves_the_role_without_a_primary() {
    let mut bench = Bench::new();
    bench.check(1, id(1), &[(1, Code::Ok, Some(1))]);
    let ticket = bench.write(id(1)).expect("primary");
    bench.check(2, id(2), &[(1, Code::AlreadyExists, Some(2))]);
    assert_eq!(brief(&bench.0.disconnect(ClientId(2))), [(1, Code::NotFound, Some(2))]);
    assert!(bench.0.end_write(ticket).is_empty());
}

#[test]
fn rejections_have_the_specified_codes() {
    let mut bench = Bench::new();
    bench.check(1, id(1), &[(1, Code::Ok, Some(1))]);
    let words = bench.rejected(2, message(id(1)), Code::InvalidArgument);
    assert!(words.contains("election id") && words.contains("used"), "{words}");
    bench.rejected(2, v1::MasterArbitrationUpdate { device_id: 2, ..message(id(3)) }, Code::NotFound);
    bench.rejected(
        1,
        v1::MasterArbitrationUpdate { device_id: 2, ..message(id(3)) },
        Code::FailedPrecondition,
    );
    bench.rejected(1, with_role("other", id(3)), Code::FailedPrecondition);
    bench.check(2, id(2), &[(1, Code::AlreadyExists, Some(2)), (2, Code::Ok, Some(2))]);
    bench.check(3, None, &[(3, Code::AlreadyExists, Some(2))]);
    bench.rejected(4, message(None), Code::ResourceExhausted);
}

#[test]
fn roles_have_separate_primaries_and_are_limited_in_number() {
    let mut bench = Bench::new();
    bench.check(1, id(5), &[(1, Code::Ok, Some(5))]);
    let notices = bench.0.update(ClientId(2), with_role("a", id(1))).expect("accepted");
    assert_eq!(brief(&notices), [(2, Code::Ok, Some(1))]);
    assert_eq!(notices[0].update.role.as_ref().map(|role| role.name.as_str()), Some("a"));
    let unknown = bench.0.begin_write(1, RoleKey::of_request("b", 0), id(1)).expect_err("unknown role");
    assert_eq!(unknown.code, Code::NotFound);
    assert!(bench.0.begin_write(1, RoleKey::of_request("a", 0), id(1)).is_ok());
    let denied = bench.0.begin_write(1, RoleKey::of_request("a", 0), id(5)).expect_err("not its id");
    assert_eq!(denied.code, Code::PermissionDenied);
    for role in ["b", "c"] {
        bench.0.update(ClientId(9), with_role(role, None)).expect("accepted");
        bench.0.disconnect(ClientId(9));
    }
    bench.rejected(9, with_role("d", None), Code::ResourceExhausted);
}

#[test]
fn notices_contain_the_role_config_of_the_primary() {
    let mut bench = Bench::new();
    let config = crate::server::RoleConfig { shared_ids: vec![1], ..Default::default() }.to_any();
    let role = v1::Role { name: "a".into(), config: Some(config.clone()), ..Default::default() };
    let update = v1::MasterArbitrationUpdate { role: Some(role), ..message(id(1)) };
    bench.0.update(ClientId(1), update).expect("accepted");
    let notices = bench.0.update(ClientId(2), with_role("a", None)).expect("accepted");
    assert_eq!(notices[0].update.role.as_ref().and_then(|role| role.config.clone()), Some(config));
}

#[derive(Clone, Debug)]
enum Step {
    Update(u64, Option<u64>),
    Disconnect(u64),
    Begin(u64),
    End,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1u64..5, prop::option::of(0u64..6)).prop_map(|(client, election)| Step::Update(client, election)),
        (1u64..5).prop_map(Step::Disconnect),
        (0u64..6).prop_map(Step::Begin),
        Just(Step::End),
    ]
}

proptest! {
    /// For any sequence of messages, there is at most one primary, and it has the highest id so far. A controller that
    /// is notified as primary may write until another one is notified.
    #[test]
    fn there_is_one_primary_and_it_has_the_highest_id(steps in prop::collection::vec(step(), 1..60)) {
        let mut bench = Bench(Arbitration::new(1, 8, 4));
        let mut tickets = Vec::new();
        let mut highest = None;
        for step in steps {
            let notices = match step {
                Step::Update(client, election) => {
                    let election_id = election.map(|low| v1::Uint128 { high: 0, low });
                    match bench.0.update(ClientId(client), message(election_id)) {
                        Ok(notices) => notices,
                        Err(_) => bench.0.disconnect(ClientId(client)),
                    }
                }
                Step::Disconnect(client) => bench.0.disconnect(ClientId(client)),
                Step::Begin(election) => {
                    tickets.extend(bench.write(id(election)));
                    Vec::new()
                }
                Step::End => tickets.pop().map(|ticket| bench.0.end_write(ticket)).unwrap_or_default(),
            };
            let primaries: Vec<ClientId> = bench.0.primaries().collect();
            prop_assert!(primaries.len() <= 1);
            for (client, code, seen) in brief(&notices) {
                prop_assert!(seen >= highest, "the highest id never falls");
                highest = seen.max(highest);
                prop_assert_eq!(code == Code::Ok, primaries.contains(&ClientId(client)));
            }
            if let Some(primary) = primaries.first() {
                let role = &bench.0.roles[&RoleKey::default()];
                prop_assert_eq!(role.live[primary], role.highest);
            }
        }
    }
}
