//! A worker thread for CPU-bound work, so that it does not block the async runtime.

use anyhow::Context as _;
use tokio::sync::mpsc;

/// Processes inputs one at a time on a separate thread. Results have the order of the inputs.
///
/// At most `capacity` inputs are queued; the caller checks [`Worker::has_room`] before it takes the next input from its
/// source. The thread ends when the worker is dropped.
pub(crate) struct Worker<I, O> {
    inputs: mpsc::Sender<I>,
    results: mpsc::Receiver<O>,
}

impl<I: Send + 'static, O: Send + 'static> Worker<I, O> {
    /// Starts a thread called `name`. It calls `run`, which processes the [`Jobs`].
    pub(crate) fn spawn(
        name: &str,
        capacity: usize,
        run: impl FnOnce(Jobs<I, O>) + Send + 'static,
    ) -> anyhow::Result<Worker<I, O>> {
        let (inputs, queued) = mpsc::channel(capacity);
        let (processed, results) = mpsc::channel(capacity);
        std::thread::Builder::new()
            .name(name.into())
            .spawn(move || run(Jobs { queued, processed }))
            .with_context(|| format!("cannot start the {name} thread"))?;
        Ok(Worker { inputs, results })
    }

    /// Whether another input can be queued.
    pub(crate) fn has_room(&self) -> bool {
        self.inputs.capacity() > 0
    }

    /// Queues an input. Returns `false` if there is no room or the thread has ended.
    #[must_use]
    pub(crate) fn push(&self, input: I) -> bool {
        self.inputs.try_send(input).is_ok()
    }

    /// Returns the next result; `None` if the thread has ended.
    pub(crate) async fn next(&mut self) -> Option<O> {
        self.results.recv().await
    }
}

/// The thread's side of a [`Worker`].
pub(crate) struct Jobs<I, O> {
    queued: mpsc::Receiver<I>,
    processed: mpsc::Sender<O>,
}

impl<I, O> Jobs<I, O> {
    /// Processes all inputs in their order until the worker is dropped.
    pub(crate) fn process(mut self, mut process: impl FnMut(I) -> O) {
        while let Some(input) = self.queued.blocking_recv() {
            if self.processed.blocking_send(process(input)).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a runtime with one thread: work on that thread would never see the signal that the test sends later.
    #[tokio::test(flavor = "current_thread")]
    async fn the_runtime_runs_while_the_worker_is_busy() {
        let (signal, wait) = std::sync::mpsc::channel::<()>();
        let mut worker = Worker::spawn("test", 1, move |jobs: Jobs<u32, u32>| {
            jobs.process(|n| {
                wait.recv().expect("the test sends a signal");
                n * 2
            });
        })
        .unwrap();
        assert!(worker.push(21));
        tokio::task::yield_now().await;
        signal.send(()).unwrap();
        assert_eq!(worker.next().await, Some(42));
    }

    #[tokio::test]
    async fn results_have_the_order_of_the_inputs() {
        let mut worker = Worker::spawn("test", 100, |jobs: Jobs<u32, u32>| jobs.process(|n| n)).unwrap();
        for n in 0..100 {
            assert!(worker.push(n));
        }
        for n in 0..100 {
            assert_eq!(worker.next().await, Some(n));
        }
    }

    #[tokio::test]
    async fn the_queue_is_bounded() {
        let (signal, wait) = std::sync::mpsc::channel::<()>();
        let (started, begins) = std::sync::mpsc::channel::<()>();
        let mut worker = Worker::spawn("test", 2, move |jobs: Jobs<u32, u32>| {
            jobs.process(|n| {
                started.send(()).expect("the test runs");
                wait.recv().expect("the test sends a signal");
                n
            });
        })
        .unwrap();
        assert!(worker.push(0));
        begins.recv().unwrap();
        // One input is being processed, two are queued.
        assert!(worker.push(1) && worker.push(2));
        assert!(!worker.has_room() && !worker.push(3));
        for n in 0..3 {
            signal.send(()).unwrap();
            assert_eq!(worker.next().await, Some(n));
        }
        assert!(worker.has_room());
    }

    #[tokio::test]
    async fn results_end_when_the_thread_panics() {
        let mut worker = Worker::spawn("test", 1, |_: Jobs<u32, u32>| panic!("a test")).unwrap();
        assert_eq!(worker.next().await, None);
    }
}
