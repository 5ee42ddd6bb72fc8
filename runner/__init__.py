"""The doors for people, and the run itself."""
