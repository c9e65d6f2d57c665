async function checkExample__(calls, { expected, error }) {
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
  const results = [];
  for (const call of calls) {
    try {
      results.push({ value: await call() });
    } catch (thrown) {
      const names = [thrown?.name];
      for (let one = thrown; one; one = Object.getPrototypeOf(one))
        names.push(one.constructor?.name);
      results.push({ thrown, names });
    }
  }
  const fits = ({ value, names }) => {
    if (error !== undefined) return names?.includes(error) === true;
    if (names) return false;
    if (isDeepStrictEqual(value ?? null, expected ?? null)) return true;
    if (JSON.stringify(value) === JSON.stringify(expected)) return true;
    const areNumbers = typeof expected === 'number' && typeof value === 'number';
    return areNumbers && Math.abs(value - expected) < 1e-9;
  };
  if (results.some(fits)) return;
  const [first] = results;
  throw new Error('AssertionError: ' + String(first?.thrown ?? JSON.stringify(first?.value)));
}
