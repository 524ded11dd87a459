//! The plans of a controller's switches, and their changes: links that fail, and settings that an application replaces.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{PortRef, Topology};
use tokio::sync::{mpsc, oneshot};

use crate::layout::TelemetryLayout;
use crate::plan::{PlanError, PlanSettings, SwitchPlan, keep_group_numbers, plan};

use super::LiveError;

/// The plans of a controller's switches.
pub(super) struct Plans {
    topology: Arc<Topology>,
    settings: PlanSettings,
    layout: Arc<TelemetryLayout>,
    /// Links that have failed, by the port at one end.
    failed: Vec<PortRef>,
    /// The present plan of each switch of this controller.
    present: BTreeMap<String, SwitchPlan>,
}

impl Plans {
    pub(super) fn new(
        topology: Arc<Topology>,
        settings: PlanSettings,
        layout: Arc<TelemetryLayout>,
        present: BTreeMap<String, SwitchPlan>,
    ) -> Plans {
        Plans { topology, settings, layout, failed: Vec::new(), present }
    }

    /// Plans the network without these links. Returns the plans that change.
    pub(super) fn avoid(&mut self, failed: &[PortRef]) -> Result<BTreeMap<String, SwitchPlan>, PlanError> {
        self.change(self.settings.clone(), failed.to_vec())
    }

    /// Plans the network with other settings. Returns the plans that change.
    pub(super) fn replan(
        &mut self,
        settings: PlanSettings,
    ) -> Result<BTreeMap<String, SwitchPlan>, PlanError> {
        self.change(settings, self.failed.clone())
    }

    /// On an error, settings, failed links and plans stay as they are.
    fn change(
        &mut self,
        settings: PlanSettings,
        failed: Vec<PortRef>,
    ) -> Result<BTreeMap<String, SwitchPlan>, PlanError> {
        let mut avoiding = settings.clone();
        avoiding.unused_links.extend(failed.iter().cloned());
        let mut new = plan(&self.topology, &avoiding, &self.layout)?;
        (self.settings, self.failed) = (settings, failed);
        let mut changed = BTreeMap::new();
        for (switch, known) in &mut self.present {
            let Some(new) = new.remove(switch) else { continue };
            let new = keep_group_numbers(known, new);
            if new != *known {
                known.clone_from(&new);
                changed.insert(switch.clone(), new);
            }
        }
        Ok(changed)
    }
}

/// A request to change the settings of the plan.
#[derive(Debug)]
pub(super) struct Replan {
    pub(super) settings: PlanSettings,
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
        let (reply, replied) = oneshot::channel();
        self.0.send(Replan { settings, reply }).await.map_err(|_| LiveError::Stopped)?;
        for (switch, written) in replied.await.map_err(|_| LiveError::Stopped)?? {
            written.await.map_err(|_| LiveError::NotWritten(switch))?;
        }
        Ok(())
    }
}
