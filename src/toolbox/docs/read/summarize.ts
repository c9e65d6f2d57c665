import type { InstalledPackage } from '../library.ts';
import type { PackageFiles } from './package-files.ts';

const maxSummaryChars = 300;

/** One sentence about a package, in its own words; empty when it has none. */
export async function summarize(
  { ecosystem, parts = [] }: InstalledPackage,
  files: PackageFiles,
): Promise<string> {
  if (ecosystem === 'pypi') return pythonSummary(parts, files);
  const readme = await files.read('README.md');
  const paragraph = (readme?.text ?? '')
    .split('\n')
    .find((line) => /^[A-Za-z`*]/.test(line) && line.length > 20);
  return (paragraph ?? '').slice(0, maxSummaryChars);
}

async function pythonSummary(parts: readonly string[], files: PackageFiles): Promise<string> {
  for (const info of parts.filter((part) => part.endsWith('-info'))) {
    for (const name of ['METADATA', 'PKG-INFO']) {
      const file = await files.read(`${info}/${name}`);
      const line = file?.text.split('\n', 60).find((one) => one.startsWith('Summary:'));
      if (line !== undefined) return line.slice('Summary:'.length).trim().slice(0, maxSummaryChars);
    }
  }
  return '';
}
