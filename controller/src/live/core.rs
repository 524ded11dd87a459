//! The task that holds the collector.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use model::Snapshot;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::switch::Order;
use crate::collect::{Collector, Command, Input};

/// Runs the collector until all senders of inputs are gone, or nobody wants snapshots any more.
pub(super) async fn run(
    mut collector: Collector,
    mut inputs: mpsc::Receiver<Input>,
    orders: BTreeMap<String, mpsc::Sender<Order>>,
    snapshots: mpsc::Sender<Snapshot>,
) {
    let start = now();
    let elapsed_ns = || now().duration_since(start).as_nanos() as u64;
    loop {
        let wake = collector.next_wake_ns();
        let sleep = async {
            match wake {
                Some(at_ns) => tokio::time::sleep_until(start + Duration::from_nanos(at_ns)).await,
                None => std::future::pending().await,
            }
        };
        let mut commands = tokio::select! {
            input = inputs.recv() => match input {
                Some(input) => VecDeque::from(collector.handle(elapsed_ns(), input)),
                None => return,
            },
            () = sleep => VecDeque::from(collector.wake(elapsed_ns())),
        };
        while let Some(command) = commands.pop_front() {
            let (switch, order) = match command {
                Command::Emit(snapshot) => match snapshots.send(*snapshot).await {
                    Ok(()) => continue,
                    Err(_) => return,
                },
                Command::Read { switch, request, registers } => (switch, Order::Read { request, registers }),
                Command::Unlock { switch, request, writes } => (switch, Order::Unlock { request, writes }),
            };
            if let Some(reason) = give(&orders, &switch, &order) {
                let failed = Input::Failed { request: order.request(), reason };
                commands.extend(collector.handle(elapsed_ns(), failed));
            }
        }
    }
}

/// Hands an order to its switch's task; `Some` says why that was not possible.
fn give(orders: &BTreeMap<String, mpsc::Sender<Order>>, switch: &str, order: &Order) -> Option<String> {
    match orders.get(switch).map(|sender| sender.try_send(order.clone())) {
        Some(Ok(())) => None,
        Some(Err(_)) => Some(format!("switch {switch} has too many commands waiting")),
        None => Some(format!("switch {switch} is not under this controller's control")),
    }
}

#[allow(clippy::disallowed_methods, reason = "the live driver is where the controller's clock is read")]
fn now() -> Instant {
    Instant::now()
}
