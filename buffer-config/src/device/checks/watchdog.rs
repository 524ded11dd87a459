//! The PFC watchdog.

use super::{Found, lossless_ports};
use crate::device::{Device, DevicePort, Repair, System};
use crate::finding::Severity;
use crate::resolved::WatchdogAction;

/// The longest detection time that is not reported, milliseconds, and the largest quotient of restoration and detection
/// time (as WD025).
const LONG_DETECTION_MS: u32 = 2000;
const LONG_RESTORATION: u32 = 10;

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    for port in lossless_ports(device).filter(|port| !port.is_shut()) {
        match port.qos.watchdog {
            Some(watchdog) if watchdog.value => times(device, port, out),
            state => {
                let span = state.map_or(port.span, |state| state.span);
                let message = "has PFC, but no PFC watchdog".to_string();
                // EOS and NX-OS may have it by default on some models; NVUE's default is off.
                let is_certain = state.is_some() || device.system == System::Nvue;
                let severity = if is_certain { Severity::Error } else { Severity::Warning };
                out.port("WD013", port, (span, "pfc-watchdog"), message)
                    .severity(severity)
                    .repair(Repair::Watch);
            }
        }
    }
    for port in device.ports.iter().filter(|port| device.system == System::Nvue && !port.qos.has_pfc()) {
        if let Some(watchdog) = port.qos.watchdog.filter(|on| on.value && !port.qos.has_link_pause()) {
            let message = "has a PFC watchdog, but neither PFC nor link pause".to_string();
            out.port("WD012", port, (watchdog.span, "pfc-watchdog"), message);
        }
    }
}

fn times<'d>(device: &Device, port: &'d DevicePort, out: &mut Found<'d>) {
    let qos = &port.qos;
    let shortest = [qos.detection_ms, qos.restoration_ms].into_iter().flatten().map(|time| time.value).min();
    // EOS polls at least twice within the shorter time; otherwise it replaces the interval.
    if let (Some(polling), Some(shortest)) = (qos.polling_ms, shortest)
        && device.system == System::Eos
        && polling.value.saturating_mul(2) > shortest
    {
        let message = format!(
            "the polling interval of {} ms is more than half of {shortest} ms, the shorter of timeout and recovery time",
            polling.value
        );
        out.port("WD004", port, (polling.span, "pause watchdog"), message).repair(Repair::Watch);
    }
    if let Some(detection) = qos.detection_ms.filter(|time| time.value > LONG_DETECTION_MS) {
        let message = format!("a storm lasts {} ms until it is detected", detection.value);
        out.port("WD025", port, (detection.span, "pause watchdog"), message).repair(Repair::Watch);
    } else if let (Some(detection), Some(restoration)) = (qos.detection_ms, qos.restoration_ms)
        && restoration.value > detection.value.saturating_mul(LONG_RESTORATION)
    {
        let message = format!(
            "a queue drops packets for {} ms after a storm that is detected in {} ms",
            restoration.value, detection.value
        );
        out.port("WD025", port, (restoration.span, "pause watchdog"), message).repair(Repair::Watch);
    }
    if let Some(action) = qos.watchdog_action.filter(|action| action.value == WatchdogAction::Alert) {
        let message = "the watchdog only reports a storm, and does not stop it".to_string();
        out.port("WD006", port, (action.span, "pause watchdog"), message)
            .severity(Severity::Warning)
            .repair(Repair::Watch);
    }
    if let Some(shuts) = qos.watchdog_shuts_port.filter(|shuts| shuts.value) {
        let message = "a storm shuts the port down until it is enabled by hand".to_string();
        out.port("WD006", port, (shuts.span, "pause watchdog"), message)
            .severity(Severity::Warning)
            .repair(Repair::Watch);
    }
}
