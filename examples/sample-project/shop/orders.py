"""Orders and their lines."""

import os, sys
from dataclasses import dataclass


@dataclass
class Line:
    kind: str
    amount: float
    quantity: int


@dataclass
class Order:
    lines: list[Line]

    def total(self, customer):
        from shop.pricing import price

        return price(self, customer)
