-- What daemons upload. Times are nanoseconds of wall clocks since 1970.

-- Facts about the store itself, e.g. the wall clock at which its switch time starts.
CREATE TABLE facts (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);

-- The last record of every start of a daemon that is stored: an upload that is repeated has no effect.
CREATE TABLE sources (
    sender        TEXT NOT NULL,
    boot          TEXT NOT NULL,
    last_sequence BIGINT NOT NULL,
    lost          BIGINT NOT NULL,
    updated_ns    BIGINT NOT NULL,
    PRIMARY KEY (sender, boot)
);
CREATE INDEX sources_by_time ON sources (updated_ns);

-- Records that are stored and not yet processed, in the order of their arrival.
CREATE TABLE inbox (
    arrival     BIGINT PRIMARY KEY,
    sender      TEXT NOT NULL,
    boot        TEXT NOT NULL,
    sequence    BIGINT NOT NULL,
    time_ns     BIGINT NOT NULL,
    offset_ns   BIGINT,
    error_ns    BIGINT NOT NULL,
    received_ns BIGINT NOT NULL,
    body        BLOB NOT NULL
);

-- What hosts and controllers report beside snapshots.
CREATE TABLE reports (
    sender    TEXT NOT NULL,
    boot      TEXT NOT NULL,
    sequence  BIGINT NOT NULL,
    kind      TEXT NOT NULL,
    time_ns   BIGINT NOT NULL,
    offset_ns BIGINT,
    error_ns  BIGINT NOT NULL,
    body      TEXT NOT NULL,
    PRIMARY KEY (sender, boot, sequence)
);
CREATE INDEX reports_by_time ON reports (time_ns);
CREATE INDEX reports_by_sender ON reports (sender, kind, time_ns);
