"""Orders, prices and their storage."""
