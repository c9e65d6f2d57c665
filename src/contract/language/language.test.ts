import { expect, it } from 'vitest';
import { testPath } from './index.ts';

it.each([
  ['src/cart.py', 'src/test_cart.py'],
  ['cart.go', 'cart_test.go'],
  ['app/Cart.java', 'app/CartTest.java'],
  ['src/cart.ts', 'src/cart.test.ts'],
  ['a.b/cart', 'a.b/cart.test'],
])('the tests of %s go to %s', (path, tests) => {
  expect(testPath(path)).toBe(tests);
});
