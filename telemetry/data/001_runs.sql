-- Runs, from their start on. `document` is the sealed `agenvantage.run/1`; prompts and outputs are never stored.
-- Times are nanoseconds since the epoch. The columns beside the document are what lists and searches need.
CREATE TABLE runs (
    run_id        TEXT PRIMARY KEY,
    trace_id      TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('running', 'sealed', 'interrupted')),
    started       INTEGER NOT NULL,
    ended         INTEGER,
    agent         TEXT NOT NULL,
    strategy      TEXT NOT NULL,
    workflow      TEXT,
    repository    TEXT,
    folder        TEXT,
    outcome       TEXT,
    input_tokens  INTEGER,
    output_tokens INTEGER,
    reported_usd  REAL,
    document      TEXT
) WITHOUT ROWID;

CREATE INDEX runs_by_start ON runs (started);
CREATE INDEX runs_by_trace ON runs (trace_id);
