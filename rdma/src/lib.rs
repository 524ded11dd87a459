//! Queue pairs of RDMA devices, through libibverbs, which is loaded at run time.
//!
//! A host without RDMA needs no library, and a build needs neither rdma-core nor a C compiler. What probes need is here and
//! nothing else: [`ports`] finds the ports of devices and their addresses in sysfs, [`Library`] loads libibverbs, a
//! [`UdQueuePair`] exchanges datagrams, and an [`RcQueuePair`] writes nothing to a peer, whose NIC acknowledges it.
//!
//! Only RoCEv2 is supported: peers are named by IP addresses, which are their GIDs. Ports of InfiniBand networks are
//! listed and cannot be opened.
//!
//! All of this was tested with a substitute of libibverbs in user space, never on RDMA hardware.

mod error;
mod flow_label;
mod grh;
mod ports;
mod rc;
mod sys;
mod ud;

use std::path::Path;
use std::rc::Rc;

pub use error::Error;
pub use flow_label::{FlowLabel, udp_source_port};
pub use ports::{Gid, GidKind, LinkLayer, Port, choose, gid_address, gid_bytes, ports};
pub use rc::{RC_DEPTH, RcCompletion, RcPort, RcQueuePair, RcRemote};
pub use ud::{Datagram, PAYLOAD_BYTES, UdDestination, UdQueuePair, UdRemote};

/// Layouts of C structures as this crate has them: the size of a structure, or the offset and size of a field. Tests
/// compare them with the header of rdma-core.
#[doc(hidden)]
pub use sys::layout::layouts;

/// What a loaded libibverbs offers. Belongs to the thread that loaded it.
#[derive(Clone, Debug)]
pub struct Library(Rc<sys::Verbs>);

impl Library {
    /// File name of the library in the search path of the dynamic linker.
    pub const NAME: &'static str = "libibverbs.so.1";

    /// Loads the library: [`Library::NAME`], or the file of a path. It stays loaded for as long as the process runs,
    /// because its drivers start threads. The path decides which code runs in this process: it must come from whom the
    /// process trusts, such as its configuration.
    ///
    /// # Errors
    /// There is no such library, or it lacks a function.
    pub fn load(path: Option<&Path>) -> Result<Library, Error> {
        sys::Verbs::load(path.unwrap_or(Path::new(Library::NAME))).map(Library)
    }

    /// Returns the names of the devices that the library can open, sorted.
    ///
    /// # Errors
    /// The kernel has no RDMA.
    pub fn devices(&self) -> Result<Vec<String>, Error> {
        let mut names = sys::device_names(&self.0)?;
        names.sort();
        Ok(names)
    }

    /// Opens a device and checks that the port is ready for RoCEv2.
    fn open(&self, port: &Port) -> Result<(Rc<sys::Context>, u8), Error> {
        let context = sys::Context::open(&self.0, &port.device)?;
        let (device, number) = (port.device.clone(), port.number);
        let state = context.port(number)?;
        if state.link_layer != sys::layout::LINK_LAYER_ETHERNET {
            return Err(Error::NotEthernet { device, port: number });
        }
        if !state.is_active() {
            return Err(Error::NotActive { device, port: number });
        }
        Ok((context, state.active_mtu()))
    }
}
