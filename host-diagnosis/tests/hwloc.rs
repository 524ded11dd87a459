//! The topology of a host from hwloc's XML.

use host_diagnosis::hostping::{LinkKind, Routes, read_hwloc};
use model::host::loopback::HostTopology;

/// Two sockets. At the first one a PCIe switch (root port, upstream port, downstream ports) with an RNIC and a GPU, and
/// the graphics of the baseboard; at the second one an RNIC at a root port of its own.
const TWO_SOCKETS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0">
  <object type="Package" os_index="0">
   <object type="NUMANode" os_index="0" local_memory="1"/>
   <object type="L3Cache" depth="3"><object type="Core" os_index="0"/></object>
   <object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[00-1f]">
    <object type="Bridge" bridge_type="1-1" depth="1" pci_busid="0000:00:01.0" pci_type="0604 [8086:2030] [0:0] 04">
     <object type="Bridge" bridge_type="1-1" depth="2" pci_busid="0000:01:00.0" pci_type="0604 [10b5:8796] [0:0] ab">
      <object type="Bridge" bridge_type="1-1" depth="3" pci_busid="0000:02:04.0" pci_type="0604 [10b5:8796] [0:0] ab">
       <object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0200 [15b3:101d] [15b3:0040] 00">
        <object type="OSDev" name="ens1" osdev_type="2"/>
        <object type="OSDev" name="mlx5_0" osdev_type="3"/>
       </object>
      </object>
      <object type="Bridge" bridge_type="1-1" depth="3" pci_busid="0000:02:08.0" pci_type="0604 [10b5:8796] [0:0] ab">
       <object type="PCIDev" pci_busid="0000:04:00.0" pci_type="0302 [10de:20b2] [10de:1463] a1">
        <object type="OSDev" name="cuda0" osdev_type="5"/>
        <object type="OSDev" name="nvml0" osdev_type="1"/>
       </object>
      </object>
     </object>
    </object>
    <object type="Bridge" bridge_type="1-1" depth="1" pci_busid="0000:00:1c.0" pci_type="0604 [8086:a190] [0:0] f9">
     <object type="PCIDev" pci_busid="0000:05:00.0" pci_type="0300 [1a03:2000] [0:0] 41"/>
    </object>
   </object>
  </object>
  <object type="Package" os_index="1">
   <object type="NUMANode" os_index="1" local_memory="1"/>
   <object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[80-9f]">
    <object type="Bridge" bridge_type="1-1" depth="1" pci_busid="0000:80:01.0" pci_type="0604 [8086:2030] [0:0] 04">
     <object type="PCIDev" pci_busid="0000:81:00.0" pci_type="0207 [15b3:101b] [15b3:0007] 00">
      <object type="OSDev" name="mlx5_1" osdev_type="3"/>
     </object>
    </object>
   </object>
  </object>
 </object>
</topology>
"#;

fn links(topology: &HostTopology) -> Vec<(String, String)> {
    let mut links: Vec<(String, String)> =
        topology.links.iter().map(|link| (link.name.clone(), link.between.join(" - "))).collect();
    links.sort();
    links
}

#[test]
fn bridges_become_the_switch_and_the_links_that_paths_share() {
    let topology = read_hwloc(TWO_SOCKETS).expect("the host is complete");
    let expected = [
        ("bridge 0000:01:00.0", "socket0 - bridge 0000:01:00.0"),
        ("memory0", "socket0 - memory0"),
        ("memory1", "socket1 - memory1"),
        ("mlx5_0", "bridge 0000:01:00.0 - mlx5_0"),
        ("mlx5_1", "socket1 - mlx5_1"),
        ("nvml0", "bridge 0000:01:00.0 - nvml0"),
        ("socket0-socket1", "socket0 - socket1"),
    ];
    assert_eq!(links(&topology), expected.map(|(name, ends)| (name.to_string(), ends.to_string())));
    let routes = Routes::new(&topology);
    let kinds = ["bridge 0000:01:00.0", "memory1", "mlx5_0", "nvml0", "socket0-socket1"];
    assert_eq!(
        kinds.map(|link| routes.link_kind(link).unwrap()),
        [
            LinkKind::RootPort,
            LinkKind::MemoryChannel,
            LinkKind::NicPcie,
            LinkKind::GpuPcie,
            LinkKind::InterSocket
        ]
    );
    let (path, crosses) = routes.path("mlx5_0", "nvml0").unwrap();
    assert_eq!((path, crosses), (vec!["mlx5_0", "nvml0"], false));
    let (path, crosses) = routes.path("mlx5_0", "memory1").unwrap();
    assert_eq!(path, ["mlx5_0", "bridge 0000:01:00.0", "socket0-socket1", "memory1"]);
    assert!(crosses);
}

#[track_caller]
fn refused(text: &str, problems: &[&str]) {
    let found = read_hwloc(text).expect_err("the text is refused");
    assert_eq!(found.len(), problems.len(), "{found:?}");
    for (found, part) in found.iter().zip(problems) {
        assert!(found.contains(part), "no `{part}` in `{found}`");
    }
}

#[test]
fn other_input_is_refused_with_its_position() {
    refused("<topology version=\"2.0\">\n <object type=", &["2:"]);
    refused("<root><object type=\"Machine\"/></root>", &["expected the XML of hwloc 2"]);
    refused("<topology><object type=\"System\"/></topology>", &["version none"]);
    refused("<topology version=\"2.0\"/>", &["no socket", "no RDMA device"]);
    let outside =
        TWO_SOCKETS.replace("</topology>", "<object type=\"NUMANode\" os_index=\"7\"/>\n</topology>");
    refused(&outside, &["memory7 belongs to no socket"]);
}
