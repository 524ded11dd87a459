//! The endpoint: what it does with a frame, and what it sends when.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use fabric::nic::gbn::unwrap_psn;
use fabric::nic::pfc::ReceivedPauses;
use fabric::nic::receive::{Pushed, ReceivePipeline, Slowdown};
use model::wire::pfc::quanta_time;
use model::wire::{Frame, Pfc, ROCE_V2_PORT};
use model::{FlowKey, Rate, Time};
use p4_switch::tm::PauseEnd;
use scenario::Random;
use scenario::nic::Operation;
use serde::Serialize;

use crate::fault::Fault;
use crate::frame::{self, Headers, Kind, NotRoce, Packet};
use crate::receiving::ReceivingFlows;
use crate::report::Report;
use crate::sending::{FlowRequest, RefusedFlow, SendingFlow};
use crate::settings::Settings;

/// Flows that an endpoint sends at once.
const MAX_SENDING: usize = 1024;
/// Reports that wait to be taken; further ones are counted and discarded.
const MAX_REPORTS: usize = 65_536;
/// Frames of one call of [`Endpoint::advance`].
const FRAMES_PER_CALL: usize = 1024;
/// Quanta of the pauses that an endpoint sends.
const PAUSE_QUANTA: u16 = u16::MAX;
/// The first UDP source port, and the number of them: those that RoCEv2 recommends for entropy (RFC 6335).
const SOURCE_PORTS: (u16, u64) = (49_152, 16_384);
/// Numbers of queue pairs start behind the reserved ones.
const FIRST_QUEUE_PAIR: u32 = 2;

/// Who an endpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its address.
    pub address: IpAddr,
    /// Its MAC address.
    pub mac: [u8; 6],
    /// The rate of its link.
    pub rate: Rate,
    /// Where its queue pair numbers start. It differs from start to start, so that a receiver does not take a new flow
    /// for an old one.
    pub first_queue_pair: u32,
}

/// Counters of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Data packets sent, retransmissions included.
    pub data_sent: u64,
    /// Data packets processed, duplicates included.
    pub data_received: u64,
    /// Data packets that carried a congestion mark.
    pub marked_received: u64,
    /// CNPs sent.
    pub cnps_sent: u64,
    /// CNPs received.
    pub cnps_received: u64,
    /// NAKs received.
    pub naks_received: u64,
    /// Pause frames sent, refreshes included.
    pub pauses_sent: u64,
    /// Resume frames sent.
    pub resumes_sent: u64,
    /// Pause frames received.
    pub pauses_received: u64,
    /// Resume frames received.
    pub resumes_received: u64,
    /// Data that did not fit into the receive buffer.
    pub buffer_drops: u64,
    /// Damaged RoCEv2 packets.
    pub damaged: u64,
    /// RoCEv2 packets of no known flow.
    pub unknown: u64,
    /// Reports discarded because they were not taken.
    pub reports_lost: u64,
}

/// An endpoint. Times must not decrease from call to call.
#[derive(Debug)]
pub struct Endpoint {
    identity: Identity,
    settings: Settings,
    /// By queue pair.
    sending: BTreeMap<u32, SendingFlow>,
    receiving: ReceivingFlows,
    /// The queue pair served last, for round robin.
    last_served: u32,
    next_queue_pair: u32,
    flows_started: u64,
    /// PFC frames, before all others and never paused.
    control: VecDeque<Frame>,
    /// ACKs, NAKs and CNPs by priority.
    transport: [VecDeque<Frame>; 8],
    received_pauses: ReceivedPauses,
    pipeline: ReceivePipeline,
    /// When the pipeline has processed its first frame.
    processed_at: Option<Time>,
    /// When the pause of each priority must be refreshed.
    refresh_at: [Option<Time>; 8],
    /// Bit n: a storm pauses priority n.
    storm: u8,
    /// Until when the link is busy with frames already sent.
    busy_until: Time,
    /// Whether there was nothing to send at the last call.
    is_idle: bool,
    counters: Counters,
    reports: Vec<Report>,
}

impl Endpoint {
    /// Creates an endpoint without flows.
    pub fn new(identity: Identity, settings: Settings) -> Endpoint {
        Endpoint {
            pipeline: ReceivePipeline::new(settings.receive, Random::new(1, 1)),
            settings,
            sending: BTreeMap::new(),
            receiving: ReceivingFlows::default(),
            last_served: 0,
            next_queue_pair: identity.first_queue_pair,
            flows_started: 0,
            control: VecDeque::new(),
            transport: Default::default(),
            received_pauses: ReceivedPauses::new(PauseEnd::Quanta, identity.rate),
            processed_at: None,
            refresh_at: [None; 8],
            storm: 0,
            busy_until: Time::ZERO,
            is_idle: true,
            counters: Counters::default(),
            reports: Vec::new(),
            identity,
        }
    }

    /// Returns the counters.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Number of flows that are being sent.
    pub fn sending(&self) -> usize {
        self.sending.len()
    }

    /// Returns the reports since the last call.
    pub fn take_reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.reports)
    }

    fn report(&mut self, report: Report) {
        if self.reports.len() < MAX_REPORTS {
            self.reports.push(report);
        } else {
            self.counters.reports_lost += 1;
        }
    }

    /// Starts a flow to a receiver whose MAC address, or that of the next hop, is `target_mac`. Returns its number.
    ///
    /// # Errors
    /// If the request cannot be fulfilled.
    pub fn start(
        &mut self,
        now: Time,
        request: &FlowRequest,
        target_mac: [u8; 6],
    ) -> Result<u64, RefusedFlow> {
        self.check(request)?;
        let queue_pair = self.free_queue_pair();
        self.flows_started += 1;
        let id = self.flows_started;
        let (first_port, ports) = SOURCE_PORTS;
        // Consecutive queue pairs have distant ports, so that hashes spread them.
        let chosen = first_port + (u64::from(queue_pair).wrapping_mul(0x9e37_79b9) % ports) as u16;
        let flow = FlowKey {
            src: self.identity.address,
            dst: request.to,
            sport: request.source_port.unwrap_or(chosen),
            dport: ROCE_V2_PORT,
            proto: 17,
        };
        let headers = Headers {
            flow,
            source_mac: self.identity.mac,
            target_mac,
            priority: request.priority,
            queue_pair,
        };
        let sending = SendingFlow::new(now, id, headers, request, self.identity.rate, &self.settings);
        self.report(sending.started());
        self.sending.insert(queue_pair, sending);
        Ok(id)
    }

    fn check(&self, request: &FlowRequest) -> Result<(), RefusedFlow> {
        let (from, to) = (self.identity.address, request.to);
        if self.sending.len() >= MAX_SENDING {
            return Err(RefusedFlow::TooMany(self.sending.len()));
        }
        if from.is_ipv4() != to.is_ipv4() {
            return Err(RefusedFlow::Family { from, to });
        }
        if from == to {
            return Err(RefusedFlow::Own(to));
        }
        if request.operation == Operation::Read {
            return Err(RefusedFlow::Operation);
        }
        if request.priority > 7 {
            return Err(RefusedFlow::Priority(request.priority));
        }
        Ok(())
    }

    fn free_queue_pair(&mut self) -> u32 {
        loop {
            let number = (self.next_queue_pair & 0xff_ffff).max(FIRST_QUEUE_PAIR);
            self.next_queue_pair = number + 1;
            if !self.sending.contains_key(&number) {
                return number;
            }
        }
    }

    /// Stops a flow; false if there is none with this number.
    pub fn stop(&mut self, now: Time, id: u64) -> bool {
        let found = self.sending.iter().find(|(_, flow)| flow.id == id).map(|(queue_pair, _)| *queue_pair);
        let flow = found.and_then(|queue_pair| self.sending.remove(&queue_pair));
        let report = flow.map(|flow| flow.completed(now));
        let is_found = report.is_some();
        report.into_iter().for_each(|report| self.report(report));
        is_found
    }

    /// Begins a fault.
    pub fn begin_fault(&mut self, now: Time, fault: Fault) {
        match fault {
            Fault::Storm { priority } => {
                self.storm |= 1 << (priority & 7);
                self.send_pause(now, priority & 7);
            }
            Fault::SlowReceiver { rate } => self.pipeline.slow(1, Slowdown::Rate(rate), None),
            Fault::StoppedReceiver => self.pipeline.slow(2, Slowdown::Stopped, None),
        }
    }

    /// Ends all faults.
    pub fn end_faults(&mut self, now: Time) {
        self.pipeline.recover(1);
        self.pipeline.recover(2);
        let storm = self.storm;
        for priority in (0..8).filter(|priority| storm >> priority & 1 == 1) {
            if !self.pipeline.is_pausing(priority) {
                self.refresh_at[usize::from(priority)] = None;
                self.send_pfc(&Pfc::single(priority, 0));
            }
        }
        self.storm = 0;
        self.begin_processing(now);
    }

    /// Reports counters and flows.
    pub fn report_status(&mut self, now: Time) {
        let flows = self.sending.values_mut().map(|flow| flow.status(now)).collect();
        let paused = (0..8).filter(|priority| self.received_pauses.is_paused(now, *priority)).collect();
        self.report(Report::Status { counters: self.counters, flows, paused_priorities: paused });
    }

    /// Processes a frame.
    pub fn receive(&mut self, now: Time, bytes: &[u8]) {
        if let Some(pfc) = Pfc::from_bytes(bytes) {
            self.receive_pfc(now, &pfc);
            return;
        }
        let packet = match frame::read(bytes) {
            Ok(packet) if packet.flow.dst == self.identity.address => packet,
            Ok(_) | Err(NotRoce::Other) => return,
            Err(NotRoce::Damaged) => {
                self.counters.damaged += 1;
                return;
            }
        };
        if !matches!(packet.kind, Kind::Data { .. }) || !self.pipeline.is_used() {
            self.process(now, &packet);
            return;
        }
        let number = unwrap_psn(packet.psn, self.receiving.expected(&packet));
        match self.pipeline.push(now, packet.priority, number, Frame::new(bytes, 0)) {
            Pushed::Stored => {}
            Pushed::Pause => self.send_pause(now, packet.priority),
            Pushed::Dropped => self.counters.buffer_drops += 1,
        }
        self.begin_processing(now);
    }

    fn receive_pfc(&mut self, now: Time, pfc: &Pfc) {
        for (priority, quanta) in pfc.classes() {
            match quanta {
                0 => self.counters.resumes_received += 1,
                _ => self.counters.pauses_received += 1,
            }
            self.received_pauses.receive(now, priority, quanta);
        }
    }

    fn begin_processing(&mut self, now: Time) {
        if self.processed_at.is_none() {
            self.processed_at = self.pipeline.begin(now);
        }
    }

    fn process(&mut self, now: Time, packet: &Packet) {
        match packet.kind {
            Kind::Data { .. } => self.process_data(now, packet),
            Kind::Ack => self.process_ack(now, packet, false),
            Kind::Nak => {
                self.counters.naks_received += 1;
                self.process_ack(now, packet, true);
            }
            Kind::Cnp => {
                self.counters.cnps_received += 1;
                match self.own_flow(packet) {
                    Some(flow) => flow.notify(now),
                    None => self.counters.unknown += 1,
                }
            }
        }
    }

    fn process_data(&mut self, now: Time, packet: &Packet) {
        let Some(response) = self.receiving.take(now, packet, self.identity.mac, &self.settings) else {
            self.counters.unknown += 1;
            return;
        };
        self.counters.data_received += 1;
        self.counters.marked_received += u64::from(packet.congested);
        self.counters.cnps_sent += u64::from(response.cnp.is_some());
        self.transport[usize::from(packet.priority & 7)].extend(response.reply);
        self.transport[usize::from(self.settings.cnp_priority & 7)].extend(response.cnp);
        response.report.into_iter().for_each(|report| self.report(report));
    }

    /// The flow that a packet from its receiver belongs to.
    fn own_flow(&mut self, packet: &Packet) -> Option<&mut SendingFlow> {
        self.sending.get_mut(&packet.queue_pair).filter(|flow| flow.headers.flow.dst == packet.flow.src)
    }

    fn process_ack(&mut self, now: Time, packet: &Packet, is_nak: bool) {
        let Some(flow) = self.own_flow(packet) else {
            self.counters.unknown += 1;
            return;
        };
        if flow.acknowledged(now, packet.psn, is_nak) {
            let report = flow.completed(now);
            self.sending.remove(&packet.queue_pair);
            self.report(report);
        }
    }

    fn send_pause(&mut self, now: Time, priority: u8) {
        self.send_pfc(&Pfc::single(priority, PAUSE_QUANTA));
        // At half of the duration, as switches do.
        let half = Time(quanta_time(PAUSE_QUANTA, self.identity.rate).0 / 2);
        self.refresh_at[usize::from(priority & 7)] = Some(now + half);
    }

    fn send_pfc(&mut self, pfc: &Pfc) {
        for (_, quanta) in pfc.classes() {
            match quanta {
                0 => self.counters.resumes_sent += 1,
                _ => self.counters.pauses_sent += 1,
            }
        }
        self.control.push_back(pfc.to_frame(self.identity.mac));
    }

    /// Runs timers and passes the frames that are due at `now` to `send`.
    pub fn advance(&mut self, now: Time, mut send: impl FnMut(Frame)) {
        self.run_timers(now);
        self.busy_until = self.busy_until.max(now.saturating_sub(self.settings.catch_up));
        for _ in 0..FRAMES_PER_CALL {
            if self.busy_until > now {
                return;
            }
            let Some((at, frame)) = self.next_frame(now) else {
                self.is_idle = true;
                return;
            };
            // A link that was idle saves no time: it is busy from when the frame could be sent.
            let earliest = if std::mem::take(&mut self.is_idle) { at.unwrap_or(now) } else { Time::ZERO };
            let start = self.busy_until.max(earliest);
            self.busy_until = Time(start.0.saturating_add(self.identity.rate.serialisation(frame.len()).0));
            send(frame);
        }
    }

    fn run_timers(&mut self, now: Time) {
        self.received_pauses.expire(now);
        while self.processed_at.is_some_and(|at| at <= now) {
            let done = self.processed_at.take().unwrap_or(now);
            if let Some((frame, pfc)) = self.pipeline.finish(done) {
                if let Ok(packet) = frame::read(&frame.head) {
                    self.process(now, &packet);
                }
                pfc.iter().for_each(|pfc| self.resume(pfc));
            }
            self.processed_at = self.pipeline.begin(done);
        }
        for priority in 0..8u8 {
            let due = self.refresh_at[usize::from(priority)].is_some_and(|at| at <= now);
            if !due {
                continue;
            }
            self.refresh_at[usize::from(priority)] = None;
            if self.pipeline.is_pausing(priority) || self.storm >> priority & 1 == 1 {
                self.send_pause(now, priority);
            }
        }
        let timeout = self.settings.retransmit_timeout;
        self.sending.values_mut().for_each(|flow| flow.check_progress(now, timeout));
    }

    /// Sends a resume for the priorities that no storm pauses.
    fn resume(&mut self, pfc: &Pfc) {
        let mut resumed = Pfc::default();
        for (priority, _) in pfc.classes().filter(|(priority, _)| self.storm >> priority & 1 == 0) {
            resumed.set(priority, 0);
            self.refresh_at[usize::from(priority)] = None;
        }
        if resumed.class_enable != 0 {
            self.send_pfc(&resumed);
        }
    }

    /// Returns the next frame, and for data since when it could be sent.
    fn next_frame(&mut self, now: Time) -> Option<(Option<Time>, Frame)> {
        if let Some(frame) = self.control.pop_front() {
            return Some((None, frame));
        }
        for priority in (0..8u8).rev() {
            if !self.received_pauses.is_paused(now, priority)
                && let Some(frame) = self.transport[usize::from(priority)].pop_front()
            {
                return Some((None, frame));
            }
        }
        let (queue_pair, at) = self.next_flow(now)?;
        self.last_served = queue_pair;
        let frame = self.sending.get_mut(&queue_pair)?.send(now, at)?;
        self.counters.data_sent += 1;
        Some((Some(at), frame))
    }

    /// Returns the next flow in turn that may send, and since when.
    fn next_flow(&self, now: Time) -> Option<(u32, Time)> {
        let after = self.sending.range(self.last_served.saturating_add(1)..);
        let before = self.sending.range(..=self.last_served);
        let earliest = now.saturating_sub(self.settings.catch_up);
        after.chain(before).find_map(|(queue_pair, flow)| {
            let at = flow.next_at().filter(|at| *at <= now)?;
            let paused = self.received_pauses.is_paused(now, flow.headers.priority);
            (!paused).then_some((*queue_pair, at.max(earliest)))
        })
    }

    /// Returns when [`Endpoint::advance`] must be called next, without further frames; `None` if never.
    pub fn next_due(&self, now: Time) -> Option<Time> {
        let has_control = !self.control.is_empty();
        let is_open = |priority: u8| !self.received_pauses.is_paused(now, priority);
        let has_transport =
            (0..8u8).any(|priority| is_open(priority) && !self.transport[usize::from(priority)].is_empty());
        let data = self.sending.values().filter(|flow| is_open(flow.headers.priority));
        let data_at = data.filter_map(SendingFlow::next_at).min();
        let frame_at = if has_control || has_transport { Some(Time::ZERO) } else { data_at };
        let timers = [
            frame_at.map(|at| at.max(self.busy_until)),
            self.received_pauses.next_expiry(now),
            self.processed_at,
            self.sending.values().map(SendingFlow::progress_due).min(),
        ];
        timers.into_iter().chain(self.refresh_at).flatten().min()
    }
}
