"""Small repositories in many languages for tests of relations."""

from __future__ import annotations

from typing import Final

PYTHON: Final = {
    "shop/__init__.py": """from .cart import Cart
from .prices import net as net_price
""",
    "shop/cart.py": """from . import prices
from .base import Holder
from .prices import gross


class Cart(Holder):
    def __init__(self, items):
        self.items = items

    def total(self):
        return self.sum_up() + gross(1) + prices.net(2)

    def sum_up(self):
        return self.count_items()

    def report(self, printer: "Printer"):
        printer.put_line(self.total())
        len(self.items)


class Printer:
    def put_line(self, text): ...


def make():
    def inner():
        return Cart([])
    return inner()
""",
    "shop/base.py": """class Holder:
    def count_items(self):
        return 0
""",
    "shop/prices.py": """def net(x):
    return x


def gross(x):
    return net(x)
""",
    "shop/admin.py": """import shop
import shop.prices
import shop.prices as money
from shop import Cart, net_price
from other import outside


def run(thing):
    cart = Cart([])
    cart.sum_up()
    thing.total()
    shop.prices.net(1)
    money.gross(1)
    shop.Cart([])
    net_price(3)
    outside()
    outside.put_line()
""",
    "tests/test_cart.py": """from shop.cart import make


def test_make():
    assert make().total() == 0
""",
}
"""A shop in Python: relative and absolute imports, re-exports, inheritance."""

SCRIPT: Final = {
    "src/cart.ts": """import { net, gross as full } from "./prices";
import * as money from "./prices";
import Printer from "./printer";
import React from "react";

export class Cart extends Base implements Holder {
  constructor(private printer: Printer) { super(); }
  total(): number { return this.sum() + net(1) + full(2) + money.net(3); }
  private sum(): number { return 0; }
  show(out: Printer) { out.putLine(this.total()); this.printer.putLine(""); }
}
class Base { count() {} }
interface Holder {}
export default function main() { const p = new Printer(); React.total(); return helper(); }
const helper = () => new Cart(null as any);
""",
    "src/prices.ts": """export function net(x: number) { return x; }
export const gross = (x: number) => net(x);
""",
    "src/printer.ts": "export default class Printer { putLine(text: string) {} }\n",
    "src/index.ts": """export { net as pure } from "./prices";
export * from "./cart";
export { default } from "./cart";
""",
    "src/app.js": """import run, { pure, Cart } from "./index";
const util = require("./util");
export function app() { run(); pure(1); new Cart(); util.shorten(""); }
""",
    "src/util.js": "exports.shorten = function (x) { return x; };\n",
    "src/View.vue": """<template><p/></template>
<script>
import { net } from "./prices";
export default { methods: { price() { return net(1); } } };
</script>
""",
}
"""A shop in TypeScript, JavaScript and Vue: renamed, default and passed on exports."""

GO: Final = {
    "go.mod": "module example.com/shop\n",
    "cart/cart.go": """package cart

import (
	"fmt"

	p "example.com/shop/prices"
	"example.com/shop/out"
)

type Cart struct {
	printer *out.Printer
	Holder
}

type Totaler interface {
	Total() int
	AddItem(x int)
}

func (c *Cart) Total() int {
	fmt.Println("x")
	c.printer.PutLine("y")
	c.CountItems()
	return c.addUp() + p.Net(1)
}

func (c *Cart) AddItem(x int) {}

func New() *Cart { return &Cart{} }
""",
    "cart/sum.go": """package cart

func (c *Cart) addUp() int { return limit() }

func limit() int { return 3 }
""",
    "cart/holder.go": """package cart

type Holder struct{}

func (h Holder) CountItems() int { return 0 }
""",
    "cart/cart_test.go": """package cart

func TestTotal(t *T) { New().Total() }

func helper() {}
""",
    "prices/prices.go": """package prices

func Net(x int) int { return x }
""",
    "prices/tax.go": """package prices

func Tax(x int) int { return Net(x) }
""",
    "out/out.go": """package out

type Printer struct{}

func (p *Printer) PutLine(s string) {}
""",
}
"""A shop in Go: methods over several files, embedding, an interface that nobody names."""

RUST: Final = {
    "Cargo.toml": """[package]
name = "shop"
""",
    "src/lib.rs": """pub mod cart;
mod prices;
pub use cart::Cart;
""",
    "src/cart.rs": """use crate::prices::{net, Rate as Tax};

pub struct Cart { rate: Tax }

pub trait Holder { fn count_items(&self) -> i32; fn is_full(&self) -> bool { self.count_items() > 9 } }

impl Holder for Cart { fn count_items(&self) -> i32 { 1 } }

impl Cart {
    pub fn make() -> Self { Self::with_rate(Tax::standard()) }
    fn with_rate(rate: Tax) -> Cart { Cart { rate } }
    pub fn total(&self) -> i32 { self.is_full(); self.rate.apply(net(1)) + crate::prices::gross(2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn totals() { let c = Cart::make(); c.total(); }
}
""",
    "src/prices.rs": """pub struct Rate;
impl Rate {
    pub fn standard() -> Rate { Rate }
    pub fn apply(&self, x: i32) -> i32 { x }
}
pub fn net(x: i32) -> i32 { x }
pub fn gross(x: i32) -> i32 { net(x) }
""",
    "tests/all.rs": """use shop::Cart;

fn check() { Cart::make(); shop::cart::Cart::make(); }
""",
}
"""A shop in Rust: impls, traits, use trees, an inner module of tests."""

JAVA: Final = {
    "core/src/main/java/com/shop/Cart.java": """package com.shop;

import com.shop.prices.Prices;
import static com.shop.prices.Prices.net;
import java.util.List;

public class Cart extends Holder implements Totaler {
    private final Prices prices = new Prices();
    private List<String> names;

    public int total(Printer printer) {
        addUp();
        countItems();
        names.stream();
        printer.putLine("x");
        return net(1) + prices.gross(2) + Prices.net(3) + this.addUp();
    }

    private int addUp() { return new Item().weigh(); }

    static class Item { int weigh() { return 1; } }
}
""",
    "core/src/main/java/com/shop/Holder.java": """package com.shop;

class Holder {
    int countItems() { return 0; }
}
""",
    "core/src/main/java/com/shop/Totaler.java": """package com.shop;

interface Totaler {
    int total(Printer p);
}
""",
    "core/src/main/java/com/shop/Printer.java": """package com.shop;

class Printer {
    void putLine(String s) { }
    void stream() { }
}
""",
    "core/src/main/java/com/shop/prices/Prices.java": """package com.shop.prices;

public class Prices {
    public static int net(int x) { return x; }
    public int gross(int x) { return net(x); }
}
""",
    "core/src/test/java/com/shop/CartTest.java": """package com.shop;

class CartTest {
    void totals() { Cart cart = new Cart(); cart.total(null); }
}
""",
    "app/src/main/kotlin/com/shop/app/Main.kt": """package com.shop.app

import com.shop.Cart
import com.shop.prices.*

class Main(val cart: Cart) {
    fun run() { cart.total(null); Prices.net(1); shorten() }
}
""",
    "app/src/main/kotlin/com/shop/app/Strings.kt": """package com.shop.app

fun shorten() = ""
""",
}
"""A shop in Java and Kotlin, in two modules."""

OTHERS: Final = {
    "c/cart.h": """#ifndef CART_H
#define CART_H
int total(int x);
struct cart { int n; };
#endif
""",
    "c/cart.c": """#include "cart.h"
static int add_up(int x) { return x; }
int total(int x) { return add_up(x); }
""",
    "c/main.c": """#include "cart.h"
int main(void) { return total(3) + add_up(1); }
""",
    "cpp/shape.hpp": """class Shape {
public:
  virtual double area() const;
  double twice() const;
};
""",
    "cpp/shape.cpp": """#include "shape.hpp"
double Shape::area() const { return 1; }
double Shape::twice() const { return area() * 2; }
""",
    "cpp/circle.cpp": """#include "shape.hpp"
class Circle : public Shape {
  double grow() { return twice(); }
};
double use(Shape& shape) { return shape.twice(); }
""",
    "cs/Cart.cs": """namespace Shop.Carts {
  public class Cart : Holder {
    private Printer printer;
    public int Total() { printer.PutLine(); CountItems(); return Prices.Net(1); }
  }
}
""",
    "cs/Holder.cs": """namespace Shop {
  public class Holder { public int CountItems() { return 0; } }
  public static class Prices { public static int Net(int x) { return x; } }
}
""",
    "cs/Printer.cs": """namespace Shop.Out {
  public class Printer { public void PutLine() { } }
}
""",
    "cs/App.cs": """using Shop.Carts;
using Shop.Out;

namespace Web {
  class App {
    void Run(Printer p) { var c = new Cart(); c.Total(); p.PutLine(); }
  }
}
""",
    "ruby/lib/cart.rb": """require_relative 'holder'

module Shop
  class Cart < Holder
    def total
      add_up() + count_items()
      Prices.net(1)
      Cart.new
    end

    def add_up
      0
    end
  end
end
""",
    "ruby/lib/holder.rb": """module Shop
  class Holder
    def count_items
      0
    end
  end

  class Prices
    def self.net(x)
      x
    end
  end
end
""",
    "php/src/Cart.php": """<?php
namespace App;

use App\\Prices\\Tax;

class Cart extends Holder {
    private Tax $tax;
    public function total(Printer $printer) {
        $this->addUp();
        $this->countItems();
        $this->tax->apply(1);
        $printer->putLine('x');
        return Tax::net(2) + shorten('y');
    }
    private function addUp() { return new Tax(); }
}
""",
    "php/src/Holder.php": """<?php
namespace App;

class Holder { public function countItems() { return 0; } }
class Printer { public function putLine($x) { } }
function shorten($x) { return $x; }
""",
    "php/src/Prices/Tax.php": """<?php
namespace App\\Prices;

class Tax {
    public static function net($x) { return $x; }
    public function apply($x) { return $x; }
}
""",
    "composer.json": '{"autoload": {"psr-4": {"App\\\\": "php/src/"}}}',
    "swift/Sources/Core/Cart.swift": """class Cart: Holder {
  let printer: Printer
  func total() -> Int { addUp(); countItems(); printer.putLine("x"); return Prices.net(1) }
  func addUp() {}
}
""",
    "swift/Sources/Core/Holder.swift": """class Holder {
  func countItems() {}
}
class Printer {
  func putLine(_ s: String) {}
}
struct Prices {
  static func net(_ x: Int) -> Int { return x }
}
""",
    "scala/src/main/scala/shop/Cart.scala": """package shop

class Cart(printer: Printer) extends Holder {
  def total(): Int = { addUp(); countItems(); printer.putLine(); Prices.net(1) }
  def addUp(): Unit = ()
}
""",
    "scala/src/main/scala/shop/Holder.scala": """package shop

class Holder { def countItems(): Int = 0 }

class Printer { def putLine(): Unit = () }

object Prices { def net(x: Int): Int = x }
""",
}
"""Smaller shops in the other languages whose calls are read."""
