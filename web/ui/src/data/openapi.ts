// Generated from the OpenAPI document by `scripts/ui-types.sh`. Do not change this file.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AdviceTarget: {
            id: string;
            /** @enum {string} */
            kind: "finding";
        } | {
            /** @enum {string} */
            kind: "port";
            port: components["schemas"]["PortRef"];
        };
        /** @enum {string} */
        Anomaly: "flow_contention" | "pfc_backpressure_flow_contention" | "pfc_storm_host_injection" | "deadlock_in_loop_contention" | "deadlock_out_of_loop_contention" | "deadlock_out_of_loop_injection" | "routing_loop" | "class_contention" | "packet_loss" | "path_change" | "self_inflicted" | "host_only" | "undetermined";
        CableDifference: {
            found?: string | null;
            planned?: components["schemas"]["PortRef"] | null;
            port: components["schemas"]["PortRef"];
            text: string;
        };
        CacheCounters: {
            icm?: components["schemas"]["Misses"] | null;
            mtt?: components["schemas"]["Misses"] | null;
            receive_wqe?: components["schemas"]["Misses"] | null;
        };
        Case: {
            diagnosis: components["schemas"]["Diagnosis"];
            feedback?: components["schemas"]["Feedback"] | null;
            format: number;
            graph?: components["schemas"]["ProvenanceGraph"] | null;
            incident: string;
            notes: components["schemas"]["TimedNote"][];
            snapshot: components["schemas"]["Snapshot"];
            time_scale?: number | null;
            topology?: components["schemas"]["Topology"] | null;
            wall_ns: number;
            zero_ns?: number | null;
        };
        /** @enum {string} */
        Cause: "incast" | "elephant_collision" | "ecmp_imbalance" | "low_rate_attack" | "collective_step" | "nic_storm" | "slow_receiver" | "loopback_congestion" | "intra_host_link" | "noisy_tenant" | "rnic_workload" | "hidden_fence" | "congestion_leaking" | "go_back_n_waste" | "qp_cache_thrash" | "poll_gap" | "host_control_overhead" | "gpu_co_location" | "legitimately_network_bound" | "misconfiguration" | "undetermined";
        CheckReport: {
            left_out: number;
            passed: boolean;
            report: Record<string, never>;
        };
        ClaimTemplate: {
            text: string;
            values: components["schemas"]["ClaimValue"][];
        };
        ClaimValue: {
            /** @enum {string} */
            kind: "duration";
            ns: number;
        } | {
            /** @enum {string} */
            kind: "time";
            ns: number;
        } | {
            count: number;
            /** @enum {string} */
            kind: "count";
            unit: string;
        } | {
            decimals: number;
            /** @enum {string} */
            kind: "number";
            number: number;
        } | {
            /** @enum {string} */
            kind: "share";
            share: number;
        } | {
            flow: components["schemas"]["FlowKey"];
            /** @enum {string} */
            kind: "flow";
        } | {
            /** @enum {string} */
            kind: "port";
            port: components["schemas"]["PortRef"];
        } | {
            /** @enum {string} */
            kind: "name";
            name: string;
        };
        CnpPeer: {
            cnps?: number | null;
            marked_packets?: number | null;
            receiver: components["schemas"]["CnpSettings"];
            receiver_misses?: number | null;
            sender: components["schemas"]["CnpSettings"];
            usual_receiver_misses?: number | null;
        };
        CnpSettings: {
            cnp_interval_ns?: number | null;
            generation: number;
            host: string;
            rate_limit?: components["schemas"]["RateLimitUnit"] | null;
            reduction_window_ns?: number | null;
        };
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
        ConfigurationCheck: {
            files: components["schemas"]["ConfigurationFile"][];
        };
        ConfigurationFile: {
            name: string;
            text: string;
        };
        ConnectionScaling: {
            bits_per_s: number;
            message_bytes?: number | null;
            nic: string;
            queue_pairs: number;
            usual_bits_per_s: number;
            usual_extra_pcie_bits_per_s?: number | null;
        };
        CorrectedSettings: {
            helps: boolean;
            paused_ns: number;
            rtt_ns?: number | null;
        };
        Cost: {
            base_rtt_ns?: number;
            bytes: number;
            delay_ns: number;
            flows: number;
            jobs: number;
            lost_packets?: number;
        };
        CounterInterval: {
            from_ns: number;
            to_ns: number;
            watcher?: string | null;
        };
        /** @enum {string} */
        CpuVendor: "amd" | "intel" | "other";
        CreatedToken: components["schemas"]["TokenInfo"] & {
            secret: string;
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
            switch_clocks?: components["schemas"]["SwitchClockError"][];
        };
        Daemons: {
            daemons: components["schemas"]["DaemonState"][];
            problems: components["schemas"]["HealthProblem"][];
        };
        /** @enum {string} */
        DataVerb: "send" | "write" | "read" | "compare_swap" | "fetch_add";
        /** @enum {string} */
        Deviation: "less" | "more" | "different";
        DiagnosesPage: {
            diagnoses: components["schemas"]["DiagnosisList"];
            next?: string | null;
        };
        Diagnosis: {
            advice: string[];
            advice_target?: components["schemas"]["AdviceTarget"] | null;
            anomaly: components["schemas"]["Anomaly"];
            cause: components["schemas"]["Cause"];
            collected: components["schemas"]["Collected"];
            confidence: number;
            cost?: components["schemas"]["Cost"];
            counters?: components["schemas"]["CounterInterval"] | null;
            delay_share?: number | null;
            evidence: components["schemas"]["Evidence"][];
            far_port?: components["schemas"]["PortRef"] | null;
            fault?: components["schemas"]["NetworkFault"] | null;
            id: string;
            loop: components["schemas"]["PortRef"][];
            missing: string[];
            notes?: string[];
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
            counters?: components["schemas"]["CounterInterval"] | null;
            delay_share?: number | null;
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
            template?: components["schemas"]["ClaimTemplate"] | null;
        };
        Expected: "on_victim_path" | {
            pauses: components["schemas"]["PortRef"];
        };
        /** @enum {string} */
        Factor: "wq_depth" | "wqe_batch" | "sge_per_wqe" | "mtu" | "smallest_message" | "largest_message" | "queue_pairs" | "memory_regions" | "transport" | "direction" | "memory" | "loopback" | "server";
        /** @enum {string} */
        Feedback: "right" | "wrong" | "unclear";
        FetchDemand: {
            batch_bytes: number;
            batches_per_s: number;
            measured_bits_per_s: number;
            nic_bits_per_s: number;
        };
        Findings: {
            findings: Record<string, never>[];
        };
        FlowEpoch: {
            bytes?: number | null;
            interval_ns: number;
            packets: number;
            paused_packets: number;
            queued_packets?: number | null;
            time_ns: number;
        };
        FlowInterval: {
            base_rtt_ns?: number | null;
            bytes?: number | null;
            epochs: number;
            interval_ns: number;
            packets: number;
            paused_packets: number;
            queued_packets?: number | null;
            rate_bps?: number | null;
            round_trips: number;
            rtt_max_ns?: number | null;
            rtt_mean_ns?: number | null;
            time: string;
            time_ns: number;
            wall_ns: number;
        };
        FlowKey: string;
        FlowPath: {
            flow: components["schemas"]["FlowKey"];
            hops: components["schemas"]["Hop"][];
            role: components["schemas"]["FlowRole"];
        };
        FlowRate: {
            bits_per_s: number;
            demand_bits_per_s?: number | null;
            flow: components["schemas"]["FlowKey"];
            links: string[];
            sender: string;
        };
        FlowRates: {
            flows: components["schemas"]["FlowRate"][];
            links: components["schemas"]["LinkRate"][];
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
        FlowRoundTrip: {
            base_rtt_ns: number;
            rtt_ns: number;
            time_ns: number;
        };
        FlowSeries: {
            epochs: components["schemas"]["TimedFlowEpoch"][];
            flow: components["schemas"]["FlowKey"];
            intervals: components["schemas"]["FlowInterval"][];
            resolution: components["schemas"]["SeriesResolution"];
            round_trips: components["schemas"]["TimedFlowRoundTrip"][];
        };
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
        Host: {
            addresses: string[];
            agent?: string | null;
            name: string;
            report?: components["schemas"]["HostReportSummary"] | null;
            switch_ports: components["schemas"]["PortRef"][];
        };
        HostCheck: {
            detector: string;
            missing?: string[];
            result: components["schemas"]["HostCheckResult"];
        };
        /** @enum {string} */
        HostCheckResult: "found" | "clean" | "missing_evidence" | "fabric_explains";
        HostClaim: {
            claim: string;
            records: string[];
        };
        HostDcqcn: {
            /** @default null */
            notification_priorities: number[] | null;
            /** @default {} */
            parameters: {
                [key: string]: number;
            };
            /** @default null */
            reaction_priorities: number[] | null;
        };
        HostDiagnosis: {
            checks: components["schemas"]["HostCheck"][];
            findings: components["schemas"]["HostFinding"][];
            host: string;
        };
        HostFinding: {
            advice: string[];
            cause: components["schemas"]["Cause"];
            confidence: number;
            detector: string;
            evidence: components["schemas"]["HostClaim"][];
            host: string;
            missing: string[];
            part: components["schemas"]["HostPart"];
            summary: string;
        };
        HostInspection: {
            /** @default {} */
            interfaces: {
                [key: string]: components["schemas"]["HostInterface"];
            };
            /** @default {} */
            memory: components["schemas"]["HostMemory"];
            /** @default {} */
            numa: {
                [key: string]: components["schemas"]["NumaNode"];
            };
            /** @default {} */
            pci: {
                [key: string]: components["schemas"]["PciFunction"];
            };
            /** @default {} */
            platform: components["schemas"]["HostPlatform"];
            /** @default {} */
            processes: {
                [key: string]: components["schemas"]["HostProcess"];
            };
            /** @default {} */
            rdma: {
                [key: string]: components["schemas"]["RdmaDevice"];
            };
            /** @default {} */
            sysctl: {
                [key: string]: string;
            };
        };
        HostInterface: {
            addresses: string[];
            is_up: boolean;
            mac: string;
            mtu_bytes: number;
            name: string;
            speed_mbps?: number | null;
        };
        HostJobs: {
            jobs: components["schemas"]["PlacedJob"][];
        };
        HostLatency: {
            connections?: components["schemas"]["RdmaConnection"][];
            operations?: components["schemas"]["RdmaOperation"][];
            transfers?: components["schemas"]["TimedTransfer"][];
        };
        HostLink: {
            between: string[];
            name: string;
        };
        HostLoopback: {
            tests: components["schemas"]["LoopbackTest"][];
            topology: components["schemas"]["HostTopology"];
        };
        HostMemory: {
            /** @default null */
            huge_page_bytes: number | null;
            /** @default null */
            in_huge_pages_bytes: number | null;
            /** @default null */
            mtt_entries: number | null;
            /** @default null */
            page_bytes: number | null;
            /** @default null */
            transparent_huge_pages: string | null;
        };
        HostNode: {
            kind: components["schemas"]["HostNodeKind"];
            name: string;
        };
        /** @enum {string} */
        HostNodeKind: "socket" | "pcie_switch" | "nic" | "gpu" | "memory";
        HostPart: {
            /** @enum {string} */
            kind: "nic";
            name: string;
        } | {
            /** @enum {string} */
            kind: "link";
            name: string;
        } | {
            /** @enum {string} */
            kind: "tenant";
            name: string;
        } | {
            /** @enum {string} */
            kind: "application";
            name: string;
        } | {
            /** @enum {string} */
            kind: "connection";
            name: string;
        } | {
            /** @enum {string} */
            kind: "setting";
            name: string;
        } | {
            /** @enum {string} */
            kind: "host";
        };
        HostPlatform: {
            /** @default null */
            cpu_vendor: string | null;
            /** @default null */
            is_virtual: boolean | null;
            /** @default null */
            kernel_command_line: string | null;
        };
        HostPolls: {
            /** @default [] */
            gaps: components["schemas"]["PollGap"][];
            /** @default null */
            long_gap_ns: number | null;
            /** @default null */
            polling_threads: number | null;
            /** @default [] */
            requests: components["schemas"]["RequestTrace"][];
            /** @default [] */
            silent_connections: components["schemas"]["SilentConnection"][];
            /** @default [] */
            slow_segments: components["schemas"]["SlowSegment"][];
            /** @default [] */
            windows: components["schemas"]["MessageWindow"][];
        };
        HostProbes: {
            /** @default [] */
            results: components["schemas"]["ProbeResult"][];
        };
        HostProcess: {
            /** @default null */
            cpus: string | null;
            /** @default [] */
            gpus: string[];
            /** @default null */
            name: string | null;
            /** @default {} */
            registered_bytes: {
                [key: string]: number;
            };
        };
        HostQos: {
            /** @default null */
            pfc_priorities: number[] | null;
            /** @default [] */
            priority_of_dscp: number[];
            /** @default null */
            trust: components["schemas"]["PriorityTrust"] | null;
        };
        HostReport: {
            counters?: components["schemas"]["RnicCounters"] | null;
            host: string;
            inspection?: components["schemas"]["HostInspection"] | null;
            interval_ns: number;
            jobs?: components["schemas"]["HostJobs"] | null;
            latency?: components["schemas"]["HostLatency"] | null;
            loopback?: components["schemas"]["HostLoopback"] | null;
            polls?: components["schemas"]["HostPolls"] | null;
            probes?: components["schemas"]["HostProbes"] | null;
            tenants?: components["schemas"]["HostTenants"] | null;
            version: number;
            workload?: components["schemas"]["HostWorkload"] | null;
        };
        HostReportSummary: {
            age_ns: number;
            findings: components["schemas"]["HostFinding"][];
            interval_ns: number;
            time: string;
        };
        HostReportView: {
            age_ns: number;
            diagnosis: components["schemas"]["HostDiagnosis"];
            report: components["schemas"]["HostReport"];
            time: string;
        };
        HostTenants: {
            nics: components["schemas"]["SharedNic"][];
        };
        HostTopology: {
            links: components["schemas"]["HostLink"][];
            nodes: components["schemas"]["HostNode"][];
        };
        HostWorkload: {
            cnp_peers?: components["schemas"]["CnpPeer"][];
            descriptors?: components["schemas"]["Workload"][];
            macsec_links?: components["schemas"]["MacsecLink"][];
            rates?: components["schemas"]["FlowRates"] | null;
            retransmissions?: components["schemas"]["Retransmission"][];
            scaling?: components["schemas"]["ConnectionScaling"][];
        };
        Hosts: {
            hosts: components["schemas"]["Host"][];
        };
        Incident: {
            anomaly: components["schemas"]["Anomaly"];
            cause: components["schemas"]["Cause"];
            confidence: number;
            cost: components["schemas"]["Cost"];
            count: number;
            diagnosis: string;
            end_ns?: number | null;
            fault?: components["schemas"]["NetworkFault"] | null;
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
        /** @enum {string} */
        JobClass: "production" | "opportunistic";
        /** @enum {string} */
        JobPhase: "training" | "validation" | "cpu" | "storage";
        JobProgress: {
            end_ns: number;
            gpu_utilisation?: number | null;
            phase?: components["schemas"]["JobPhase"] | null;
            rate: number;
            start_ns: number;
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
        LinkNeighbour: {
            port: string;
            switch: string;
        };
        LinkPause: {
            /** @default null */
            autonegotiate: boolean | null;
            /** @default null */
            rx: boolean | null;
            /** @default null */
            tx: boolean | null;
        };
        LinkRate: {
            bits_per_s: number;
            name: string;
        };
        LinkUtilisation: {
            link: string;
            share: number;
        };
        LldpNeighbour: {
            announced: string;
            description: string;
            port: components["schemas"]["PortRef"];
        };
        LoopbackPath: {
            bandwidth_bps: number;
            baseline_bandwidth_bps: number;
            baseline_latency_ns?: number | null;
            endpoint: string;
            latency_ns?: number | null;
            nic: string;
            stalled_share?: number | null;
        };
        LoopbackTest: {
            busy?: string[];
            paths: components["schemas"]["LoopbackPath"][];
            service?: components["schemas"]["ServiceTraffic"][];
            time_ns: number;
            utilisation?: components["schemas"]["LinkUtilisation"][];
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
        /** @enum {string} */
        LossRecovery: "go_back_n" | "selective_repeat";
        MacsecLink: {
            corrupted_before_pfc?: number | null;
            corrupted_with_pfc?: number | null;
            encrypts_pfc?: boolean[] | null;
            expects_encrypted_pfc?: boolean[] | null;
            name: string;
            pfc: boolean;
        };
        /** @enum {string} */
        MemoryPlace: "local" | "cross_socket" | "gpu";
        MessageWindow: {
            connection: string;
            depth: number;
            idle_ns: number;
            received: number;
            sent: number;
        };
        MeterRecord: {
            bytes: number;
            egress_port: number;
            epoch: number;
            ingress_port: number;
            packets?: number | null;
        };
        Misses: {
            lookups?: number | null;
            misses: number;
            usual_misses?: number | null;
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
        /** @enum {string} */
        NetworkFault: "link_down" | "no_route" | "longer_path" | "damaged_frames";
        NewToken: {
            name: string;
            role: components["schemas"]["Role"];
        };
        NicCounters: {
            caches?: components["schemas"]["CacheCounters"] | null;
            drops?: components["schemas"]["PriorityDrops"][];
            line_rate_bps: number;
            loopback_bytes?: number | null;
            memory?: components["schemas"]["RegisteredMemory"] | null;
            nic: string;
            pause_samples?: components["schemas"]["PauseSample"][];
            pcie?: components["schemas"]["PcieCounters"] | null;
            receive_full_ns?: number | null;
            receive_stopped_ns?: number | null;
            received_pauses?: components["schemas"]["PriorityPauses"][];
            rnr_naks?: number | null;
            sent_pauses?: components["schemas"]["PriorityPauses"][];
            stalled_writes_ns?: number | null;
            switch_port?: components["schemas"]["PortRef"] | null;
            waited_reads_ns?: number | null;
            wire?: components["schemas"]["WireCounters"] | null;
        };
        /** @enum {string} */
        NicFamily: "cx6" | "p2100" | "other";
        NicPerformance: {
            always_backlogged?: boolean | null;
            bits_per_s: number;
            packets_per_s: number;
            pause_ratio: number;
            specified_bits_per_s: number;
            specified_packets_per_s: number;
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
            diagnosis?: null | string;
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
        NumaNode: {
            /** @default null */
            cpus: string | null;
            /** @default [] */
            distances: number[];
        };
        Occurrence: {
            end_ns?: number | null;
            end_time?: string | null;
            start_ns: number;
            start_time?: string | null;
        };
        /** @enum {string} */
        Opcode: "send" | "write" | "read";
        /** @enum {string} */
        OperationKind: "send" | "write" | "read" | "atomic" | "register";
        PauseInterval: {
            end_ns?: number | null;
            frames: number;
            port: number;
            priority: number;
            start_ns: number;
        };
        PauseSample: {
            frames: number;
            interval_ns: number;
            paused_ns: number;
            priority: number;
            start_ns: number;
        };
        PciFunction: {
            /** @default null */
            acs: string[] | null;
            /** @default null */
            ats: boolean | null;
            /** @default null */
            buses: [
                number,
                number
            ] | null;
            /** @default null */
            iommu: string | null;
            /** @default null */
            kind: components["schemas"]["PciKind"] | null;
            /** @default null */
            lanes: number | null;
            /** @default null */
            max_lanes: number | null;
            /** @default null */
            max_speed_mtps: number | null;
            /** @default null */
            numa_node: number | null;
            /** @default null */
            product: string | null;
            /** @default null */
            relaxed_ordering: boolean | null;
            /** @default null */
            speed_mtps: number | null;
        };
        /** @enum {string} */
        PciKind: "nic" | "gpu" | "bridge";
        PcieCounters: {
            capacity_bps: number;
            to_host_bytes: number;
            to_nic_bytes: number;
        };
        PlacedJob: {
            class: components["schemas"]["JobClass"];
            demand?: components["schemas"]["FetchDemand"] | null;
            gpus?: string[];
            name: string;
            progress?: components["schemas"]["JobProgress"][];
            usual_rate?: number | null;
            workload?: string | null;
        };
        PollGap: {
            duration_ns: number;
            start_ns: number;
            thread: string;
        };
        PortInterval: {
            interval_ns: number;
            paused_ns: number;
            paused_priorities: number[];
            queue_max_bytes: number;
            queue_mean_bytes: number;
            samples: number;
            time: string;
            time_ns: number;
            tx_bps: number;
            wall_ns: number;
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
        PortPrioritiesAnswer: {
            port: components["schemas"]["PortRef"];
            priorities: components["schemas"]["PriorityCounts"][];
            since?: string | null;
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
            intervals: components["schemas"]["PortInterval"][];
            peer?: components["schemas"]["PortRef"] | null;
            port: components["schemas"]["PortRef"];
            rate_bps?: number | null;
            resolution: components["schemas"]["SeriesResolution"];
            samples: components["schemas"]["TimedPoint"][];
        };
        Ports: {
            ports: components["schemas"]["TimedSample"][];
        };
        PriorityCounts: {
            dropped_packets?: number | null;
            ecn_marked_packets?: number | null;
            headroom_bytes?: number | null;
            headroom_max_bytes?: number | null;
            paused_ns?: number | null;
            pauses_received?: number | null;
            pauses_sent?: number | null;
            priority: number;
            queue_bytes?: number | null;
            queue_max_bytes?: number | null;
        };
        PriorityDrops: {
            is_lossless: boolean;
            packets: number;
            priority: number;
        };
        PriorityPauses: {
            frames: number;
            longest_ns?: number | null;
            paused_ns?: number | null;
            priority: number;
        };
        /** @enum {string} */
        PriorityTrust: "dscp" | "pcp";
        ProbeResult: {
            error?: string | null;
            from: string;
            rtt_ns?: number | null;
            scope?: components["schemas"]["ProbeScope"] | null;
            to: string;
        };
        /** @enum {string} */
        ProbeScope: "tor" | "podset" | "fabric";
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
        /** @enum {string} */
        RateLimitUnit: "packet" | "burst";
        RdmaConnection: {
            base_rtt_ns?: number | null;
            bits_per_s?: number | null;
            name: string;
        };
        RdmaDevice: {
            /** @default null */
            active_mtu_bytes: number | null;
            /** @default null */
            board: string | null;
            /** @default null */
            default_tos: number | null;
            /** @default null */
            firmware: string | null;
            /** @default {} */
            firmware_settings: {
                [key: string]: string;
            };
            /** @default null */
            forced_traffic_class: number | null;
            /** @default null */
            interface: string | null;
            /** @default null */
            pci: string | null;
        };
        RdmaOperation: {
            bytes?: number | null;
            connection: string;
            kind: components["schemas"]["OperationKind"];
            success?: boolean;
            t1_ns: number;
            t2_ns?: number | null;
            t3_ns?: number | null;
            t4_ns?: number | null;
            t5_ns: number;
            t6_ns: number;
        };
        /** @enum {string} */
        RdmaTransport: "rc" | "uc" | "ud";
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
            /** @enum {string} */
            kind: "pause_total";
            paused_ns: number;
            pauses: number;
            port: components["schemas"]["PortRef"];
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
        RegisteredMemory: {
            bytes: number;
            mtt_entries?: number | null;
            page_bytes: number;
        };
        RelatedIncidents: {
            incidents: components["schemas"]["TimedIncident"][];
        };
        RequestTrace: {
            clock_offset_ns?: number | null;
            received_ns: number;
            receiver: string;
            sent_ns: number;
        };
        Retransmission: {
            flow: components["schemas"]["FlowKey"];
            goodput_bits_per_s: number;
            is_lossless?: boolean | null;
            loss_ratio?: number | null;
            raw_bits_per_s: number;
            records?: components["schemas"]["FlowRecord"][];
            recovery: components["schemas"]["LossRecovery"];
        };
        RnicCounters: {
            nics: components["schemas"]["NicCounters"][];
        };
        /** @enum {string} */
        Role: "viewer" | "operator" | "admin";
        RootCause: {
            config: string[];
            flows: components["schemas"]["FlowKey"][];
            host?: string | null;
            port?: components["schemas"]["PortRef"] | null;
        };
        SentEvent: {
            data: string;
            event: string;
            id?: string | null;
        };
        /** @enum {string} */
        SeriesResolution: "epoch" | "second" | "minute";
        ServerTraits: {
            acs_redirects?: boolean | null;
            cpu?: components["schemas"]["CpuVendor"] | null;
            relaxed_ordering_forced?: boolean | null;
            vendor_fixes?: boolean | null;
        };
        ServiceTraffic: {
            bits_per_s: number;
            nic: string;
        };
        /** @enum {string} */
        Setting: "alpha" | "headroom" | "lossless" | "dscp" | "xon_offset" | "ecn" | "route";
        /** @enum {string} */
        Severity: "info" | "minor" | "major" | "critical";
        SharedNic: {
            bandwidth_limit_bps: number;
            nic: string;
            request_limit: number;
            tenants: components["schemas"]["Tenant"][];
        };
        SilentConnection: {
            connection: string;
            held_bytes?: number | null;
            is_acknowledged?: boolean | null;
            keepalive_ns?: number | null;
            silent_ns: number;
        };
        SlowSegment: {
            duration_ns: number;
            location: string;
            start_ns: number;
            thread: string;
        };
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
        SwitchClockError: {
            error_ns?: number | null;
            switch: string;
        };
        SwitchTelemetry: {
            back_port?: number | null;
            bytes: number;
            clock_error_ns?: number | null;
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
        Tenant: {
            alone_bandwidth_bps?: number | null;
            bandwidth_bps: number;
            completion_queues?: number;
            deregistrations?: number;
            guaranteed_bandwidth_bps?: number | null;
            memory_regions?: number;
            name: string;
            pcie_bps?: number | null;
            queue_pairs?: number;
            registrations?: number;
            requests: number;
            rnr_errors?: number;
            verbs?: components["schemas"]["VerbRate"][];
        };
        Time: number;
        TimedDiagnosis: components["schemas"]["Diagnosis"] & {
            headline: components["schemas"]["Headline"];
            time?: string | null;
        };
        TimedFlowEpoch: components["schemas"]["FlowEpoch"] & {
            time: string;
        };
        TimedFlowRoundTrip: components["schemas"]["FlowRoundTrip"] & {
            time: string;
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
            diagnosis?: string | null;
            feedback?: components["schemas"]["Feedback"] | null;
            handling?: components["schemas"]["Handling"] | null;
            number: number;
            text: string;
            time: string;
            wall_ns: number;
        };
        TimedPoint: components["schemas"]["PortPoint"] & {
            time: string;
        };
        TimedSample: components["schemas"]["PortSample"] & {
            time: string;
        };
        TimedTransfer: {
            alone_bits_per_s?: number | null;
            bits_per_s: number;
            bytes: number;
            control: components["schemas"]["TransferControl"];
            duration_ns: number;
            name: string;
            overlaps_computation?: boolean | null;
            posted_after_ns?: number | null;
        };
        TokenInfo: {
            created: string;
            name: string;
            role: components["schemas"]["Role"];
        };
        Tokens: {
            tokens: components["schemas"]["TokenInfo"][];
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
        /** @enum {string} */
        TransferControl: "cpu" | "gpu_kernel" | "gpu_dma";
        /** @enum {string} */
        Transport: "rc" | "uc" | "ud";
        Trigger: {
            base_rtt_ns: number;
            expected_ns?: number | null;
            flow: components["schemas"]["FlowKey"];
            follows?: components["schemas"]["FollowUp"] | null;
            host: string;
            reason: components["schemas"]["TriggerReason"];
            rtt_ns: number;
            time_ns: number;
        };
        /** @enum {string} */
        TriggerReason: "slow_rtt" | "silence" | "slow_operation" | "slow_job";
        VerbRate: {
            bytes: number;
            requests: number;
            transport: components["schemas"]["RdmaTransport"];
            verb: components["schemas"]["DataVerb"];
        };
        Verification: {
            base_rtt_ns?: number | null;
            corrected?: components["schemas"]["CorrectedSettings"] | null;
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
        WireCounters: {
            received_bytes: number;
            received_packets: number;
            sent_bytes: number;
            sent_packets: number;
        };
        Workload: {
            bidirectional?: boolean;
            device?: string | null;
            fixed?: components["schemas"]["Factor"][];
            loopback_with_receive?: boolean;
            memory?: components["schemas"]["MemoryPlace"];
            memory_regions: number;
            message_bytes: number[];
            mtu_bytes: number;
            nic: components["schemas"]["NicFamily"];
            opcode: components["schemas"]["Opcode"];
            performance?: components["schemas"]["NicPerformance"] | null;
            queue_pairs: number;
            server?: components["schemas"]["ServerTraits"];
            sge_per_wqe: number;
            transport: components["schemas"]["Transport"];
            wq_depth: number;
            wqe_batch: number;
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
