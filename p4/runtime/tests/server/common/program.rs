//! A program with objects of every kind in P4Runtime, built without the front end.

use p4_lang::ir::*;

/// Identifiers of the program's objects.
pub(crate) mod id {
    pub(crate) const NO_ACTION: u32 = 0x0100_0001;
    pub(crate) const FORWARD: u32 = 0x0100_0002;
    pub(crate) const PUNT: u32 = 0x0100_0003;
    pub(crate) const LEARN: u32 = 0x0100_0004;
    pub(crate) const ENTRY_ONLY: u32 = 0x0100_0005;
    pub(crate) const L2: u32 = 0x0200_0001;
    pub(crate) const ROUTES: u32 = 0x0200_0002;
    pub(crate) const ACL: u32 = 0x0200_0003;
    pub(crate) const GROUPS: u32 = 0x0200_0004;
    pub(crate) const FIXED: u32 = 0x0200_0005;
    pub(crate) const KEYLESS: u32 = 0x0200_0006;
    pub(crate) const MEMBERS: u32 = 0x0200_0007;
    pub(crate) const TPIDS: u32 = 0x0300_0001;
    pub(crate) const SELECTOR: u32 = 0x1100_0001;
    pub(crate) const PROFILE: u32 = 0x1100_0002;
    pub(crate) const COUNTER: u32 = 0x1200_0001;
    pub(crate) const L2_COUNTER: u32 = 0x1300_0001;
    pub(crate) const METER: u32 = 0x1400_0001;
    pub(crate) const ROUTES_METER: u32 = 0x1500_0001;
    pub(crate) const PLAIN: u32 = 0x1600_0001;
    pub(crate) const PAIR: u32 = 0x1600_0002;
    pub(crate) const WIDE: u32 = 0x1600_0003;
    pub(crate) const DIGEST: u32 = 0x1700_0001;
    pub(crate) const PACKET_IN: u32 = 0x0400_0001;
    pub(crate) const PACKET_OUT: u32 = 0x0400_0002;
}

/// Elements of the register `ingress.wide`.
pub(crate) const WIDE_SIZE: u64 = 4096;

struct Builder(Program);

fn preamble(id: u32, name: &str) -> Preamble {
    let alias = name.rsplit('.').next().unwrap_or(name).to_string();
    Preamble { id, name: name.into(), alias, ..Preamble::default() }
}

fn constant(width: u32, value: u128) -> Expr {
    Expr { kind: ExprKind::Const(Bits::new(width, value)), ty: ScalarKind::Unsigned(width) }
}

impl Builder {
    fn scalar(&mut self, name: &str, width: u32) -> ScalarId {
        let storage = &mut self.0.storage;
        storage.scalars.push(Scalar { name: name.into(), kind: ScalarKind::Unsigned(width) });
        storage.carried = storage.scalars.len() as u32;
        ScalarId(storage.carried - 1)
    }

    fn read(&self, scalar: ScalarId) -> Expr {
        Expr { kind: ExprKind::Scalar(scalar), ty: self.0.storage.scalars[scalar.index()].kind }
    }

    fn header(&mut self, name: &str, fields: &[(&str, u32)]) -> (HeaderId, Vec<ScalarId>) {
        let valid = self.scalar(&format!("hdr.{name}.$valid$"), 1);
        let fields: Vec<ScalarId> =
            fields.iter().map(|(field, width)| self.scalar(&format!("hdr.{name}.{field}"), *width)).collect();
        let header = Header {
            name: format!("hdr.{name}"),
            type_name: format!("{name}_t"),
            valid,
            fields: fields.clone(),
            union: None,
        };
        self.0.storage.headers.push(header);
        (HeaderId(self.0.storage.headers.len() as u32 - 1), fields)
    }

    fn action(&mut self, id: u32, name: &str, params: &[(&str, ScalarId)], body: Vec<Stmt>) -> ActionId {
        let params = params
            .iter()
            .zip(1..)
            .map(|((name, scalar), id)| Param {
                id,
                name: (*name).into(),
                scalar: *scalar,
                kind: self.0.storage.scalars[scalar.index()].kind,
                type_name: None,
                annotations: Vec::new(),
            })
            .collect();
        self.0.actions.push(Action { preamble: preamble(id, name), params, body });
        ActionId(self.0.actions.len() as u32 - 1)
    }

    /// Adds a table; its default action is the first of `actions`.
    fn table(
        &mut self,
        id: u32,
        name: &str,
        keys: &[(ScalarId, MatchKind)],
        actions: &[(ActionId, ActionScope)],
        size: u64,
    ) -> &mut Table {
        let keys = keys
            .iter()
            .zip(1..)
            .map(|((scalar, match_kind), id)| Key {
                id,
                name: self.0.storage.scalars[scalar.index()].name.clone(),
                expr: self.read(*scalar),
                match_kind: *match_kind,
                type_name: None,
                annotations: Vec::new(),
            })
            .collect();
        let actions = actions
            .iter()
            .map(|(action, scope)| ActionRef { action: *action, scope: *scope, annotations: Vec::new() })
            .collect();
        self.0.tables.push(Table {
            preamble: preamble(id, name),
            keys,
            actions,
            default_action: BoundAction { action: 0, args: Vec::new() },
            const_default: false,
            entries: Vec::new(),
            const_entries: false,
            largest_priority_wins: true,
            size,
            implementation: None,
            direct_counter: None,
            direct_meter: None,
            idle_timeout: false,
            hidden: false,
        });
        self.0.tables.last_mut().expect("one was pushed")
    }
}

/// The program: a packet to port 510 leaves by the port in its `packet_out` header; others are looked up in `l2`,
/// whose actions forward, punt to the controller, or learn by digest.
pub(crate) fn program() -> Program {
    let mut b = Builder(Program { errors: vec!["NoError".into(), "NoMatch".into()], ..Program::default() });
    let mut standard = Vec::new();
    for (name, width) in [("ingress_port", 9), ("egress_spec", 9), ("egress_port", 9), ("instance_type", 32)]
    {
        let scalar = b.scalar(&format!("standard_metadata.{name}"), width);
        b.0.storage.standard_metadata.insert(name.into(), scalar);
        standard.push(scalar);
    }
    let (ingress_port, egress_spec) = (standard[0], standard[1]);
    let (packet_out, out_fields) = b.header("packet_out", &[("egress_port", 9), ("pad", 7)]);
    let (packet_in, in_fields) = b.header("packet_in", &[("ingress_port", 9), ("pad", 7)]);
    let (ethernet, fields) = b.header("ethernet", &[("dst", 48), ("src", 48), ("type", 16)]);
    let address = b.scalar("meta.address", 32);
    parser(&mut b, ingress_port, packet_out, ethernet);
    let actions = actions(&mut b, ingress_port, egress_spec, packet_in, &in_fields, &fields);
    tables(&mut b, &actions, address, ingress_port, &fields);
    objects(&mut b.0);
    b.0.ingress.body = vec![Stmt::If {
        condition: Expr {
            kind: ExprKind::IsValid(HeaderRef::Static(packet_out)),
            ty: ScalarKind::Unsigned(1),
        },
        then: vec![
            Stmt::Assign(egress_spec, b.read(out_fields[0])),
            Stmt::SetValid(HeaderRef::Static(packet_out), false),
        ],
        otherwise: vec![Stmt::ApplyTable { table: TableId(0), hit: None, action_run: None }],
    }];
    b.0.deparser.body =
        vec![Stmt::Emit(HeaderRef::Static(packet_in)), Stmt::Emit(HeaderRef::Static(ethernet))];
    b.0
}

fn parser(b: &mut Builder, ingress_port: ScalarId, packet_out: HeaderId, ethernet: HeaderId) {
    let case =
        |pattern, target| SelectCase { patterns: vec![pattern], target: Target::State(StateId(target)) };
    let cases = vec![case(Pattern::Value(Bits::new(9, 510)), 1), case(Pattern::Any, 2)];
    let keys = vec![b.read(ingress_port)];
    let extract = |header| vec![Stmt::Extract(HeaderRef::Static(header))];
    let state = |name: &str, body, transition| State { name: name.into(), body, transition };
    b.0.parser.states = vec![
        state("start", Vec::new(), Transition::Select { keys, cases }),
        state("from_controller", extract(packet_out), Transition::Goto(StateId(2))),
        state("ethernet", extract(ethernet), Transition::Accept),
    ];
}

fn actions(
    b: &mut Builder,
    ingress_port: ScalarId,
    egress_spec: ScalarId,
    packet_in: HeaderId,
    in_fields: &[ScalarId],
    ethernet: &[ScalarId],
) -> Vec<ActionId> {
    let port = b.scalar("forward.port", 9);
    let class = b.scalar("entry_only.class", 3);
    let forward = vec![Stmt::Assign(egress_spec, b.read(port))];
    let punt = vec![
        Stmt::SetValid(HeaderRef::Static(packet_in), true),
        Stmt::Assign(in_fields[0], b.read(ingress_port)),
        Stmt::Assign(egress_spec, constant(9, 510)),
    ];
    let learn = vec![
        Stmt::Extern(ExternCall::Digest {
            digest: DigestId(0),
            fields: vec![b.read(ethernet[1]), b.read(ingress_port)],
        }),
        Stmt::Extern(ExternCall::MarkToDrop),
    ];
    vec![
        b.action(id::NO_ACTION, "NoAction", &[], Vec::new()),
        b.action(id::FORWARD, "ingress.forward", &[("port", port)], forward),
        b.action(id::PUNT, "ingress.punt", &[], punt),
        b.action(id::LEARN, "ingress.learn", &[], learn),
        b.action(id::ENTRY_ONLY, "ingress.entry_only", &[("class", class)], Vec::new()),
    ]
}

fn tables(
    b: &mut Builder,
    actions: &[ActionId],
    address: ScalarId,
    ingress_port: ScalarId,
    ethernet: &[ScalarId],
) {
    use ActionScope::{DefaultOnly, TableAndDefault, TableOnly};
    let [nothing, forward, punt, learn, entry_only] = actions else { unreachable!("five actions") };
    let both = |action: &ActionId| (*action, TableAndDefault);
    let l2_actions =
        [both(learn), both(forward), both(punt), (*nothing, DefaultOnly), (*entry_only, TableOnly)];
    let l2 = b.table(id::L2, "ingress.l2", &[(ethernet[0], MatchKind::Exact)], &l2_actions, 64);
    l2.direct_counter = Some(CounterId(1));
    l2.idle_timeout = true;
    let actions = [both(nothing), both(forward)];
    let routes = b.table(id::ROUTES, "ingress.routes", &[(address, MatchKind::Lpm)], &actions, 4);
    routes.direct_meter = Some(MeterId(1));
    let acl_key = [
        (ethernet[1], MatchKind::Ternary),
        (ethernet[2], MatchKind::Range),
        (ingress_port, MatchKind::Optional),
    ];
    b.table(id::ACL, "ingress.acl", &acl_key, &actions, 16);
    let key = [(ethernet[2], MatchKind::Exact), (address, MatchKind::Selector)];
    b.table(id::GROUPS, "ingress.groups", &key, &actions, 16).implementation = Some(ActionProfileId(0));
    let fixed = b.table(id::FIXED, "ingress.fixed", &key[..1], &actions, 16);
    fixed.const_entries = true;
    fixed.const_default = true;
    fixed.entries = [0x0800, 0x86dd]
        .map(|value| Entry {
            patterns: vec![Pattern::Value(Bits::new(16, value))],
            action: BoundAction { action: 1, args: vec![Bits::new(9, 3)] },
            priority: None,
            is_const: true,
        })
        .to_vec();
    b.table(id::KEYLESS, "ingress.keyless", &[], &actions, 1);
    b.table(id::MEMBERS, "ingress.members", &key[..1], &actions, 16).implementation =
        Some(ActionProfileId(1));
}

fn objects(program: &mut Program) {
    let named = |name: &str| Some(name.to_string());
    let field = |name: &str, width| (name.to_string(), ScalarKind::Unsigned(width));
    program.counters = vec![
        Counter {
            preamble: preamble(id::COUNTER, "ingress.packets"),
            unit: Unit::PacketsAndBytes,
            size: 8,
            direct: false,
        },
        Counter {
            preamble: preamble(id::L2_COUNTER, "ingress.l2_hits"),
            unit: Unit::PacketsAndBytes,
            size: 0,
            direct: true,
        },
    ];
    let meter = |id, name: &str, size, direct| Meter {
        preamble: preamble(id, name),
        unit: Unit::Bytes,
        size,
        direct,
        result: None,
    };
    program.meters = vec![
        meter(id::METER, "ingress.policer", 4, false),
        meter(id::ROUTES_METER, "ingress.routes_meter", 0, true),
    ];
    let register = |id, name: &str, components, type_name, size| Register {
        preamble: preamble(id, name),
        components,
        type_name,
        size,
    };
    program.registers = vec![
        register(id::PLAIN, "ingress.plain", vec![field("", 32)], None, 16),
        register(id::PAIR, "ingress.pair", vec![field("a", 9), field("b", 100)], named("pair_t"), 8),
        register(id::WIDE, "ingress.wide", vec![field("", 512)], None, WIDE_SIZE),
    ];
    program.registers[2].preamble.annotations = vec!["@fields(\"key:256,count:256\")".into()];
    let selector = Selector { algorithm: HashAlgorithm::Crc16, output_width: 16, max_group_size: 4 };
    program.action_profiles = vec![
        ActionProfile {
            preamble: preamble(id::SELECTOR, "ingress.selector"),
            size: 8,
            selector: Some(selector),
        },
        ActionProfile { preamble: preamble(id::PROFILE, "ingress.profile"), size: 8, selector: None },
    ];
    program.value_sets = vec![ValueSet {
        preamble: preamble(id::TPIDS, "prs.tpids"),
        components: vec![("type".into(), 16, MatchKind::Exact)],
        size: 2,
    }];
    program.digests = vec![Digest {
        preamble: preamble(id::DIGEST, "learn_t"),
        fields: vec![field("src", 48), field("port", 9)],
        type_name: named("learn_t"),
    }];
    let header = |id, name: &str, first: &str| ControllerHeader {
        preamble: preamble(id, name),
        fields: vec![(1, first.into(), 9), (2, "pad".into(), 7)],
        type_name: format!("{name}_t"),
    };
    program.controller_headers = vec![
        header(id::PACKET_IN, "packet_in", "ingress_port"),
        header(id::PACKET_OUT, "packet_out", "egress_port"),
    ];
}
