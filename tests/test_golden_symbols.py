"""What is read from real public files, against golden text. AGENVANTAGE_REWRITE_GOLDEN=1 rewrites it: read the diff."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

import pytest
from agenvantage.context.parse import Analysis, Import, Symbol, Use, analyse
from real_files import GOLDEN, RealFile, real_files

REWRITE: Final = bool(os.environ.get("AGENVANTAGE_REWRITE_GOLDEN"))


@pytest.mark.parametrize("file", real_files(), ids=lambda file: file.id)
def test_a_real_file_is_read_as_its_golden_text_says(file: RealFile):
    if not file.is_here():
        pytest.skip(f"{file.package} is not here: `make golden` fetches it where it is served")
    read = golden_text(analyse(file.read(), file.path), file)
    if REWRITE:
        file.golden.write_text(read, encoding="utf-8")
    assert read == file.golden.read_text(encoding="utf-8")


def test_real_files_of_at_least_fourteen_languages_are_here():
    here = {file.folder for file in real_files() if file.is_here()}
    assert len(here) >= 14, "run `make golden`"


def test_every_golden_file_is_listed_with_its_source():
    assert {file.golden for file in real_files()} == set(GOLDEN.glob("*/*.txt"))


def test_a_golden_name_is_given_once():
    assert len({file.id for file in real_files()}) == len(real_files())


def golden_text(found: Analysis, file: RealFile) -> str:
    """An analysis as a person reads it: a line for each symbol, import, use and fact."""
    parts = (
        ("symbols", [symbol_line(each) for each in found.symbols]),
        ("imports", [import_line(each) for each in found.imports]),
        ("uses", [use_line(each) for each in found.uses]),
        ("facts", [f"{each.kind} {each.name} {each.line}{shown(' (', each.detail, ')')}" for each in found.facts]),
    )
    return "\n".join([f"{file.path} · {file.package}", *_head(found), *_listed(parts)]) + "\n"


def _head(found: Analysis) -> Iterator[str]:
    yield f"{found.language} · {found.lines} lines · {found.parser}"
    if found.skipped:
        yield f"skipped: {found.skipped}"
    if found.problem:
        yield f"problem: {found.problem}"


def _listed(parts: tuple[tuple[str, list[str]], ...]) -> Iterator[str]:
    for title, lines in parts:
        if lines:
            yield from ("", title, *(f"  {line}" for line in lines))


def symbol_line(symbol: Symbol) -> str:
    where = f"{symbol.kind} {symbol.name} {symbol.start}-{symbol.end}{shown(' in ', symbol.container)}"
    marks = "".join(f" @{name}" for name in symbol.decorators)
    return f"{where}{shown(' ', symbol.visibility)}{marks}{shown(' — ', symbol.doc)}"


def import_line(each: Import) -> str:
    return f"{each.line}: {each.module}{shown(': ', ', '.join(each.names))}"


def use_line(use: Use) -> str:
    return f"{use.kind} {shown('', use.qualifier, '.')}{use.name}: {', '.join(map(str, use.lines))}"


def shown(before: str, text: str | None, after: str = "") -> str:
    return f"{before}{text}{after}" if text else ""
