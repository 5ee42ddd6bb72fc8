"""A small program that watches over one command: nothing of it outlives the command or the runner."""
