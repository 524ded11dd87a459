-- A store with schema 9, written by make.py.
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT NOT NULL);
INSERT INTO "_sqlx_migrations" VALUES(1,'initial','2026-01-01 00:00:00',1,X'D28F39F4589306F95D68E2B730A80828FE0DEED2594E76C2A45A7D49FEC37F8296DD3B5620F967912F70C9710AD6FF71',1);
INSERT INTO "_sqlx_migrations" VALUES(2,'uploads','2026-01-01 00:00:00',1,X'BDD134E3E1C3343867891A77AEBD0B31274E1D1197B902BBB85BD6816C454F881F90B76F090C4A857D6081DF90E3FF31',1);
INSERT INTO "_sqlx_migrations" VALUES(3,'incidents','2026-01-01 00:00:00',1,X'1A6F0CBB747448909F29FE0E38FF9B6900D701929240DBDE0D2E94512CAE81A606F093DF54D116490D64ADF198E80A94',1);
INSERT INTO "_sqlx_migrations" VALUES(4,'handling','2026-01-01 00:00:00',1,X'F5EC7B5C6358F19987E4E03B88FECE1A4FD337D7402E09356931A17EDA41B0ABB282EA8D94C58BAB0F7B079BA7524110',1);
INSERT INTO "_sqlx_migrations" VALUES(5,'compression','2026-01-01 00:00:00',1,X'214D354613CBC5919211F2C42AB34362772F1329787112FE27FE8CFAB34E992C4924764D13E435ACB88EA56CC5C6F3EE',1);
INSERT INTO "_sqlx_migrations" VALUES(6,'victims','2026-01-01 00:00:00',1,X'1B896790449586F5FFB8E6DACC1BF73D4DAB0FE9F66E2CB778090E04E79C124D1106ACD8AA5143474F8B07F2C48CE1C0',1);
INSERT INTO "_sqlx_migrations" VALUES(7,'port series','2026-01-01 00:00:00',1,X'CBD9177168643350CC90796D6925E7772473D1EF641F2E937728BC437B29B8FFABC63F4DBF325157874196623D388E21',1);
INSERT INTO "_sqlx_migrations" VALUES(8,'webhooks','2026-01-01 00:00:00',1,X'1B431AD5E17D19E5D7A8D566E349D97E2B212D0888CA11F431C5F2FB2B52492397F7040FFC856B710E46C658160AF3AC',1);
INSERT INTO "_sqlx_migrations" VALUES(9,'flow series','2026-01-01 00:00:00',1,X'657A70F3F4C8D5AB05A6FCDF375E600033AF88A9551658DFC5AAB99E799A6C995C18A763B9F691014833342D9C8BE465',1);
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
, run BIGINT NOT NULL DEFAULT 0, wall_ns BIGINT NOT NULL DEFAULT 0, severity TEXT NOT NULL DEFAULT 'info', precedence BIGINT);
INSERT INTO "diagnoses" VALUES('a',10,'10.0.0.2:10000>10.0.0.4:4791/udp','10.0.0.2','10.0.0.4',10000,4791,17,'flow_contention','incast',0.75,NULL,'sw4:1','i-a','{"id":"a","time_ns":10,"victim":"10.0.0.2:10000>10.0.0.4:4791/udp","anomaly":"flow_contention","cause":"incast","summary":"an incast","confidence":0.75,"root_cause":{"port":"sw4:1","flows":[],"host":null,"config":[]},"pause_path":["sw4:1"],"loop":[],"spreaders":[],"victims":["10.0.0.2:10000>10.0.0.4:4791/udp"],"evidence":[],"missing":[],"advice":[],"verified":null,"collected":{"switches":1,"bytes":512,"polls":2}}',0,1700000000000000000,'major',1);
INSERT INTO "diagnoses" VALUES('b',20,'10.0.0.2:10000>10.0.0.4:4791/udp','10.0.0.2','10.0.0.4',10000,4791,17,'flow_contention','incast',0.75,NULL,'sw4:1','i-a','{"id":"b","time_ns":20,"victim":"10.0.0.2:10000>10.0.0.4:4791/udp","anomaly":"flow_contention","cause":"incast","summary":"an incast","confidence":0.75,"root_cause":{"port":"sw4:1","flows":[],"host":null,"config":[]},"pause_path":["sw4:1"],"loop":[],"spreaders":[],"victims":["10.0.0.2:10000>10.0.0.4:4791/udp"],"evidence":[],"missing":[],"advice":[],"verified":null,"collected":{"switches":1,"bytes":512,"polls":2}}',0,1700000000000000000,'major',1);
CREATE TABLE facts (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO "facts" VALUES('zero_ns',5000);
INSERT INTO "facts" VALUES('time_scale',1);
CREATE TABLE findings (
    id       TEXT PRIMARY KEY,
    code     TEXT NOT NULL,
    severity TEXT NOT NULL,
    body     TEXT NOT NULL
);
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
INSERT INTO "flow_series" VALUES(1000000000,1700000000000000000,'10.0.0.2:10000>10.0.0.4:4791/udp',20,1,1048576,40,4000,8,2,1,30000,30000,9000);
CREATE TABLE graphs (
    diagnosis TEXT PRIMARY KEY REFERENCES diagnoses (id) ON DELETE CASCADE,
    body      TEXT NOT NULL
);
INSERT INTO "graphs" VALUES('a','{"nodes":[],"edges":[]}');
INSERT INTO "graphs" VALUES('b','{"nodes":[],"edges":[]}');
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
INSERT INTO "inbox" VALUES(1,'controller/c1','boot',1,1,NULL,0,1,X'0102');
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
INSERT INTO "incident_flows" VALUES('i-a','10.0.0.2:10000>10.0.0.4:4791/udp','10.0.0.2','10.0.0.4',1,0);
CREATE TABLE incident_ports (
    incident TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    port     TEXT NOT NULL,
    -- Time of the latest diagnosis that names the port.
    last_ns  BIGINT NOT NULL,
    PRIMARY KEY (incident, port)
);
INSERT INTO "incident_ports" VALUES('i-a','sw4:1',20);
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
, run BIGINT NOT NULL DEFAULT 0, severity TEXT NOT NULL DEFAULT 'info', precedence BIGINT, recurrences BIGINT NOT NULL DEFAULT 1, start_wall_ns BIGINT NOT NULL DEFAULT 0, update_wall_ns BIGINT NOT NULL DEFAULT 0, occurrence BIGINT NOT NULL DEFAULT 1, occurred_ns BIGINT NOT NULL DEFAULT 0, occurred_wall_ns BIGINT NOT NULL DEFAULT 0, handling TEXT NOT NULL DEFAULT 'open', feedback TEXT, victims TEXT, victim_count BIGINT NOT NULL DEFAULT 0);
INSERT INTO "incidents" VALUES('i-a','port sw4:1',10,20,20,2,'b',0.75,0,'major',1,1,1700000000000000000,1700000000000000000,1,10,0,'open','right','10.0.0.2:10000>10.0.0.4:4791/udp',1);
CREATE TABLE notes (
    incident TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    number   BIGINT NOT NULL,
    wall_ns  BIGINT NOT NULL,
    author   TEXT NOT NULL,
    -- What the note sets; null if it leaves it.
    handling TEXT,
    feedback TEXT,
    text     TEXT NOT NULL,
    PRIMARY KEY (incident, number)
);
INSERT INTO "notes" VALUES('i-a',1,1700000000000000000,'eve',NULL,'right','seen');
CREATE TABLE occurrences (
    incident       TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    number         BIGINT NOT NULL,
    start_ns       BIGINT NOT NULL,
    update_ns      BIGINT NOT NULL,
    start_wall_ns  BIGINT NOT NULL,
    update_wall_ns BIGINT NOT NULL,
    PRIMARY KEY (incident, number)
);
INSERT INTO "occurrences" VALUES('i-a',1,10,20,1700000000000000000,1700000000000000000);
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
INSERT INTO "port_series" VALUES(1000000000,1700000000000000000,'sw4:1',20,1,100,40,8,1000,500,500);
CREATE TABLE reports (
    sender    TEXT NOT NULL,
    boot      TEXT NOT NULL,
    sequence  BIGINT NOT NULL,
    kind      TEXT NOT NULL,
    time_ns   BIGINT NOT NULL,
    offset_ns BIGINT,
    error_ns  BIGINT NOT NULL,
    -- The server's clock: those of senders may be wrong by years.
    received_ns BIGINT NOT NULL,
    body      TEXT NOT NULL,
    PRIMARY KEY (sender, boot, sequence)
);
INSERT INTO "reports" VALUES('agent/h1','boot',7,'counters',1,NULL,0,1700000000000000000,'{}');
CREATE TABLE snapshots (
    id      TEXT PRIMARY KEY,
    time_ns BIGINT NOT NULL,
    body    TEXT NOT NULL
, wall_ns BIGINT NOT NULL DEFAULT 0, compressed BLOB, body_bytes BIGINT);
INSERT INTO "snapshots" VALUES('a',10,'{"format":1,"event":1,"source":"harrier","victim":"10.0.0.2:10000>10.0.0.4:4791/udp","trigger":null,"epoch_ns":1048576,"switches":[],"missing":[],"polls":6}',0,NULL,NULL);
CREATE TABLE sources (
    sender        TEXT NOT NULL,
    boot          TEXT NOT NULL,
    last_sequence BIGINT NOT NULL,
    lost          BIGINT NOT NULL,
    updated_ns    BIGINT NOT NULL,
    PRIMARY KEY (sender, boot)
);
INSERT INTO "sources" VALUES('agent/h1','boot',7,0,1700000000000000000);
CREATE TABLE topologies (
    name TEXT PRIMARY KEY,
    body TEXT NOT NULL
);
CREATE TABLE webhook_firing (
    webhook  TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    -- Without a reference: the end of an incident that is removed is sent, too.
    incident TEXT NOT NULL,
    body     TEXT NOT NULL,
    PRIMARY KEY (webhook, incident)
);
INSERT INTO "webhook_firing" VALUES('w','i-a','{}');
CREATE TABLE webhook_waiting (
    webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    number  BIGINT NOT NULL,
    body    TEXT NOT NULL,
    PRIMARY KEY (webhook, number)
);
INSERT INTO "webhook_waiting" VALUES('w',3,'{}');
CREATE TABLE webhooks (
    -- A hash of the format and the URL: the URL of a receiver may be a secret.
    id       TEXT PRIMARY KEY,
    -- When the receiver was used first. It is not notified of incidents that were open then.
    since_wall_ns BIGINT NOT NULL
);
INSERT INTO "webhooks" VALUES('w',1700000000000000000);
CREATE INDEX snapshots_by_time ON snapshots (time_ns, id);
CREATE INDEX incidents_by_culprit ON incidents (culprit, update_ns);
CREATE INDEX incidents_by_time ON incidents (start_ns, id);
CREATE INDEX diagnoses_by_time ON diagnoses (time_ns, id);
CREATE INDEX diagnoses_by_victim ON diagnoses (src, dst, time_ns);
CREATE INDEX diagnoses_by_incident ON diagnoses (incident, victim);
CREATE INDEX sources_by_time ON sources (sender, updated_ns);
CREATE INDEX reports_by_time ON reports (received_ns);
CREATE INDEX reports_by_sender ON reports (sender, kind, received_ns);
CREATE INDEX diagnoses_by_arrival ON diagnoses (wall_ns, time_ns, id);
CREATE INDEX diagnoses_by_host ON diagnoses (host, incident);
CREATE INDEX snapshots_by_arrival ON snapshots (wall_ns, time_ns, id);
CREATE INDEX incidents_by_arrival ON incidents (occurred_wall_ns, occurred_ns, id);
CREATE INDEX incidents_open ON incidents (run, id) WHERE end_ns IS NULL;
CREATE INDEX occurrences_by_time ON occurrences (incident, start_ns);
CREATE INDEX incident_ports_by_port ON incident_ports (port, incident);
CREATE INDEX incident_flows_by_flow ON incident_flows (flow, incident);
CREATE INDEX port_series_by_time ON port_series (resolution_ns, wall_ns);
CREATE INDEX flow_series_by_time ON flow_series (resolution_ns, wall_ns);
COMMIT;
