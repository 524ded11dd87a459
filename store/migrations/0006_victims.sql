-- The victims that a list of incidents shows: the first flows, separated by a space, in the order of their text. Null until
-- the store has filled them for a row of an older version.
ALTER TABLE incidents ADD COLUMN victims TEXT;
-- The number of all victims.
ALTER TABLE incidents ADD COLUMN victim_count BIGINT NOT NULL DEFAULT 0;
