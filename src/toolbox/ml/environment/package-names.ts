const debianPackages = new Map([
  ['torch', 'python3-torch libopenblas0-pthread'],
  ['numpy', 'python3-numpy'],
  ['scikit-learn', 'python3-sklearn'],
  ['xgboost', 'python3-xgboost'],
  ['sentencepiece', 'python3-sentencepiece'],
]);

/** Of `name==version`. */
export const nameOf = (wanted: string): string => wanted.split('==')[0] ?? wanted;

/** Where a package index cannot be reached, the packages of the system often do. */
export function adviceFor(wanted: readonly string[]): string {
  const debian = wanted.flatMap((one) => debianPackages.get(nameOf(one)) ?? []);
  return debian.length > 0
    ? `Without a package index: ${aptFor(debian)}`
    : 'Check the names and where they are installed from (tools.training in the settings).';
}

export const aptFor = (packages: readonly string[]): string =>
  `sudo apt-get install -y ${packages.join(' ')}`;
