-- What people do and say about an incident: open, acknowledged, resolved or silenced.
ALTER TABLE incidents ADD COLUMN handling TEXT NOT NULL DEFAULT 'open';
-- Whether the verdict was right, wrong or unclear; null without an answer.
ALTER TABLE incidents ADD COLUMN feedback TEXT;

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
