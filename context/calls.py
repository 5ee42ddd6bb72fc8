"""A call or a decorator as every grammar tells it: its name, what stands before it, its literal arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from .syntax import Fact, FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

FAMILIES: Final[Mapping[str, str]] = {
    **{name: name for name in ("python", "go", "rust", "java", "kotlin", "csharp", "ruby", "php", "swift", "scala")},
    **dict.fromkeys(("javascript", "typescript", "tsx"), "script"),
    **dict.fromkeys(("c", "c-header", "cpp"), "c"),
}
"""Languages whose calls look alike → the name under which the rules know them."""

_CALLS: Final = frozenset({
    "call", "call_expression", "new_expression", "macro_invocation", "method_invocation", "invocation_expression",
    "object_creation_expression", "implicit_object_creation_expression", "function_call_expression",
    "member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression", "constructor_invocation",
    "annotation", "marker_annotation", "attribute_item", "decorator", "instance_expression",
})  # fmt: skip
_BEGIN_OTHERWISE: Final = frozenset({
    "new_expression", "object_creation_expression", "instance_expression", "decorator", "annotation", "attribute",
    "marker_annotation", "attribute_item", "constructor_invocation",
})  # fmt: skip
# In Python an `attribute` is what stands before a call; elsewhere it is a decorator.
_ATTRIBUTE_IS_CALL: Final = frozenset({"csharp", "php", "swift"})
_ARGUMENTS: Final = frozenset({
    "arguments", "argument_list", "annotation_argument_list", "attribute_argument_list", "value_arguments",
    "token_tree",
})  # fmt: skip
_WRAPPED: Final = frozenset({"argument", "value_argument", "attribute_argument", "parenthesized_expression"})
_NAMED: Final = frozenset({"keyword_argument", "pair", "element_value_pair", "assignment_expression"})
_COMMENTS: Final = frozenset({"comment", "line_comment", "block_comment", "multiline_comment"})
_STRINGS: Final = frozenset({
    "string", "string_literal", "interpreted_string_literal", "raw_string_literal", "line_string_literal",
    "template_string", "encapsed_string", "verbatim_string_literal", "simple_symbol", "multi_line_string_literal",
})  # fmt: skip
_PARTS_OF_A_STRING: Final = ("string_", "escape", "interpreted_", "raw_string", "line_str", "str_")
LISTS: Final = frozenset({
    "list", "array", "tuple", "element_value_array_initializer", "collection_literal", "array_creation_expression",
    "initializer_expression", "implicit_array_creation_expression", "collection_expression",
})  # fmt: skip
FUNCTIONS: Final = frozenset({
    "arrow_function", "function_expression", "function", "generator_function", "lambda", "lambda_expression",
    "func_literal", "lambda_literal", "annotated_lambda", "anonymous_function", "anonymous_method_expression",
    "closure_expression", "block", "do_block", "method_reference", "callable_reference",
})  # fmt: skip
_QUOTED: Final = re.compile(r"""[A-Za-z@$]{0,3}#*("{3}|'{3}|["'`])(.*)\1#*""", re.DOTALL)
_MOST_CHARACTERS: Final = 200
_MOST_ARGUMENTS: Final = 8
_STEPS_UP: Final = 4


@dataclass(frozen=True, kw_only=True)
class Call:
    """What a rule may ask about one call. Its parts are read when asked for: most calls end at the first look."""

    family: str
    name: str
    of: str | None
    """What stands before the name; None for nothing, "?" for an expression that is no plain name."""
    node: Node
    """The node of the whole call or decorator."""

    @property
    def line(self) -> int:
        return int(self.node.start_point[0]) + 1

    @property
    def receiver(self) -> str:
        """The last part of what stands before the name, in lower case, without marks; "" for none or an expression."""
        return re.split(r"[.:\\>]+", self.of or "")[-1].strip("$@?_").lower()

    @cached_property
    def arguments(self) -> tuple[tuple[str | None, Node], ...]:
        """The first arguments, each with the name it is given by or None."""
        given = arguments_node(self.node)
        if given is None:
            return ()
        if given.type == "token_tree":
            return tuple(_tokens(given))
        return tuple(_argument(node) for node in given.named_children[:_MOST_ARGUMENTS] if node.type not in _COMMENTS)

    @property
    def positional(self) -> tuple[Node, ...]:
        return tuple(node for name, node in self.arguments if name is None)

    @property
    def first(self) -> str | None:
        """The first argument, if it stands alone and is a literal string."""
        if self.arguments and self.arguments[0][0] is None:
            return literal(self.arguments[0][1])
        return None

    @property
    def texts(self) -> tuple[str, ...]:
        """All unnamed arguments that are literal strings."""
        return tuple(text for node in self.positional if (text := literal(node)) is not None)

    def named(self, *names: str) -> Node | None:
        """The argument given by one of these names."""
        return next((node for name, node in self.arguments if name in names), None)

    def text(self, *names: str) -> str | None:
        """The first unnamed argument, else the one given by one of these names, if it is a literal string."""
        node = self.named(*names)
        return self.first if node is None else literal(node)

    @property
    def last(self) -> Node | None:
        return self.positional[-1] if self.positional else None

    @property
    def has_block(self) -> bool:
        """Whether a function literal is given: as an argument, or behind the call."""
        if self.last is not None and self.last.type in FUNCTIONS:
            return True
        outer = self.node.parent if self.family == "scala" else self.node
        nodes = [] if outer is None else outer.children[-1:]
        if nodes and nodes[0].type == "call_suffix":
            nodes = nodes[0].children[-1:]
        return bool(nodes) and nodes[0].type in FUNCTIONS

    @cached_property
    def decorates(self) -> str | None:
        """The type of the node that this decorates; None for a call."""
        node: Node | None = self.node.parent
        if node is None or node.type not in ("decorator", "annotation"):
            if self.node.type not in _DECORATORS:
                return None
            node = self.node
        node = node.parent
        while node is not None and node.type in _AROUND_DECORATORS:
            node = node.parent
        return node.type if node is not None else None

    @property
    def on_type(self) -> bool:
        """Whether it decorates a type and not one of its members."""
        return self.decorates in _TYPES


Rule = Callable[[Call], Iterator[Fact]]
"""What a call states, if it is what the rule looks for."""
Rules = Mapping[str, Mapping[str, Rule]]
"""family → name of what is called → its rule."""


def named(names: str, rule: Rule) -> dict[str, Rule]:
    """One rule for several names, parted by spaces."""
    return dict.fromkeys(names.split(), rule)


def fact(
    call: Call, kind: FactKind, name: str | None, shape: re.Pattern[str], detail: str | None = None
) -> Iterator[Fact]:
    """The fact, if its name is known and has the shape of one."""
    if name is not None and shape.fullmatch(name):
        yield Fact(kind=kind, name=name, line=call.line, detail=detail)


_DECORATORS: Final = frozenset({"decorator", "annotation", "marker_annotation", "attribute", "attribute_item"})
_AROUND_DECORATORS: Final = frozenset({"modifiers", "attribute_list", "attribute_group"})
_TYPES: Final = frozenset({
    "class_declaration", "abstract_class_declaration", "interface_declaration", "record_declaration",
    "export_statement", "struct_declaration",
})  # fmt: skip


def call_at(family: str, name: str, of: str | None, node: Node) -> Call | None:
    """The call or decorator whose name is at this node."""
    at: Node | None = node
    for _ in range(_STEPS_UP):
        if at is None:
            return None
        if at.type in _CALLS or (at.type == "attribute" and family in _ATTRIBUTE_IS_CALL):
            given = arguments_node(at)
            if given is not None and given.start_byte <= node.start_byte and at.type != "attribute_item":
                return None
            behind = at.type not in _BEGIN_OTHERWISE and at.start_byte < node.start_byte
            return Call(family=family, name=name, of=of or ("?" if behind else None), node=at)
        at = at.parent
    return None


def arguments_node(call: Node) -> Node | None:
    found = call.child_by_field_name("arguments") or call.child_by_field_name("parameters")
    if found is not None:
        return found
    for child in reversed(call.children):
        if child.type in _ARGUMENTS:
            return child
        if child.type in ("call_suffix", "constructor_invocation", "call_expression", "attribute"):
            return arguments_node(child)
    return None


def _argument(node: Node) -> tuple[str | None, Node]:
    """An argument and the name it is given by."""
    if node.type in _NAMED and len(node.named_children) >= 2:
        return plain(node.named_children[0]), node.named_children[-1]
    if node.type in _WRAPPED and node.named_children:
        named = node.child_by_field_name("name") or (
            node.named_children[0] if len(node.named_children) > 1 and node.type != "parenthesized_expression" else None
        )
        return (plain(named) if named is not None else None), node.named_children[-1]
    return None, node


def _tokens(tree: Node) -> list[tuple[str | None, Node]]:
    """The tokens of a Rust attribute or macro: `name = value` as a named one, a bare name as one without value."""
    found: list[tuple[str | None, Node]] = []
    tokens = tree.children[1:-1][: 4 * _MOST_ARGUMENTS]
    for at, token in enumerate(tokens):
        before = tokens[at - 1].type if at else ""
        if token.type == "identifier":
            found.append((plain(token), token))
        elif token.type in _STRINGS:
            if before == "=" and found:
                found[-1] = (found[-1][0], token)
            else:
                found.append((None, token))
    return found


def literal(node: Node) -> str | None:
    """The text of a literal string or symbol; None for anything else, and for what is put together at run time."""
    if node.type not in _STRINGS or node.end_byte - node.start_byte > _MOST_CHARACTERS:
        return None
    if any(not child.type.startswith(_PARTS_OF_A_STRING) for child in node.named_children):
        return None
    text = plain(node)
    if text.startswith(":"):
        return text[1:].strip("\"'")
    found = _QUOTED.fullmatch(text)
    return found[2] if found and found[2].isprintable() else None


def literals(node: Node) -> tuple[str, ...]:
    """The literal strings that a node is, or that a list holds."""
    if node.type not in LISTS:
        text = literal(node)
        return () if text is None else (text,)
    inner = [child.named_children[-1] if child.type in _IN_A_LIST else child for child in node.named_children[:20]]
    return tuple(text for child in inner for text in literals(child))


_IN_A_LIST: Final = frozenset({"array_element_initializer", "argument", "expression_element"})


def plain(node: Node) -> str:
    """The text of a small node; "" of a large one, which is no name."""
    if node.end_byte - node.start_byte > 2 * _MOST_CHARACTERS:
        return ""
    text: bytes = node.text or b""
    return text.decode("utf-8", "replace")


def part(node: Node | None, *fields: str) -> Node | None:
    """The node that a path of fields leads to."""
    for name in fields:
        node = node.child_by_field_name(name) if node is not None else None
    return node


def beside(call: Call) -> tuple[str, ...]:
    """The names of the annotations that stand with this one."""
    around = call.node.parent
    children = around.named_children[:20] if around is not None and around.type == "modifiers" else ()
    return tuple(plain(name) for child in children if (name := part(child, "name")) is not None)
