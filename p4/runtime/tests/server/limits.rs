//! Limits of connections and HTTP/2 against malicious clients.

use crate::common::Bench;
use p4runtime::server::{Limits, ServerConfig};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Timeout that only a server without the tested limit reaches.
const PATIENCE: Duration = Duration::from_secs(60);

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const CONTINUATION: u8 = 9;

/// An HTTP/2 frame (RFC 9113, section 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Limits without keepalive, so that only the tested limit ends a connection.
fn patient(config: &mut ServerConfig, change: impl FnOnce(&mut Limits)) {
    config.limits.keepalive = PATIENCE * 60;
    change(&mut config.limits);
}

/// The headers of a call, without Huffman coding and without the dynamic table (RFC 7541).
fn call() -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/p4.v1.P4Runtime/Capabilities"),
        (":authority", "switch"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ] {
        block.push(0);
        for text in [name, value] {
            block.push(text.len() as u8);
            block.extend(text.as_bytes());
        }
    }
    block
}

async fn connect(bench: &Bench) -> TcpStream {
    let mut socket = TcpStream::connect(bench.handle.address()).await.expect("the server listens");
    socket.write_all(PREFACE).await.expect("written");
    socket.write_all(&frame(SETTINGS, 0, 0, &[])).await.expect("written");
    socket
}

/// Reads the server's output until it closes the connection.
async fn read_until_closed(mut socket: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A reset also counts as closed.
    let _ = tokio::time::timeout(PATIENCE, socket.read_to_end(&mut bytes)).await.expect("it closes");
    bytes
}

/// Checks that the server still serves other clients.
async fn goes_on(bench: &Bench) {
    bench.client(1).await.become_primary().await.expect("no other controller is connected");
}

#[tokio::test]
async fn endless_call_resets_close_the_connection() {
    let bench = Bench::with(|config| patient(config, |limits| limits.resets_per_connection = 5)).await;
    let mut socket = connect(&bench).await;
    let mut flood = Vec::new();
    for stream in (1..400).step_by(2) {
        flood.extend(frame(HEADERS, 4, stream, &call()));
        flood.extend(frame(RST_STREAM, 0, stream, &8u32.to_be_bytes()));
    }
    // The server may close while it is being written to.
    let _ = socket.write_all(&flood).await;
    read_until_closed(socket).await;
    goes_on(&bench).await;
}

#[tokio::test]
async fn endless_headers_close_the_connection() {
    let bench = Bench::with(|config| patient(config, |limits| limits.header_bytes = 16 << 10)).await;
    let mut socket = connect(&bench).await;
    let _ = socket.write_all(&frame(HEADERS, 0, 1, &call())).await;
    // One more field each time: a literal without a place in the table.
    let mut field = vec![0, 1, b'x', 100];
    field.extend([b'y'; 100]);
    let block = field.repeat(100);
    for _ in 0..200 {
        if socket.write_all(&frame(CONTINUATION, 0, 1, &block)).await.is_err() {
            break;
        }
    }
    read_until_closed(socket).await;
    goes_on(&bench).await;
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_at_once() {
    let bench = Bench::with(|config| patient(config, |limits| limits.connections = 2)).await;
    let first = connect(&bench).await;
    let mut second = connect(&bench).await;
    // The server's first bytes show that it has admitted the second connection.
    second.read_exact(&mut [0; 9]).await.expect("settings");
    let third = TcpStream::connect(bench.handle.address()).await.expect("the system accepts it");
    assert_eq!(read_until_closed(third).await, Vec::<u8>::new(), "closed without any bytes");
    drop(first);
    // The place is free when the server has processed the end of the connection.
    let again = async {
        loop {
            let mut socket = connect(&bench).await;
            if socket.read_exact(&mut [0; 9]).await.is_ok() {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, again).await.expect("the place is free again");
}
