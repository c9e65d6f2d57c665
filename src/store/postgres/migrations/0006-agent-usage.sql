CREATE TABLE agent_usage (
  caller_id text COLLATE "C" NOT NULL,
  task text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  rounds bigint NOT NULL,
  updated_at_ms bigint NOT NULL,
  PRIMARY KEY (caller_id, task)
);

CREATE INDEX agent_usage_by_time ON agent_usage (updated_at_ms);
