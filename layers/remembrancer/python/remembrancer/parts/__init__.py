"""What several actions do alike with more than one port: reading heads, writing and indexing pages and entries."""
