// Generated from the OpenAPI document by `scripts/ui-types.sh`. Do not change this file.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @enum {string} */
        Anomaly: "flow_contention" | "pfc_backpressure_flow_contention" | "pfc_storm_host_injection" | "deadlock_in_loop_contention" | "deadlock_out_of_loop_contention" | "deadlock_out_of_loop_injection" | "routing_loop" | "class_contention" | "packet_loss" | "path_change" | "self_inflicted" | "host_only" | "undetermined";
        CableDifference: {
            found?: string | null;
            planned?: components["schemas"]["PortRef"] | null;
            port: components["schemas"]["PortRef"];
            text: string;
        };
        Case: {
            diagnosis: components["schemas"]["Diagnosis"];
            feedback?: components["schemas"]["Feedback"] | null;
            format: number;
            incident: string;
            notes: components["schemas"]["TimedNote"][];
            snapshot: components["schemas"]["Snapshot"];
            topology?: components["schemas"]["Topology"] | null;
        };
        /** @enum {string} */
        Cause: "incast" | "elephant_collision" | "ecmp_imbalance" | "low_rate_attack" | "collective_step" | "nic_storm" | "slow_receiver" | "loopback_congestion" | "intra_host_link" | "noisy_tenant" | "rnic_workload" | "hidden_fence" | "congestion_leaking" | "go_back_n_waste" | "qp_cache_thrash" | "poll_gap" | "host_control_overhead" | "gpu_co_location" | "legitimately_network_bound" | "misconfiguration" | "undetermined";
        Collected: {
            bytes: number;
            polls: number;
            switches: number;
        };
        ConfigFinding: {
            deviation: components["schemas"]["Deviation"];
            fix: string;
            id: string;
            message: string;
            port?: number | null;
            setting: components["schemas"]["Setting"];
            switch: string;
        };
        Cost: {
            bytes: number;
            delay_ns: number;
            flows: number;
            jobs: number;
        };
        DaemonState: {
            boot_id: string;
            cables?: components["schemas"]["CableDifference"][];
            clock_error_ns: number;
            clock_offset_ns?: number | null;
            failed_links?: components["schemas"]["PortRef"][];
            heard: string;
            interfaces?: components["schemas"]["HostInterface"][];
            kind: string;
            lost: number;
            name: string;
            neighbours?: components["schemas"]["LldpNeighbour"][];
            problems: components["schemas"]["HealthProblem"][];
            rejected: number;
            software: string;
            state: string;
        };
        Daemons: {
            daemons: components["schemas"]["DaemonState"][];
            problems: components["schemas"]["HealthProblem"][];
        };
        /** @enum {string} */
        Deviation: "less" | "more" | "different";
        DiagnosesPage: {
            diagnoses: components["schemas"]["DiagnosisList"];
            next?: string | null;
        };
        Diagnosis: {
            advice: string[];
            anomaly: components["schemas"]["Anomaly"];
            cause: components["schemas"]["Cause"];
            collected: components["schemas"]["Collected"];
            confidence: number;
            cost?: components["schemas"]["Cost"];
            evidence: components["schemas"]["Evidence"][];
            id: string;
            loop: components["schemas"]["PortRef"][];
            missing: string[];
            paths?: components["schemas"]["FlowPath"][];
            pause_path: components["schemas"]["PortRef"][];
            root_cause: components["schemas"]["RootCause"];
            severity?: components["schemas"]["Severity"];
            spreaders: components["schemas"]["FlowKey"][];
            steps?: components["schemas"]["JobStep"][];
            summary: string;
            time_ns: number;
            verification?: components["schemas"]["Verification"] | null;
            verified?: boolean | null;
            victim?: components["schemas"]["FlowKey"] | null;
            victims: components["schemas"]["FlowKey"][];
        };
        DiagnosisList: components["schemas"]["TimedDiagnosis"][] | components["schemas"]["DiagnosisSummary"][];
        DiagnosisSummary: {
            anomaly: components["schemas"]["Anomaly"];
            cause: components["schemas"]["Cause"];
            collected: components["schemas"]["Collected"];
            confidence: number;
            cost: components["schemas"]["Cost"];
            headline: components["schemas"]["Headline"];
            id: string;
            loop: components["schemas"]["PortRef"][];
            pause_path: components["schemas"]["PortRef"][];
            root_cause: components["schemas"]["RootCause"];
            severity: components["schemas"]["Severity"];
            summary: string;
            time?: string | null;
            time_ns: number;
            victim?: components["schemas"]["FlowKey"] | null;
        };
        /** @enum {string} */
        EdgeKind: "port_waits_for_port" | "flow_waits_for_port" | "port_waits_for_flow" | "port_waits_for_host" | "port_set_by_finding" | "port_loses_packets" | "loss_set_by_finding";
        EpochInfo: {
            end_ns: number;
            id: number;
            start_ns: number;
        };
        Evidence: {
            claim: string;
            epoch?: number | null;
            port?: components["schemas"]["PortRef"] | null;
            records: components["schemas"]["Record"][];
            switch?: string | null;
        };
        Expected: "on_victim_path" | {
            pauses: components["schemas"]["PortRef"];
        };
        /** @enum {string} */
        Feedback: "right" | "wrong" | "unclear";
        Findings: {
            findings: Record<string, never>[];
        };
        FlowKey: string;
        FlowPath: {
            flow: components["schemas"]["FlowKey"];
            hops: components["schemas"]["Hop"][];
            role: components["schemas"]["FlowRole"];
        };
        FlowRecord: {
            bytes?: number | null;
            depth_sum: number;
            egress_port: number;
            epoch: number;
            evicted: boolean;
            flow: components["schemas"]["FlowKey"];
            ingress_port?: number | null;
            packets: number;
            paused_packets: number;
            priority?: number | null;
            psn_first: number;
            psn_last: number;
            queued_ns?: [
                number,
                number
            ] | null;
            queued_packets?: number | null;
            seen_ns?: [
                number,
                number
            ] | null;
        };
        /** @enum {string} */
        FlowRole: "victim" | "acks" | "culprit";
        FollowUp: {
            event: number;
            since_ns: number;
        };
        Gap: {
            because: components["schemas"]["Expected"];
            /** @enum {string} */
            gap: "no_report";
            switch: string;
        } | {
            because: components["schemas"]["Expected"];
            /** @enum {string} */
            gap: "no_program";
            switch: string;
        } | {
            /** @enum {string} */
            gap: "report_lost";
            switch: string;
        } | {
            /** @enum {string} */
            gap: "unread";
            switch: string;
            why: string;
        } | {
            before_ns: number;
            /** @enum {string} */
            gap: "counts_lost";
            switch: string;
            why: string;
        } | {
            asked_ns: number;
            event: number;
            frozen_ns: number;
            /** @enum {string} */
            gap: "frozen_before";
            switch: string;
            victim?: components["schemas"]["FlowKey"] | null;
        } | {
            /** @enum {string} */
            gap: "evictions_lost";
            slots: number;
            switch: string;
        } | {
            before_ns: number;
            /** @enum {string} */
            gap: "pauses_overwritten";
            port: components["schemas"]["PortRef"];
            priority: number;
        } | {
            /** @enum {string} */
            gap: "no_device_state";
            switch: string;
            why: string;
        };
        /** @enum {string} */
        Handling: "open" | "acknowledged" | "resolved" | "silenced";
        Headline: {
            culprit: string;
            place?: components["schemas"]["PortRef"] | null;
            text: string;
        };
        HealthProblem: {
            reason: string;
            subject: string;
        };
        Hop: {
            known: components["schemas"]["Known"];
            port: components["schemas"]["PortRef"];
        };
        HostInterface: {
            addresses: string[];
            is_up: boolean;
            mac: string;
            mtu_bytes: number;
            name: string;
            speed_mbps?: number | null;
        };
        Incident: {
            anomaly: components["schemas"]["Anomaly"];
            cause: components["schemas"]["Cause"];
            confidence: number;
            count: number;
            diagnosis: string;
            end_ns?: number | null;
            feedback?: components["schemas"]["Feedback"] | null;
            handling: components["schemas"]["Handling"];
            id: string;
            loop: components["schemas"]["PortRef"][];
            pause_path: components["schemas"]["PortRef"][];
            recurrences: number;
            root_cause: components["schemas"]["RootCause"];
            severity: components["schemas"]["Severity"];
            start_ns: number;
            summary: string;
            update_ns: number;
            victim_count: number;
            victims: components["schemas"]["FlowKey"][];
        };
        IncidentsPage: {
            incidents: components["schemas"]["TimedIncident"][];
            next?: string | null;
            open_total: number;
            total: number;
        };
        Job: {
            name: string;
            transfers: components["schemas"]["Transfer"][];
        };
        JobStep: {
            flows: components["schemas"]["FlowKey"][];
            holds_up?: boolean | null;
            job: string;
            role: components["schemas"]["StepRole"];
            step: number;
            steps: number;
        };
        /** @enum {string} */
        Known: "recorded" | "derived" | "assumed";
        Link: {
            a: components["schemas"]["PortRef"];
            b: components["schemas"]["PortRef"];
            delay: components["schemas"]["Time"];
            rate: components["schemas"]["Rate"];
        };
        LldpNeighbour: {
            announced: string;
            description: string;
            port: components["schemas"]["PortRef"];
        };
        /** @enum {string} */
        LossReason: "headroom" | "lossy" | "watchdog" | "no_route" | "ttl" | "link_down" | "corrupted" | "other";
        LossRecord: {
            egress_port?: number | null;
            ingress_port?: number | null;
            lost_ns: [
                number,
                number
            ];
            packets: number;
            priority?: number | null;
            reason: components["schemas"]["LossReason"];
            switch: string;
        };
        MeterRecord: {
            bytes: number;
            egress_port: number;
            epoch: number;
            ingress_port: number;
            packets?: number | null;
        };
        MissingEntry: components["schemas"]["Gap"] | string;
        NetworkChange: {
            /** @enum {string} */
            change: "link_down";
            port: number;
        } | {
            /** @enum {string} */
            change: "link_up";
            port: number;
        } | {
            after: number[];
            before: number[];
            /** @enum {string} */
            change: "route";
            prefix: string;
        };
        NetworkEvent: components["schemas"]["NetworkChange"] & {
            switch: string;
            time_ns: number;
        };
        NoAnomaly: {
            anomaly: null;
            detail: string;
            looked_at: string;
            time: string;
            victim: components["schemas"]["FlowKey"];
        };
        Node: {
            addresses?: string[];
            kind: components["schemas"]["NodeKind"];
            name: string;
        };
        /** @enum {string} */
        NodeKind: "host" | "switch";
        NoteRequest: {
            feedback?: null | components["schemas"]["Feedback"];
            handling?: null | components["schemas"]["Handling"];
            text?: string;
        } & ({
            handling: components["schemas"]["Handling"];
        } | {
            feedback: components["schemas"]["Feedback"];
        } | {
            text: string;
        });
        Notes: {
            notes: components["schemas"]["TimedNote"][];
        };
        Occurrence: {
            end_ns?: number | null;
            end_time?: string | null;
            start_ns: number;
            start_time?: string | null;
        };
        PauseInterval: {
            end_ns?: number | null;
            frames: number;
            port: number;
            priority: number;
            start_ns: number;
        };
        PortPoint: {
            interval_ns: number;
            paused: boolean;
            paused_ns: number;
            paused_priorities?: number[];
            queue_bytes: number;
            queue_packets: number;
            time_ns: number;
            tx_bps: number;
        };
        PortRecord: {
            depth_sum: number;
            epoch: number;
            packets?: number | null;
            paused_packets: number;
            port: number;
        };
        PortRef: string;
        PortSample: components["schemas"]["PortPoint"] & {
            port: components["schemas"]["PortRef"];
        };
        PortSeries: {
            peer?: components["schemas"]["PortRef"] | null;
            port: components["schemas"]["PortRef"];
            rate_bps?: number | null;
            samples: components["schemas"]["PortPoint"][];
        };
        Ports: {
            ports: components["schemas"]["PortSample"][];
        };
        Problem: {
            detail: string;
            instance: string;
            retry_after_s?: number | null;
            status: number;
            title: string;
            type: string;
        };
        ProvenanceEdge: {
            from: number;
            kind: components["schemas"]["EdgeKind"];
            to: number;
            weight: number;
        };
        ProvenanceGraph: {
            edges: components["schemas"]["ProvenanceEdge"][];
            nodes: components["schemas"]["ProvenanceNode"][];
        };
        ProvenanceNode: {
            id: components["schemas"]["PortRef"];
            /** @enum {string} */
            kind: "port";
        } | {
            id: components["schemas"]["FlowKey"];
            /** @enum {string} */
            kind: "flow";
        } | {
            id: string;
            /** @enum {string} */
            kind: "host";
        } | {
            id: string;
            /** @enum {string} */
            kind: "finding";
        } | {
            id: string;
            /** @enum {string} */
            kind: "loss";
        };
        QueryAnswer: components["schemas"]["TimedDiagnosis"] | components["schemas"]["NoAnomaly"];
        Question: {
            victim: components["schemas"]["FlowKey"];
        };
        Rate: number;
        Record: (components["schemas"]["FlowRecord"] & {
            /** @enum {string} */
            kind: "flow";
        }) | (components["schemas"]["PortRecord"] & {
            /** @enum {string} */
            kind: "port";
        }) | (components["schemas"]["MeterRecord"] & {
            /** @enum {string} */
            kind: "meter";
        }) | (components["schemas"]["PauseInterval"] & {
            /** @enum {string} */
            kind: "pause";
        }) | (components["schemas"]["Trigger"] & {
            /** @enum {string} */
            kind: "trigger";
        }) | (components["schemas"]["ConfigFinding"] & {
            /** @enum {string} */
            kind: "configuration";
        }) | (components["schemas"]["LossRecord"] & {
            /** @enum {string} */
            kind: "loss";
        }) | (components["schemas"]["NetworkEvent"] & {
            /** @enum {string} */
            kind: "event";
        }) | (components["schemas"]["Transfer"] & {
            /** @enum {string} */
            kind: "transfer";
        }) | {
            host: string;
            /** @enum {string} */
            kind: "host";
            pointer: string;
            value: string;
        } | {
            counter: string;
            from_ns: number;
            /** @enum {string} */
            kind: "counter";
            name: string;
            port: components["schemas"]["PortRef"];
            to_ns: number;
            value: number;
        } | {
            from: components["schemas"]["PortRef"];
            /** @enum {string} */
            kind: "port_edge";
            to: components["schemas"]["PortRef"];
            weight: number;
        } | {
            flow: components["schemas"]["FlowKey"];
            /** @enum {string} */
            kind: "contribution";
            weight: number;
        };
        RootCause: {
            config: string[];
            flows: components["schemas"]["FlowKey"][];
            host?: string | null;
            port?: components["schemas"]["PortRef"] | null;
        };
        /** @enum {string} */
        Setting: "alpha" | "headroom" | "lossless" | "dscp" | "xon_offset" | "ecn" | "route";
        /** @enum {string} */
        Severity: "info" | "minor" | "major" | "critical";
        Snapshot: {
            configuration?: components["schemas"]["ConfigFinding"][];
            epoch_ns: number;
            event: number;
            events?: components["schemas"]["NetworkEvent"][];
            format: number;
            jobs?: components["schemas"]["Job"][];
            losses?: components["schemas"]["LossRecord"][];
            missing: components["schemas"]["MissingEntry"][];
            polls: number;
            source: components["schemas"]["Source"];
            switches: components["schemas"]["SwitchTelemetry"][];
            trigger?: components["schemas"]["Trigger"] | null;
            victim?: components["schemas"]["FlowKey"] | null;
        };
        /** @enum {string} */
        Source: "harrier" | "hawkeye-ns3" | "hawkeye-ns3-egress";
        /** @enum {string} */
        StepRole: "victim" | "culprit";
        SwitchTelemetry: {
            back_port?: number | null;
            bytes: number;
            epochs: components["schemas"]["EpochInfo"][];
            flows: components["schemas"]["FlowRecord"][];
            frozen_ns: number;
            meters: components["schemas"]["MeterRecord"][];
            on_victim_path: boolean;
            pauses: components["schemas"]["PauseInterval"][];
            polled_from: number[];
            ports: components["schemas"]["PortRecord"][];
            switch: string;
        };
        Time: number;
        TimedDiagnosis: components["schemas"]["Diagnosis"] & {
            headline: components["schemas"]["Headline"];
            time?: string | null;
        };
        TimedIncident: components["schemas"]["Incident"] & {
            end_time?: string | null;
            headline: components["schemas"]["Headline"];
            occurrences: components["schemas"]["Occurrence"][];
            start_time?: string | null;
            update_time?: string | null;
        };
        TimedNote: {
            author: string;
            feedback?: components["schemas"]["Feedback"] | null;
            handling?: components["schemas"]["Handling"] | null;
            number: number;
            text: string;
            time: string;
        };
        Topology: {
            links: components["schemas"]["Link"][];
            nodes: components["schemas"]["Node"][];
        };
        Transfer: {
            after?: number[];
            bytes: number;
            finish_ns?: number | null;
            flow: components["schemas"]["FlowKey"];
            start_ns?: number | null;
            step: number;
        };
        Trigger: {
            base_rtt_ns: number;
            flow: components["schemas"]["FlowKey"];
            follows?: components["schemas"]["FollowUp"] | null;
            host: string;
            reason: components["schemas"]["TriggerReason"];
            rtt_ns: number;
            time_ns: number;
        };
        /** @enum {string} */
        TriggerReason: "slow_rtt" | "silence";
        Verification: {
            base_rtt_ns?: number | null;
            finish_after_ns?: number | null;
            finish_before_ns?: number | null;
            paused_after_ns: number;
            paused_before_ns: number;
            rtt_after_ns?: number | null;
            rtt_before_ns: number;
            shown: string;
            window_ns: [
                number,
                number
            ];
            without: string[];
        };
        WhatIf: {
            /** @enum {string} */
            outcome: "repeated";
            verification: components["schemas"]["Verification"];
            verified: boolean;
        } | {
            /** @enum {string} */
            outcome: "not_simulated";
        } | {
            /** @enum {string} */
            outcome: "not_repeated";
            reason: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
