"""Long-term memory for hosted assistants."""
