//! The names of drop reasons in reports.

use p4_switch::DropReason;
use p4_switch::tm::DropReason as QueueDrop;

/// The name of a drop reason in [`crate::Counters::drops`].
pub(crate) fn drop_reason_name(reason: DropReason) -> &'static str {
    match reason {
        DropReason::NoProgram => "NoProgram",
        DropReason::Ingress => "Ingress",
        DropReason::Egress => "Egress",
        DropReason::NoReplicas => "NoReplicas",
        DropReason::PassLimit => "PassLimit",
        DropReason::JumpLimit => "JumpLimit",
        DropReason::Queue(reason) => match reason {
            QueueDrop::UnknownPort => "Queue(UnknownPort)",
            QueueDrop::MemoryFull => "Queue(MemoryFull)",
            QueueDrop::IngressThreshold => "Queue(IngressThreshold)",
            QueueDrop::HeadroomFull => "Queue(HeadroomFull)",
            QueueDrop::EgressThreshold => "Queue(EgressThreshold)",
            QueueDrop::Early => "Queue(Early)",
            QueueDrop::Watchdog => "Queue(Watchdog)",
        },
    }
}

/// The name of a drop reason of a traffic manager in reports.
pub(crate) fn queue_drop_name(reason: QueueDrop) -> &'static str {
    match reason {
        QueueDrop::UnknownPort => "UnknownPort",
        QueueDrop::MemoryFull => "MemoryFull",
        QueueDrop::IngressThreshold => "IngressThreshold",
        QueueDrop::HeadroomFull => "HeadroomFull",
        QueueDrop::EgressThreshold => "EgressThreshold",
        QueueDrop::Early => "Early",
        QueueDrop::Watchdog => "Watchdog",
    }
}
