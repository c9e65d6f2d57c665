
    ALTER TABLE effects ADD COLUMN dispatcher TEXT;
    ALTER TABLE approvals ADD COLUMN tool_digest TEXT;
  