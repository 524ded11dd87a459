//! An RDMA NIC: its transmit queues, flow control in both directions, and the protocol engines of its flows.
//!
//! The protocol engines are [`message`] (messages and packets; [`operations`] records when they completed, [`polls`] when the application
//! noticed), [`sender`] with
//! [`gbn`] or [`selective`] (reliability), [`dcqcn`], [`dctcp`], [`timely`] and [`pacing`] (congestion control), [`pfc`] (flow
//! control), [`packet`] (wire format) and [`read`] (RDMA READ). [`receive`] models slow receivers, [`shared`] what tenants share,
//! [`watchdog`] the NIC watchdog, and [`totals`] counts what a NIC counts. This module schedules the frames of all flows of a
//! host.

pub(crate) mod busy;
pub mod control;
pub mod dcqcn;
pub mod dctcp;
pub mod gbn;
pub mod message;
pub mod operations;
pub mod pacing;
pub mod packet;
pub mod pfc;
pub mod polls;
pub(crate) mod read;
pub mod receive;
pub mod selective;
pub mod sender;
pub mod shared;
pub mod timely;
pub mod totals;
pub(crate) mod watchdog;

use std::collections::VecDeque;

use model::wire::{Frame, Pfc};
use model::{Rate, Time};
use p4_switch::tm::PauseEnd;
use scenario::HostSettings;
use scenario::nic::HostJobSpec;

use crate::flow::SendState;
use busy::BusyTime;
use pfc::ReceivedPauses;
use polls::PollGaps;
use receive::ReceivePipeline;
use shared::SharedPart;
use totals::{NicTotals, PauseTotal, pause_end};
use watchdog::NicWatchdog;

/// A host's NIC.
#[derive(Debug)]
pub(crate) struct Nic {
    pub(crate) name: String,
    pub(crate) settings: HostSettings,
    pub(crate) mac: [u8; 6],
    pub(crate) line_rate: Rate,
    /// The directed link that it sends on.
    pub(crate) link: u32,
    /// Polling packets and PFC frames, which are never paused.
    pub(crate) control: VecDeque<Frame>,
    /// ACKs, NAKs, CNPs and READ requests, by priority.
    pub(crate) transport: [VecDeque<Frame>; 8],
    /// Flows that may have data to send, in the order of service.
    pub(crate) active: Vec<u32>,
    /// Position in `active` of the flow that was served last.
    pub(crate) last_served: usize,
    /// Pauses received.
    pub(crate) received_pauses: ReceivedPauses,
    /// The receive buffer.
    pub(crate) pipeline: ReceivePipeline,
    pub(crate) watchdog: NicWatchdog,
    /// The part that tenants share; absent without tenants.
    pub(crate) shared: Option<Box<SharedPart>>,
    /// How long its link has been busy.
    pub(crate) link_busy: BusyTime,
    /// When the application does not poll completions.
    pub(crate) poll_gaps: Vec<PollGaps>,
    /// The jobs of the host.
    pub(crate) jobs: Vec<HostJob>,
    /// What it has counted since the beginning of the run.
    pub(crate) totals: NicTotals,
    /// Time of the earliest scheduled wake-up.
    pub(crate) wake_at: Option<Time>,
}

/// A job, and its flows by number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HostJob {
    pub(crate) spec: HostJobSpec,
    pub(crate) flows: Vec<u32>,
}

/// A frame to transmit.
pub(crate) struct Outgoing {
    pub(crate) frame: Frame,
    /// The flow, if it had no outstanding packets before.
    pub(crate) resumed: Option<u32>,
}

impl Nic {
    /// The next frame to send on the idle link.
    pub(crate) fn next_frame(&mut self, now: Time, flows: &mut [SendState]) -> Option<Outgoing> {
        if let Some(frame) = self.control.pop_front() {
            return Some(Outgoing { frame, resumed: None });
        }
        for priority in (0..8).rev() {
            if !self.received_pauses.is_paused(now, priority as u8)
                && let Some(frame) = self.transport[priority].pop_front()
            {
                return Some(Outgoing { frame, resumed: None });
            }
        }
        self.next_data(now, flows)
    }

    fn next_data(&mut self, now: Time, flows: &mut [SendState]) -> Option<Outgoing> {
        let count = self.active.len();
        let is_busy = self.shared.as_ref().is_some_and(|shared| shared.ready_at() > now);
        for step in 1..=count {
            let position = (self.last_served + step) % count;
            let index = self.active[position];
            let flow = &mut flows[index as usize];
            if self.received_pauses.is_paused(now, flow.priority) {
                continue;
            }
            if !flow.may_send(now) {
                if self.settings.leaks_congestion && flow.is_held_by_rate(now) {
                    return None;
                }
                continue;
            }
            let request = self.shared.as_ref().and_then(|_| flow.next_request());
            if is_busy && request.is_some() {
                continue;
            }
            let resumed = (flow.sender.outstanding_bytes() == 0).then_some(index);
            if let Some(frame) = flow.send(now) {
                self.last_served = position;
                if let (Some(shared), Some((verb, bytes))) = (&mut self.shared, request) {
                    shared.begin(now, verb, bytes);
                }
                return Some(Outgoing { frame, resumed });
            }
        }
        None
    }

    /// The next time at which data may be sent without an event in between: pacing or the expiry of a pause.
    pub(crate) fn next_chance(&self, now: Time, flows: &[SendState]) -> Option<Time> {
        let flows = self.active.iter().map(|flow| &flows[*flow as usize]);
        let paced = flows.filter_map(SendState::next_at).filter(|at| *at > now).min();
        let prepared = self.shared.as_ref().map(|shared| shared.ready_at()).filter(|at| *at > now);
        [paced, prepared, self.received_pauses.next_expiry(now)].into_iter().flatten().min()
    }

    /// Counts a PFC frame that the NIC sends.
    pub(crate) fn count_sent_pauses(&mut self, now: Time, pfc: &Pfc) {
        let ends = self.received_pauses.end();
        for (priority, quanta) in pfc.classes() {
            count(&mut self.totals.sent_pauses, priority, (now, quanta), (self.line_rate, ends));
        }
    }

    /// Counts one priority of a PFC frame that the NIC has received.
    pub(crate) fn count_received_pause(&mut self, now: Time, priority: u8, quanta: u16) {
        let ends = self.received_pauses.end();
        count(&mut self.totals.received_pauses, priority, (now, quanta), (self.line_rate, ends));
    }

    /// Adds a flow at the end of the round robin.
    pub(crate) fn add_flow(&mut self, flow: u32) {
        self.active.push(flow);
    }

    /// Removes a complete flow; the round robin continues with the same flow.
    pub(crate) fn remove_flow(&mut self, flow: u32) {
        if let Some(position) = self.active.iter().position(|f| *f == flow) {
            self.active.remove(position);
            if position <= self.last_served && self.last_served > 0 {
                self.last_served -= 1;
            }
        }
    }
}

fn count(
    totals: &mut [PauseTotal; 8],
    priority: u8,
    (now, quanta): (Time, u16),
    (rate, ends): (Rate, PauseEnd),
) {
    let total = &mut totals[usize::from(priority & 7)];
    match quanta {
        0 => total.resume(now),
        quanta => total.pause(now, pause_end(now, quanta, rate, ends)),
    }
}
