/**
 * What a number in Rust says, however it is spelled: letter case, `_`, zeros at the end of a fraction
 * and the spelling of an exponent do not matter. Whole numbers and floats are never the same.
 */
export function rustNumberMeaning(token: string): string {
  const plain = token.toLowerCase().replaceAll('_', '');
  const float = floatParts.exec(plain)?.groups;
  if (!float || !/[.ef]/.test(plain)) return plain;
  const { whole = '', fraction = '', sign = '', exponent = '', type = '' } = float;
  const power = exponent.slice(countZeros(exponent));
  const scale = power === '' ? '' : `e${sign === '-' ? '-' : ''}${power}`;
  return `${whole}.${withoutEndZeros(fraction)}${scale}${type}`;
}

const floatParts =
  /^(?<whole>\d+)(?:\.(?<fraction>\d*))?(?:e(?<sign>[+-]?)(?<exponent>\d+))?(?<type>f32|f64)?$/;

function countZeros(digits: string): number {
  return /^0*/.exec(digits)?.[0].length ?? 0;
}

/** Not by an expression: looking for `0+$` takes quadratic time over zeros in the middle. */
function withoutEndZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
