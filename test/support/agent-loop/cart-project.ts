import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const brokenCart = `export function total(items) {
  let sum = 0;
  for (let index = 0; index < items.length - 1; index += 1) sum += items[index].price;
  return sum;
}
`;
export const fixedCart = brokenCart.replace('items.length - 1', 'items.length');

const cartTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from './cart.mjs';

test('nothing costs nothing', () => assert.equal(total([]), 0));
test('one item', () => assert.equal(total([{ price: 2 }]), 2));
test('two items', () => assert.equal(total([{ price: 2 }, { price: 3 }]), 5));
`;

/** A small project: two of its three tests fail. */
export const cartProject: Readonly<Record<string, string>> = {
  'package.json': '{"name": "shop", "type": "module"}\n',
  'cart.mjs': brokenCart,
  'cart.test.mjs': cartTest,
  'report.mjs':
    "import { total } from './cart.mjs';\n\nexport const line = (items) => `Total: ${total(items)}`;\n",
};

export function writeProject(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
