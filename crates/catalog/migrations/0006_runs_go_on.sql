-- What a run was doing ('running', 'paused') when its process ended before it did: it can be gone on with.
ALTER TABLE runs ADD COLUMN interrupted TEXT;
