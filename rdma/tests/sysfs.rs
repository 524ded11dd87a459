//! Which port is chosen, from files as the kernel has them.

use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use harrier_rdma::{Error, GidKind, Library, LinkLayer, choose, ports};

/// A tree of sysfs, removed with this.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str) -> Tree {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sysfs-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Tree(path)
    }

    /// Adds a device with one port. `gids`: type and address by index.
    fn device(&self, name: &str, state: &str, link_layer: &str, gids: &[(&str, &str)]) -> &Tree {
        let device = self.0.join("class/infiniband").join(name);
        let port = device.join("ports/1");
        for folder in ["gids", "gid_attrs/types"] {
            fs::create_dir_all(port.join(folder)).unwrap();
        }
        let write = |file: &str, text: &str| fs::write(port.join(file), format!("{text}\n")).unwrap();
        write("state", state);
        write("link_layer", link_layer);
        for (index, (kind, address)) in gids.iter().enumerate() {
            write(&format!("gids/{index}"), address);
            if !kind.is_empty() {
                write(&format!("gid_attrs/types/{index}"), kind);
            }
        }
        let driver = self.0.join("bus/pci/drivers/mlx5_core");
        fs::create_dir_all(&driver).unwrap();
        fs::create_dir_all(device.join("device")).unwrap();
        symlink(&driver, device.join("device/driver")).unwrap();
        self
    }

    fn choose(&self, device: Option<&str>, own: &str) -> Result<(String, u8), Error> {
        let own: IpAddr = own.parse().unwrap();
        let ports = ports(&self.0)?;
        choose(&ports, device, &[own]).map(|port| (port.device.clone(), port.gid_of(own).unwrap()))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const EMPTY: &str = "0000:0000:0000:0000:0000:0000:0000:0000";
const LINK_LOCAL: &str = "fe80:0000:0000:0000:0000:0000:0000:0001";
const OWN: &str = "0000:0000:0000:0000:0000:ffff:0a00:0001";

#[test]
fn ports_have_their_addresses_with_types() {
    let tree = Tree::new("types");
    let gids = [
        ("IB/RoCE v1", LINK_LOCAL),
        ("RoCE v2", LINK_LOCAL),
        ("IB/RoCE v1", OWN),
        ("RoCE v2", OWN),
        ("", EMPTY),
    ];
    tree.device("mlx5_0", "4: ACTIVE", "Ethernet", &gids).device("mlx5_1", "1: DOWN", "InfiniBand", &[]);
    let found = ports(&tree.0).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].driver.as_deref(), Some("mlx5_core"));
    assert_eq!((found[0].is_active, found[0].link_layer), (true, LinkLayer::Ethernet));
    assert_eq!((found[1].is_active, found[1].link_layer), (false, LinkLayer::InfiniBand));
    let kinds: Vec<_> = found[0].gids.iter().map(|gid| gid.kind).collect();
    assert_eq!(kinds, [GidKind::Other, GidKind::RoceV2, GidKind::Other, GidKind::RoceV2]);
    assert_eq!(tree.choose(None, "10.0.0.1").unwrap(), ("mlx5_0".into(), 3), "RoCEv2, not RoCEv1");
}

#[test]
fn the_port_with_an_own_address_is_chosen() {
    let tree = Tree::new("own");
    let other = "0000:0000:0000:0000:0000:ffff:0a00:0002";
    tree.device("rdma0", "4: ACTIVE", "Ethernet", &[("RoCE v2", other)]);
    tree.device("rdma1", "4: ACTIVE", "Ethernet", &[("RoCE v2", OWN)]);
    assert_eq!(tree.choose(None, "10.0.0.1").unwrap().0, "rdma1");
    assert_eq!(tree.choose(Some("rdma0"), "10.0.0.2").unwrap().0, "rdma0");
    let error = tree.choose(Some("rdma0"), "10.0.0.1").unwrap_err();
    assert!(
        error.to_string().starts_with("no active port of `rdma0` has a RoCEv2 GID of 10.0.0.1;"),
        "{error}"
    );
    assert!(error.is_absence());
}

#[test]
fn what_is_missing_is_stated_with_what_to_do() {
    let tree = Tree::new("missing");
    let text = |device, own| tree.choose(device, own).unwrap_err().to_string();
    assert!(text(None, "10.0.0.1").starts_with("this host has no RDMA device; load the driver"));
    tree.device("rdma0", "1: DOWN", "Ethernet", &[("RoCE v2", OWN)]);
    assert!(text(None, "10.0.0.1").starts_with("no Ethernet port of `rdma0` is active; check cable"));
    assert_eq!(text(Some("rdma7"), "10.0.0.1"), "this host has no RDMA device `rdma7`; it has `rdma0`");
    // A named device that is absent is a mistake on every host.
    assert!(!tree.choose(Some("rdma7"), "10.0.0.1").unwrap_err().is_absence());
}

#[test]
fn a_missing_library_is_stated_with_packages_to_install() {
    let error = Library::load(Some(Path::new("/nonexistent/libibverbs.so.1"))).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("/nonexistent/libibverbs.so.1") && text.contains("libibverbs1"), "{text}");
    assert!(error.is_absence());
}

#[test]
fn another_library_is_refused() {
    let error = Library::load(Some(Path::new("libc.so.6"))).unwrap_err();
    assert!(error.to_string().contains("has no function ibv_get_device_list"), "{error}");
}

/// The real library, where it is installed, on a machine without RDMA.
#[test]
fn the_real_library_lists_no_device_without_one() {
    let Ok(library) = Library::load(None) else { return };
    if !Path::new("/sys/class/infiniband").exists() {
        match library.devices() {
            Ok(devices) => assert!(devices.is_empty(), "{devices:?}"),
            Err(error) => assert!(matches!(error, Error::NoDevice), "{error}"),
        }
    }
}
