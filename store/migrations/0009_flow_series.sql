-- What snapshots have recorded of each flow in each second and in each minute of the wall clock.
CREATE TABLE flow_series (
    -- The length of the interval: a second or a minute.
    resolution_ns  BIGINT NOT NULL,
    -- The start of the interval, a multiple of its length.
    wall_ns        BIGINT NOT NULL,
    flow           TEXT NOT NULL,
    -- Switch time of the latest epoch or round trip.
    time_ns        BIGINT NOT NULL,
    -- Epochs in which a switch has recorded the flow, and the switch time that they cover.
    epochs         BIGINT NOT NULL,
    interval_ns    BIGINT NOT NULL,
    packets        BIGINT NOT NULL,
    -- Null if no source has recorded them.
    bytes          BIGINT,
    queued_packets BIGINT,
    paused_packets BIGINT NOT NULL,
    -- Of the measurements that made an agent send a polling packet.
    round_trips    BIGINT NOT NULL,
    rtt_sum_ns     BIGINT NOT NULL,
    rtt_max_ns     BIGINT NOT NULL,
    base_rtt_ns    BIGINT NOT NULL,
    PRIMARY KEY (resolution_ns, flow, wall_ns)
);
CREATE INDEX flow_series_by_time ON flow_series (resolution_ns, wall_ns);
