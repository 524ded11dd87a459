//! Builds programs from their parts, and runs them on a switch.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::sync::Arc;

use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::ir::*;
use p4_switch::tm::TmConfig;
use p4_switch::{Switch, SwitchConfig};

pub(crate) const STANDARD: [(&str, u32); 16] = [
    ("ingress_port", 9),
    ("egress_spec", 9),
    ("egress_port", 9),
    ("instance_type", 32),
    ("packet_length", 32),
    ("enq_timestamp", 32),
    ("enq_qdepth", 19),
    ("deq_timedelta", 32),
    ("deq_qdepth", 19),
    ("ingress_global_timestamp", 48),
    ("egress_global_timestamp", 48),
    ("mcast_grp", 16),
    ("egress_rid", 16),
    ("checksum_error", 1),
    ("parser_error", 32),
    ("priority", 3),
];

/// Builds a program step by step.
pub(crate) struct Builder {
    pub(crate) program: Program,
}

impl Builder {
    pub(crate) fn new() -> Builder {
        let errors =
            ["NoError", "PacketTooShort", "NoMatch", "StackOutOfBounds", "HeaderTooShort", "ParserTimeout"];
        let mut builder =
            Builder { program: Program { errors: errors.map(str::to_owned).to_vec(), ..Program::default() } };
        for (name, width) in STANDARD {
            let id = builder.scalar(name, width);
            builder.program.storage.standard_metadata.insert(name.to_owned(), id);
        }
        builder
    }

    /// Declares a scalar that is carried with the packet.
    pub(crate) fn scalar(&mut self, name: &str, width: u32) -> ScalarId {
        self.scalar_of(name, ScalarKind::Unsigned(width))
    }

    pub(crate) fn scalar_of(&mut self, name: &str, kind: ScalarKind) -> ScalarId {
        let storage = &mut self.program.storage;
        storage.scalars.push(Scalar { name: name.to_owned(), kind });
        storage.carried = storage.scalars.len() as u32;
        ScalarId(storage.carried - 1)
    }

    pub(crate) fn header(&mut self, name: &str, fields: &[(&str, u32)]) -> HeaderId {
        let valid = self.scalar(&format!("{name}.$valid$"), 1);
        let fields =
            fields.iter().map(|(field, width)| self.scalar(&format!("{name}.{field}"), *width)).collect();
        self.program.storage.headers.push(Header {
            name: name.to_owned(),
            type_name: format!("{name}_t"),
            valid,
            fields,
            union: None,
        });
        HeaderId(self.program.storage.headers.len() as u32 - 1)
    }

    pub(crate) fn field(&self, header: HeaderId, index: usize) -> ScalarId {
        self.program.storage.headers[header.index()].fields[index]
    }

    pub(crate) fn kind(&self, scalar: ScalarId) -> ScalarKind {
        self.program.storage.scalars[scalar.index()].kind
    }

    pub(crate) fn read(&self, scalar: ScalarId) -> Expr {
        Expr { kind: ExprKind::Scalar(scalar), ty: self.kind(scalar) }
    }

    pub(crate) fn standard(&self, name: &str) -> ScalarId {
        self.program.storage.standard_metadata[name]
    }

    pub(crate) fn state(&mut self, body: Vec<Stmt>, transition: Transition) -> StateId {
        let name = format!("state{}", self.program.parser.states.len());
        self.program.parser.states.push(State { name, body, transition });
        StateId(self.program.parser.states.len() as u32 - 1)
    }

    pub(crate) fn action(
        &mut self,
        name: &str,
        params: &[(&str, u32)],
        body: impl FnOnce(&Builder, &[ScalarId]) -> Vec<Stmt>,
    ) -> ActionId {
        let scalars: Vec<ScalarId> =
            params.iter().map(|(p, w)| self.scalar(&format!("{name}.{p}"), *w)).collect();
        let body = body(self, &scalars);
        let params = params
            .iter()
            .zip(&scalars)
            .enumerate()
            .map(|(i, ((p, width), scalar))| Param {
                id: i as u32 + 1,
                name: (*p).to_owned(),
                scalar: *scalar,
                kind: ScalarKind::Unsigned(*width),
                type_name: None,
                annotations: Vec::new(),
            })
            .collect();
        self.program.actions.push(Action { preamble: preamble(name), params, body });
        ActionId(self.program.actions.len() as u32 - 1)
    }

    pub(crate) fn table(
        &mut self,
        name: &str,
        keys: &[(ScalarId, MatchKind)],
        actions: &[ActionId],
        size: u64,
    ) -> TableId {
        let keys = keys
            .iter()
            .enumerate()
            .map(|(i, (scalar, match_kind))| Key {
                id: i as u32 + 1,
                name: self.program.storage.scalars[scalar.index()].name.clone(),
                expr: self.read(*scalar),
                match_kind: *match_kind,
                type_name: None,
                annotations: Vec::new(),
            })
            .collect();
        let actions = actions
            .iter()
            .map(|action| ActionRef {
                action: *action,
                scope: ActionScope::TableAndDefault,
                annotations: Vec::new(),
            })
            .collect();
        self.program.tables.push(Table {
            preamble: preamble(name),
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
        TableId(self.program.tables.len() as u32 - 1)
    }

    pub(crate) fn finish(self) -> Arc<Program> {
        Arc::new(self.program)
    }
}

pub(crate) fn preamble(name: &str) -> Preamble {
    let alias = name.rsplit('.').next().unwrap_or(name).to_owned();
    Preamble { name: name.to_owned(), alias, ..Preamble::default() }
}

pub(crate) fn number(width: u32, value: u128) -> Expr {
    Expr { kind: ExprKind::Const(Bits::new(width, value)), ty: ScalarKind::Unsigned(width) }
}

pub(crate) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    use BinaryOp::*;
    let ty = match op {
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | And | Or => ScalarKind::Unsigned(1),
        Concat => ScalarKind::Unsigned(a.ty.width() + b.ty.width()),
        _ => a.ty,
    };
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty }
}

pub(crate) fn apply(table: TableId) -> Stmt {
    Stmt::ApplyTable { table, hit: None, action_run: None }
}

/// Creates a switch with ports 0 to 16 and a program.
pub(crate) fn switch(program: &Arc<Program>) -> Switch {
    let tm = TmConfig::lossy((0..=16).map(|port| (port, Rate::from_gbps(100))), 1 << 24);
    let mut switch = Switch::new(SwitchConfig::new(tm));
    switch.load(Arc::clone(program)).unwrap_or_else(|e| panic!("{e}"));
    switch
}

/// Transmits and returns all frames that are ready at a port.
pub(crate) fn drain(switch: &mut Switch, port: u16) -> Vec<Vec<u8>> {
    std::iter::from_fn(|| switch.transmit(Time::ZERO, port)).map(|frame| bytes(&frame)).collect()
}

pub(crate) fn bytes(frame: &Frame) -> Vec<u8> {
    let mut bytes = frame.head.to_vec();
    bytes.resize(frame.len() as usize, 0);
    bytes
}

/// A small router: Ethernet, IPv4, longest-prefix match, TTL and checksum.
pub(crate) fn router(size: u64) -> Arc<Program> {
    let mut b = Builder::new();
    let ethernet = b.header("hdr.ethernet", &[("dst", 48), ("src", 48), ("type", 16)]);
    let ipv4 = b.header(
        "hdr.ipv4",
        &[
            ("version", 4),
            ("ihl", 4),
            ("tos", 8),
            ("length", 16),
            ("id", 16),
            ("flags", 3),
            ("offset", 13),
            ("ttl", 8),
            ("protocol", 8),
            ("checksum", 16),
            ("src", 32),
            ("dst", 32),
        ],
    );
    let extract = |header| Stmt::Extract(HeaderRef::Static(header));
    let keys = vec![b.read(b.field(ethernet, 2))];
    let cases = vec![
        SelectCase {
            patterns: vec![Pattern::Value(Bits::new(16, 0x0800))],
            target: Target::State(StateId(1)),
        },
        SelectCase { patterns: vec![Pattern::Any], target: Target::Accept },
    ];
    b.state(vec![extract(ethernet)], Transition::Select { keys, cases });
    b.state(vec![extract(ipv4)], Transition::Accept);
    let drop = b.action("ingress.drop", &[], |_, _| vec![Stmt::Extern(ExternCall::MarkToDrop)]);
    let forward = b.action("ingress.forward", &[("mac", 48), ("port", 9)], |b, params| {
        let ttl = b.field(ipv4, 7);
        vec![
            Stmt::Assign(b.field(ethernet, 1), b.read(b.field(ethernet, 0))),
            Stmt::Assign(b.field(ethernet, 0), b.read(params[0])),
            Stmt::Assign(ttl, binary(BinaryOp::Sub, b.read(ttl), number(8, 1))),
            Stmt::Assign(b.standard("egress_spec"), b.read(params[1])),
        ]
    });
    let routes = b.table("ingress.routes", &[(b.field(ipv4, 11), MatchKind::Lpm)], &[drop, forward], size);
    let valid = Expr { kind: ExprKind::IsValid(HeaderRef::Static(ipv4)), ty: ScalarKind::Unsigned(1) };
    let alive = binary(BinaryOp::Greater, b.read(b.field(ipv4, 7)), number(8, 1));
    b.program.ingress.body = vec![Stmt::If {
        condition: binary(BinaryOp::And, valid.clone(), alive),
        then: vec![apply(routes)],
        otherwise: vec![Stmt::Extern(ExternCall::MarkToDrop)],
    }];
    let checksum = |b: &Builder| Checksum {
        condition: valid.clone(),
        data: (0..12).filter(|i| *i != 9).map(|i| b.read(b.field(ipv4, i))).collect(),
        field: b.field(ipv4, 9),
        algorithm: HashAlgorithm::Csum16,
        with_payload: false,
    };
    b.program.verify_checksum.body = vec![Stmt::Extern(ExternCall::VerifyChecksum(checksum(&b)))];
    b.program.compute_checksum.body = vec![Stmt::Extern(ExternCall::UpdateChecksum(checksum(&b)))];
    b.program.deparser.body =
        vec![Stmt::Emit(HeaderRef::Static(ethernet)), Stmt::Emit(HeaderRef::Static(ipv4))];
    b.finish()
}
