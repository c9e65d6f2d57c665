CREATE INDEX memory_items_derived ON memory_items (caller_id, observed_at_ms) WHERE kind <> 'turn';
