//! A daemon of the upload protocol in this process, which sends what a test wants and records what the server sends.

use std::time::Duration;

use proto::v1::collection_client::CollectionClient;
use proto::v1::record::Body;
use proto::v1::{self, SenderKind, from_sender, from_server};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

/// Longest time for a message of the server, on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);
/// The start of every sender of the tests.
const BOOT_ID: &str = "0123456789abcdef0123456789abcdef";

/// A connected sender.
pub(crate) struct Sender {
    runtime: Runtime,
    outgoing: mpsc::Sender<v1::FromSender>,
    incoming: Streaming<v1::FromServer>,
    sequence: u64,
}

impl Sender {
    /// Connects as a daemon of this kind that speaks up to `max_version` of the protocol.
    pub(crate) fn connect(server: &str, kind: SenderKind, name: &str, max_version: u32) -> Sender {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let hello = v1::Hello {
            kind: kind.into(),
            name: name.into(),
            boot_id: BOOT_ID.into(),
            min_version: 1,
            max_version,
            software: "test".into(),
            ..v1::Hello::default()
        };
        let (outgoing, requests) = mpsc::channel(16);
        let server = format!("http://{server}");
        let incoming = runtime.block_on(async {
            outgoing.send(message(from_sender::Message::Hello(hello))).await.unwrap();
            let mut client = CollectionClient::connect(server).await.expect("the server listens");
            client.open(ReceiverStream::new(requests)).await.expect("the sender is admitted").into_inner()
        });
        let mut sender = Sender { runtime, outgoing, incoming, sequence: 0 };
        let welcome = sender.next();
        assert!(matches!(welcome, from_server::Message::Welcome(_)), "{welcome:?}");
        sender
    }

    /// Sends a record and returns why the server rejects it; empty if it is stored.
    pub(crate) fn upload(&mut self, time_ns: u64, body: Body) -> String {
        self.sequence += 1;
        self.repeat(time_ns, body)
    }

    /// Sends a record with the number of the last one.
    pub(crate) fn repeat(&mut self, time_ns: u64, body: Body) -> String {
        let record = v1::Record {
            boot_id: BOOT_ID.into(),
            sequence: self.sequence,
            time_ns,
            clock_offset_ns: Some(0),
            body: Some(body),
            ..v1::Record::default()
        };
        let sent = self.outgoing.send(message(from_sender::Message::Record(record)));
        self.runtime.block_on(sent).expect("the connection is open");
        loop {
            if let from_server::Message::Ack(ack) = self.next()
                && ack.sequence == self.sequence
            {
                return ack.rejected;
            }
        }
    }

    /// Sends a message that is no record.
    pub(crate) fn send(&mut self, body: from_sender::Message) {
        self.runtime.block_on(self.outgoing.send(message(body))).expect("the connection is open");
    }

    /// Waits for the next message of the server.
    pub(crate) fn next(&mut self) -> from_server::Message {
        let message = self.runtime.block_on(async { timeout(DEADLINE, self.incoming.message()).await });
        message
            .expect("a message in time")
            .expect("the connection is open")
            .and_then(|m| m.message)
            .expect("a message")
    }

    /// Waits until the server has handled what was sent, and returns its messages until then.
    pub(crate) fn until_pong(&mut self) -> Vec<from_server::Message> {
        let ping = message(from_sender::Message::Ping(v1::Ping::default()));
        self.runtime.block_on(self.outgoing.send(ping)).expect("the connection is open");
        let mut found = Vec::new();
        loop {
            match self.next() {
                from_server::Message::Pong(_) => return found,
                other => found.push(other),
            }
        }
    }
}

fn message(message: from_sender::Message) -> v1::FromSender {
    v1::FromSender { message: Some(message) }
}
