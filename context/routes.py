"""The routes that a file answers: told by its framework's calls and decorators, or by where the file lies.

A route is believed on two signs: a literal path, and something that only a server does. That is a decorator, or a
handler given with the path to something called like a router (or the other way about: a function literal given to
anything not called like a client). `requests.get("/x")`, `api.get("/users", {params})` and `cache.get("/k")` lack it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from .calls import FUNCTIONS, Call, Rules, beside, literal, literals, named, part, plain
from .syntax import Fact

if TYPE_CHECKING:
    from tree_sitter import Node

METHODS: Final = ("get", "post", "put", "delete", "patch", "head", "options")
PREFIX: Final = "PREFIX"
"""The detail of a path that stands before the paths of others."""
_METHOD: Final = re.compile(r"(?i)\b(get|post|put|delete|patch|head|options|trace|connect|any|all)\b")
_ROUTER: Final = re.compile(
    r"(?:.*[a-z])?(?:app|application|router|routes?|routing|mux|server|srv|fastify|koa|hono|blueprint|bp|webapp|group|grp"
    r"|controller)|[egmrs]|rt|v\d+|rg|echo|engine|self|this|express"
)
_CLIENT: Final = re.compile(
    r".*(?:client|http|axios|request|requests|fetch\w*|agent|session|page|mock\w*|nock|rest|cy|cache|store|storage|msw|ky|got"
    r"|supertest|interceptor|browser|sdk|conn|superagent|test\w*|jquery)"
)


def _fact(call: Call, path: str, method: str | None) -> Iterator[Fact]:
    """A route, if its path can be one. An empty path is the root of what the router stands under."""
    if len(path) <= 160 and not re.search(r"\s", path):
        yield Fact(kind="route", name=path or "/", line=call.line, detail=method)


def _is_path(text: str | None) -> bool:
    return text is not None and text.startswith("/") and not text.startswith("//")


def _given_by(call: Call, *names: str) -> str | None:
    """The methods that a decorator or call lists by a name: `methods=["GET"]`, `method = RequestMethod.GET`."""
    node = call.named(*names)
    found = [] if node is None else [method.upper() for method in _METHOD.findall(plain(node))]
    return ",".join(dict.fromkeys(found)) or None


def _may_handle(node: Node | None) -> bool:
    """Whether an argument can be a handler: a function, or the name of one; no text, number, object or address."""
    return node is not None and (node.type in FUNCTIONS or node.type in _NAMES)


_NAMES: Final = frozenset({
    "identifier", "attribute", "call", "member_expression", "call_expression", "selector_expression",
    "scoped_identifier", "array", "field_access", "method_invocation", "object_creation_expression",
    "member_access_expression", "invocation_expression", "simple_identifier", "navigation_expression", "as_expression",
})  # fmt: skip


def _on_router(call: Call, method: str | None) -> Iterator[Fact]:
    """`app.get("/x", handler)`."""
    path, others = call.first, call.positional[1:]
    if path is None or not _is_path(path) or not others or call.of == "?":
        return
    router = _ROUTER.fullmatch(call.receiver) and _may_handle(others[-1])
    server = call.has_block and call.receiver and not _CLIENT.fullmatch(call.receiver) and all(map(_may_handle, others))
    if router or server:
        yield from _fact(call, path, method)


def _decorated(call: Call) -> Iterator[Fact]:
    """`@app.get("/x")`, `@app.route("/x", methods=["POST"])`."""
    path = call.text("path", "rule", "uri")
    if path is not None and (_is_path(path) or (path == "" and call.of)) and call.decorates:
        method = call.name.upper() if call.name in METHODS else _given_by(call, "methods", "method")
        yield from _fact(call, path, "WEBSOCKET" if call.name.startswith("websocket") else method)


def _python_method(call: Call) -> Iterator[Fact]:
    """`@app.get("/x")`; `web.get("/x", handler)` of aiohttp."""
    if call.receiver == "web" and _is_path(call.first) and len(call.positional) > 1:
        yield from _fact(call, call.first or "", call.name.upper())
    else:
        yield from _decorated(call)


def _added(call: Call) -> Iterator[Fact]:
    """`add_route("GET", "/x", handler)`, `add_url_rule("/x", ...)`, `Route("/x", endpoint=...)`."""
    texts = call.texts[:3]
    path = next((text for text in texts if _is_path(text)), None)
    if path is None or len(call.arguments) < 2:
        return
    said = next((text.upper() for text in texts if _METHOD.fullmatch(text)), None)
    of_name = _METHOD.search(call.name.replace("_", " "))
    yield from _fact(call, path, said or (of_name[0].upper() if of_name else _given_by(call, "methods", "method")))


def _django(call: Call) -> Iterator[Fact]:
    """`path("x/", view)` in a list of patterns."""
    path, parent = call.text("route", "regex"), call.node.parent
    listed = parent is not None and parent.type in ("list", "tuple")
    if path is not None and listed and not call.of and len(call.arguments) >= 2 and _may_handle(call.arguments[1][1]):
        view = part(call.arguments[1][1], "function")
        yield from _fact(call, path, PREFIX if view is not None and plain(view) == "include" else None)


def _registered(call: Call) -> Iterator[Fact]:
    """`router.register("users", UserViewSet)`."""
    if call.first is not None and "router" in call.receiver and len(call.positional) >= 2:
        yield from _fact(call, call.first, None)


def _script_method(call: Call) -> Iterator[Fact]:
    return _on_router(call, "DELETE" if call.name == "del" else call.name.upper())


def _script_use(call: Call) -> Iterator[Fact]:
    return _on_router(call, PREFIX)


def _script_route(call: Call) -> Iterator[Fact]:
    """`fastify.route({method: "GET", url: "/x", handler})`, `app.route("/x").get(handler)`."""
    if _is_path(call.first):
        node = call.node.parent
        chained = node is not None and node.type == "member_expression"
        if _ROUTER.fullmatch(call.receiver) and (chained or len(call.positional) > 1):
            yield from _fact(call, call.first or "", None if chained else PREFIX)
        return
    if call.last is None or call.last.type != "object":
        return
    given = {plain(pair.named_children[0]): pair.named_children[-1] for pair in _pairs(call.last)}
    path = next((literal(given[key]) for key in ("url", "path") if key in given), None)
    if _is_path(path) and ("handler" in given or "method" in given):
        method = ",".join(text.upper() for text in literals(given["method"])) if "method" in given else None
        yield from _fact(call, path or "", method or None)


def _pairs(node: Node) -> list[Node]:
    return [child for child in node.named_children[:20] if child.type == "pair" and len(child.named_children) == 2]


def _nest(call: Call) -> Iterator[Fact]:
    """`@Get(":id")` on a method, `@Controller("cats")` on its class."""
    if not call.decorates:
        return
    path = call.first
    if path is None and call.arguments:
        node = call.arguments[0][1]
        pairs = _pairs(node) if node.type == "object" else []
        path = next((literal(p.named_children[-1]) for p in pairs if plain(p.named_children[0]) == "path"), None)
        if path is None:
            return
    if call.name in ("Controller", "JsonController"):
        if path:
            yield from _fact(call, path, PREFIX)
    else:
        yield from _fact(call, path or "", call.name.upper())


def _file_route(call: Call) -> Iterator[Fact]:
    """`createFileRoute("/x")`."""
    if _is_path(call.first):
        yield from _fact(call, call.first or "", None)


def _go_handle(call: Call) -> Iterator[Fact]:
    """`mux.HandleFunc("GET /x", handler)`, perhaps with `.Methods("GET")` behind it."""
    text = call.first
    if text is None or len(call.positional) < 2:
        return
    method, _, path = text.rpartition(" ")
    if _is_path(path) and (not method or _METHOD.fullmatch(method)):
        yield from _fact(call, path, method or _methods_behind(call))


def _methods_behind(call: Call) -> str | None:
    selector = call.node.parent
    field = part(selector, "field") if selector is not None and selector.type == "selector_expression" else None
    if selector is None or field is None or plain(field) != "Methods":
        return None
    given = part(selector.parent, "arguments")
    texts = [text for node in given.named_children[:8] if (text := literal(node))] if given is not None else []
    return ",".join(texts) or None


def _go_method(call: Call) -> Iterator[Fact]:
    """`r.GET("/x", handler)`; `r.Get("/x", handler)` on something called like a router."""
    path = call.first
    if path is None or len(call.positional) < 2 or not (_is_path(path) or path == ""):
        return
    handled = _may_handle(call.last)
    if handled and (call.name.isupper() or _ROUTER.fullmatch(call.receiver)) and not _CLIENT.fullmatch(call.receiver):
        yield from _fact(call, path, call.name.upper())


def _go_prefix(call: Call) -> Iterator[Fact]:
    """`r.Group("/v1")`, `r.Route("/x", func(r) {...})`, `r.PathPrefix("/x")`, `r.Mount("/x", handler)`."""
    if _is_path(call.first) and (_ROUTER.fullmatch(call.receiver) or call.has_block):
        yield from _fact(call, call.first or "", PREFIX)


def _rust_attribute(call: Call) -> Iterator[Fact]:
    """`#[get("/x")]`, `#[route("/x", method = "GET")]`."""
    path = call.text("path", "uri")
    if call.node.type == "attribute_item" and _is_path(path):
        methods = [literal(node) for name, node in call.arguments if name == "method"]
        said = ",".join(method for method in methods if method)
        yield from _fact(call, (path or "").split("?")[0], call.name.upper() if call.name in METHODS else said or None)


def _rust_route(call: Call) -> Iterator[Fact]:
    """`.route("/x", get(a).post(b))`."""
    if call.node.type == "attribute_item":
        yield from _rust_attribute(call)
    elif _is_path(call.first) and len(call.positional) == 2:
        yield from _fact(call, call.first or "", ",".join(_handled(call.positional[1])) or None)


def _handled(node: Node | None) -> list[str]:
    """The methods of `get(a).post(b)`, as they are written."""
    found: list[str] = []
    while node is not None and node.type == "call_expression" and len(found) < len(METHODS):
        function = part(node, "function")
        name = part(function, "field") or part(function, "name") or function
        said = plain(name).removesuffix("_service") if name is not None else ""
        if said in METHODS or said == "any":
            found.insert(0, said.upper())
        node = part(function, "value")
    return list(dict.fromkeys(found))


def _rust_prefix(call: Call) -> Iterator[Fact]:
    """`.nest("/api", router)`, `web::scope("/api")`, `web::resource("/x")`."""
    if _is_path(call.first) and (len(call.positional) == 2 or call.receiver == "web"):
        yield from _fact(call, call.first or "", None if call.name == "resource" else PREFIX)


def _jvm_mapping(call: Call) -> Iterator[Fact]:
    """`@GetMapping({"/a", "/b"})`, `@RequestMapping(path = "/x", method = RequestMethod.GET)`."""
    if not call.decorates:
        return
    node = call.named("value", "path", "uri") or (call.positional[0] if call.positional else None)
    paths = literals(node) if node is not None else ("",) if not call.on_type and call.name != "RequestMapping" else ()
    method = call.name.removesuffix("Mapping").upper()
    said = _given_by(call, "method") if method == "REQUEST" else method
    for path in paths:
        yield from _fact(call, path, PREFIX if call.on_type else said)


def _micronaut(call: Call) -> Iterator[Fact]:
    if call.decorates and _is_path(call.text("value", "uri")):
        detail = PREFIX if call.name == "Controller" else call.name.upper()
        yield from _fact(call, call.text("value", "uri") or "", detail)


def _jax_rs(call: Call) -> Iterator[Fact]:
    """`@Path("x")`, with `@GET` beside it."""
    path = call.text("value")
    if not call.decorates or path is None:
        return
    said = next((name for name in beside(call) if name.lower() in METHODS), None)
    yield from _fact(call, path, PREFIX if call.on_type else said)


def _jvm_call(call: Call) -> Iterator[Fact]:
    """`app.get("/x", ctx -> ...)`, `get("/x") { ... }`, `route().GET("/x", handler)`."""
    if call.decorates:
        return
    path, server = call.first, not _CLIENT.fullmatch(call.receiver)
    if not _is_path(path) or path is None or not server:
        return
    if call.has_block and (call.of != "?" or call.name.isupper()):
        yield from _fact(call, path, PREFIX if call.name in ("route", "path") else call.name.upper())
    elif call.name.isupper() and len(call.positional) >= 2:
        yield from _fact(call, path, call.name)


def _csharp_attribute(call: Call) -> Iterator[Fact]:
    """`[HttpGet("{id}")]`, `[Route("api/x")]`."""
    if not call.decorates or (call.first is None and (call.positional or call.name == "Route")):
        return
    method = None if call.name == "Route" else call.name.removeprefix("Http").upper()
    yield from _fact(call, call.first or "", PREFIX if call.on_type else method)


def _csharp_map(call: Call) -> Iterator[Fact]:
    """`app.MapGet("/x", handler)`, `app.MapGroup("/x")`."""
    method = call.name.removeprefix("Map").upper()
    if call.first is not None and (len(call.positional) > 1 or method in ("GROUP", "HUB")) and call.of:
        yield from _fact(call, call.first, PREFIX if method == "GROUP" else method)


def _rails(call: Call) -> Iterator[Fact]:
    """`get "/x", to: "a#b"`, `get "/x" => "a#b"` in Rails; `get "/x" do` in Sinatra."""
    if call.of:
        return
    name = call.arguments[0][0] if call.arguments else None
    path = call.first if name is None else name.strip("\"'") if name.startswith(('"', "'")) else None
    to = name is not None or call.named("to", "controller", "action", "via") is not None
    if path is not None and (to or (_is_path(path) and call.has_block)):
        yield from _fact(call, path, _given_by(call, "via") if call.name == "match" else call.name.upper())


def _rails_resources(call: Call) -> Iterator[Fact]:
    if not call.of and not call.node.type.startswith("assign"):
        for node in call.positional[:6]:
            if node.type == "simple_symbol":
                yield from _fact(call, literal(node) or "", "RESOURCES")


def _php_method(call: Call) -> Iterator[Fact]:
    """`Route::get("x", ...)` in Laravel, `$app->get("/x", ...)` in Slim."""
    texts = call.texts
    if call.decorates or not call.arguments or not texts:
        return
    path = literal(call.positional[1]) if call.name == "match" and len(call.positional) > 1 else call.first
    if path is None or (call.receiver != "route" and not _is_path(path)):
        return
    method = _METHOD.fullmatch(call.name)
    said = method[0].upper() if method else "RESOURCES" if "esource" in call.name else None
    if call.name == "match":
        said = ",".join(text.upper() for text in literals(call.positional[0])) or None
    if call.name == "prefix":
        if call.receiver == "route":
            yield from _fact(call, path, PREFIX)
    elif call.receiver in ("route", "app", "router", "group", "r", "routes") and len(call.positional) > 1:
        yield from _fact(call, path, said)


def _php_attribute(call: Call) -> Iterator[Fact]:
    """`#[Route("/x", methods: ["GET"])]`."""
    path = call.text("path")
    if call.decorates and path is not None:
        yield from _fact(call, path, PREFIX if call.on_type else _given_by(call, "methods"))


def _wordpress(call: Call) -> Iterator[Fact]:
    if len(call.texts) >= 2 and _is_path(call.texts[1]):
        yield from _fact(call, f"/{call.texts[0].strip('/')}{call.texts[1]}", None)


def _vapor(call: Call) -> Iterator[Fact]:
    """`app.get("hello", ":name") { request in ... }`."""
    if call.texts and call.has_block and _ROUTER.fullmatch(call.receiver) and len(call.texts) == len(call.positional):
        yield from _fact(call, "/" + "/".join(text.strip("/") for text in call.texts), call.name.upper())


_HTTP: Final = " ".join(METHODS)
_JVM: Final = {
    **named("GetMapping PostMapping PutMapping DeleteMapping PatchMapping RequestMapping", _jvm_mapping),
    **named("Get Post Put Delete Patch Controller", _micronaut),
    **named(_HTTP + " route " + _HTTP.upper(), _jvm_call),
    "Path": _jax_rs,
}
RULES: Final[Rules] = {
    "python": {
        **named(_HTTP, _python_method),
        **named("route websocket api_route websocket_route", _decorated),
        **named("add_route add_get add_post add_put add_delete add_patch add_head add_view add_url_rule", _added),
        **named("add_api_route add_api_websocket_route Route Mount WebSocketRoute", _added),
        **named("path re_path url", _django),
        "register": _registered,
    },
    "script": {
        **named(_HTTP + " del all", _script_method),
        **named("Get Post Put Delete Patch Head Options All Controller JsonController", _nest),
        **named("createFileRoute createLazyFileRoute", _file_route),
        "use": _script_use,
        "route": _script_route,
    },
    "go": {
        **named("Handle HandleFunc", _go_handle),
        **named(_HTTP.upper() + " Any ANY " + _HTTP.title(), _go_method),
        **named("Group Route PathPrefix Mount", _go_prefix),
    },
    "rust": {**named(_HTTP, _rust_attribute), **named("nest scope resource", _rust_prefix), "route": _rust_route},
    "java": _JVM,
    "kotlin": _JVM,
    "csharp": {
        **named("HttpGet HttpPost HttpPut HttpDelete HttpPatch HttpHead HttpOptions Route", _csharp_attribute),
        **named("MapGet MapPost MapPut MapDelete MapPatch MapGroup MapHub", _csharp_map),
    },
    "ruby": {**named(_HTTP + " match", _rails), **named("resources resource", _rails_resources)},
    "php": {
        **named(_HTTP + " any match resource apiResource view prefix", _php_method),
        "Route": _php_attribute,
        "register_rest_route": _wordpress,
    },
    "swift": named(_HTTP, _vapor),
}

_SCRIPT: Final = r"\.(?:tsx?|jsx?|mjs|cjs)$"
# Where routers find their files, and whose config must lie in the tree where the place alone does not tell.
_FILE_ROUTES: Final = tuple(
    (needs, re.compile(pattern))
    for needs, pattern in (
        ("", rf"(?:^|/)app/(?P<route>(?:.*/)?)(?:page|route){_SCRIPT}"),
        ("", r"(?:^|/)src/routes/(?P<route>(?:.*/)?)\+(?:page|server)(?:@[\w()-]*)?\.(?:svelte|ts|js)$"),
        ("", r"(?:^|/)src/pages/(?P<route>(?:.*/)?)(?P<name>[^/]+)\.astro$"),
        ("next", rf"(?:^|/)pages/(?P<route>(?:.*/)?)(?P<name>[^/]+?){_SCRIPT}"),
        ("nuxt", r"(?:^|/)pages/(?P<route>(?:.*/)?)(?P<name>[^/]+)\.vue$"),
        (
            "nuxt",
            r"(?:^|/)server/(?:routes/|(?=api/))(?P<route>(?:.*/)?)(?P<name>[^/]+?)(?:\.(?P<method>get|post|put|delete|patch))?\.ts$",
        ),
    )
)
_NO_ROUTE: Final = re.compile(r"(?:^|/)[_@]|\.(?:test|spec|stories|d)$|(?:^|/)(?:utils|middleware|plugins|components)/")
_GROUP: Final = re.compile(r"\([\w-]+\)|index")


def routes_of_path(path: str, frameworks: frozenset[str] = frozenset()) -> tuple[Fact, ...]:
    """The route that a file answers by lying where it lies. `frameworks` are those whose config is in the tree."""
    for needs, pattern in _FILE_ROUTES:
        found = pattern.search(path) if not needs or needs in frameworks else None
        if found is not None:
            parts = found.groupdict()
            inner = parts["route"] + (parts.get("name") or "")
            if _NO_ROUTE.search(inner):
                return ()
            kept = [part for part in inner.split("/") if part and not _GROUP.fullmatch(part)]
            method = parts.get("method")
            return (Fact(kind="route", name="/" + "/".join(kept), line=1, detail=method and method.upper()),)
    return ()


def frameworks_of(names: Iterable[str]) -> frozenset[str]:
    """Which of the frameworks that route by files have a config among these paths."""
    configs = (re.search(r"(?:^|/)(next|nuxt|astro|svelte)\.config\.[cm]?[jt]s$", name) for name in names)
    return frozenset(found[1] for found in configs if found)
