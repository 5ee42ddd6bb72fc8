"""What to read: index a repository, retrieve, plan, compile, serve."""
