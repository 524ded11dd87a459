//! A host that pauses its switch, as a recorded tree whose counters grow.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::repository;

/// A recorded host whose NIC `mlx5_0` pauses its switch and receives nothing: the counter of the paused time grows, that
/// of received packets does not.
pub(crate) struct BrokenNic {
    pub(crate) tree: PathBuf,
    stop: Arc<AtomicBool>,
    counting: Option<JoinHandle<()>>,
}

impl BrokenNic {
    pub(crate) fn start(folder: &Path) -> BrokenNic {
        let tree = folder.join("host");
        copy(&repository("host-diagnosis/tests/fixtures/h1"), &tree);
        let port = tree.join("sys/class/infiniband/mlx5_0/ports/1");
        fs::create_dir_all(port.join("counters")).unwrap();
        fs::write(port.join("state"), "4: ACTIVE\n").unwrap();
        for name in ["port_rcv_data", "port_rcv_packets", "port_xmit_data", "port_xmit_packets"] {
            fs::write(port.join("counters").join(name), "1000\n").unwrap();
        }
        let stop = Arc::new(AtomicBool::new(false));
        let (statistics, stopped) = (tree.join("commands/ethtool-S-eth1.txt"), stop.clone());
        write_pauses(&statistics, 0);
        let counting = std::thread::spawn(move || {
            // Far more than the time that passes: a reading that is late finds the priority paused all the same.
            for paused_s in 1.. {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                write_pauses(&statistics, paused_s * 1_000_000);
                std::thread::park_timeout(Duration::from_millis(5));
            }
        });
        BrokenNic { tree, stop, counting: Some(counting) }
    }
}

impl Drop for BrokenNic {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(self.counting.take().map(JoinHandle::join));
    }
}

/// Replaces the statistics at once, so that no reading finds half of them.
fn write_pauses(path: &Path, paused_us: u64) {
    let text = format!(
        "NIC statistics:\n     tx_prio3_pause: {}\n     tx_prio3_pause_duration: {paused_us}\n",
        paused_us / 300
    );
    let next = path.with_extension("next");
    fs::write(&next, text).unwrap();
    fs::rename(&next, path).unwrap();
}

/// Copies a folder with all below it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
