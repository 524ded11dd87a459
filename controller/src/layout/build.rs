//! Builds a [`TelemetryLayout`] from the description of a pipeline.

use model::LossReason;

use super::digest::{EvictionFields, PollFields};
use super::error::{LayoutError, LayoutProblem};
use super::word::{Slice, Word, argument};
use super::{
    DigestInfo, FlowCountFields, FlowFields, FlowIdFields, FlowMarkFields, LockFields, LossFields,
    MeterFields, PauseCountFields, PauseLogFields, PauseStatusFields, PipelineInfo, PortConfigFields,
    PortFields, Register, RegisterInfo, TelemetryLayout,
};

/// Priorities of a port.
const PRIORITIES: u64 = 8;
/// Bits of the switch's clock.
const CLOCK_BITS: u32 = 48;

/// Looks up registers, fields and digests, and collects problems. Returns placeholders for what is missing.
pub(super) struct Finder<'p> {
    pipeline: &'p PipelineInfo,
    problems: Vec<LayoutProblem>,
}

impl TelemetryLayout {
    /// Derives the layout of `pipeline`.
    ///
    /// # Errors
    /// All registers, fields and digests that are missing or do not match.
    pub fn new(pipeline: &PipelineInfo) -> Result<TelemetryLayout, LayoutError> {
        let mut finder = Finder { pipeline, problems: Vec::new() };
        let mut layout = finder.layout();
        finder.sizes(&mut layout);
        let mut seen = Vec::new();
        finder.problems.retain(|problem| {
            let is_new = !seen.contains(problem);
            seen.extend(is_new.then(|| problem.clone()));
            is_new
        });
        if finder.problems.is_empty() { Ok(layout) } else { Err(LayoutError(finder.problems)) }
    }
}

impl Finder<'_> {
    fn layout(&mut self) -> TelemetryLayout {
        TelemetryLayout {
            epoch_shift: self.epoch_shift(),
            epochs: 0,
            flow_slots: 0,
            ports: 0,
            pause_log: 0,
            freeze_state: self.lock_fields(),
            released: self.generation_register("released", 1),
            collected: self.generation_register("collected", 2),
            port_config: self.port_config_fields(),
            ecmp_seed: self.register("ecmp_seed"),
            flows: [0, 1].map(|bank| self.flow_fields(bank)),
            port_slots: [0, 1].map(|bank| self.port_fields(bank)),
            meters: [0, 1].map(|bank| self.meter_fields(bank)),
            pause_status: self.pause_status_fields(),
            pauses: [0, 1].map(|bank| self.pause_log_fields(bank)),
            pause_counts: self.pause_count_fields(),
            losses: self.loss_fields(),
            poll: PollFields::find(self),
            eviction: EvictionFields::find(self),
        }
    }

    /// Derives the sizes: the number of ports from `pause_status`, of epochs from the port slots, then the others.
    fn sizes(&mut self, layout: &mut TelemetryLayout) {
        if !self.problems.is_empty() {
            return;
        }
        layout.ports = self.quotient(&layout.pause_status.register, PRIORITIES);
        layout.epochs = self.quotient(&layout.port_slots[0].register, layout.ports);
        layout.flow_slots = self.quotient(&layout.flows[0].ids, layout.epochs);
        layout.pause_log = self.quotient(&layout.pauses[0].register, layout.ports);
        let meters = layout.ports * layout.ports * layout.epochs;
        let flows = layout.epochs * layout.flow_slots;
        let pauses = layout.ports * layout.pause_log;
        for bank in 0..2 {
            self.size(&layout.pauses[bank].register, pauses);
            self.size(&layout.port_slots[bank].register, layout.ports * layout.epochs);
            self.size(&layout.meters[bank].register, meters);
            let slots = &layout.flows[bank];
            for register in [&slots.ids, &slots.counts, &slots.marks] {
                self.size(register, flows);
            }
        }
        self.size(&layout.port_config.register, layout.ports);
        self.size(&layout.pause_counts.register, layout.ports);
        self.size(&layout.losses.register, layout.ports * layout.losses.reasons.len() as u64);
        let [first, second] = &layout.flows;
        self.same(&first.ids, &second.ids);
        self.same(&first.counts, &second.counts);
        self.same(&first.marks, &second.marks);
        self.same(&layout.port_slots[0].register, &layout.port_slots[1].register);
        self.same(&layout.meters[0].register, &layout.meters[1].register);
        self.same(&layout.pauses[0].register, &layout.pauses[1].register);
    }

    fn same(&mut self, first: &Register, second: &Register) {
        if first.word != second.word {
            let (first, second) = (first.name.clone(), second.name.clone());
            self.problems.push(LayoutProblem::Banks { first, second });
        }
    }

    fn quotient(&mut self, register: &Register, divisor: u64) -> u64 {
        if divisor == 0 || register.size == 0 || !register.size.is_multiple_of(divisor) {
            self.problems.push(LayoutProblem::Size {
                register: register.name.clone(),
                found: register.size,
                expected: format!("a multiple of {divisor}"),
            });
            return 0;
        }
        register.size / divisor
    }

    fn size(&mut self, register: &Register, expected: u64) {
        if register.size != expected {
            self.problems.push(LayoutProblem::Size {
                register: register.name.clone(),
                found: register.size,
                expected: expected.to_string(),
            });
        }
    }

    /// Returns the register whose full name is `name` or ends in `.name`.
    fn info(&mut self, name: &str) -> Option<&RegisterInfo> {
        let suffix = format!(".{name}");
        let found: Vec<&RegisterInfo> =
            self.pipeline.registers.iter().filter(|r| r.name == name || r.name.ends_with(&suffix)).collect();
        match found.as_slice() {
            [one] => Some(one),
            [] => {
                self.problems.push(LayoutProblem::MissingRegister(name.to_string()));
                None
            }
            several => {
                let found = several.iter().map(|r| format!("`{}`", r.name)).collect::<Vec<_>>().join(", ");
                self.problems.push(LayoutProblem::AmbiguousRegister { name: name.to_string(), found });
                None
            }
        }
    }

    fn register(&mut self, name: &str) -> Register {
        let empty = || Register { name: name.to_string(), word: Word::default(), size: 0 };
        let Some(info) = self.info(name).cloned() else { return empty() };
        // A register of bank 1 without annotation has the fields of bank 0.
        let is_bare = !info.annotations.iter().any(|a| argument(a, "fields").is_some());
        let annotations = match name.strip_suffix("_bank1").filter(|_| is_bare) {
            Some(stem) => self.info(&format!("{stem}_bank0")).cloned().unwrap_or_default().annotations,
            None => info.annotations,
        };
        match Word::parse(&info.name, info.width, &annotations) {
            Ok(word) => Register { name: info.name, word, size: info.size },
            Err(problem) => {
                self.problems.push(problem);
                empty()
            }
        }
    }

    /// Returns field `name` of `register`, which must have at most `most` bits.
    fn field(&mut self, register: &Register, name: &'static str, most: u32) -> Slice {
        let nothing = Slice { low: 0, width: 1 };
        // The missing register has been reported already.
        if register.word.fields().is_empty() {
            return nothing;
        }
        let of = format!("register `{}`", register.name);
        let Some(slice) = register.word.field(name) else {
            self.problems.push(LayoutProblem::MissingField { of, field: name });
            return nothing;
        };
        if slice.width > most {
            let expected = format!("at most {most}");
            let field = name.to_string();
            self.problems.push(LayoutProblem::FieldWidth { of, field, found: slice.width, expected });
        }
        slice
    }

    /// Returns a field that must have exactly `width` bits.
    fn exact_field(&mut self, register: &Register, name: &'static str, width: u32) -> Slice {
        let slice = self.field(register, name, 128);
        if register.word.field(name).is_some() && slice.width != width {
            self.problems.push(LayoutProblem::FieldWidth {
                of: format!("register `{}`", register.name),
                field: name.to_string(),
                found: slice.width,
                expected: width.to_string(),
            });
        }
        slice
    }

    /// Returns the digest whose full name is `name` or ends in `.name`.
    pub(super) fn digest(&mut self, name: &str) -> Option<DigestInfo> {
        let suffix = format!(".{name}");
        let found = self.pipeline.digests.iter().find(|d| d.name == name || d.name.ends_with(&suffix));
        if found.is_none() {
            self.problems.push(LayoutProblem::MissingDigest(name.to_string()));
        }
        found.cloned()
    }

    /// Returns the position of field `name` in `digest`, which must have at most `most` bits.
    pub(super) fn digest_field(&mut self, digest: &DigestInfo, name: &'static str, most: u32) -> usize {
        let of = format!("digest `{}`", digest.name);
        let Some(at) = digest.fields.iter().position(|(field, _)| field == name) else {
            self.problems.push(LayoutProblem::MissingField { of, field: name });
            return 0;
        };
        let found = digest.fields[at].1;
        if found > most {
            let expected = format!("at most {most}");
            self.problems.push(LayoutProblem::FieldWidth { of, field: name.to_string(), found, expected });
        }
        at
    }

    /// Returns the position of the digest field `name`, which holds an element of `register` unchanged.
    pub(super) fn digest_word(&mut self, digest: &DigestInfo, name: &'static str, register: &str) -> usize {
        let Some(expected) = self.info(register).map(|r| r.width) else { return 0 };
        let at = self.digest_field(digest, name, u32::MAX);
        if let Some((field, found)) = digest.fields.get(at)
            && field == name
            && *found != expected
        {
            self.problems.push(LayoutProblem::FieldWidth {
                of: format!("digest `{}`", digest.name),
                field: name.to_string(),
                found: *found,
                expected: format!("{expected}, as register `{register}`"),
            });
        }
        at
    }

    /// An epoch number consists of the clock bits above those of the time within an epoch.
    fn epoch_shift(&mut self) -> u32 {
        let Some(digest) = self.digest("poll_report_t") else { return 0 };
        let at = self.digest_field(&digest, "epoch", CLOCK_BITS - 1);
        digest.fields.get(at).map_or(0, |(_, width)| CLOCK_BITS.saturating_sub(*width))
    }

    fn generation_register(&mut self, name: &str, size: u64) -> Register {
        let register = self.register(name);
        if !register.word.fields().is_empty() {
            self.exact_field(&register, "generation", 16);
            self.size(&register, size);
        }
        register
    }

    fn lock_fields(&mut self) -> LockFields {
        let register = self.register("freeze_state");
        LockFields {
            generation: self.exact_field(&register, "generation", 16),
            event: self.field(&register, "event", 32),
            frozen_ns: self.field(&register, "frozen_ns", 64),
            evictions: self.exact_field(&register, "evictions", 32),
            register,
        }
    }

    fn port_config_fields(&mut self) -> PortConfigFields {
        let register = self.register("port_config");
        PortConfigFields {
            host_facing: self.field(&register, "host_facing", 1),
            quantum: self.field(&register, "quantum", 64),
            register,
        }
    }

    fn flow_fields(&mut self, bank: u32) -> FlowFields {
        let ids = self.register(&format!("flow_ids_bank{bank}"));
        let counts = self.register(&format!("flow_counts_bank{bank}"));
        let marks = self.register(&format!("flow_marks_bank{bank}"));
        FlowFields {
            id: FlowIdFields {
                epoch: self.field(&ids, "epoch", 64),
                generation: self.exact_field(&ids, "generation", 16),
                ingress_port: self.field(&ids, "ingress_port", 16),
                egress_port: self.field(&ids, "egress_port", 16),
                priority: self.field(&ids, "priority", 8),
                source: self.exact_field(&ids, "source", 128),
                destination: self.exact_field(&ids, "destination", 128),
                source_port: self.exact_field(&ids, "source_port", 16),
                destination_port: self.exact_field(&ids, "destination_port", 16),
                protocol: self.exact_field(&ids, "protocol", 8),
            },
            count: FlowCountFields {
                packets: self.field(&counts, "packets", 64),
                bytes: self.field(&counts, "bytes", 64),
                queued_packets: self.field(&counts, "queued_packets", 64),
                depth_sum: self.field(&counts, "depth_sum", 64),
                paused_packets: self.field(&counts, "paused_packets", 64),
            },
            mark: FlowMarkFields {
                psn_first: self.field(&marks, "psn_first", 32),
                psn_last: self.field(&marks, "psn_last", 32),
                seen_first: self.field(&marks, "seen_first_ns", 64),
                seen_last: self.field(&marks, "seen_last_ns", 64),
                queued_first: self.field(&marks, "queued_first_ns", 64),
                queued_last: self.field(&marks, "queued_last_ns", 64),
            },
            ids,
            counts,
            marks,
        }
    }

    fn port_fields(&mut self, bank: u32) -> PortFields {
        let register = self.register(&format!("port_slots_bank{bank}"));
        PortFields {
            epoch: self.field(&register, "epoch", 64),
            generation: self.exact_field(&register, "generation", 16),
            packets: self.field(&register, "packets", 64),
            depth_sum: self.field(&register, "depth_sum", 64),
            paused_packets: self.field(&register, "paused_packets", 64),
            register,
        }
    }

    fn meter_fields(&mut self, bank: u32) -> MeterFields {
        let register = self.register(&format!("meter_bank{bank}"));
        MeterFields {
            epoch: self.field(&register, "epoch", 64),
            generation: self.exact_field(&register, "generation", 16),
            packets: self.field(&register, "packets", 64),
            bytes: self.field(&register, "bytes", 64),
            register,
        }
    }

    fn pause_status_fields(&mut self) -> PauseStatusFields {
        let register = self.register("pause_status");
        PauseStatusFields {
            paused: self.field(&register, "paused", 1),
            start: self.field(&register, "start_ns", 64),
            until: self.field(&register, "until_ns", 64),
            frames: self.field(&register, "frames", 64),
            register,
        }
    }

    fn pause_count_fields(&mut self) -> PauseCountFields {
        let register = self.register("pause_counts");
        PauseCountFields { intervals: self.field(&register, "intervals", 64), register }
    }

    /// The annotation `@reasons` names the reasons of a port's rows, as [`LossReason::name`] does.
    fn loss_fields(&mut self) -> LossFields {
        let register = self.register("losses");
        let annotations = match register.word.fields().is_empty() {
            true => None,
            false => self.info("losses").map(|info| info.annotations.clone()),
        };
        let names = annotations.as_ref().map(|all| all.iter().find_map(|text| argument(text, "reasons")));
        if names == Some(None) {
            let register = register.name.clone();
            self.problems.push(LayoutProblem::MissingAnnotation { register, annotation: "@reasons" });
        }
        let names = names.flatten().unwrap_or_default();
        let reasons = names.split(',').map(|name| LossReason::of_name(name.trim())).collect();
        LossFields {
            packets: self.field(&register, "packets", 64),
            first: self.field(&register, "first_ns", 64),
            last: self.field(&register, "last_ns", 64),
            reasons,
            register,
        }
    }

    fn pause_log_fields(&mut self, bank: u32) -> PauseLogFields {
        let register = self.register(&format!("pause_log_bank{bank}"));
        PauseLogFields {
            start: self.field(&register, "start_ns", 64),
            lasted: self.field(&register, "lasted_ns", 63),
            frames: self.field(&register, "frames", 64),
            priority: self.field(&register, "priority", 3),
            number: self.exact_field(&register, "number", 16),
            register,
        }
    }
}
