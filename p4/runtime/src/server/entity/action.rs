//! Actions of table entries and of action profiles' members.
//!
//! Source: P4Runtime specification, "Action Specification".

use crate::error::Refusal;
use crate::proto::p4::v1;
use crate::server::pipeline::Pipeline;
use p4_lang::ir::{self, ActionId, ActionScope, Bits};
use p4_switch::control::ActionCall;

/// The use of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// In an entry, a member or a one-shot action set.
    Entry,
    /// As a default action.
    Default,
}

/// Decodes an action of a table, with its arguments in order.
pub(crate) fn decode(
    pipeline: &Pipeline,
    table: &ir::Table,
    action: &v1::Action,
    usage: Use,
) -> Result<ActionCall, Refusal> {
    let (_, named) = pipeline.action(action.action_id).map_err(|error| Refusal::invalid(error.message))?;
    let of = |id: ActionId| pipeline.program.actions.get(id.index());
    // An action with arguments bound by tables is several actions in the switch, with the same id.
    let found = table.actions.iter().find_map(|reference| {
        of(reference.action).filter(|a| a.preamble.id == action.action_id).map(|a| (reference, a))
    });
    let Some((reference, declared)) = found else {
        return Err(Refusal::invalid(format!(
            "action {} is not one of table {}",
            named.preamble.name, table.preamble.name
        )));
    };
    match (reference.scope, usage) {
        (ActionScope::TableOnly, Use::Default) => {
            return Err(Refusal::denied(format!("action {} is for entries only", declared.preamble.name)));
        }
        (ActionScope::DefaultOnly, Use::Entry) => {
            return Err(Refusal::denied(format!(
                "action {} is for the default only",
                declared.preamble.name
            )));
        }
        _ => {}
    }
    Ok(ActionCall { action: reference.action, args: arguments(pipeline, declared, &action.params)? })
}

/// The values of an action's parameters in order.
fn arguments(
    pipeline: &Pipeline,
    action: &ir::Action,
    given: &[v1::action::Param],
) -> Result<Vec<Bits>, Refusal> {
    let name = &action.preamble.name;
    for (at, param) in given.iter().enumerate() {
        if !action.params.iter().any(|declared| declared.id == param.param_id) {
            return Err(Refusal::invalid(format!(
                "action {name} has no parameter with id {}",
                param.param_id
            )));
        }
        if given[..at].iter().any(|other| other.param_id == param.param_id) {
            return Err(Refusal::invalid(format!(
                "action {name}: parameter {} is given twice",
                param.param_id
            )));
        }
    }
    let values = action.params.iter().map(|param| {
        let field = format!("action {name}, parameter {}", param.name);
        let Some(given) = given.iter().find(|given| given.param_id == param.id) else {
            return Err(Refusal::invalid(format!("{field}: is missing")));
        };
        pipeline.decode_value(param.type_name.as_ref(), &given.value, param.kind, &field)
    });
    values.collect()
}

/// Encodes an action as a client would write it.
pub(crate) fn encode(pipeline: &Pipeline, call: &ActionCall) -> v1::Action {
    let Some(action) = pipeline.program.actions.get(call.action.index()) else {
        return v1::Action::default();
    };
    let params = action
        .params
        .iter()
        .zip(&call.args)
        .map(|(param, value)| v1::action::Param {
            param_id: param.id,
            value: pipeline.encode_value(param.type_name.as_ref(), value, param.kind),
        })
        .collect();
    v1::Action { action_id: action.preamble.id, params }
}
