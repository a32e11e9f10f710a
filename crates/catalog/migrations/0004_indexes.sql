-- Indexes that people asked for; their segments lie in files and can be made again.
CREATE TABLE indexes (
    name TEXT PRIMARY KEY NOT NULL,
    settings TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
