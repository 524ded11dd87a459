//! The plans of a controller's switches, and their changes: links that fail, and settings that an application replaces.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{NetworkChange, PortRef, Topology};
use tokio::sync::{mpsc, oneshot};

use crate::layout::TelemetryLayout;
use crate::plan::{PlanError, PlanSettings, SwitchPlan, keep_group_numbers, plan, route_changes};

use super::LiveError;
use super::network::Change;

/// The plans of a controller's switches.
pub(super) struct Plans {
    topology: Arc<Topology>,
    settings: PlanSettings,
    layout: Arc<TelemetryLayout>,
    /// Links that have failed, by the port at one end.
    failed: Vec<PortRef>,
    /// The present plan of each switch of this controller.
    present: BTreeMap<String, SwitchPlan>,
    /// Changes of routes that were not taken yet.
    changes: Vec<Change>,
}

impl Plans {
    pub(super) fn new(
        topology: Arc<Topology>,
        settings: PlanSettings,
        layout: Arc<TelemetryLayout>,
        present: BTreeMap<String, SwitchPlan>,
    ) -> Plans {
        Plans { topology, settings, layout, failed: Vec::new(), present, changes: Vec::new() }
    }

    /// Plans the network without these links. Returns the plans that change.
    pub(super) fn avoid(&mut self, failed: &[PortRef]) -> Result<BTreeMap<String, SwitchPlan>, PlanError> {
        self.change(self.topology.clone(), self.settings.clone(), failed.to_vec())
    }

    /// Plans the network with other settings. Returns the plans that change.
    pub(super) fn replan(
        &mut self,
        settings: PlanSettings,
    ) -> Result<BTreeMap<String, SwitchPlan>, PlanError> {
        self.change(self.topology.clone(), settings, self.failed.clone())
    }

    /// Plans another network. Returns the plans that change; a switch that it lacks keeps its plan.
    pub(super) fn set_topology(
        &mut self,
        topology: Arc<Topology>,
    ) -> Result<BTreeMap<String, SwitchPlan>, PlanError> {
        self.change(topology, self.settings.clone(), self.failed.clone())
    }

    /// Takes the changes of routes since the last call.
    pub(super) fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// On an error, settings, failed links and plans stay as they are.
    fn change(
        &mut self,
        topology: Arc<Topology>,
        settings: PlanSettings,
        failed: Vec<PortRef>,
    ) -> Result<BTreeMap<String, SwitchPlan>, PlanError> {
        let mut avoiding = settings.clone();
        avoiding.unused_links.extend(failed.iter().cloned());
        let mut new = plan(&topology, &avoiding, &self.layout)?;
        (self.topology, self.settings, self.failed) = (topology, settings, failed);
        let mut changed = BTreeMap::new();
        for (switch, known) in &mut self.present {
            let Some(new) = new.remove(switch) else { continue };
            let new = keep_group_numbers(known, new);
            if new != *known {
                // A route that has no other path is withdrawn because a link has failed: the link is the cause, and a change
                // of the route would hide it.
                let is_loss = |change: &NetworkChange| matches!(change, NetworkChange::Route { after, .. } if after.is_empty());
                let is_avoiding = !self.failed.is_empty();
                let changes = route_changes(known, &new).into_iter();
                let changes = changes.filter(|change| !(is_avoiding && is_loss(change)));
                let change = |change| Change { switch: switch.clone(), ago: Duration::ZERO, change };
                self.changes.extend(changes.map(change));
                known.clone_from(&new);
                changed.insert(switch.clone(), new);
            }
        }
        Ok(changed)
    }
}

/// What the plan is to follow from.
#[derive(Debug)]
pub(super) enum Basis {
    Settings(Box<PlanSettings>),
    Network(Arc<Topology>),
}

/// A request to change the plan.
#[derive(Debug)]
pub(super) struct Replan {
    pub(super) basis: Basis,
    pub(super) reply: oneshot::Sender<Result<Writes, LiveError>>,
}

/// For each switch whose plan changes, a receiver that completes when the change is written.
pub(super) type Writes = Vec<(String, oneshot::Receiver<()>)>;

/// Changes the plan of a running controller. Clones change the same controller.
#[derive(Clone, Debug)]
pub struct Planner(pub(super) mpsc::Sender<Replan>);

impl Planner {
    /// Programs the switches with other settings, e.g. other routes, and waits until all changes are written. Only what
    /// differs is written; value sets do not change.
    ///
    /// # Errors
    /// The settings cannot be planned, or a switch has no session; its session writes the change later.
    pub async fn replan(&self, settings: PlanSettings) -> Result<(), LiveError> {
        self.request(Basis::Settings(Box::new(settings))).await
    }

    /// Replaces the network, e.g. by one that was discovered, and waits until all changes are written. Only what differs is
    /// written; switches that the new network lacks stay as they are.
    ///
    /// # Errors
    /// As [`Planner::replan`].
    pub async fn set_topology(&self, topology: Arc<Topology>) -> Result<(), LiveError> {
        self.request(Basis::Network(topology)).await
    }

    async fn request(&self, basis: Basis) -> Result<(), LiveError> {
        let (reply, replied) = oneshot::channel();
        self.0.send(Replan { basis, reply }).await.map_err(|_| LiveError::Stopped)?;
        for (switch, written) in replied.await.map_err(|_| LiveError::Stopped)?? {
            written.await.map_err(|_| LiveError::NotWritten(switch))?;
        }
        Ok(())
    }
}
