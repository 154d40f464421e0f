"""The tables of a batch's database, `batch.sqlite`; readable by any SQLite client while the batch runs."""

from __future__ import annotations

VERSION = "codeopt.batch/1"
"""Version of the schema, kept in `meta`."""

STATUSES = ("pending", "running", "paused", "done", "failed", "dropped")
"""States of a problem:

pending  not begun
running  a worker has it; after a crash it is taken up again where its last saved round ended
paused   the budget of the whole batch ended in the middle of it; the same command with a larger one goes on
done     ended; `accepted` says whether with a faster program, `reason` why not
failed   the model, the sandbox or we ourselves failed: `fault` says which, `reason` how; --retry-failed tries again
dropped  its original cannot be judged: not Python 3, fails its own cases, prints something else each time
"""

FINAL = ("done", "failed", "dropped")
"""States that a problem does not leave by itself."""

TABLES = """
CREATE TABLE IF NOT EXISTS meta (          -- facts about the whole batch
    key   TEXT PRIMARY KEY,                -- schema, settings (JSON), machine (JSON), created, seconds, backend
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS problem (       -- one row a problem of the set, whatever becomes of it
    id          TEXT PRIMARY KEY,
    position    INTEGER NOT NULL,          -- in the set, from 0
    path        TEXT NOT NULL,             -- of the program's file
    cases       TEXT,                      -- folder of its cases; NULL: beside the program
    function    TEXT NOT NULL,             -- qualified name; empty for a program that reads standard input
    source      TEXT NOT NULL,             -- the original
    target      TEXT,                      -- a human's faster program, where the set has one
    status      TEXT NOT NULL,             -- see STATUSES
    fault       TEXT NOT NULL DEFAULT '',  -- model, sandbox, program, busy, worker
    reason      TEXT NOT NULL DEFAULT '',  -- one line for people
    stopped     TEXT NOT NULL DEFAULT '',  -- why no further round was run
    attempts    INTEGER NOT NULL DEFAULT 0,-- how often a worker took it up
    accepted    INTEGER,                   -- 1: a candidate is right and faster, and was confirmed; NULL: not ended
    best_round  INTEGER,
    ratio       REAL,                      -- confirmed speedup of the accepted candidate
    ci_low      REAL,
    ci_high     REAL,
    ledger      TEXT,                      -- rounds, tokens, money (JSON), as of the last saved round
    suite       TEXT,                      -- {case: held out?} (JSON): what was shown stays shown after a crash
    seconds     REAL NOT NULL DEFAULT 0,   -- of the clock in workers, all attempts together
    waited_s    REAL NOT NULL DEFAULT 0,   -- of these, waiting for a core
    asking_s    REAL NOT NULL DEFAULT 0,   -- of these, waiting for the model
    programs_s  REAL NOT NULL DEFAULT 0,   -- of these, programs running in the sandbox (wall time inside)
    runs        INTEGER NOT NULL DEFAULT 0,-- programs run
    finished    TEXT,                      -- UTC
    calls       TEXT,                      -- path of a function's calls
    checker     TEXT NOT NULL DEFAULT ''   -- FILE::accept of its answers
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS problem_status ON problem (status, position);

CREATE TABLE IF NOT EXISTS candidate (     -- every draft; round 0 is the original, stage says which measurement this is
    problem   TEXT NOT NULL REFERENCES problem (id),
    stage     TEXT NOT NULL,               -- round, confirm (fresh timings), refused (by a reader), target (of the set)
    round     INTEGER NOT NULL,            -- 0 for the target
    source    TEXT NOT NULL,
    summary   TEXT NOT NULL,
    critique  TEXT NOT NULL,
    rejection TEXT NOT NULL,               -- why it cannot be accepted whatever its time; empty when it can
    correct   INTEGER NOT NULL,            -- right on every case that was run, and some were
    decision  TEXT,                        -- faster, slower, same, undecided, rejected; NULL: not compared
    ratio     REAL,                        -- original time over candidate time
    ci_low    REAL,
    ci_high   REAL,                        -- NULL: no upper end is known
    pairs     INTEGER,
    clock     TEXT,                        -- cpu, wall or memory
    body      TEXT NOT NULL,               -- all that was measured (JSON): outcomes, comparison, profile
    saved     TEXT NOT NULL,               -- UTC
    PRIMARY KEY (problem, stage, round)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS verdict (       -- one row a run of a case
    problem    TEXT NOT NULL,
    stage      TEXT NOT NULL,
    round      INTEGER NOT NULL,
    name       TEXT NOT NULL,              -- of the case
    verdict    TEXT NOT NULL,              -- AC WA RE TLE MLE OLE IE
    wall_s     REAL NOT NULL,
    cpu_s      REAL NOT NULL,
    peak_bytes INTEGER NOT NULL,
    detail     TEXT NOT NULL,
    PRIMARY KEY (problem, stage, round, name)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS timing (        -- raw paired times, one row a pair and case, in the order they were taken
    problem   TEXT NOT NULL,
    stage     TEXT NOT NULL,
    round     INTEGER NOT NULL,
    name      TEXT NOT NULL,               -- of the case
    pair      INTEGER NOT NULL,            -- from 0
    original  REAL NOT NULL,               -- seconds, or bytes when the clock is memory
    candidate REAL NOT NULL,
    PRIMARY KEY (problem, stage, round, name, pair)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS exchange (      -- every reply of the model, saved before it is used: not paid for twice
    problem    TEXT NOT NULL,
    number     INTEGER NOT NULL,           -- of the problem's replies, from 0
    prompt     TEXT NOT NULL,              -- messages (JSON)
    reply      TEXT NOT NULL,
    tokens_in  INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    cost_usd   REAL,                       -- NULL: the price is not known
    seconds    REAL NOT NULL,
    model      TEXT NOT NULL,              -- as the server names it
    cut        INTEGER NOT NULL,           -- 1: the reply met a length limit; 2: one of the server's, and can go on
    estimated  INTEGER NOT NULL,           -- the server did not count the tokens
    asked      TEXT NOT NULL,              -- UTC
    cached     INTEGER NOT NULL DEFAULT 0, -- of tokens_in: what the server had read before
    PRIMARY KEY (problem, number)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS event (         -- what went wrong on the way: retries, crashes of workers
    at      TEXT NOT NULL,                 -- UTC
    problem TEXT NOT NULL,
    text    TEXT NOT NULL
);
"""

ADDED = (
    ("exchange", "cached", "INTEGER NOT NULL DEFAULT 0"),
    ("problem", "calls", "TEXT"),
    ("problem", "checker", "TEXT NOT NULL DEFAULT ''"),
)
"""Columns that a database of an earlier version lacks: table, name, type. New ones come last in their table."""
