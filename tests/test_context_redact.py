"""Secrets go, everything else stays."""

from __future__ import annotations

import json

import pytest
from agenvantage.context.redact import MARK, redact, redact_bytes, secret_path
from agenvantage.context.words import word_counts
from hypothesis import given
from hypothesis import strategies as st

B64 = "MIIEpAIBAAKCAQEA1234567890123456789012345678901234567890abcdefgh"
SECRETS = {
    "openai": ("sk-proj-" + "Ab1cD2eF3gH4iJ5kL6", "key {}"),
    "anthropic": ("sk-ant-api03-" + "abcdefgh12345678abcdefgh", "key={}"),
    "github": ("ghp_" + "a1B2c3" * 6, "remote {}"),
    "github_fine": ("github_pat_" + "a1B2c3" * 6, "{}"),
    "aws": ("AKIA" + "IOSFODNN7EXAMPLE", "id {} end"),
    "google": ("AIza" + "Sy1" * 11 + "ab", "'{}'"),
    "slack": ("xoxb-" + "123456789012-abcdef", "slack {}"),
    "jwt": ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0." + "SflKxwRJSMeKKF2QT4", "{}"),
    "bearer": ("abc123def456ghi789", "Authorization: Bearer {}"),
    "basic": ("dXNlcjpwYXNz1w==", "authorization: Basic {}"),
    "userinfo": ("hunter2", "https://me:{}@host.example/path"),
    "query": ("zz11yy22", "https://host.example/?access_token={}&page=2"),
    "quoted": ("abc123def456", 'api_key = "{}"'),
    "json": ("abc123def456", '{{"clientSecret": "{}"}}'),
    "dotenv": ("correct-horse", "DB_PASSWORD={}"),
    "export": ("canary-value-123", "export MY_API_KEY={}"),
}
HARMLESS = [
    "token = get_token()",
    "max_tokens: 100",
    "MAX_TOKENS=100000",
    '"input_tokens": 123456',
    "password: str",
    "self.token=token",
    "secret = os.environ['SECRET']",
    "SECRET_KEY=settings.SECRET_KEY",
    'API_KEY=os.environ["KEY"]',
    "TOKEN=$(cat file)",
    "TOKEN=${TOKEN}",
    "sk-circle-fade-dot-animation",
    "Bearer token_authentication_scheme",
    "postgres://{user}:{password}@{host}",
    "-----BEGIN PRIVATE KEY-----",
    "keyboard = 'abc12345678'",
    "public_key = load(path)",
    "https://host.example/path?page=2&sort=asc",
]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_of_a_known_shape_goes(kind):
    secret, around = SECRETS[kind]
    cleaned = redact(around.format(secret))
    assert secret not in cleaned
    assert MARK in cleaned


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_inside_a_json_string_goes_and_the_json_stays_valid(kind):
    secret, around = SECRETS[kind]
    line = json.dumps({"output": "first\n" + around.format(secret) + "\nlast", "n": 1}).encode()
    cleaned = redact_bytes(line)
    assert secret.encode() not in cleaned
    assert json.loads(cleaned)["n"] == 1


@pytest.mark.parametrize("code", HARMLESS)
def test_ordinary_code_stays(code):
    assert redact(code) == code


def test_a_private_key_leaves_its_line_breaks():
    text = f"before\n-----BEGIN RSA PRIVATE KEY-----\n{B64}\n{B64}\n-----END RSA PRIVATE KEY-----\nafter\n"
    cleaned = redact(text)
    assert B64 not in cleaned
    assert cleaned.count("\n") == text.count("\n")


def test_a_private_key_in_json_goes_whole():
    line = json.dumps({"key": f"-----BEGIN PRIVATE KEY-----\n{B64}\n-----END PRIVATE KEY-----\n"})
    assert B64 not in redact(line)
    json.loads(redact(line))


def test_a_given_value_goes_however_it_is_spelled():
    secret = 'p"ss/wörd\n1'
    for spelled in (secret, json.dumps(secret), "x=p%22ss%2Fw%C3%B6rd%0A1"):
        assert MARK in redact(spelled, [secret])


def test_bytes_that_are_no_text_stay():
    data = b"\xff\xfe\x00 plain \x80"
    assert redact_bytes(data) == data


@given(st.text(), st.lists(st.text(max_size=12), max_size=4))
def test_redacting_twice_changes_nothing(text, secrets):
    once = redact(text, secrets)
    assert redact(once, secrets) == once


@given(
    st.lists(
        st.one_of(st.sampled_from(HARMLESS), st.sampled_from([a.format(s) for s, a in SECRETS.values()]), st.text())
    )
)
def test_redacting_secrets_among_anything_twice_changes_nothing(parts):
    text = "\n".join(parts)
    once = redact(text)
    assert redact(once) == once
    assert once.count("\n") == text.count("\n")


@given(
    st.lists(
        st.one_of(
            st.sampled_from(HARMLESS),
            st.sampled_from([a.format(s) for s, a in SECRETS.values()]),
            st.sampled_from([a.format(s).replace("_", "-") for s, a in SECRETS.values()]),
            st.text(alphabet="ab_-.1é\\n ="),
        )
    )
)
def test_the_words_of_a_text_tell_what_may_be_secret_in_it(parts):
    text = "".join(parts)
    assert redact(text, words=word_counts(text)) == redact(text)


@given(st.lists(st.one_of(st.sampled_from([a.format(s) for s, a in SECRETS.values()]), st.text())))
def test_a_json_line_stays_a_json_line(parts):
    line = json.dumps({"a": parts}).encode()
    json.loads(redact_bytes(line))


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "a/.env.local",
        "key.pem",
        ".ssh/config",
        "x/id_rsa",
        ".dev.vars",
        "infra/prod.tfvars",
        ".aws/credentials",
    ],
)
def test_a_file_of_secrets_is_known_by_its_name(path):
    assert secret_path(path)


@pytest.mark.parametrize(
    "path", ["env.py", ".env.example", "keys.py", "a/secret_santa.py", "id_rsa.pub", "environment.yml"]
)
def test_a_file_that_only_sounds_like_it_is_not(path):
    assert not secret_path(path)
