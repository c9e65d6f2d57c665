CREATE INDEX memory_items_pinned ON memory_items (caller_id, observed_at_ms) WHERE pinned = 1;
