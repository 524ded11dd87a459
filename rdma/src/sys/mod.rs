//! The calls of libibverbs: `infiniband/verbs.h` of rdma-core 44.
//!
//! This is the only module with unsafe code. Each function is safe to call: an object owns what the library created, keeps
//! alive what it depends on, and destroys it once. Two premises cannot be checked and hold for all proofs:
//!
//! - The library is libibverbs, or behaves as its header says. Its path comes from the configuration.
//! - Objects do not leave the thread that made them (they are not `Send`), although the library permits it.
#![allow(unsafe_code, reason = "calls of a library without a safe wrapper, with a proof at each")]

pub(crate) mod layout;
mod memory;
mod queue;
mod queue_pair;

use std::ffi::{CStr, CString, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use self::layout::{ContextHead, Device, Domain as RawDomain, Functions, PORT_ACTIVE, PortAttr};
use crate::Error;

pub(crate) use self::memory::Memory;
pub(crate) use self::queue::Queue;
use self::queue::queue_unsupported;
pub(crate) use self::queue_pair::{AddressHandle, Kind, QueuePair, Route};

/// The functions of the loaded library.
#[derive(Clone, Copy)]
pub(crate) struct Verbs {
    functions: Functions,
}

impl std::fmt::Debug for Verbs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verbs").finish_non_exhaustive()
    }
}

impl Verbs {
    /// Loads the library and finds its functions. `dlsym(3)` returns the newest version of each, which is 1.1 or later.
    pub(crate) fn load(path: &Path) -> Result<Rc<Verbs>, Error> {
        let library = path.display().to_string();
        let missing = |reason: String| {
            // The linker repeats the name.
            let reason = reason.trim_start_matches(&format!("{library}: ")).to_string();
            Error::LibraryMissing { library: library.clone(), reason }
        };
        let name = CString::new(path.as_os_str().as_bytes())
            .map_err(|_| missing("the path has a zero byte".to_string()))?;
        // SAFETY: the name is a C string that outlives the call. The initialisers of the library run: the premise of this
        // module.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let handle = NonNull::new(handle).ok_or_else(|| missing(last_error()))?;
        let find = |function: &'static str| {
            let not_verbs = || Error::NotVerbs { library: library.clone(), function };
            let name = CString::new(function).map_err(|_| not_verbs())?;
            // SAFETY: the handle is that of a loaded library, which is never closed, and the name is a C string that
            // outlives the call.
            NonNull::new(unsafe { libc::dlsym(handle.as_ptr(), name.as_ptr()) }).ok_or_else(not_verbs)
        };
        // SAFETY: the library is libibverbs (the premise of this module), whose functions have the types of its header.
        let functions = unsafe { Functions::fill(find) }?;
        Ok(Rc::new(Verbs { functions }))
    }
}

/// Returns the text of the last error of the dynamic linker in this thread.
fn last_error() -> String {
    // SAFETY: dlerror(3) takes nothing; its state belongs to the thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown error".to_string();
    }
    // SAFETY: it is a C string until the next call of the dynamic linker in this thread, and it is copied before.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The list of devices while it is looked at.
struct DeviceList<'v> {
    verbs: &'v Verbs,
    list: NonNull<*mut Device>,
    count: usize,
}

impl DeviceList<'_> {
    fn read(verbs: &Verbs) -> Result<DeviceList<'_>, Error> {
        let mut count: c_int = 0;
        // SAFETY: the pointer refers to `count` for the duration of the call.
        let list = unsafe { (verbs.functions.ibv_get_device_list)(&raw mut count) };
        let list = NonNull::new(list).ok_or_else(|| match last_os_error().raw_os_error() {
            // The kernel has no RDMA.
            Some(libc::ENOSYS | libc::ENOENT) => Error::NoDevice,
            _ => Error::Call { what: "list RDMA devices", source: last_os_error() },
        })?;
        Ok(DeviceList { verbs, list, count: usize::try_from(count).unwrap_or(0) })
    }

    fn devices(&self) -> impl Iterator<Item = (String, *mut Device)> {
        (0..self.count).filter_map(|at| {
            // SAFETY: the library states that the list has `count` entries, and it exists until the drop of this.
            let device = unsafe { *self.list.as_ptr().add(at) };
            if device.is_null() {
                return None;
            }
            // SAFETY: the device is from the list, which exists.
            let name = unsafe { (self.verbs.functions.ibv_get_device_name)(device) };
            if name.is_null() {
                return None;
            }
            // SAFETY: the name is a C string that exists as long as the device, and it is copied.
            Some((unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(), device))
        })
    }
}

impl Drop for DeviceList<'_> {
    fn drop(&mut self) {
        // SAFETY: the list is from `ibv_get_device_list` and is freed once; open devices do not depend on it.
        unsafe { (self.verbs.functions.ibv_free_device_list)(self.list.as_ptr()) };
    }
}

/// Returns the names of all devices.
pub(crate) fn device_names(verbs: &Verbs) -> Result<Vec<String>, Error> {
    Ok(DeviceList::read(verbs)?.devices().map(|(name, _)| name).collect())
}

/// An open device.
pub(crate) struct Context {
    verbs: Rc<Verbs>,
    raw: NonNull<ContextHead>,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}

impl Context {
    /// Opens a device.
    pub(crate) fn open(verbs: &Rc<Verbs>, name: &str) -> Result<Rc<Context>, Error> {
        let list = DeviceList::read(verbs)?;
        let found = list.devices().find(|(found, _)| found == name);
        let (_, device) = found.ok_or_else(|| Error::NoProvider { device: name.to_string() })?;
        // SAFETY: the device is from the list, which exists during the call.
        let raw = unsafe { (verbs.functions.ibv_open_device)(device) };
        let raw = NonNull::new(raw).ok_or_else(|| failed("open the RDMA device", last_os_error()))?;
        Ok(Rc::new(Context { verbs: verbs.clone(), raw }))
    }

    /// Returns the state of a port.
    pub(crate) fn port(&self, number: u8) -> Result<PortState, Error> {
        // SAFETY: the structure consists of integers, for which zero is a value.
        let mut attr: PortAttr = unsafe { std::mem::zeroed() };
        // SAFETY: the device is open, and the pointer refers to `attr` for the duration of the call. The exported function
        // writes a prefix of this structure: `port_cap_flags2` stays 0.
        let result = unsafe { (self.functions().ibv_query_port)(self.raw.as_ptr(), number, &raw mut attr) };
        check("query the port", result)?;
        Ok(PortState { link_layer: attr.link_layer, state: attr.state, active_mtu: attr.active_mtu })
    }

    fn functions(&self) -> &Functions {
        &self.verbs.functions
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the device is open and is closed once; all that was made of it holds a reference to this and is gone.
        unsafe { (self.functions().ibv_close_device)(self.raw.as_ptr()) };
    }
}

/// The state of a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortState {
    pub(crate) link_layer: u8,
    state: u32,
    active_mtu: u32,
}

impl PortState {
    pub(crate) fn is_active(&self) -> bool {
        self.state == PORT_ACTIVE
    }

    /// Returns the code of the MTU: 1 for 256 bytes to 5 for 4096 bytes.
    pub(crate) fn active_mtu(&self) -> u8 {
        self.active_mtu.clamp(1, 5) as u8
    }
}

/// A protection domain: memory and queue pairs that may use it.
pub(crate) struct Domain {
    context: Rc<Context>,
    raw: NonNull<RawDomain>,
}

impl std::fmt::Debug for Domain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Domain").finish_non_exhaustive()
    }
}

impl Domain {
    /// Creates a domain.
    pub(crate) fn new(context: &Rc<Context>) -> Result<Rc<Domain>, Error> {
        // SAFETY: the device is open.
        let raw = unsafe { (context.functions().ibv_alloc_pd)(context.raw.as_ptr()) };
        let raw = NonNull::new(raw).ok_or_else(|| limit("a protection domain", last_os_error()))?;
        Ok(Rc::new(Domain { context: context.clone(), raw }))
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        // SAFETY: the domain exists and is freed once; what was made in it holds a reference to this and is gone.
        unsafe { (self.context.functions().ibv_dealloc_pd)(self.raw.as_ptr()) };
    }
}

fn last_os_error() -> io::Error {
    io::Error::last_os_error()
}

/// The error of a call that returns 0, an error number, or -1 with `errno`.
fn check(what: &'static str, result: c_int) -> Result<(), Error> {
    match result {
        0 => Ok(()),
        ..0 => Err(failed(what, last_os_error())),
        _ => Err(failed(what, io::Error::from_raw_os_error(result))),
    }
}

fn failed(what: &'static str, source: io::Error) -> Error {
    match source.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => Error::Permission { what, source },
        _ => Error::Call { what, source },
    }
}

fn limit(what: &'static str, source: io::Error) -> Error {
    Error::Limit { what, source }
}

/// A pointer that C takes and does not use.
fn nothing() -> *mut c_void {
    ptr::null_mut()
}
