import assert from 'node:assert/strict';
import test from 'node:test';
import { shipping, total } from './cart.js';

const tea = { sku: 'tea', price: 450, quantity: 2 };

test('adds up prices and quantities', () => {
  assert.equal(total([tea, { sku: 'cup', price: 900, quantity: 1 }]), 1800);
});

test('takes a percentage off', () => {
  assert.equal(total([tea], [{ sku: 'tea', percent: 10 }]), 810);
});

test('never charges less than nothing', () => {
  assert.equal(total([tea], [{ sku: 'tea', amount: 9999 }]), 0);
});

test('ships large orders for free', () => {
  assert.equal(shipping(5000), 0);
  assert.equal(shipping(4999), 490);
});
