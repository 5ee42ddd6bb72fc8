"""A diff in a task: which files and lines it changes, and what was said around it."""

from agenvantage.context.diffs import take_diff
from agenvantage.context.task import read_task

GIT = """Look at this:
diff --git a/shop/cart.py b/shop/cart.py
index 1111111..2222222 100644
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -10,3 +10,4 @@ def total():
 a
-b
+c
+d
 e
Thanks
"""


def test_the_lines_before_and_after_are_told_apart():
    (file,) = take_diff(GIT).files
    assert (file.old_ranges, file.ranges) == (((10, 12),), ((10, 13),))


def test_the_text_around_stays():
    assert take_diff(GIT).around.split() == ["Look", "at", "this:", "Thanks"]


def test_only_what_changed_is_text_of_the_diff():
    assert take_diff(GIT).changed.split() == ["b", "c", "d"]


def test_a_hunk_names_what_it_stands_in():
    assert take_diff(GIT).files[0].headings == ("def total():",)


def test_an_added_file_has_no_old_path():
    (file,) = take_diff("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+a\n+b").files
    assert (file.old_path, file.new_path, file.ranges) == (None, "new.py", ((1, 2),))


def test_a_deleted_file_is_known_by_its_old_path():
    text = "diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a"
    (file,) = take_diff(text).files
    assert (file.new_path, file.path) == (None, "old.py")


def test_a_renamed_file_has_both_paths():
    text = "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py"
    (file,) = take_diff(text).files
    assert (file.old_path, file.new_path) == ("old.py", "new.py")


def test_a_diff_without_git_is_read():
    assert [
        file.path for file in take_diff("--- a.py\t2024-01-01\n+++ a.py\t2024-01-02\n@@ -1 +1 @@\n-a\n+b").files
    ] == ["a.py"]


def test_two_files_are_parted():
    text = GIT.replace("Thanks\n", "") + GIT.replace("cart.py", "page.py")
    assert [file.path for file in take_diff(text).files] == ["shop/cart.py", "shop/page.py"]


def test_a_line_of_dashes_inside_a_hunk_is_content():
    text = "--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,1 @@\n--- a comment\n b"
    (file,) = take_diff(text).files
    assert file.path == "a.sql"
    assert take_diff(text).changed == "-- a comment"


def test_a_hunk_that_promises_too_much_ends_where_it_must():
    diff = take_diff("--- a/a.py\n+++ b/a.py\n@@ -1,900 +1,900 @@\n a\nAnd a sentence")
    assert diff.around == "And a sentence"


def test_a_rule_of_dashes_is_no_diff():
    text = "Cart\n--- \nfails"
    assert (take_diff(text).files, take_diff(text).around) == ((), text)


def test_a_changed_file_is_a_named_path_of_the_task():
    query = read_task(GIT)
    assert [file.path for file in query.diff] == ["shop/cart.py"]
    assert query.paths == ("shop/cart.py",)


def test_what_changed_is_code_of_the_task():
    assert "voucher" in read_task("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+voucher").code_terms
