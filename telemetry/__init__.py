"""What happened in a run: record, store, trace, export."""
