//! A compilation that takes long keeps no controller from becoming primary, and ends when its client has gone.

use crate::common::{Bench, SOURCE, compile, device_config, info};
use p4runtime::server::Compile;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tonic::Code;

/// Source text whose compilation ends only when it is cancelled.
const ENDLESS: &str = "an endless program";

/// Returns a compiler, and what it reports: `true` when it begins with the endless program, `false` when it was
/// cancelled.
fn compiler() -> (Compile, UnboundedReceiver<bool>) {
    let (reports, reported): (UnboundedSender<bool>, _) = unbounded_channel();
    let compile: Compile = Arc::new(move |sources, cancel| {
        if sources.files.get(&sources.main).is_none_or(|text| text != ENDLESS) {
            return compile(sources, cancel);
        }
        reports.send(true).expect("the test waits for it");
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        reports.send(false).expect("the test waits for it");
        Err("cancelled".to_owned())
    });
    (compile, reported)
}

#[tokio::test]
async fn another_controller_takes_over_during_a_compilation() {
    let (compile, mut reported) = compiler();
    let bench = Bench::with(|config| config.compile = compile).await;
    let mut first = bench.client(1).await;
    let _session = first.become_primary().await.expect("no other controller is connected");
    let mut request =
        tokio::spawn(async move { first.set_pipeline(info(), device_config(ENDLESS), 1).await });
    assert_eq!(reported.recv().await, Some(true));
    let mut second = bench.client(2).await;
    let _session = second.become_primary().await.expect("it has the higher election id");
    second.set_pipeline(info(), device_config(SOURCE), 2).await.expect("the pipeline is good");
    assert!(!request.is_finished());
    request.abort();
    (&mut request).await.expect_err("it was aborted");
    assert_eq!(reported.recv().await, Some(false), "the compilation ends with its call");
}

#[tokio::test]
async fn a_controller_that_was_replaced_during_its_compilation_sets_no_pipeline() {
    let (ready, mut begins) = unbounded_channel();
    let (resume, resumed) = std::sync::mpsc::channel::<()>();
    let resumed = std::sync::Mutex::new(resumed);
    let slow: Compile = Arc::new(move |sources, cancel| {
        ready.send(()).expect("the test waits for it");
        let resumed = resumed.lock().expect("no compilation panics");
        resumed.recv().expect("the test lets it continue");
        compile(sources, cancel)
    });
    let bench = Bench::with(|config| config.compile = slow).await;
    let mut first = bench.client(1).await;
    let _session = first.become_primary().await.expect("no other controller is connected");
    let request = tokio::spawn(async move { first.set_pipeline(info(), device_config(SOURCE), 1).await });
    begins.recv().await.expect("the compilation begins");
    let mut second = bench.client(2).await;
    let _session = second.become_primary().await.expect("it has the higher election id");
    resume.send(()).expect("the compilation waits for it");
    let refused = request.await.expect("no panic").expect_err("it is not primary any longer");
    assert_eq!(refused.code(), Some(Code::PermissionDenied));
}
