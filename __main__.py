"""`python -m agenvantage` is the `agenvantage` command."""

from .runner.cli import main

main()
