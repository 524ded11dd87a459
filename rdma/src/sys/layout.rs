//! Layouts of libibverbs: structures of `infiniband/verbs.h` of rdma-core 44 (Debian package libibverbs-dev 44.0), whose
//! interface is stable since library version 1.1. Only fields that are used have their names; `tests/layout.rs` compares sizes and
//! offsets with the header.
//!
//! Enumerations of C are integers here, so that a value that is unknown to this crate is no undefined behaviour.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `IBV_LINK_LAYER_ETHERNET`.
pub(crate) const LINK_LAYER_ETHERNET: u8 = 2;
/// `IBV_PORT_ACTIVE`.
pub(crate) const PORT_ACTIVE: c_uint = 4;
/// `IBV_QPT_RC`, `IBV_QPT_UD`.
pub(crate) const QPT_RC: c_uint = 2;
pub(crate) const QPT_UD: c_uint = 4;
/// `IBV_QPS_INIT`, `IBV_QPS_RTR`, `IBV_QPS_RTS`.
pub(crate) const QPS_INIT: c_uint = 1;
pub(crate) const QPS_RTR: c_uint = 2;
pub(crate) const QPS_RTS: c_uint = 3;
/// `IBV_WC_SUCCESS`.
pub(crate) const WC_SUCCESS: c_uint = 0;
/// `IBV_WC_GRH`.
pub(crate) const WC_GRH: c_uint = 1;
/// `IBV_WR_RDMA_WRITE`, `IBV_WR_SEND`.
pub(crate) const WR_RDMA_WRITE: c_uint = 0;
pub(crate) const WR_SEND: c_uint = 2;
/// `IBV_SEND_SIGNALED`.
pub(crate) const SEND_SIGNALED: c_uint = 2;
/// `IBV_ACCESS_LOCAL_WRITE`, `IBV_ACCESS_REMOTE_WRITE`.
pub(crate) const ACCESS_LOCAL_WRITE: c_int = 1;
pub(crate) const ACCESS_REMOTE_WRITE: c_uint = 2;

/// Bits of `enum ibv_qp_attr_mask`.
pub(crate) mod mask {
    use std::ffi::c_int;

    pub(crate) const STATE: c_int = 1;
    pub(crate) const ACCESS_FLAGS: c_int = 1 << 3;
    pub(crate) const PKEY_INDEX: c_int = 1 << 4;
    pub(crate) const PORT: c_int = 1 << 5;
    pub(crate) const QKEY: c_int = 1 << 6;
    pub(crate) const AV: c_int = 1 << 7;
    pub(crate) const PATH_MTU: c_int = 1 << 8;
    pub(crate) const TIMEOUT: c_int = 1 << 9;
    pub(crate) const RETRY_CNT: c_int = 1 << 10;
    pub(crate) const RNR_RETRY: c_int = 1 << 11;
    pub(crate) const RQ_PSN: c_int = 1 << 12;
    pub(crate) const MAX_QP_RD_ATOMIC: c_int = 1 << 13;
    pub(crate) const MIN_RNR_TIMER: c_int = 1 << 15;
    pub(crate) const SQ_PSN: c_int = 1 << 16;
    pub(crate) const MAX_DEST_RD_ATOMIC: c_int = 1 << 17;
    pub(crate) const DEST_QPN: c_int = 1 << 20;
}

/// Objects of which only the address is used.
macro_rules! opaque {
    ($($name:ident),*) => {$(
        #[repr(C)]
        pub(crate) struct $name {
            _private: [u8; 0],
        }
    )*};
}

opaque!(Device, Domain, AddressHandle);

/// Structures, and the list of their fields for the comparison with the header. The name of a C structure is in front of
/// the fields; a field without a name in C is not in the list. With `~` the structure is the start of a longer one.
macro_rules! structures {
    ($($(#[$meta:meta])* $name:ident = $c_name:literal { $($field:ident: $type:ty = $c_field:literal,)* })*) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            #[derive(Clone, Copy)]
            #[allow(dead_code, reason = "the library reads or writes fields that this crate does not")]
            pub(crate) struct $name {
                $(pub(crate) $field: $type,)*
            }
        )*

        /// Returns the structure's name, the field's name, its offset and its size; a structure as a whole has no field.
        pub fn layouts() -> Vec<(&'static str, &'static str, usize, usize)> {
            let mut all = Vec::new();
            $(
                if !$c_name.starts_with('~') {
                    all.push(($c_name, "", 0, size_of::<$name>()));
                }
                $(
                    if !$c_field.is_empty() {
                        let c_name = $c_name.trim_start_matches('~');
                        all.push((c_name, $c_field, std::mem::offset_of!($name, $field), size_of::<$type>()));
                    }
                )*
            )*
            all
        }
    };
}

structures! {
    /// A port.
    PortAttr = "ibv_port_attr" {
        state: c_uint = "state",
        max_mtu: c_uint = "max_mtu",
        active_mtu: c_uint = "active_mtu",
        gid_tbl_len: c_int = "gid_tbl_len",
        port_cap_flags: u32 = "port_cap_flags",
        max_msg_sz: u32 = "max_msg_sz",
        bad_pkey_cntr: u32 = "bad_pkey_cntr",
        qkey_viol_cntr: u32 = "qkey_viol_cntr",
        pkey_tbl_len: u16 = "pkey_tbl_len",
        lid: u16 = "lid",
        sm_lid: u16 = "sm_lid",
        lmc: u8 = "lmc",
        max_vl_num: u8 = "max_vl_num",
        sm_sl: u8 = "sm_sl",
        subnet_timeout: u8 = "subnet_timeout",
        init_type_reply: u8 = "init_type_reply",
        active_width: u8 = "active_width",
        active_speed: u8 = "active_speed",
        phys_state: u8 = "phys_state",
        link_layer: u8 = "link_layer",
        flags: u8 = "flags",
        port_cap_flags2: u16 = "port_cap_flags2",
    }

    /// The functions of a driver that are called through the context.
    ContextOps = "ibv_context_ops" {
        first: [*mut c_void; 11] = "",
        poll_cq: Option<unsafe extern "C" fn(*mut Cq, c_int, *mut Wc) -> c_int> = "poll_cq",
        req_notify_cq: Option<unsafe extern "C" fn(*mut Cq, c_int) -> c_int> = "req_notify_cq",
        middle: [*mut c_void; 12] = "",
        post_send: Option<unsafe extern "C" fn(*mut Qp, *mut SendWr, *mut *mut SendWr) -> c_int> = "post_send",
        post_recv: Option<unsafe extern "C" fn(*mut Qp, *mut RecvWr, *mut *mut RecvWr) -> c_int> = "post_recv",
        last: [*mut c_void; 5] = "",
    }

    /// An open device: its first fields. The library allocates it.
    ContextHead = "~ibv_context" {
        device: *mut Device = "device",
        ops: ContextOps = "ops",
    }

    /// A completion channel: a descriptor that is readable after a completion.
    CompChannel = "ibv_comp_channel" {
        context: *mut ContextHead = "context",
        fd: c_int = "fd",
        refcnt: c_int = "refcnt",
    }

    /// A completion queue: its first fields. The library allocates it.
    Cq = "~ibv_cq" {
        context: *mut ContextHead = "context",
    }

    /// A queue pair: its first fields. The library allocates it.
    Qp = "~ibv_qp" {
        context: *mut ContextHead = "context",
        qp_context: *mut c_void = "qp_context",
        pd: *mut Domain = "pd",
        send_cq: *mut Cq = "send_cq",
        recv_cq: *mut Cq = "recv_cq",
        srq: *mut c_void = "srq",
        handle: u32 = "handle",
        qp_num: u32 = "qp_num",
    }

    /// A memory region.
    Mr = "ibv_mr" {
        context: *mut ContextHead = "context",
        pd: *mut Domain = "pd",
        addr: *mut c_void = "addr",
        length: usize = "length",
        handle: u32 = "handle",
        lkey: u32 = "lkey",
        rkey: u32 = "rkey",
    }

    /// Sizes of the queues of a queue pair.
    QpCap = "ibv_qp_cap" {
        max_send_wr: u32 = "max_send_wr",
        max_recv_wr: u32 = "max_recv_wr",
        max_send_sge: u32 = "max_send_sge",
        max_recv_sge: u32 = "max_recv_sge",
        max_inline_data: u32 = "max_inline_data",
    }

    /// How a queue pair is created.
    QpInitAttr = "ibv_qp_init_attr" {
        qp_context: *mut c_void = "qp_context",
        send_cq: *mut Cq = "send_cq",
        recv_cq: *mut Cq = "recv_cq",
        srq: *mut c_void = "srq",
        cap: QpCap = "cap",
        qp_type: c_uint = "qp_type",
        sq_sig_all: c_int = "sq_sig_all",
    }

    /// The route to a peer.
    GlobalRoute = "ibv_global_route" {
        dgid: [u64; 2] = "dgid",
        flow_label: u32 = "flow_label",
        sgid_index: u8 = "sgid_index",
        hop_limit: u8 = "hop_limit",
        traffic_class: u8 = "traffic_class",
    }

    /// The address of a peer.
    AhAttr = "ibv_ah_attr" {
        grh: GlobalRoute = "grh",
        dlid: u16 = "dlid",
        sl: u8 = "sl",
        src_path_bits: u8 = "src_path_bits",
        static_rate: u8 = "static_rate",
        is_global: u8 = "is_global",
        port_num: u8 = "port_num",
    }

    /// How a queue pair changes its state.
    QpAttr = "ibv_qp_attr" {
        qp_state: c_uint = "qp_state",
        cur_qp_state: c_uint = "cur_qp_state",
        path_mtu: c_uint = "path_mtu",
        path_mig_state: c_uint = "path_mig_state",
        qkey: u32 = "qkey",
        rq_psn: u32 = "rq_psn",
        sq_psn: u32 = "sq_psn",
        dest_qp_num: u32 = "dest_qp_num",
        qp_access_flags: c_uint = "qp_access_flags",
        cap: QpCap = "cap",
        ah_attr: AhAttr = "ah_attr",
        alt_ah_attr: AhAttr = "alt_ah_attr",
        pkey_index: u16 = "pkey_index",
        alt_pkey_index: u16 = "alt_pkey_index",
        en_sqd_async_notify: u8 = "en_sqd_async_notify",
        sq_draining: u8 = "sq_draining",
        max_rd_atomic: u8 = "max_rd_atomic",
        max_dest_rd_atomic: u8 = "max_dest_rd_atomic",
        min_rnr_timer: u8 = "min_rnr_timer",
        port_num: u8 = "port_num",
        timeout: u8 = "timeout",
        retry_cnt: u8 = "retry_cnt",
        rnr_retry: u8 = "rnr_retry",
        alt_port_num: u8 = "alt_port_num",
        alt_timeout: u8 = "alt_timeout",
        rate_limit: u32 = "rate_limit",
    }

    /// A piece of memory.
    Sge = "ibv_sge" {
        addr: u64 = "addr",
        length: u32 = "length",
        lkey: u32 = "lkey",
    }

    /// The receiver of a datagram, in a work request.
    UdTarget = "~ibv_send_wr.wr.ud" {
        ah: *mut AddressHandle = "ah",
        remote_qpn: u32 = "remote_qpn",
        remote_qkey: u32 = "remote_qkey",
    }

    /// The memory of a peer, in a work request.
    RdmaTarget = "~ibv_send_wr.wr.rdma" {
        remote_addr: u64 = "remote_addr",
        rkey: u32 = "rkey",
    }

    /// A receive.
    RecvWr = "ibv_recv_wr" {
        wr_id: u64 = "wr_id",
        next: *mut RecvWr = "next",
        sg_list: *mut Sge = "sg_list",
        num_sge: c_int = "num_sge",
    }

    /// A send or write.
    SendWr = "ibv_send_wr" {
        wr_id: u64 = "wr_id",
        next: *mut SendWr = "next",
        sg_list: *mut Sge = "sg_list",
        num_sge: c_int = "num_sge",
        opcode: c_uint = "opcode",
        send_flags: c_uint = "send_flags",
        imm_data: u32 = "imm_data",
        wr: Target = "wr",
        qp_type: u32 = "qp_type",
        rest: [u64; 6] = "",
    }

    /// A completion.
    Wc = "ibv_wc" {
        wr_id: u64 = "wr_id",
        status: c_uint = "status",
        opcode: c_uint = "opcode",
        vendor_err: u32 = "vendor_err",
        byte_len: u32 = "byte_len",
        imm_data: u32 = "imm_data",
        qp_num: u32 = "qp_num",
        src_qp: u32 = "src_qp",
        wc_flags: c_uint = "wc_flags",
        pkey_index: u16 = "pkey_index",
        slid: u16 = "slid",
        sl: u8 = "sl",
        dlid_path_bits: u8 = "dlid_path_bits",
    }
}

/// What a send refers to at the peer; the longest member, of atomic operations, has 32 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union Target {
    pub(crate) rdma: RdmaTarget,
    pub(crate) ud: UdTarget,
    atomic: [u64; 4],
}

/// The functions of the library that are called.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Functions of a loaded library.
        #[derive(Clone, Copy)]
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// Fills the table with the addresses that `find` returns.
            ///
            /// # Safety
            /// Each address is that of a function of C with the type that `infiniband/verbs.h` declares for its name.
            pub(super) unsafe fn fill<E>(
                mut find: impl FnMut(&'static str) -> Result<std::ptr::NonNull<c_void>, E>,
            ) -> Result<Functions, E> {
                Ok(Functions {
                    $($name: {
                        let address = find(stringify!($name))?;
                        // SAFETY: a pointer to a function has the size of a pointer on Linux, and the caller ensures that
                        // the address is a function of this type.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(address.as_ptr())
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    ibv_get_device_list: fn(*mut c_int) -> *mut *mut Device;
    ibv_free_device_list: fn(*mut *mut Device);
    ibv_get_device_name: fn(*mut Device) -> *const c_char;
    ibv_open_device: fn(*mut Device) -> *mut ContextHead;
    ibv_close_device: fn(*mut ContextHead) -> c_int;
    ibv_query_port: fn(*mut ContextHead, u8, *mut PortAttr) -> c_int;
    ibv_alloc_pd: fn(*mut ContextHead) -> *mut Domain;
    ibv_dealloc_pd: fn(*mut Domain) -> c_int;
    ibv_reg_mr: fn(*mut Domain, *mut c_void, usize, c_int) -> *mut Mr;
    ibv_dereg_mr: fn(*mut Mr) -> c_int;
    ibv_create_comp_channel: fn(*mut ContextHead) -> *mut CompChannel;
    ibv_destroy_comp_channel: fn(*mut CompChannel) -> c_int;
    ibv_get_cq_event: fn(*mut CompChannel, *mut *mut Cq, *mut *mut c_void) -> c_int;
    ibv_ack_cq_events: fn(*mut Cq, c_uint);
    ibv_create_cq: fn(*mut ContextHead, c_int, *mut c_void, *mut CompChannel, c_int) -> *mut Cq;
    ibv_destroy_cq: fn(*mut Cq) -> c_int;
    ibv_create_qp: fn(*mut Domain, *mut QpInitAttr) -> *mut Qp;
    ibv_modify_qp: fn(*mut Qp, *mut QpAttr, c_int) -> c_int;
    ibv_destroy_qp: fn(*mut Qp) -> c_int;
    ibv_create_ah: fn(*mut Domain, *mut AhAttr) -> *mut AddressHandle;
    ibv_destroy_ah: fn(*mut AddressHandle) -> c_int;
}
