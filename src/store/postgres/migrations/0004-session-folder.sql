ALTER TABLE sessions ADD COLUMN folder text;
