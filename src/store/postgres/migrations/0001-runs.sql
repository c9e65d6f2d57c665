CREATE TABLE runs (
  run_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id text COLLATE "C" NOT NULL UNIQUE,
  caller_id text COLLATE "C" NOT NULL,
  engine text NOT NULL,
  place text,
  status text NOT NULL,
  name text,
  goal text,
  created_at_ms bigint NOT NULL,
  started_at_ms bigint,
  ended_at_ms bigint,
  deadline_ms bigint,
  forked_from text,
  idempotency_key text COLLATE "C",
  request text,
  request_reason text,
  signal_count integer NOT NULL DEFAULT 0,
  wake_at_ms bigint NOT NULL DEFAULT 0,
  epoch bigint NOT NULL DEFAULT 0,
  lease_owner text,
  lease_pid bigint,
  lease_process_start text,
  lease_ms bigint,
  lease_until_ms bigint,
  outcome text
) WITH (fillfactor = 80);

CREATE INDEX runs_by_caller ON runs (caller_id, created_at_ms, run_id);
CREATE UNIQUE INDEX runs_by_idempotency_key ON runs (caller_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX runs_to_do ON runs (engine, wake_at_ms) WHERE ended_at_ms IS NULL;
CREATE INDEX runs_ended ON runs (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

CREATE TABLE run_contents (
  run_key bigint PRIMARY KEY,
  plan text NOT NULL,
  input text NOT NULL,
  meta text NOT NULL
);

CREATE TABLE run_journal (
  run_key bigint NOT NULL,
  first integer NOT NULL,
  count integer NOT NULL,
  entries text NOT NULL,
  PRIMARY KEY (run_key, first)
);

CREATE TABLE run_signals (
  run_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  payload text NOT NULL,
  place integer NOT NULL,
  PRIMARY KEY (run_id, name)
);

CREATE TABLE effects (
  run_id text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  id text NOT NULL,
  generation integer NOT NULL,
  attempt integer NOT NULL,
  dispatch integer NOT NULL,
  state text NOT NULL,
  caller_id text NOT NULL,
  server text NOT NULL,
  tool text NOT NULL,
  arguments_digest text NOT NULL,
  approval_id text,
  dispatched_at_ms bigint NOT NULL,
  settled_at_ms bigint,
  outcome text NOT NULL,
  dispatcher text,
  PRIMARY KEY (run_id, step)
);

CREATE TABLE approvals (
  approval_id text COLLATE "C" PRIMARY KEY,
  caller_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  server text,
  tool text,
  arguments_digest text NOT NULL,
  arguments text NOT NULL,
  policy_version text NOT NULL,
  message text NOT NULL,
  asked_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  state text NOT NULL,
  decided_by text,
  decided_at_ms bigint,
  reason text,
  used_by text,
  preview text,
  tool_digest text
);

CREATE INDEX approvals_by_step ON approvals (run_id, step, asked_at_ms);

CREATE TABLE step_cache (
  caller_id text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL,
  arguments_digest text COLLATE "C" NOT NULL,
  held text NOT NULL,
  stored_at_ms bigint NOT NULL,
  PRIMARY KEY (caller_id, tool, arguments_digest)
);

CREATE INDEX step_cache_by_age ON step_cache (stored_at_ms);

CREATE TABLE artifact_makers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  artifact_id text COLLATE "C" NOT NULL,
  caller_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  media_type text NOT NULL,
  tool text,
  arguments_digest text,
  inputs text NOT NULL,
  created_at_ms bigint NOT NULL,
  UNIQUE (artifact_id, caller_id, run_id, step)
);

CREATE INDEX artifact_makers_by_run ON artifact_makers (caller_id, run_id, artifact_id);

CREATE TABLE span_batches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_start_us bigint NOT NULL,
  last_start_us bigint NOT NULL,
  span_count integer NOT NULL,
  spans text NOT NULL
);

CREATE INDEX span_batches_by_start ON span_batches (first_start_us, last_start_us, span_count);
