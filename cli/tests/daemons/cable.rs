//! A TCP connection that can be cut silently: without FIN or RST, as by a cable that is pulled.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Interval at which a cut cable is looked at.
const INTERVAL: Duration = Duration::from_millis(5);

/// Forwards connections to a daemon.
pub(crate) struct Cable {
    pub(crate) address: String,
    is_cut: Arc<AtomicBool>,
}

impl Cable {
    /// Listens on a free port and forwards to `to`.
    pub(crate) fn to(to: &str) -> Cable {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let address = listener.local_addr().expect("an address").to_string();
        let is_cut = Arc::new(AtomicBool::new(false));
        let (cut, to) = (is_cut.clone(), to.to_string());
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(&to) else { continue };
                let (near_2, far_2) =
                    (near.try_clone().expect("a socket"), far.try_clone().expect("a socket"));
                let (cut_1, cut_2) = (cut.clone(), cut.clone());
                std::thread::spawn(move || forward(near, far, &cut_1));
                std::thread::spawn(move || forward(far_2, near_2, &cut_2));
            }
        });
        Cable { address, is_cut }
    }

    /// Cuts the cable: nothing arrives any more, not even the end of a connection.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
    }

    /// Mends it: what was sent meanwhile arrives.
    pub(crate) fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut buffer = [0; 16 << 10];
    let _ = from.set_read_timeout(Some(INTERVAL));
    loop {
        while is_cut.load(Ordering::SeqCst) {
            std::thread::park_timeout(INTERVAL);
        }
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => {
                // Read before the cut, but not on the other side yet.
                while is_cut.load(Ordering::SeqCst) {
                    std::thread::park_timeout(INTERVAL);
                }
                if to.write_all(&buffer[..length]).is_err() {
                    break;
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
    let _ = from.shutdown(std::net::Shutdown::Both);
}
