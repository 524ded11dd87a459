-- By how many more diagnoses of the incident the flow is named as affected than as a culprit, at most 8 in either direction.
-- Of a row of an older version, one diagnosis counts.
ALTER TABLE incident_flows ADD COLUMN balance BIGINT NOT NULL DEFAULT 0;
UPDATE incident_flows SET balance = is_victim - is_culprit;
-- Whether the representative diagnosis names the flow as affected; kept for flows with a negative balance only.
ALTER TABLE incident_flows ADD COLUMN is_represented BIGINT NOT NULL DEFAULT 0;
-- If a setting is the cause, the flows at the root port are no culprits.
UPDATE incident_flows SET is_culprit = 0, balance = is_victim WHERE incident IN (SELECT i.id FROM incidents i
    JOIN diagnoses d ON d.id = i.diagnosis WHERE d.body LIKE '%"config":["%');
