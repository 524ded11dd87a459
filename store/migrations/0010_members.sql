-- How many diagnoses of the incident name the flow as affected, and as a culprit. Of a row of an older version, one diagnosis
-- counts.
ALTER TABLE incident_flows ADD COLUMN victim_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE incident_flows ADD COLUMN culprit_count BIGINT NOT NULL DEFAULT 0;
UPDATE incident_flows SET victim_count = is_victim, culprit_count = is_culprit;
ALTER TABLE incident_flows DROP COLUMN is_victim;
-- Whether the representative diagnosis names the flow as affected. Set with its next representative.
ALTER TABLE incident_flows ADD COLUMN is_represented BIGINT NOT NULL DEFAULT 0;
