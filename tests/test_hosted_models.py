"""Models at an address: what is sent, what is refused, and what is never told."""

from __future__ import annotations

import time
import traceback

import pytest
from agenvantage.adapters.asking import Asking, Place, fault_of
from agenvantage.adapters.hosted_models import HostedEmbedder, HostedReranker, HostedRewriter
from agenvantage.context.aids import AidFailed
from model_server import ModelServer, Reply, chat, order, vectors

KEY = "sk-test-4242424242424242abcdef"
TASK = "Say in the notice how many minutes remain"


def hurried(**changes: object) -> Asking:
    return Asking(**{"seconds": 5.0, "pause": lambda _seconds: None, **changes})


def rewriter(server: ModelServer, key: str | None = KEY, **changes: object) -> HostedRewriter:
    return HostedRewriter(place=Place(url=server.url, key=key), model="small", asking=hurried(**changes))


def embedder(server: ModelServer) -> HostedEmbedder:
    return HostedEmbedder(place=Place(url=server.url, key=KEY), model="near", asking=hurried())


def reranker(server: ModelServer) -> HostedReranker:
    return HostedReranker(place=Place(url=server.url, key=KEY), model="judge", asking=hurried())


def why(server: ModelServer, **changes: object) -> str:
    with pytest.raises(AidFailed) as failed:
        rewriter(server, **changes)(TASK)
    return failed.value.why


def test_vectors_come_back_in_the_order_of_the_texts() -> None:
    with ModelServer(Reply(vectors)) as server:
        made = embedder(server)(["aaa", "b"])
    assert [row[0] for row in made.vectors] == [3.1, 0.1]


def test_many_texts_go_in_several_requests() -> None:
    with ModelServer(Reply(vectors)) as server:
        made = embedder(server)([f"text {number}" for number in range(130)])
    assert (len(made.vectors), made.requests, [len(asked.body["input"]) for asked in server.asked]) == (
        130,
        3,
        [64, 64, 2],
    )


def test_the_tokens_that_a_model_reports_are_added_up() -> None:
    with ModelServer(Reply(vectors)) as server:
        assert embedder(server)([f"text {number}" for number in range(100)]).tokens == 300


def test_tokens_that_a_model_does_not_report_are_unknown() -> None:
    with ModelServer(Reply(lambda body: {"data": vectors(body)["data"]})) as server:
        assert embedder(server)(["a"]).tokens is None


def test_a_missing_vector_is_a_failure() -> None:
    with ModelServer(Reply({"data": []})) as server, pytest.raises(AidFailed, match="did not answer for each text"):
        embedder(server)(["a"])


def test_scores_come_back_in_the_order_of_the_texts() -> None:
    with ModelServer(Reply(lambda body: {"results": order(body)["results"][::-1]})) as server:
        assert reranker(server)(TASK, ["a", "long one", "to"]).scores == (1.0, 8.0, 2.0)


def test_a_rewriting_says_what_it_took() -> None:
    with ModelServer(Reply(chat('["lockout expiry", "ttl of the lock"]'))) as server:
        said = rewriter(server)(TASK)
    assert (said.queries, said.input_tokens, said.output_tokens, said.requests) == (
        ("lockout expiry", "ttl of the lock"),
        21,
        9,
        1,
    )


@pytest.mark.parametrize(
    ("said", "queries"),
    [
        ('Here you are:\n```json\n["one"]\n```', ("one",)),
        ("- first\n- second", ("first", "second")),
        ('["a", "b", "c", "d"]', ("a", "b", "c")),
        ("", ()),
        ("[1, 2", ("[1, 2",)),
        ("x" * 900, ("x" * 400,)),
    ],
)
def test_whatever_a_model_says_becomes_a_few_short_queries(said: str, queries: tuple[str, ...]) -> None:
    with ModelServer(Reply(chat(said))) as server:
        assert rewriter(server)(TASK).queries == queries


def test_secrets_are_taken_out_before_a_text_leaves() -> None:
    with ModelServer(Reply(vectors)) as server:
        embedder(server)(['token = "ghp_0123456789abcdefghij0123456789"', f"ours is {KEY}"])
    sent = str(server.asked[0].body)
    assert "ghp_0123" not in sent and KEY not in sent and "[redacted]" in sent


def test_half_a_character_does_not_stop_the_text() -> None:
    with ModelServer(Reply(vectors)) as server:
        assert len(embedder(server)(["caf\udce9 \0"]).vectors) == 1


def test_the_key_goes_into_the_header_and_nowhere_else() -> None:
    with ModelServer(Reply(chat("[]"))) as server:
        rewriter(server)(TASK)
    asked = server.asked[0]
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in asked.path + str(asked.body)


def test_without_a_key_there_is_no_such_header() -> None:
    with ModelServer(Reply(chat("[]"))) as server:
        rewriter(server, key=None)(TASK)
    assert "Authorization" not in server.asked[0].headers


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 500])
def test_no_error_tells_the_key_or_what_was_sent(status: int) -> None:
    refusal = Reply({"error": {"message": f"no: {KEY} {TASK}"}}, status=status)
    with ModelServer(refusal) as server, pytest.raises(AidFailed) as failed:
        rewriter(server)(TASK)
    told = "".join(traceback.format_exception(failed.value))
    assert KEY not in told and TASK not in told and str(status) in failed.value.why


def test_a_key_that_no_header_can_hold_is_refused_and_not_told() -> None:
    with ModelServer(Reply(chat("[]"))) as server, pytest.raises(AidFailed) as failed:
        rewriter(server, key=f"{KEY}\r\nX: y")(TASK)
    assert KEY not in "".join(traceback.format_exception(failed.value))
    assert server.asked == []


def test_a_redirect_is_not_followed() -> None:
    with ModelServer(Reply(chat("[]"))) as elsewhere:
        with ModelServer(Reply(status=307, headers={"Location": elsewhere.url})) as server:
            assert "elsewhere" in why(server)
        assert elsewhere.asked == []


def test_a_busy_server_is_asked_again() -> None:
    with ModelServer(Reply(status=503), Reply(status=429), Reply(chat('["one"]'))) as server:
        assert rewriter(server)(TASK).requests == 3


def test_a_server_that_stays_busy_is_left_alone_after_three_tries() -> None:
    with ModelServer(Reply(status=503)) as server:
        assert "503" in why(server)
        assert len(server.asked) == 3


def test_a_refusal_is_final() -> None:
    with ModelServer(Reply(status=401), Reply(chat("[]"))) as server:
        assert "refused the key" in why(server)
        assert len(server.asked) == 1


def test_a_wait_that_a_server_asks_for_is_kept_and_bounded() -> None:
    waits: list[float] = []
    with ModelServer(
        Reply(status=429, headers={"Retry-After": "2"}),
        Reply(status=429, headers={"Retry-After": "9999"}),
        Reply(chat("[]")),
    ) as server:
        rewriter(server, seconds=60.0, pause=waits.append)(TASK)
    assert waits == [2.0, 5.0]


def test_an_answer_that_drips_in_is_cut_off_by_the_time_limit() -> None:
    with ModelServer(Reply(chat("x" * 5_000), slowly=0.05)) as server:
        began = time.monotonic()
        assert "in time" in why(server, seconds=0.4)
        assert time.monotonic() - began < 10


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"choices": 3}', b"[]", b"\xff\xfe", b'{"choices": []}x'])
def test_an_answer_of_another_shape_is_a_failure(body: bytes) -> None:
    with ModelServer(Reply(body)) as server:
        assert "usual shape" in why(server)


def test_an_answer_that_is_cut_short_is_a_failure() -> None:
    with ModelServer(Reply(chat("[]"), headers={"Content-Length": "9999"})) as server:
        assert why(server, tries=1, seconds=1.0)


def test_nobody_there_is_a_failure_by_kind() -> None:
    with ModelServer(Reply()) as server:
        url = server.url
    gone = HostedRewriter(place=Place(url=url, key=KEY), model="small", asking=hurried())
    with pytest.raises(AidFailed, match="could not be reached"):
        gone(TASK)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://models.example.org/v1", "https"),
        ("http://127.0.0.1.example.org/v1", "https"),
        ("ftp://models.example.org", "https"),
        ("file:///etc/passwd", "https"),
        ("https://me:pw@models.example.org/v1", "password"),
        ("https://", "host"),
        ("https://[half", "no address"),
    ],
)
def test_an_address_that_would_not_be_safe_is_refused(url: str, says: str) -> None:
    assert says in (fault_of(url) or "")


@pytest.mark.parametrize("url", ["https://models.example.org/v1", "http://localhost:8080/v1", "http://[::1]:9/v1"])
def test_https_and_this_machine_are_fine(url: str) -> None:
    assert fault_of(url) is None


@pytest.mark.parametrize(
    ("base", "whole"),
    [
        ("https://a.example/v1", "https://a.example/v1/embeddings"),
        ("https://a.example/v1/", "https://a.example/v1/embeddings"),
        ("https://a.example/v1/embeddings", "https://a.example/v1/embeddings"),
        ("https://a.example/v1?api-version=2", "https://a.example/v1/embeddings?api-version=2"),
    ],
)
def test_a_service_is_found_below_the_base_address(base: str, whole: str) -> None:
    assert Place(url=base).below("/embeddings").url == whole


def test_a_place_does_not_show_its_key() -> None:
    assert KEY not in repr(Place(url="https://a.example", key=KEY))
