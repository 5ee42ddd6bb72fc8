"""Following a growing file: every line once, whole, whatever its length and however it is written."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from agenvantage.runner.follow import LineFollower
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    return tmp_path / "stream.raw"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_file_that_is_not_there_yet_has_no_lines(stream: Path) -> None:
    follower = LineFollower(stream)
    assert follower.poll() == []
    append(stream, b"late\n")
    assert follower.poll() == ["late"]


def test_a_file_that_never_came_finishes_empty(stream: Path) -> None:
    assert LineFollower(stream).finish() == ([], False)


def test_half_a_line_waits_for_its_end(stream: Path) -> None:
    follower = LineFollower(stream)
    append(stream, b"one\ntw")
    assert follower.poll() == ["one"]
    append(stream, b"o\n")
    assert follower.poll() == ["two"]


def test_lines_around_the_pipe_size_and_of_20_mb_are_whole(stream: Path) -> None:
    sizes = (65_535, 65_536, 70_000, 20_000_000)
    stream.write_bytes(b"".join(b"x" * size + b"\n" for size in sizes) + b'{"type":"result"}\n')
    lines, cut = LineFollower(stream).finish()
    assert [len(line) for line in lines[:-1]] == list(sizes)
    assert lines[-1] == '{"type":"result"}'
    assert not cut


def test_a_line_of_20_mb_in_small_writes_is_read_in_linear_time(stream: Path) -> None:
    follower = LineFollower(stream)
    began = time.monotonic()
    with stream.open("ab", buffering=0) as file:
        for _ in range(320):
            file.write(b"y" * 62_500)
            assert follower.poll() == []
        file.write(b"\n")
    assert [len(line) for line in follower.poll()] == [20_000_000]
    assert time.monotonic() - began < 5


def test_carriage_returns_before_a_line_end_are_dropped_and_others_kept(stream: Path) -> None:
    stream.write_bytes(b"a\r\nb\rc\n")
    assert LineFollower(stream).poll() == ["a", "b\rc"]


def test_only_line_feeds_end_lines(stream: Path) -> None:
    stream.write_bytes("one\u2028still\x85one\x0cone\n".encode())
    assert LineFollower(stream).poll() == ["one\u2028still\x85one\x0cone"]


def test_nul_and_broken_utf8_are_kept_as_they_can_be(stream: Path) -> None:
    stream.write_bytes(b"a\0b\xff\n")
    assert LineFollower(stream).poll() == ["a\0b�"]


def test_a_character_split_between_two_writes_is_whole(stream: Path) -> None:
    follower = LineFollower(stream)
    append(stream, b"\xe2\x82")
    assert follower.poll() == []
    append(stream, b"\xac\n")
    assert follower.poll() == ["€"]


def test_a_cut_last_line_is_given_and_told(stream: Path) -> None:
    stream.write_bytes(b'whole\n{"half":')
    assert LineFollower(stream).finish() == (["whole", '{"half":'], True)


def test_a_file_emptied_under_us_goes_on_from_its_start(stream: Path) -> None:
    follower = LineFollower(stream)
    append(stream, b"before\n")
    follower.poll()
    stream.write_bytes(b"new\n")
    assert follower.poll() == ["new"]


def test_an_endless_line_keeps_its_head_and_loses_nothing_after_it(stream: Path) -> None:
    stream.write_bytes(b"z" * 3_000_000 + b"\nafter\n")
    follower = LineFollower(stream, line_cap_bytes=1_000_000)
    head, after = follower.poll()
    assert head == "z" * 65_536
    assert after == "after"


def test_lines_of_a_writer_in_another_thread_arrive_once_and_in_order(stream: Path) -> None:
    def write() -> None:
        with stream.open("ab", buffering=0) as file:
            for number in range(2000):
                file.write(b"%d\n" % number)

    writer = threading.Thread(target=write)
    writer.start()
    follower, seen = LineFollower(stream), []
    while writer.is_alive():
        seen += follower.poll()
    writer.join()
    seen += follower.finish()[0]
    assert seen == [str(number) for number in range(2000)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(chunks=st.lists(st.binary(max_size=40), max_size=12))
def test_polling_between_writes_gives_what_one_read_gives(tmp_path: Path, chunks: list[bytes]) -> None:
    stream = tmp_path / "any"
    stream.write_bytes(b"")
    follower, lines = LineFollower(stream), []
    for chunk in chunks:
        append(stream, chunk)
        lines += follower.poll()
    rest, cut = follower.finish()
    *whole, tail = b"".join(chunks).split(b"\n")
    expected = [*whole, tail] if tail else whole
    assert lines + rest == [one.removesuffix(b"\r").decode("utf-8", "replace") for one in expected]
    assert cut == bool(tail)
