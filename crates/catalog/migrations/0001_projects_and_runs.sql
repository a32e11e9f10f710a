-- Numbers that are never given twice.
CREATE TABLE sequences (
    name TEXT PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT;
INSERT INTO sequences (name, last) VALUES ('crawl', 0);

CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    -- The crawl state it works on now.
    crawl INTEGER NOT NULL UNIQUE,
    -- The project as JSON.
    definition TEXT NOT NULL,
    -- Milliseconds since 1970.
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    crawl INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    -- The settings it ran with, as JSON, whatever becomes of the project later.
    settings TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    -- None while it runs, and when nobody saw it end.
    ended_at INTEGER,
    -- Its summary as JSON.
    summary TEXT
) STRICT;
CREATE INDEX runs_by_project ON runs (project_id, id);
