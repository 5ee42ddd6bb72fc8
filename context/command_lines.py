"""What a program can be told on its command line: commands and options, as its parser is told of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from .calls import Call, Rules, fact, literal, literals, named, part, plain
from .syntax import Fact, FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMAND: Final = re.compile(r"[A-Za-z][\w:.-]{0,59}")
_OPTION: Final = re.compile(r"--?[A-Za-z0-9?][\w.:-]*")
_CLI: Final = frozenset({"program", "cli", "yargs", "commander", "prog", "cac", "cmd", "argv", "sade", "command"})
_MOST_LINKS: Final = 60
_DETAIL_CHARACTERS: Final = 120


def _help(call: Call) -> str | None:
    node = call.named("help", "description", "about")
    text = literal(node) if node is not None else None
    return " ".join(text.split())[:_DETAIL_CHARACTERS] or None if text else None


def _named_option(names: tuple[str, ...]) -> str | None:
    """The first long spelling of an option, or else its first; None if it has none."""
    options = [name for name in names if _OPTION.fullmatch(name)]
    return max(options, key=lambda name: name.startswith("--"), default=None)


def _add_argument(call: Call) -> Iterator[Fact]:
    """`parser.add_argument("--x", help="...")`; what is handed on to another program has an `options` before it."""
    texts = call.texts
    if not texts or "option" in call.receiver or len(texts) != len(call.positional):
        return
    if texts[0].startswith("-"):
        yield from fact(call, "option", _named_option(texts), _OPTION, _help(call))
    else:
        yield from fact(call, "option", texts[0], _COMMAND, _help(call))


def _option(call: Call) -> Iterator[Fact]:
    """`click.option("--x")`, `typer.Option(None, "--x")`, `opts.on("-v", "--verbose")`."""
    texts = [part.strip() for text in call.texts for part in re.split(r"[,/|]", text)[:4] if text.startswith("-")]
    found = _named_option(tuple(re.sub(r"[ =<\[].*", "", text.replace("[no-]", "")) for text in texts))
    yield from fact(call, "option", found, _OPTION, _help(call) or _last_words(call))


def _last_words(call: Call) -> str | None:
    """What an option is said to do: its last text, if that is a sentence."""
    text = call.texts[-1] if len(call.texts) > 1 else ""
    return text[:_DETAIL_CHARACTERS] if " " in text and not text.startswith("-") else None


def _click_argument(call: Call) -> Iterator[Fact]:
    if call.decorates and call.receiver in ("click", ""):
        yield from fact(call, "option", call.first, _COMMAND)


def _add_parser(call: Call) -> Iterator[Fact]:
    return fact(call, "command", call.first, _COMMAND, _help(call))


def _click_command(call: Call) -> Iterator[Fact]:
    """`@cli.command("x")`; without a name the function's own is the command's."""
    definition = call.node.parent.parent if call.node.parent is not None else None
    if call.node.type == "decorator":
        definition = call.node.parent
    if call.decorates != "decorated_definition" or definition is None or not call.of:
        return
    name = call.text("name")
    function = definition.child_by_field_name("definition")
    own = part(function, "name")
    if name is None and own is not None and not call.positional and call.receiver not in ("pytest", "mock"):
        name = plain(own).replace("_", "-").removesuffix("-command").removesuffix("-cmd")
    yield from fact(call, "command", name, _COMMAND, _help(call))


def _script_command(call: Call) -> Iterator[Fact]:
    """`program.command("serve <port>")`, also further down the chain that begins so."""
    if call.first is not None and call.receiver != "commands" and _is_cli(call):
        yield from fact(call, "command", call.first.split(" ")[0], _COMMAND, _last_words(call))


def _script_option(call: Call) -> Iterator[Fact]:
    """`.option("-p, --port <n>", "...")` in commander; `.option("port", {...})` in yargs."""
    if call.first is not None and call.first.startswith("-"):
        yield from _option(call)
    elif call.first is not None and len(call.positional) == 2 and call.positional[1].type == "object" and _is_cli(call):
        yield from fact(call, "option", call.first, _COMMAND)


def _is_cli(call: Call) -> bool:
    """Whether the chain of calls begins at something called like a command line."""
    node: Node | None = call.node
    for _ in range(_MOST_LINKS):
        if node is None or node.type in ("identifier", "new_expression"):
            break
        node = part(node, "function") or part(node, "object")
    made = part(node, "constructor") or node
    return made is not None and plain(made).lower() in _CLI


def _register_command(call: Call) -> Iterator[Fact]:
    """`vscode.commands.registerCommand("x.y", ...)`."""
    return fact(call, "command", call.first, _COMMAND) if call.receiver == "commands" else iter(())


def _go_flag(call: Call) -> Iterator[Fact]:
    """`flag.String("name", "", "usage")`, `cmd.Flags().StringVarP(&x, "name", "n", "", "usage")`."""
    texts = call.texts
    if len(call.arguments) < 3 or not texts or not _on_flags(call):
        return
    usage = literal(call.positional[-1])
    yield from fact(call, "option", texts[0], _COMMAND, usage[:_DETAIL_CHARACTERS] if usage else None)


def _on_flags(call: Call) -> bool:
    if call.of != "?":
        return "flag" in call.receiver or call.receiver in ("fs", "f", "pf", "flagset")
    operand = part(call.node, "function", "operand")
    return operand is not None and plain(operand).endswith("Flags()")


def _kingpin(call: Call) -> Iterator[Fact]:
    """`app.Flag("web.listen", "Where to listen.")`, `app.Command("check", "Check the files.")`."""
    if len(call.texts) == 2 and len(call.arguments) == 2 and " " in call.texts[1] and call.receiver != "exec":
        kind: FactKind = "option" if call.name == "Flag" else "command"
        yield from fact(call, kind, call.texts[0], _COMMAND, call.texts[1][:_DETAIL_CHARACTERS])


def _rust_arg(call: Call) -> Iterator[Fact]:
    """`#[arg(long = "x")]`; with a bare `long` the field's name is the option's."""
    if call.node.type != "attribute_item":
        return
    long = next((node for name, node in call.arguments if name == "long"), None)
    if long is None:
        return
    name = literal(long) or (_kebab(_field_below(call.node)) if long.type == "identifier" else None)
    if name:
        yield from fact(call, "option", "--" + name.removeprefix("--"), _OPTION)


def _field_below(attribute: Node) -> str:
    below = attribute.next_named_sibling
    while below is not None and below.type in ("attribute_item", "line_comment", "block_comment"):
        below = below.next_named_sibling
    name = below.child_by_field_name("name") if below is not None and below.type == "field_declaration" else None
    return plain(name) if name is not None else ""


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").lower()


def _rust_long(call: Call) -> Iterator[Fact]:
    """`Arg::new("x").long("x")`."""
    node = part(call.node, "function", "value") if call.first else None
    for _ in range(_MOST_LINKS):
        inner = part(node, "function", "value")
        if inner is None:
            break
        node = inner
    made = part(node, "function")
    if made is not None and re.fullmatch(r"(clap::)?Arg::(new|with_name)", plain(made)):
        yield from fact(call, "option", f"--{call.first}", _OPTION)


def _rust_subcommands(call: Call) -> Iterator[Fact]:
    """`#[derive(Subcommand)] enum Command { Serve, ... }`: each variant is a command."""
    item = call.node.next_named_sibling if call.node.type == "attribute_item" else None
    while item is not None and item.type in ("attribute_item", "line_comment", "block_comment"):
        item = item.next_named_sibling
    body = item.child_by_field_name("body") if item is not None and item.type == "enum_item" else None
    for variant in body.named_children if body is not None else ():
        name = variant.child_by_field_name("name") if variant.type == "enum_variant" else None
        if name is not None:
            line = variant.start_point[0] + 1
            yield Fact(kind="command", name=_kebab(plain(name)), line=line)


def _rust_command(call: Call) -> Iterator[Fact]:
    """`#[command(name = "x")]`, `App::new("x")`."""
    if call.node.type == "attribute_item":
        given = call.named("name")
        yield from fact(call, "command", literal(given) if given is not None else None, _COMMAND)


def _picocli(call: Call) -> Iterator[Fact]:
    """`@Command(name = "x")`, `@Option(names = {"-x", "--xx"})`."""
    if not call.decorates:
        return
    if call.name in ("Command", "ShellMethod"):
        node = call.named("name", "key")
        for name in literals(node) if node is not None else ():
            yield from fact(call, "command", name, _COMMAND, _help(call))
    else:
        node = call.named("names", "name") or (call.positional[0] if call.positional else None)
        names = literals(node) if node is not None else ()
        yield from fact(call, "option", _named_option(names), _OPTION, _help(call))


def _csharp_option(call: Call) -> Iterator[Fact]:
    """`new Option<string>("--x", "...")`, `[Option('x', "xx")]`."""
    if call.decorates:
        yield from fact(call, "option", "--" + call.texts[0] if call.texts else None, _OPTION)
    else:
        node = call.named("name", "aliases") or (call.positional[0] if call.positional else None)
        yield from fact(call, "option", _named_option(literals(node)) if node is not None else None, _OPTION)


def _csharp_command(call: Call) -> Iterator[Fact]:
    """`new Command("x", "...")`, `[Verb("x")]`."""
    if call.name == "Verb" or call.node.type == "object_creation_expression":
        yield from fact(call, "command", call.text("name"), _COMMAND, _last_words(call))


def _thor(call: Call) -> Iterator[Fact]:
    """`desc "run NAME", "what it does"` in Thor; with one text it is Rake's or RSpec's."""
    if not call.of and len(call.texts) == 2 and not call.has_block:
        yield from fact(call, "command", call.texts[0].split(" ")[0], _COMMAND, call.texts[1][:_DETAIL_CHARACTERS])


def _thor_option(call: Call) -> Iterator[Fact]:
    """`option :name, type: :string`: all but the name is given by name."""
    if not call.of and call.first is not None and len(call.arguments) > 1 == len(call.positional):
        name = call.first if call.first.startswith("-") else "--" + call.first.replace("_", "-")
        yield from fact(call, "option", name, _OPTION)


def _rake(call: Call) -> Iterator[Fact]:
    """`task :seed` inside `namespace :db`: the command `db:seed`."""
    if call.of or not call.arguments or call.node.type != "call":
        return
    name, node = call.arguments[0]
    own = name.strip("\"':") if name else literal(node)
    if own:
        yield from fact(call, "command", ":".join([*_namespaces(call.node), own]), _COMMAND)


def _namespaces(node: Node) -> list[str]:
    found: list[str] = []
    at = node.parent
    for _ in range(20):
        if at is None:
            break
        method = part(at, "method") if at.type == "call" else None
        if method is not None and plain(method) == "namespace":
            given = part(at, "arguments")
            name = literal(given.named_children[0]) if given is not None and given.named_children else None
            found += [name] if name else []
        at = at.parent
    return found[::-1]


def _on(call: Call) -> Iterator[Fact]:
    """`opts.on("-v", "--verbose", "...")`."""
    return _option(call) if call.receiver in ("opts", "opt", "o", "op", "parser", "options") else iter(())


def _php_command(call: Call) -> Iterator[Fact]:
    """`#[AsCommand(name: "app:x")]`; `$this->setName("app:x")`."""
    if call.decorates:
        yield from fact(call, "command", call.text("name"), _COMMAND)
    elif call.receiver == "this" and call.first is not None and ":" in call.first:
        yield from fact(call, "command", call.first, _COMMAND)


def _php_option(call: Call) -> Iterator[Fact]:
    """`$this->addOption("x")`, `$this->addArgument("x")`, also further down that chain."""
    if call.first is not None and (call.receiver == "this" or call.of == "?") and len(call.arguments) > 1:
        name = "--" + call.first if call.name == "addOption" else call.first
        yield from fact(call, "option", name, _OPTION if call.name == "addOption" else _COMMAND)


def _cli11(call: Call) -> Iterator[Fact]:
    """`app.add_option("-x,--xx", ...)`, `app.add_subcommand("x")`."""
    if call.name == "add_subcommand":
        yield from fact(call, "command", call.first, _COMMAND, _last_words(call))
    elif call.first is not None and call.first.startswith("-"):
        yield from _option(call)


_JVM: Final = named("Command Option Parameter ShellMethod", _picocli)
_GO_FLAGS: Final = " ".join(
    kind + form
    for kind in (
        "String",
        "Bool",
        "Int",
        "Int64",
        "Uint",
        "Float64",
        "Duration",
        "StringSlice",
        "StringArray",
        "IntSlice",
    )
    for form in ("", "Var", "P", "VarP")
)
RULES: Final[Rules] = {
    "python": {
        **named("option Option addoption add_option", _option),
        **named("command group", _click_command),
        "add_argument": _add_argument,
        "argument": _click_argument,
        "add_parser": _add_parser,
    },
    "script": {
        **named("option requiredOption", _script_option),
        "command": _script_command,
        "registerCommand": _register_command,
    },
    "go": {**named(_GO_FLAGS, _go_flag), "Flag": _kingpin, "Command": _kingpin},
    "rust": {
        **named("arg clap structopt", _rust_arg),
        "long": _rust_long,
        "Subcommand": _rust_subcommands,
        "command": _rust_command,
    },
    "java": _JVM,
    "kotlin": _JVM,
    "csharp": {**named("Command RootCommand Verb", _csharp_command), "Option": _csharp_option},
    "ruby": {**named("method_option class_option option", _thor_option), "desc": _thor, "task": _rake, "on": _on},
    "php": {**named("AsCommand setName", _php_command), **named("addOption addArgument", _php_option)},
    "c": named("add_option add_flag add_subcommand", _cli11),
}
