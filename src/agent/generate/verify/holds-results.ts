/** Whether most of the telling literals of the code stand in what checks it: a table of the expected results. */
export function holdsResults(code: string, checks: string): boolean {
  const literals = (text: string): Set<string> =>
    new Set(
      [...text.matchAll(/(["'])((?:\\.|(?!\1).){2,200})\1|\b\d{2,}(?:\.\d+)?\b/g)].map(
        ([whole, , inside]) => inside ?? whole,
      ),
    );
  const own = [...literals(code)];
  const known = literals(checks);
  const shared = own.filter((literal) => known.has(literal)).length;
  return shared >= 2 && shared >= own.length * 0.6;
}
