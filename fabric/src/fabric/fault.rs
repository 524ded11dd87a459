//! Faults of NICs and hosts.

use model::Time;
use model::wire::Pfc;
use scenario::nic::{ReceiveLimits, WriteOrdering};
use scenario::{FaultKind, Random};

use crate::event::ScheduledEvent;
use crate::fabric::Fabric;
use crate::nic::polls::PollGaps;
use crate::nic::receive::Slowdown;
use crate::switch::FabricSwitch;

/// A fault of one run.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) host: u32,
    pub(super) kind: FaultKind,
    /// The order of writes that makes a bus slow.
    pub(super) ordering: Option<WriteOrdering>,
    pub(super) start: Time,
    pub(super) end: Time,
    /// Whether it has started and is not over.
    pub(super) active: bool,
    /// Draws the times between the frames of a storm.
    pub(super) random: Random,
}

/// The effect of a fault on the receive pipeline; absent for storms and poll gaps, which have none.
fn slowdown(kind: &FaultKind, ordering: Option<WriteOrdering>) -> Option<(Slowdown, Option<ReceiveLimits>)> {
    match *kind {
        FaultKind::Storm { .. } | FaultKind::PollGaps(_) => None,
        FaultKind::SlowReceiver { rate, xoff_bytes, xon_bytes } => {
            let limits = ReceiveLimits { xoff_bytes, xon_bytes, ..ReceiveLimits::default() };
            let size_bytes = limits.size_bytes.max(xoff_bytes.saturating_mul(4));
            Some((Slowdown::Rate(rate), Some(ReceiveLimits { size_bytes, ..limits })))
        }
        FaultKind::MttMisses(model) => Some((Slowdown::Translation(model), None)),
        FaultKind::ContextMisses(model) => Some((Slowdown::Contexts(model), None)),
        FaultKind::ReceiveWqeMisses(model) => Some((Slowdown::ReceiveRequests(model), None)),
        FaultKind::HostBus(bus) => Some((Slowdown::Bus(bus, ordering), None)),
        FaultKind::StoppedPipeline => Some((Slowdown::Stopped, None)),
    }
}

impl<S: FabricSwitch> Fabric<S> {
    /// Starts all faults that are not active now instead of at their times; each lasts as long as it would have.
    pub fn start_faults(&mut self) {
        for (index, fault) in self.faults.iter_mut().enumerate().filter(|(_, fault)| !fault.active) {
            let duration = fault.end.saturating_sub(fault.start);
            (fault.start, fault.end) = (self.now, Time(self.now.0.saturating_add(duration.0)));
            self.queue.push(self.now, ScheduledEvent::Fault { fault: index as u32 });
        }
    }

    /// Starts, repeats or ends a fault.
    pub(super) fn fault(&mut self, index: u32) {
        let now = self.now;
        let fault = &mut self.faults[index as usize];
        let Fault { host, end, ordering, .. } = *fault;
        let over = now >= end;
        let starts = !over && !std::mem::replace(&mut fault.active, !over);
        let kind = fault.kind.clone();
        match slowdown(&kind, ordering) {
            Some((slowdown, limits)) if starts => {
                let nic = &mut self.hosts[host as usize];
                nic.pipeline.slow(index, slowdown, limits);
                if let Slowdown::Bus(bus, ordering) = slowdown {
                    nic.pipeline.totals.bus_starts(now, bus, ordering);
                }
                self.queue.push(end, ScheduledEvent::Fault { fault: index });
            }
            Some((slowdown, _)) => {
                let nic = &mut self.hosts[host as usize];
                nic.pipeline.recover(index);
                if let Slowdown::Bus(..) = slowdown {
                    nic.pipeline.totals.bus_ends(now);
                }
                self.begin_processing(host);
            }
            None => {}
        }
        if let FaultKind::PollGaps(model) = kind
            && starts
        {
            self.hosts[host as usize].poll_gaps.push(PollGaps { start: now, end, model });
            self.queue.push(end, ScheduledEvent::Fault { fault: index });
        }
        self.watch_pipeline(host, starts);
        if let FaultKind::Storm { priority, quanta, interval, interval_jitter } = kind {
            self.send_pfc(host, &Pfc::single(priority, if over { 0 } else { quanta }));
            if !over {
                let drawn = self.faults[index as usize].random.time_below(interval_jitter);
                let interval =
                    Time((interval.0 - interval_jitter.0.min(interval.0) / 2).saturating_add(drawn.0));
                let again = (now + interval.max(Time(1))).min(end);
                self.queue.push(again, ScheduledEvent::Fault { fault: index });
            }
        }
    }

    /// Whether the receive pipeline of a host is stopped. The watchdog treats a NIC with a pause storm as stopped, too.
    fn is_stopped(&self, host: u32) -> bool {
        let storms = |fault: &Fault| {
            fault.active && fault.host == host && matches!(fault.kind, FaultKind::Storm { .. })
        };
        self.hosts[host as usize].pipeline.is_stopped() || self.faults.iter().any(storms)
    }

    /// Informs the NIC watchdog whether the pipeline is running.
    fn watch_pipeline(&mut self, host: u32, starts: bool) {
        let (now, stopped) = (self.now, self.is_stopped(host));
        let watchdog = &mut self.hosts[host as usize].watchdog;
        if !stopped {
            watchdog.running();
        } else if starts && let Some(due) = watchdog.stopped(now) {
            self.queue.push(due, ScheduledEvent::NicWatchdog { host });
        }
    }

    /// The NIC watchdog is due: it fires if the pipeline is still stopped and the NIC is pausing its switch.
    pub(super) fn nic_watchdog(&mut self, host: u32) {
        let paused = self.hosts[host as usize].pipeline.pausing();
        if self.is_stopped(host) && paused != 0 {
            self.may_pause(host, paused.trailing_zeros() as u8);
        }
    }
}
