-- Types and clauses that SQLite and PostgreSQL share. Times are nanoseconds of the fabric's clock.
-- A body is the JSON that REST returns; the columns beside it are what queries filter and sort by.

CREATE TABLE topologies (
    name TEXT PRIMARY KEY,
    body TEXT NOT NULL
);

CREATE TABLE snapshots (
    id      TEXT PRIMARY KEY,
    time_ns BIGINT NOT NULL,
    body    TEXT NOT NULL
);
CREATE INDEX snapshots_by_time ON snapshots (time_ns, id);

-- Many diagnoses of one culprit are one incident.
CREATE TABLE incidents (
    id         TEXT PRIMARY KEY,
    culprit    TEXT NOT NULL,
    start_ns   BIGINT NOT NULL,
    update_ns  BIGINT NOT NULL,
    end_ns     BIGINT,
    count      BIGINT NOT NULL,
    -- The diagnosis that speaks for it: the most certain, the latest of equals.
    diagnosis  TEXT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL
);
CREATE INDEX incidents_by_culprit ON incidents (culprit, update_ns);
CREATE INDEX incidents_by_time ON incidents (start_ns, id);

CREATE TABLE diagnoses (
    id         TEXT PRIMARY KEY,
    time_ns    BIGINT NOT NULL,
    victim     TEXT NOT NULL,
    src        TEXT NOT NULL,
    dst        TEXT NOT NULL,
    sport      BIGINT NOT NULL,
    dport      BIGINT NOT NULL,
    proto      BIGINT NOT NULL,
    anomaly    TEXT NOT NULL,
    cause      TEXT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    host       TEXT,
    port       TEXT,
    incident   TEXT NOT NULL REFERENCES incidents (id),
    body       TEXT NOT NULL
);
CREATE INDEX diagnoses_by_time ON diagnoses (time_ns, id);
CREATE INDEX diagnoses_by_victim ON diagnoses (src, dst, time_ns);
CREATE INDEX diagnoses_by_incident ON diagnoses (incident, victim);

CREATE TABLE graphs (
    diagnosis TEXT PRIMARY KEY REFERENCES diagnoses (id) ON DELETE CASCADE,
    body      TEXT NOT NULL
);

CREATE TABLE findings (
    id       TEXT PRIMARY KEY,
    code     TEXT NOT NULL,
    severity TEXT NOT NULL,
    body     TEXT NOT NULL
);
