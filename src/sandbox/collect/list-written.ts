import { closeSync, lstatSync } from 'node:fs';
import type { SandboxObservation } from '../../contract/sandbox/index.ts';
import { printable } from './printable.ts';
import { openFolder, readNames, type OpenFolder } from './open-folder.ts';

const maxEntries = 2_000;
const maxDepth = 16;
const maxNamed = 20;
const maxNameCharacters = 100;

/**
 * What a program left in its folder besides the files it was given: how many, and the first by name.
 * Nothing when there is none.
 */
export function listWritten(root: number, given: ReadonlySet<string>): SandboxObservation[] {
  const survey: Survey = { given, names: [], count: 0, bytes: 0, entries: 0 };
  look(survey, { fd: root, path: '' }, 0);
  if (survey.count === 0) return [];
  const isAll = survey.entries <= maxEntries;
  const more = survey.count > survey.names.length ? ' …' : '';
  const message = `${isAll ? '' : 'at least '}${survey.count} files of ${survey.bytes} bytes were left: ${survey.names.join(', ')}${more}`;
  return [{ kind: 'files_written', message }];
}

interface Survey {
  readonly given: ReadonlySet<string>;
  readonly names: string[];
  count: number;
  bytes: number;
  entries: number;
}

function look(survey: Survey, folder: OpenFolder, depth: number): void {
  const mayLook = (): boolean => {
    survey.entries += 1;
    return survey.entries <= maxEntries;
  };
  for (const { name, kind } of readNames(folder, mayLook) ?? []) {
    if (kind === 'file') count(survey, folder, name);
    const inner = kind === 'folder' && depth < maxDepth ? openFolder(folder, name) : undefined;
    if (!inner) continue;
    try {
      look(survey, inner, depth + 1);
    } finally {
      closeSync(inner.fd);
    }
  }
}

function count(survey: Survey, folder: OpenFolder, name: string): void {
  const path = folder.path === '' ? name : `${folder.path}/${name}`;
  if (survey.given.has(path)) return;
  const stat = lstatSync(`/proc/self/fd/${folder.fd}/${name}`, { throwIfNoEntry: false });
  survey.count += 1;
  survey.bytes += stat?.size ?? 0;
  if (survey.names.length < maxNamed) survey.names.push(printable(path.slice(-maxNameCharacters)));
}
