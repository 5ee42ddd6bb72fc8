"""Stack traces and compiler messages of many languages: which places they name, the nearest to the fault first."""

import pytest
from agenvantage.context.frames import read_frames
from agenvantage.context.task import read_task


def places(frames):
    return [f"{frame.path}:{frame.line}" + (f" {frame.function}" if frame.function else "") for frame in frames]


TRACES = {
    "python prints the nearest last": (
        """Traceback (most recent call last):
  File "/srv/shop/cart.py", line 17, in total
    return self.sum()
  File "/srv/shop/prices.py", line 8, in sum
    raise ValueError
ValueError: no price""",
        ["/srv/shop/prices.py:8 sum", "/srv/shop/cart.py:17 total"],
    ),
    "pytest in short prints the nearest last": (
        "shop/cart.py:17: in total\n    return self.sum()\nshop/prices.py:8: ValueError",
        ["shop/prices.py:8", "shop/cart.py:17 total"],
    ),
    "node prints the nearest first": (
        """TypeError: x is undefined
    at total (/app/src/cart.js:10:5)
    at async run (file:///app/src/run.ts:3:4)
    at /app/src/start.mjs:4:4
    at Server.serve [as _serve] (/app/src/server.js:5:6)""",
        ["/app/src/cart.js:10 total", "/app/src/run.ts:3 run", "/app/src/start.mjs:4", "/app/src/server.js:5 serve"],
    ),
    "a bundler's address is the path in it": (
        "    at new Cart (webpack:///./src/cart.vue:8:9)",
        ["src/cart.vue:8 Cart"],
    ),
    "firefox": (
        "render@http://localhost:3000/src/App.tsx?t=123:44:10\n@http://localhost:3000/src/main.tsx:1:1",
        ["/src/App.tsx:44 render", "/src/main.tsx:1"],
    ),
    "java names the folder by its package": (
        'Exception in thread "main" java.lang.IllegalStateException: none\n\tat com.shop.Cart.total(Cart.java:20)',
        ["com/shop/Cart.java:20 total"],
    ),
    "the root of java's causes is nearest": (
        """java.lang.RuntimeException: outer
\tat com.shop.web.Page.get(Page.java:20)
Caused by: java.lang.IllegalStateException: inner
\tat com.shop.Cart.lambda$total$0(Cart.kt:99)
\tat com.shop.Main.main(Main.kt:9)
\t... 3 more""",
        ["com/shop/Cart.kt:99 total", "com/shop/Main.kt:9 main", "com/shop/web/Page.java:20 get"],
    ),
    "go prints the function a line before": (
        """panic: index out of range

goroutine 1 [running]:
example.org/shop/cart.(*Cart).Total(0xc0000b, 0x1)
\t/home/me/shop/cart/cart.go:42 +0x1d
main.main()
\t/home/me/shop/main.go:12 +0x1d""",
        ["/home/me/shop/cart/cart.go:42 Total", "/home/me/shop/main.go:12 main"],
    ),
    "rust prints the function a line before": (
        """stack backtrace:
   3: shop::cart::Cart<T>::total::{{closure}}
             at ./src/cart.rs:10:5
   5: <shop::Price as core::fmt::Debug>::fmt
             at ./src/price.rs:4:4""",
        ["src/cart.rs:10 total", "src/price.rs:4 fmt"],
    ),
    "a panic of rust": ("thread 'main' panicked at src/cart.rs:10:5:\nno price", ["src/cart.rs:10"]),
    "a panic of older rust": ("thread 'main' panicked at 'no price', src/cart.rs:10:5", ["src/cart.rs:10"]),
    "csharp": (
        "   at Shop.Cart.Total(String a, Int32 b) in C:\\src\\Cart.cs:line 12\n"
        "   at Shop.Page.<Get>d__4.MoveNext() in /src/Page.cs:line 44",
        ["C:/src/Cart.cs:12 Total", "/src/Page.cs:44 Get"],
    ),
    "php": (
        "PHP Fatal error:  Uncaught TypeError in /var/www/src/Cart.php on line 12\n"
        "#0 /var/www/src/Page.php(31): Shop\\Cart->total()",
        ["/var/www/src/Cart.php:12", "/var/www/src/Page.php:31 total"],
    ),
    "ruby in both its quotes": (
        "app/cart.rb:12:in `total': undefined method\n\tfrom app/page.rb:8:in 'Page#show'",
        ["app/cart.rb:12 total", "app/page.rb:8 show"],
    ),
    "gdb": (
        "#1  0x000000000049c5c0 in shop::Cart<char>::total (this=0x7fff, n=1) at /home/me/cart.h:12\n"
        "#2  main (argc=1) at src/main.c:4",
        ["/home/me/cart.h:12 total", "src/main.c:4 main"],
    ),
    "a sanitizer": ("    #0 0x4a5b in cart_free /src/cart.c:12:5", ["/src/cart.c:12 cart_free"]),
    "dart": ("#0      total (package:shop/src/cart.dart:10:5)", ["src/cart.dart:10 total"]),
    "elixir": ("    (shop 0.1.0) lib/cart.ex:12: Shop.Cart.total/2", ["lib/cart.ex:12 total"]),
    "swift": ("Sources/Shop/Cart.swift:12: Fatal error: no price", ["Sources/Shop/Cart.swift:12"]),
    "a c compiler": ("src/cart.c:10:5: error: expected ';'", ["src/cart.c:10"]),
    "the typescript compiler": ("src/cart.ts(10,5): error TS2322: no", ["src/cart.ts:10"]),
    "the rust compiler": ("error[E0308]: mismatched types\n  --> src/cart.rs:10:5", ["src/cart.rs:10"]),
    "a place in a sentence": ("It is wrong in src/cart.py:10, I think.", ["src/cart.py:10"]),
    "no clock and no host is a place": ("At 10:30:12 on localhost:8080 and shop.com:443 it failed.", []),
}


@pytest.mark.parametrize("name", TRACES)
def test_the_places_of(name):
    text, expected = TRACES[name]
    assert places(read_frames(text.split("\n")).own) == expected


INSTALLED = {
    "python": ('File "/opt/v/lib/python3.9/site-packages/shop/core.py", line 5, in run', "shop/core.py:5 run"),
    "node": ("    at run (/app/node_modules/shop/core.js:5:1)", "shop/core.js:5 run"),
    "rust": (
        "   4: shop::run\n     at /home/me/.cargo/registry/src/index-6f17/shop-1.0.1/src/run.rs:3:4",
        "src/run.rs:3 run",
    ),
    "ruby": ("from /var/gems/3.1.0/gems/shop-2.2/lib/shop.rb:3:in `run'", "lib/shop.rb:3 run"),
}  # fmt: skip


@pytest.mark.parametrize("name", INSTALLED)
def test_a_frame_of_an_installed_package_stands_apart_with_its_path_in_the_package(name):
    text, expected = INSTALLED[name]
    found = read_frames(text.split("\n"))
    assert (places(found.own), places(found.installed)) == ([], [expected])


@pytest.mark.parametrize(
    "line",
    [
        '  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode',
        "    at node:internal/modules/cjs/loader:1105:14",
        "\tat java.base/java.lang.Thread.run(Thread.java:829)",
        "\tat org.junit.runners.Suite.run(Suite.java:128)",
        "\t/usr/local/go/src/runtime/panic.go:88 +0x1",
        "             at /rustc/9fc6b/library/std/src/panicking.rs:617:5",
        "#0  0x00007fff in raise (sig=6) at ../nptl/sysdeps/unix/raise.c:56",
    ],
)
def test_a_frame_of_the_language_or_its_test_runner_is_skipped(line):
    found = read_frames([line])
    assert (found.own, found.tests, found.installed) == ((), (), ())


@pytest.mark.parametrize(
    "path",
    [
        "tests/helpers.py",
        "shop/test_cart.py",
        "cart_test.go",
        "src/cart.spec.ts",
        "spec/cart_spec.rb",
        "src/CartTest.php",
    ],
)
def test_a_frame_in_a_test_stands_apart(path):
    found = read_frames([f"{path}:3: in check" if path.endswith(".py") else f"It fails at {path}:3"])
    assert [frame.path for frame in found.tests] == [path]
    assert found.own == ()


def test_a_source_file_below_a_far_folder_called_tests_is_no_test():
    assert read_frames(['File "/home/me/tests/a/b/shop/cart.py", line 3, in f']).own


def test_a_trace_comes_before_the_places_that_a_sentence_names():
    text = 'See docs/notes.md:3.\nTraceback (most recent call last):\n  File "a/b.py", line 1, in f'
    assert [frame.kind for frame in read_task(text).frames] == ["trace", "place"]


def test_of_two_equal_places_the_one_with_a_function_is_kept():
    lines = ["Fatal error in /www/Cart.php on line 12", "#0 /www/Cart.php(12): Cart->total()"]
    assert places(read_frames(lines).own) == ["/www/Cart.php:12 total"]


def test_the_functions_of_frames_are_named():
    assert read_task("It fails:\n    at total (/app/src/cart.js:10:5)").functions == ("total",)


def test_a_trace_alone_is_a_task():
    query = read_task('Traceback (most recent call last):\n  File "a/b.py", line 1, in f\nValueError: no price')
    assert query.title == "ValueError: no price"
    assert "pric" in query.terms
