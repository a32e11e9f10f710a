-- Who may speak to the server: browsers that signed in, and tokens for programs. Only hashes are kept.
CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    used_at INTEGER,
    expires_at INTEGER
) STRICT;

-- Small things that the server keeps from one start to the next.
CREATE TABLE notes (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
