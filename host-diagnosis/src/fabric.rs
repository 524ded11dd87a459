//! What the fabric says about a host's symptoms.

use model::{Anomaly, Cause, Diagnosis};

/// What the fabric says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fabric {
    /// Whether the fabric explains the delay.
    pub state: FabricState,
    /// Whether a PFC watchdog fired at the host's switch port; `None` if unknown.
    pub watchdog_fired: Option<bool>,
    /// How many servers paused their switches at the same time; `None` if unknown.
    pub pausing_servers: Option<u32>,
}

/// Whether the fabric explains a delay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FabricState {
    /// Every hop was clean at that time.
    Clean,
    /// Queues, losses or routes of the fabric explain the delay.
    Congested,
    /// This host pauses its switch, and no queue of the fabric causes the pauses.
    PausedBy(String),
    /// There is no verdict, or it is undetermined.
    #[default]
    Unknown,
}

impl Fabric {
    /// A fabric in this state, without further knowledge.
    pub fn new(state: FabricState) -> Fabric {
        Fabric { state, ..Fabric::default() }
    }

    /// A clean fabric.
    pub fn clean() -> Fabric {
        Fabric::new(FabricState::Clean)
    }

    /// A fabric that `host` pauses.
    pub fn paused_by(host: &str) -> Fabric {
        Fabric::new(FabricState::PausedBy(host.to_string()))
    }

    /// What a verdict says. It says nothing about watchdogs and about other servers.
    pub fn of_diagnosis(diagnosis: &Diagnosis) -> Fabric {
        use Anomaly::*;
        let host = diagnosis.root_cause.host.clone();
        let is_receiver = diagnosis.cause == Cause::SlowReceiver;
        let state = match (diagnosis.anomaly, host) {
            (HostOnly, _) => FabricState::Clean,
            (PfcStormHostInjection | DeadlockOutOfLoopInjection, Some(host)) => FabricState::PausedBy(host),
            (PfcBackpressureFlowContention, Some(host)) if is_receiver => FabricState::PausedBy(host),
            (PfcStormHostInjection | DeadlockOutOfLoopInjection | Undetermined, _) => FabricState::Unknown,
            _ => FabricState::Congested,
        };
        Fabric::new(state)
    }

    /// Whether `host` pauses its switch.
    pub fn is_paused_by(&self, host: &str) -> bool {
        matches!(&self.state, FabricState::PausedBy(pausing) if pausing == host)
    }

    /// Whether queues of the fabric, or another host, explain what `host` observes.
    pub fn explains_delay_of(&self, host: &str) -> bool {
        match &self.state {
            FabricState::Congested => true,
            FabricState::PausedBy(other) => other != host,
            FabricState::Clean | FabricState::Unknown => false,
        }
    }
}
