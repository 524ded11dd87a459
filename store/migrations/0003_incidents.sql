-- One incident a culprit, which may come back. Times are nanoseconds of the fabric's clock; those of wall clocks are
-- nanoseconds since 1970 and end in wall_ns, with 0 for rows that an older version has written without one.

-- The run of a simulated network that the row belongs to; 0: a network whose clock never starts again.
ALTER TABLE diagnoses ADD COLUMN run BIGINT NOT NULL DEFAULT 0;
-- When the diagnosis arrived.
ALTER TABLE diagnoses ADD COLUMN wall_ns BIGINT NOT NULL DEFAULT 0;
ALTER TABLE diagnoses ADD COLUMN severity TEXT NOT NULL DEFAULT 'info';
-- The greatest of an incident represents it. Null until the store has computed it for a row of an older version.
ALTER TABLE diagnoses ADD COLUMN precedence BIGINT;
CREATE INDEX diagnoses_by_arrival ON diagnoses (wall_ns, time_ns, id);
CREATE INDEX diagnoses_by_host ON diagnoses (host, incident);

ALTER TABLE snapshots ADD COLUMN wall_ns BIGINT NOT NULL DEFAULT 0;
CREATE INDEX snapshots_by_arrival ON snapshots (wall_ns, time_ns, id);

ALTER TABLE incidents ADD COLUMN run BIGINT NOT NULL DEFAULT 0;
-- Those of the representative diagnosis.
ALTER TABLE incidents ADD COLUMN severity TEXT NOT NULL DEFAULT 'info';
ALTER TABLE incidents ADD COLUMN precedence BIGINT;
ALTER TABLE incidents ADD COLUMN recurrences BIGINT NOT NULL DEFAULT 1;
ALTER TABLE incidents ADD COLUMN start_wall_ns BIGINT NOT NULL DEFAULT 0;
ALTER TABLE incidents ADD COLUMN update_wall_ns BIGINT NOT NULL DEFAULT 0;
-- The latest occurrence: its number, its start, and when its first diagnosis arrived.
ALTER TABLE incidents ADD COLUMN occurrence BIGINT NOT NULL DEFAULT 1;
ALTER TABLE incidents ADD COLUMN occurred_ns BIGINT NOT NULL DEFAULT 0;
ALTER TABLE incidents ADD COLUMN occurred_wall_ns BIGINT NOT NULL DEFAULT 0;
CREATE INDEX incidents_by_arrival ON incidents (occurred_wall_ns, occurred_ns, id);
CREATE INDEX incidents_open ON incidents (run, id) WHERE end_ns IS NULL;

CREATE TABLE occurrences (
    incident       TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    number         BIGINT NOT NULL,
    start_ns       BIGINT NOT NULL,
    update_ns      BIGINT NOT NULL,
    start_wall_ns  BIGINT NOT NULL,
    update_wall_ns BIGINT NOT NULL,
    PRIMARY KEY (incident, number)
);
CREATE INDEX occurrences_by_time ON occurrences (incident, start_ns);

-- The root port, pause path and loop of all diagnoses of an incident.
CREATE TABLE incident_ports (
    incident TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    port     TEXT NOT NULL,
    -- Time of the latest diagnosis that names the port.
    last_ns  BIGINT NOT NULL,
    PRIMARY KEY (incident, port)
);
CREATE INDEX incident_ports_by_port ON incident_ports (port, incident);

-- Victims and culprits of all diagnoses of an incident.
CREATE TABLE incident_flows (
    incident   TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    flow       TEXT NOT NULL,
    src        TEXT NOT NULL,
    dst        TEXT NOT NULL,
    is_victim  BIGINT NOT NULL,
    -- Whether the representative diagnosis names it.
    is_culprit BIGINT NOT NULL,
    PRIMARY KEY (incident, flow)
);
CREATE INDEX incident_flows_by_flow ON incident_flows (flow, incident);

-- Diagnoses of daemons' stores arrived when their network time says, give or take an upload.
UPDATE diagnoses SET wall_ns = (SELECT value FROM facts WHERE name = 'zero_ns')
    + time_ns * COALESCE((SELECT value FROM facts WHERE name = 'time_scale'), 1)
    WHERE EXISTS (SELECT 1 FROM facts WHERE name = 'zero_ns');
UPDATE snapshots SET wall_ns = COALESCE((SELECT wall_ns FROM diagnoses WHERE diagnoses.id = snapshots.id), 0);
UPDATE incidents SET occurred_ns = start_ns,
    start_wall_ns = COALESCE((SELECT MIN(wall_ns) FROM diagnoses WHERE incident = incidents.id), 0),
    update_wall_ns = COALESCE((SELECT MAX(wall_ns) FROM diagnoses WHERE incident = incidents.id), 0);
UPDATE incidents SET occurred_wall_ns = start_wall_ns;
INSERT INTO occurrences (incident, number, start_ns, update_ns, start_wall_ns, update_wall_ns)
    SELECT id, 1, start_ns, update_ns, start_wall_ns, update_wall_ns FROM incidents;
