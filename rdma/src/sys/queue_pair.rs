//! Queue pairs and the addresses of peers.

use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use super::layout::{
    self, ACCESS_REMOTE_WRITE, AhAttr, GlobalRoute, QpAttr, QpCap, QpInitAttr, RecvWr, SendWr, Sge, Target,
    UdTarget, mask,
};
use super::{Domain, Memory, Queue, check, last_os_error, limit, nothing};
use crate::Error;

/// Which transport a queue pair has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Datagrams.
    Ud,
    /// A connection.
    Rc,
}

/// The way to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// The own port.
    pub(crate) port: u8,
    /// Index of the own GID.
    pub(crate) own_gid: u8,
    /// The peer's GID.
    pub(crate) peer_gid: [u8; 16],
    /// Flow label.
    pub(crate) flow_label: u32,
    /// DSCP and ECN of packets.
    pub(crate) traffic_class: u8,
    /// Maximum routers on the way.
    pub(crate) hop_limit: u8,
}

impl Route {
    fn attr(&self) -> AhAttr {
        let half = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&self.peer_gid[at..at + 8]);
            // The bytes stay in their order.
            u64::from_ne_bytes(bytes)
        };
        AhAttr {
            grh: GlobalRoute {
                dgid: [half(0), half(8)],
                flow_label: self.flow_label,
                sgid_index: self.own_gid,
                hop_limit: self.hop_limit,
                traffic_class: self.traffic_class,
            },
            dlid: 0,
            sl: 0,
            src_path_bits: 0,
            static_rate: 0,
            is_global: 1,
            port_num: self.port,
        }
    }
}

/// The address of a peer for datagrams.
pub(crate) struct AddressHandle {
    domain: Rc<Domain>,
    raw: NonNull<layout::AddressHandle>,
}

impl std::fmt::Debug for AddressHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AddressHandle").finish_non_exhaustive()
    }
}

impl AddressHandle {
    /// Resolves the route, for which the kernel needs a neighbour or router.
    pub(crate) fn new(domain: &Rc<Domain>, route: &Route) -> Result<AddressHandle, Error> {
        let mut attr = route.attr();
        // SAFETY: the domain exists, and the pointer refers to `attr` for the duration of the call.
        let raw = unsafe { (domain.context.functions().ibv_create_ah)(domain.raw.as_ptr(), &raw mut attr) };
        let raw = NonNull::new(raw).ok_or_else(|| limit("an address handle", last_os_error()))?;
        Ok(AddressHandle { domain: domain.clone(), raw })
    }
}

impl Drop for AddressHandle {
    fn drop(&mut self) {
        // SAFETY: it exists and is destroyed once. Sends that are under way have copied the address when they were posted.
        unsafe { (self.domain.context.functions().ibv_destroy_ah)(self.raw.as_ptr()) };
    }
}

/// A queue pair. Its queues complete in one completion queue.
pub(crate) struct QueuePair {
    domain: Rc<Domain>,
    /// Destroyed after the queue pair, as the memory.
    _queue: Rc<Queue>,
    memory: Option<Rc<Memory>>,
    raw: NonNull<layout::Qp>,
}

impl std::fmt::Debug for QueuePair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueuePair").field("number", &self.number()).finish_non_exhaustive()
    }
}

impl QueuePair {
    /// Creates a queue pair with so many sends and receives at a time, which use `memory`.
    pub(crate) fn new(
        domain: &Rc<Domain>,
        queue: &Rc<Queue>,
        memory: Option<Rc<Memory>>,
        kind: Kind,
        (sends, receives): (u32, u32),
    ) -> Result<QueuePair, Error> {
        let cap = QpCap {
            max_send_wr: sends,
            max_recv_wr: receives,
            max_send_sge: 1,
            max_recv_sge: 1,
            max_inline_data: 0,
        };
        let mut attr = QpInitAttr {
            qp_context: nothing(),
            send_cq: queue.raw(),
            recv_cq: queue.raw(),
            srq: nothing(),
            cap,
            qp_type: if kind == Kind::Ud { layout::QPT_UD } else { layout::QPT_RC },
            sq_sig_all: 1,
        };
        // SAFETY: domain and queue exist, and the pointer refers to `attr` for the duration of the call.
        let raw = unsafe { (domain.context.functions().ibv_create_qp)(domain.raw.as_ptr(), &raw mut attr) };
        let raw = NonNull::new(raw).ok_or_else(|| limit("a queue pair", last_os_error()))?;
        Ok(QueuePair { domain: domain.clone(), _queue: queue.clone(), memory, raw })
    }

    /// Returns the number, of 24 bits.
    pub(crate) fn number(&self) -> u32 {
        // SAFETY: the queue pair exists, and its number does not change.
        unsafe { (*self.raw.as_ptr()).qp_num }
    }

    /// Makes it ready to receive and send datagrams.
    pub(crate) fn start_ud(&self, port: u8, q_key: u32) -> Result<(), Error> {
        let attr = QpAttr { qp_state: layout::QPS_INIT, port_num: port, qkey: q_key, ..zero() };
        self.modify(attr, mask::STATE | mask::PKEY_INDEX | mask::PORT | mask::QKEY)?;
        self.modify(QpAttr { qp_state: layout::QPS_RTR, ..zero() }, mask::STATE)?;
        self.modify(QpAttr { qp_state: layout::QPS_RTS, ..zero() }, mask::STATE | mask::SQ_PSN)
    }

    /// Prepares a connection. A peer may write only with a key for memory of the same domain that permits it.
    pub(crate) fn prepare_rc(&self, port: u8) -> Result<(), Error> {
        let attr = QpAttr {
            qp_state: layout::QPS_INIT,
            port_num: port,
            qp_access_flags: ACCESS_REMOTE_WRITE,
            ..zero()
        };
        self.modify(attr, mask::STATE | mask::PKEY_INDEX | mask::PORT | mask::ACCESS_FLAGS)
    }

    /// Connects to a peer: ready to receive from it.
    pub(crate) fn receive_from(&self, route: &Route, peer: u32, peer_psn: u32, mtu: u8) -> Result<(), Error> {
        let attr = QpAttr {
            qp_state: layout::QPS_RTR,
            ah_attr: route.attr(),
            path_mtu: mtu.into(),
            dest_qp_num: peer,
            rq_psn: peer_psn,
            // 0.64 ms; never used, because nothing is sent that needs a receive.
            min_rnr_timer: 12,
            ..zero()
        };
        let bits = mask::STATE
            | mask::AV
            | mask::PATH_MTU
            | mask::DEST_QPN
            | mask::RQ_PSN
            | mask::MAX_DEST_RD_ATOMIC
            | mask::MIN_RNR_TIMER;
        self.modify(attr, bits)
    }

    /// Makes a connection ready to send. An acknowledgement is missing after 4.096 us x 2^`timeout`, and the packet is sent
    /// again `retries` times.
    pub(crate) fn send_from(&self, own_psn: u32, timeout: u8, retries: u8) -> Result<(), Error> {
        let attr = QpAttr {
            qp_state: layout::QPS_RTS,
            sq_psn: own_psn,
            timeout,
            retry_cnt: retries,
            rnr_retry: retries,
            ..zero()
        };
        let bits = mask::STATE
            | mask::SQ_PSN
            | mask::TIMEOUT
            | mask::RETRY_CNT
            | mask::RNR_RETRY
            | mask::MAX_QP_RD_ATOMIC;
        self.modify(attr, bits)
    }

    fn modify(&self, mut attr: QpAttr, bits: c_int) -> Result<(), Error> {
        // SAFETY: the queue pair exists, and the pointer refers to `attr` for the duration of the call.
        let result = unsafe {
            (self.domain.context.functions().ibv_modify_qp)(self.raw.as_ptr(), &raw mut attr, bits)
        };
        check("change the state of a queue pair", result)
    }

    /// Offers a part of the memory to the next datagram.
    pub(crate) fn post_receive(&self, offset: usize, length: usize, id: u64) -> Result<(), Error> {
        let Some(memory) = &self.memory else { return Err(super::queue_unsupported("receive")) };
        let mut part = memory.part(offset, length);
        let mut request = RecvWr { wr_id: id, next: ptr::null_mut(), sg_list: &raw mut part, num_sge: 1 };
        let mut bad = ptr::null_mut();
        // SAFETY: the context is open and its table was filled when it was opened.
        let function = unsafe { (*self.domain.context.raw.as_ptr()).ops.post_recv };
        let function = function.ok_or_else(|| super::queue_unsupported("receive"))?;
        // SAFETY: the queue pair exists; request and list are copied by the call. The memory that the device writes later is
        // registered, is only accessed atomically, and outlives the queue pair, which holds a reference to it.
        check("offer memory for datagrams", unsafe {
            function(self.raw.as_ptr(), &raw mut request, &raw mut bad)
        })
    }

    /// Sends a part of the memory to a queue pair of a peer.
    pub(crate) fn post_datagram(
        &self,
        (offset, length): (usize, usize),
        to: &AddressHandle,
        (peer, q_key): (u32, u32),
        id: u64,
    ) -> Result<(), Error> {
        let Some(memory) = &self.memory else { return Err(super::queue_unsupported("send")) };
        let mut part = memory.part(offset, length);
        let ud = UdTarget { ah: to.raw.as_ptr(), remote_qpn: peer, remote_qkey: q_key };
        self.post(Some(&mut part), layout::WR_SEND, Target { ud }, id)
    }

    /// Writes nothing to the peer of a connection, which its NIC acknowledges.
    pub(crate) fn post_empty_write(&self, id: u64) -> Result<(), Error> {
        let rdma = layout::RdmaTarget { remote_addr: 0, rkey: 0 };
        self.post(None, layout::WR_RDMA_WRITE, Target { rdma }, id)
    }

    fn post(&self, part: Option<&mut Sge>, opcode: u32, wr: Target, id: u64) -> Result<(), Error> {
        let num_sge = c_int::from(part.is_some());
        let mut request = SendWr {
            wr_id: id,
            next: ptr::null_mut(),
            sg_list: part.map_or(ptr::null_mut(), ptr::from_mut),
            num_sge,
            opcode,
            send_flags: layout::SEND_SIGNALED,
            imm_data: 0,
            wr,
            qp_type: 0,
            rest: [0; 6],
        };
        let mut bad = ptr::null_mut();
        // SAFETY: the context is open and its table was filled when it was opened.
        let function = unsafe { (*self.domain.context.raw.as_ptr()).ops.post_send };
        let function = function.ok_or_else(|| super::queue_unsupported("send"))?;
        // SAFETY: queue pair and address exist; request and list are copied by the call. The memory that the device reads
        // later is registered and outlives the queue pair, which holds a reference to it.
        check("send", unsafe { function(self.raw.as_ptr(), &raw mut request, &raw mut bad) })
    }
}

fn zero() -> QpAttr {
    // SAFETY: the structure consists of integers, for which zero is a value.
    unsafe { zeroed() }
}

impl Drop for QueuePair {
    fn drop(&mut self) {
        // SAFETY: the queue pair exists and is destroyed once, before what it uses: fields are dropped after this.
        unsafe { (self.domain.context.functions().ibv_destroy_qp)(self.raw.as_ptr()) };
    }
}
