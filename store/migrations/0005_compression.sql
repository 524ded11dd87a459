-- The JSON of a snapshot, compressed (zlib). Null in a row of an older version until the store has compressed it; such a
-- row has its JSON in `body`, all others have an empty one there.
ALTER TABLE snapshots ADD COLUMN compressed BLOB;
-- The size of the JSON.
ALTER TABLE snapshots ADD COLUMN body_bytes BIGINT;
