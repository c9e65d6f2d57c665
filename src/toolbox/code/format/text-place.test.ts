import { expect, it } from 'vitest';
import {
  placeOfByte,
  placeOfCodePoint,
  placeOfLineAndByte,
  placeOfLineAndCodePoint,
  placeOfOffset,
} from '../text-positions.ts';

const text = 'aé😀b\né😀c';

it('counts columns in UTF-16 units, whatever unit the place is given in', () => {
  expect(placeOfOffset(text, 4)).toEqual({ line: 1, column: 5 });
  expect(placeOfByte(text, 7)).toEqual({ line: 1, column: 5 });
  expect(placeOfCodePoint(text, 3)).toEqual({ line: 1, column: 5 });
  expect(placeOfLineAndByte(text, 2, 7)).toEqual({ line: 2, column: 4 });
  expect(placeOfLineAndCodePoint(text, 2, 3)).toEqual({ line: 2, column: 4 });
});

it('takes a place beyond the text for its end', () => {
  expect(placeOfOffset('a\nb', 99)).toEqual({ line: 2, column: 2 });
  expect(placeOfOffset('a', -1)).toEqual({ line: 1, column: 1 });
  expect(placeOfCodePoint('a', 99)).toEqual({ line: 1, column: 2 });
});
