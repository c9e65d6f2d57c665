/** As semver orders them: numbers first, and a pre-release before its release. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [split(one), split(other)];
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.label === b.label) return 0;
  if (a.label === '') return 1;
  return b.label === '' ? -1 : a.label.localeCompare(b.label, 'en', { numeric: true });
}

function split(version: string): { readonly numbers: readonly number[]; readonly label: string } {
  const [core = '', label = ''] = version.split(/-(.*)/s);
  return { numbers: core.split('.').map(Number), label };
}
