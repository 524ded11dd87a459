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

/// A drop reason in words, by its name in [`crate::Counters::drops`] or [`model::traffic::LosslessDrops`]; the name itself if it
/// is not known.
pub fn drop_words(name: &str) -> &str {
    match name.strip_prefix("Queue(").and_then(|name| name.strip_suffix(')')).unwrap_or(name) {
        "NoProgram" => "the switch has no program",
        "Ingress" => "by the ingress pipeline",
        "Egress" => "by the egress pipeline",
        "NoReplicas" => "the multicast group is empty",
        "PassLimit" => "recirculated too often",
        "JumpLimit" => "the parser did not end",
        "UnknownPort" => "no such egress port",
        "MemoryFull" => "packet memory full",
        "IngressThreshold" => "above the threshold of the ingress priority group",
        "HeadroomFull" => "headroom exhausted",
        "EgressThreshold" => "above the threshold of the egress queue",
        "Early" => "random early detection",
        "Watchdog" => "PFC watchdog",
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_words() {
        let of_queues = [
            QueueDrop::UnknownPort,
            QueueDrop::MemoryFull,
            QueueDrop::IngressThreshold,
            QueueDrop::HeadroomFull,
            QueueDrop::EgressThreshold,
            QueueDrop::Early,
            QueueDrop::Watchdog,
        ];
        let of_programs = [
            DropReason::NoProgram,
            DropReason::Ingress,
            DropReason::Egress,
            DropReason::NoReplicas,
            DropReason::PassLimit,
            DropReason::JumpLimit,
        ];
        for reason in of_programs.into_iter().chain(of_queues.map(DropReason::Queue)) {
            let name = drop_reason_name(reason);
            assert_ne!(drop_words(name), name);
        }
        for reason in of_queues {
            assert_eq!(
                drop_words(queue_drop_name(reason)),
                drop_words(drop_reason_name(DropReason::Queue(reason)))
            );
        }
        assert_eq!(drop_words("Another"), "Another");
    }
}
