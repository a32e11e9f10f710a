//! Ctrl-C and SIGTERM, listened for from a moment on: before a command says that it is there, so that whoever hears it
//! can stop it at once.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears them.
pub(crate) struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
}

impl Signals {
    /// Listens from now on; within a runtime.
    pub(crate) fn listen() -> Signals {
        let [interrupt, terminate] =
            [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok());
        Signals { interrupt, terminate }
    }

    /// Waits for the next one; for ever where the system tells of none.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            () = told(&mut self.interrupt) => {}
            () = told(&mut self.terminate) => {}
        }
    }
}

async fn told(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}
