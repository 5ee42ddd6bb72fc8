"""The tables and models that a file declares or changes by calls and decorators, and migrations it names so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from .calls import Call, Rules, beside, fact, literal, named, part, plain
from .syntax import Fact

if TYPE_CHECKING:
    from tree_sitter import Node

_TABLE: Final = re.compile(r"[A-Za-z_][\w.$-]{0,99}")


def _rust_table(call: Call) -> Iterator[Fact]:
    """`diesel::table! { users (id) { ... } }`."""
    if call.node.type == "macro_invocation" and call.arguments:
        yield from fact(call, "schema", call.arguments[0][0], _TABLE)


def _schema(call: Call) -> Iterator[Fact]:
    """`create_table :users`, `Schema::create("users", ...)`: the call has no other meaning, or its receiver tells."""
    name = call.text("name")
    if call.name in ("create", "table", "rename", "drop", "dropIfExists") and call.receiver not in ("schema", "knex"):
        return
    if call.name == "define" and call.receiver != "sequelize":
        return
    yield from fact(call, "schema", name, _TABLE, call.name)


def _column(call: Call) -> Iterator[Fact]:
    """`add_column :users, :name`, `op.add_column("users", sa.Column("name"))`."""
    texts = call.texts
    if texts and (not call.of or call.receiver == "op"):
        yield from fact(call, "schema", ".".join(texts[:2]) if not call.of else texts[0], _TABLE, call.name)


def _table_class(call: Call) -> Iterator[Fact]:
    """SQLAlchemy's `Table("users", metadata, ...)`."""
    if len(call.positional) >= 2 and "meta" in plain(call.positional[1]).lower():
        yield from fact(call, "schema", call.first, _TABLE)


def _create_model(call: Call) -> Iterator[Fact]:
    """Django's `migrations.CreateModel(name="X")`."""
    given = call.named("name")
    if call.receiver == "migrations" and given is not None:
        yield from fact(call, "schema", literal(given), _TABLE, call.name)


def _mongoose(call: Call) -> Iterator[Fact]:
    """`mongoose.model("User", userSchema)`."""
    if len(call.positional) < 2:
        return
    schema = part(call.positional[1], "constructor") or call.positional[1]
    if call.receiver == "mongoose" or "schema" in plain(schema).lower():
        yield from fact(call, "schema", call.first, _TABLE)


def _entity(call: Call) -> Iterator[Fact]:
    """`@Entity("users")`, `@Table(name = "users")`; without a name it is the class's own."""
    if not call.decorates or not call.on_type:
        return
    given = call.named("name", "tableName", "collection", "value", "table_name") or _property(call, "name", "tableName")
    name = literal(given) if given is not None else call.first
    if name is not None or call.name == "Table":
        yield from fact(call, "schema", name, _TABLE)
    elif given is None and "Table" not in beside(call):
        yield from fact(call, "schema", _class_name(call), _TABLE)


def _property(call: Call, *names: str) -> Node | None:
    """The value of a property of an object that is the first argument: `@Entity({ name: "users" })`."""
    node = call.positional[0] if call.positional else None
    for pair in node.named_children[:20] if node is not None and node.type == "object" else ():
        if pair.type == "pair" and plain(pair.named_children[0]) in names:
            return pair.named_children[-1]
    return None


def _class_name(call: Call) -> str | None:
    node: Node | None = call.node
    for _ in range(4):
        node = node.parent if node is not None else None
        if node is None:
            return None
        declared = node.child_by_field_name("declaration") or node
        name = declared.child_by_field_name("name")
        if name is not None and declared.type.endswith("class_declaration"):
            return plain(name)
    return None


def _migration(call: Call) -> Iterator[Fact]:
    """`[Migration("20240101_Init")]`."""
    if call.decorates and call.first:
        yield Fact(kind="migration", name=call.first, line=call.line)


_ENTITY: Final = named("Entity Table Document", _entity)
RULES: Final[Rules] = {
    "python": {
        **named("create_table drop_table rename_table", _schema),
        "add_column": _column,
        "Table": _table_class,
        "CreateModel": _create_model,
    },
    "script": {
        **named("createTable alterTable create table dropTable define pgTable mysqlTable sqliteTable", _schema),
        **named("Entity Schema Table", _entity),
        "model": _mongoose,
    },
    "rust": {"table": _rust_table},
    "java": _ENTITY,
    "kotlin": _ENTITY,
    "csharp": {**named("ToTable CreateTable Table", _schema), "Migration": _migration},
    "ruby": {
        **named("create_table drop_table rename_table", _schema),
        **named("add_column remove_column add_reference", _column),
    },
    "php": {**named("create table rename drop dropIfExists", _schema), "Table": _entity},
}
