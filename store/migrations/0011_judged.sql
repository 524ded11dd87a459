-- The diagnosis that a note is about: an incident may be represented by another one later.
ALTER TABLE notes ADD COLUMN diagnosis TEXT;
-- The name of the topology at that time, a row of `topologies`; null if there was none, or in a note of an earlier version.
ALTER TABLE notes ADD COLUMN topology TEXT;
UPDATE notes SET diagnosis = (SELECT i.diagnosis FROM incidents i WHERE i.id = notes.incident);
