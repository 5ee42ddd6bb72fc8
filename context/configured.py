"""What a file reads from its surroundings: variables of the environment, and keys of a configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .calls import Call, Rule, Rules, fact, literal, named, plain
from .syntax import Fact

VARIABLE: Final = re.compile(r"[A-Za-z_]\w{1,79}")
"""The shape of a variable's name."""
_UPPER: Final = re.compile(r"[A-Z][A-Z0-9_]{1,79}")
_KEY: Final = re.compile(r"[A-Za-z_][\w.:/-]{0,119}")
_SURE_KEY: Final = re.compile(r"[A-Z][A-Z0-9_]{2,}|[A-Za-z_][\w-]*(?:[.:][\w-]+){1,8}")
_CONFIG: Final = frozenset({
    "config", "settings", "conf", "cfg", "configuration", "nconf", "configservice", "appconfig", "properties",
    "environment", "env",
})  # fmt: skip


def _env(call: Call) -> Iterator[Fact]:
    """`os.getenv("X")`: the function has no other meaning."""
    return fact(call, "env", call.first, VARIABLE)


def _env_of(*receivers: str) -> Rule:
    """`env::var("X")`, `ENV.fetch("X")`: a general name on a certain receiver."""

    def rule(call: Call) -> Iterator[Fact]:
        return fact(call, "env", call.first, VARIABLE) if call.receiver in receivers else iter(())

    return rule


def _env_upper(call: Call) -> Iterator[Fact]:
    """`env("X")`, `config("X")` of settings libraries: only a name in capitals is a variable."""
    return fact(call, "env", call.first, _UPPER) if not call.of or call.receiver == "env" else iter(())


def _config(call: Call) -> Iterator[Fact]:
    """`config.get("a.b")`."""
    return fact(call, "config", call.first, _KEY) if call.receiver in _CONFIG else iter(())


def _config_of(*receivers: str) -> Rule:
    def rule(call: Call) -> Iterator[Fact]:
        return fact(call, "config", call.first, _KEY) if call.receiver in receivers else iter(())

    return rule


def _python_get(call: Call) -> Iterator[Fact]:
    """`os.environ.get("X")`, `config.get("x")`."""
    if call.receiver == "environ":
        yield from fact(call, "env", call.first, VARIABLE)
    elif call.name == "get":
        yield from _config_get(call)


def _config_get(call: Call) -> Iterator[Fact]:
    """`config.get("a.b")`. A plain word may be a key of any mapping that someone called so."""
    if call.receiver in ("config", "settings", "conf", "cfg", "configuration"):
        yield from fact(call, "config", call.first, _SURE_KEY)
    elif call.receiver in ("nconf", "configservice"):
        yield from fact(call, "config", call.first, _KEY)
    elif call.of == "Deno.env":
        yield from fact(call, "env", call.first, VARIABLE)


def _config_bare(call: Call) -> Iterator[Fact]:
    """`config("app.name")` in Laravel."""
    return fact(call, "config", call.first, _KEY) if not call.of else iter(())


def _getattr(call: Call) -> Iterator[Fact]:
    """`getattr(settings, "X")`."""
    if len(call.positional) >= 2 and plain(call.positional[0]) == "settings":
        yield from fact(call, "config", literal(call.positional[1]), _UPPER)


_PLACEHOLDER: Final = re.compile(r"[$#]\{([A-Za-z_][\w.-]*)(?::[^{}]*)?\}")


def _value(call: Call) -> Iterator[Fact]:
    """`@Value("${a.b:default}")`."""
    text = call.text("value") if call.decorates else None
    for found in _PLACEHOLDER.finditer(text or ""):
        yield from fact(call, "config", found[1], _KEY)


def _config_named(call: Call) -> Iterator[Fact]:
    """`@ConfigProperty(name = "a.b")`, `@ConfigurationProperties(prefix = "a")`."""
    if call.decorates:
        yield from fact(call, "config", call.text("name", "prefix", "value"), _KEY)


_JVM: Final = {
    **named("getProperty getRequiredProperty getString getInt getBoolean getConfig getDuration hasPath", _config),
    **named("ConfigurationProperties ConfigProperty", _config_named),
    "Value": _value,
    "getenv": _env,
}
RULES: Final[Rules] = {
    "python": {
        **named("get pop setdefault", _python_get),
        **named("getint getboolean getfloat getlist getbool", _config_of("config", "settings", "conf", "cfg")),
        **named("env config", _env_upper),
        **named("str bool int list float", _env_of("env")),
        "getenv": _env,
        "getattr": _getattr,
    },
    "script": {
        **named("get getOrThrow", _config_get),
        "env": _env_upper,
    },
    "go": {
        **named("Getenv LookupEnv", _env),
        **named("Get GetString GetInt GetBool GetDuration GetStringSlice SetDefault IsSet", _config_of("viper", "v")),
    },
    "rust": {
        **named("var var_os", _env_of("env", "dotenv", "dotenvy")),
        **named("env option_env", _env),
        **named("get_string get_int get_bool", _config),
    },
    "java": _JVM,
    "kotlin": _JVM,
    "scala": {
        **named("getString getInt getBoolean getConfig getDuration hasPath", _config),
        **named("env getenv", _env),
        **named("get getOrElse", _env_of("env")),
    },
    "csharp": {
        **named("GetSection GetValue GetConnectionString", _config_of("configuration", "config", "builder")),
        "GetEnvironmentVariable": _env,
    },
    "ruby": named("fetch key? dig delete has_key?", _env_of("env")),
    "php": {"getenv": _env, "env": _env_upper, "config": _config_bare, "get": _config_of("config")},
    "swift": {"get": _env_of("environment")},
    "c": named("getenv secure_getenv qgetenv qEnvironmentVariable", _env),
}
