"""Reading SQL of several dialects."""

from __future__ import annotations

import pytest
from reading_kit import imported, kinds, places, read, uses

TABLES = """-- People.
CREATE TABLE IF NOT EXISTS app.users (
  id SERIAL PRIMARY KEY, -- first; of all
  "email" VARCHAR(255) DEFAULT 'a;b' CHECK (x IN ('c', 'd')),
  team_id INT REFERENCES teams(id),
  CONSTRAINT fk FOREIGN KEY (team_id) REFERENCES teams (id)
);

CREATE UNIQUE INDEX users_email ON users (email);
ALTER TABLE ONLY public.users ADD COLUMN age INT;
DROP TABLE old;
"""


def test_a_table_runs_to_its_semicolon_from_the_comment_above():
    users = next(s for s in read(TABLES, "sql").symbols if s.name == "users")
    assert (users.start, users.end, users.container, users.doc) == (1, 7, "app", "People.")


def test_columns_are_fields_of_their_table_and_constraints_are_none():
    assert {name: place[1:] for name, place in places(TABLES, "sql").items() if place[0] == "field"} == {
        "id": (3, 3, "users"),
        "email": (4, 4, "users"),
        "team_id": (5, 5, "users"),
    }


def test_tables_are_facts_with_what_is_done_to_them():
    assert [(fact.name, fact.detail) for fact in read(TABLES, "sql").facts] == [
        ("users", "create"),
        ("users", "alter"),
        ("old", "drop"),
    ]


def test_a_foreign_key_and_an_index_refer_to_their_table():
    assert {"teams", "users", "public.users", "old"} == uses(TABLES, "sql", "references")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE OR REPLACE VIEW v AS SELECT 1;", ("view", "v")),
        ("create materialized view v as select 1;", ("view", "v")),
        ("CREATE TYPE mood AS ENUM ('a');", ("type", "mood")),
        ("CREATE FUNCTION f(a int) RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql;", ("function", "f")),
        ("CREATE DEFINER=`a`@`b` PROCEDURE p() BEGIN END;", ("function", "p")),
        ("CREATE TRIGGER t BEFORE UPDATE ON users EXECUTE FUNCTION f();", ("function", "t")),
        ("CREATE SCHEMA app;", ("namespace", "app")),
        ("CREATE SEQUENCE s;", ("object", "s")),
        ("CREATE TABLE [dbo].[Orders] (x);", ("table", "Orders")),
        ("create table `my_tbl` (x);", ("table", "my_tbl")),
        ('CREATE TEMP TABLE "Two Words" (x);', ("table", "Two Words")),
        ("CREATE TABLE :SCHEMA.jobs (x);", ("table", "jobs")),
        ("CREATE TABLE {{ schema }}.jobs (x);", ("table", "jobs")),
    ],
)
def test_what_is_created_is_found(text, expected):
    assert kinds(text, "sql") == [expected]


@pytest.mark.parametrize(
    "text", ["-- CREATE TABLE a (b int);", "/*\nCREATE TABLE a (b int);\n*/", "SELECT '\nCREATE TABLE a (b int);\n';"]
)
def test_nothing_is_created_in_comments_and_texts(text):
    assert kinds(text, "sql") == []


def test_a_quoted_body_belongs_to_its_function():
    text = "CREATE FUNCTION f() RETURNS int AS $x$\nBEGIN\n  RETURN 1;\nEND;\n$x$ LANGUAGE plpgsql;\nSELECT 1;\n"
    assert places(text, "sql")["f"] == ("function", 1, 5, None)


def test_a_body_without_quotes_runs_to_its_last_end():
    text = "CREATE PROCEDURE p AS\nBEGIN\n  IF x BEGIN\n    UPDATE a SET b = 1;\n  END;\n  SELECT 1;\nEND\nGO\n"
    assert places(text, "sql")["p"] == ("function", 1, 7, None)


def test_tables_that_statements_read_and_write_are_references():
    text = "INSERT INTO a (x) SELECT y FROM b JOIN s.c ON b.i = c.i; UPDATE d SET x = 1; DELETE FROM e;"
    assert uses(text, "sql", "references") == {"a", "b", "s.c", "d", "e"}


def test_tables_in_the_body_of_a_function_are_references():
    text = "CREATE FUNCTION f() RETURNS void AS $$ DELETE FROM jobs; SELECT x INTO v_row FROM rows; $$ LANGUAGE sql;"
    assert uses(text, "sql", "references") == {"jobs", "rows"}


def test_functions_that_give_rows_and_keywords_are_no_tables():
    assert (
        uses("SELECT * FROM generate_series(1, 2), LATERAL x; SELECT EXTRACT(day FROM now());", "sql", "references")
        == set()
    )


def test_routines_that_are_run_are_calls():
    text = "CALL a(1); EXEC dbo.b; CREATE TRIGGER t AFTER INSERT ON u EXECUTE FUNCTION c();"
    assert uses(text, "sql", "calls") == {"a", "dbo.b", "c"}


def test_a_named_query_is_a_function_to_its_semicolon():
    text = "-- name: GetUser :one\nSELECT 1\nFROM a;\n\n-- name: list-teams\nSELECT 2;\n"
    assert places(text, "sql") == {"GetUser": ("function", 1, 3, None), "list-teams": ("function", 5, 6, None)}


def test_files_that_a_script_reads_are_imports():
    assert imported("\\i a.sql\n\\ir b.sql\nSOURCE c.sql;\n", "sql") == ["a.sql", "b.sql", "c.sql"]


def test_models_and_macros_of_dbt_are_read():
    text = (
        "{% macro cents(x) %}\n{{ x }}\n{% endmacro %}\nselect * from {{ ref('orders') }} join {{ source('a', 'b') }}\n"
    )
    assert places(text, "sql") == {"cents": ("macro", 1, 3, None)}
    assert uses(text, "sql", "references") == {"orders", "b"}
