
    CREATE TABLE span_batches (
      id INTEGER PRIMARY KEY,
      first_start_us INTEGER NOT NULL,
      last_start_us INTEGER NOT NULL,
      span_count INTEGER NOT NULL,
      spans TEXT NOT NULL
    ) STRICT;

    CREATE INDEX span_batches_by_start ON span_batches (first_start_us, last_start_us, span_count);

    INSERT INTO span_batches (first_start_us, last_start_us, span_count, spans)
    WITH numbered AS (
      SELECT *, id / 512 AS part, ROW_NUMBER() OVER (PARTITION BY id / 512 ORDER BY id) - 1 AS place
      FROM spans
    )
    SELECT MIN(started_at_us), MAX(started_at_us), COUNT(*), json_object(
      'starts', json_group_array(json_array(name, kind, caller_id,
        CASE WHEN json_valid(attributes) THEN json(attributes) ELSE json('{}') END) ORDER BY id),
      'spans', json_group_array(json_array(trace_id, span_id, place, started_at_us, duration_us,
        status, parent_span_id, status_message) ORDER BY id))
    FROM numbered GROUP BY part ORDER BY part;

    DROP TABLE spans;
  