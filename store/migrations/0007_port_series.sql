-- What each port did in each second and in each minute of the wall clock. The samples themselves are not stored.
CREATE TABLE port_series (
    -- The length of the interval: a second or a minute.
    resolution_ns   BIGINT NOT NULL,
    -- The start of the interval, a multiple of its length.
    wall_ns         BIGINT NOT NULL,
    port            TEXT NOT NULL,
    -- Switch time of the latest sample.
    time_ns         BIGINT NOT NULL,
    samples         BIGINT NOT NULL,
    -- Switch time that the samples cover.
    interval_ns     BIGINT NOT NULL,
    paused_ns       BIGINT NOT NULL,
    -- Bit N: priority N was paused.
    priorities      BIGINT NOT NULL,
    tx_bytes        BIGINT NOT NULL,
    -- Of the queues of all samples: the largest, and the sum.
    queue_max_bytes BIGINT NOT NULL,
    queue_sum_bytes BIGINT NOT NULL,
    PRIMARY KEY (resolution_ns, port, wall_ns)
);
CREATE INDEX port_series_by_time ON port_series (resolution_ns, wall_ns);
