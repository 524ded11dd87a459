-- What the receivers of webhooks have not been sent yet, and which alerts last for them: a server that is killed continues
-- where it was.
CREATE TABLE webhooks (
    -- A hash of the format and the URL: the URL of a receiver may be a secret.
    id       TEXT PRIMARY KEY,
    -- When the receiver was used first. It is not notified of incidents that were open then.
    since_wall_ns BIGINT NOT NULL
);

-- Alerts that wait, in the order in which they are sent.
CREATE TABLE webhook_waiting (
    webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    number  BIGINT NOT NULL,
    body    TEXT NOT NULL,
    PRIMARY KEY (webhook, number)
);

-- Alerts that last, of which the receiver knows or will know.
CREATE TABLE webhook_firing (
    webhook  TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    -- Without a reference: the end of an incident that is removed is sent, too.
    incident TEXT NOT NULL,
    body     TEXT NOT NULL,
    PRIMARY KEY (webhook, incident)
);
