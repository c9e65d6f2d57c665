import { posix } from 'node:path';
import {
  external,
  ignored,
  internal,
  unresolved,
  type Project,
  type Resolver,
} from './resolution.ts';

/** Style sheets and pages name files by address; `/x` is looked for in the folder and its `public`. */
export function pathResolver(project: Project): Resolver {
  const ids = new Set(project.files.map(({ id }) => id));
  return (file, { specifier }) => {
    if (specifier.startsWith('data:') || specifier.includes('{{')) return ignored;
    const address = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]+)/i.exec(specifier);
    if (address?.[1]) return external(address[1]);
    const candidates = specifier.startsWith('/')
      ? [specifier.slice(1), posix.join('public', specifier)]
      : [posix.normalize(posix.join(posix.dirname(file.id), specifier))];
    const found = candidates.find((id) => ids.has(id));
    if (found !== undefined) return internal([found]);
    const outside = candidates.find((id) => id.startsWith('..'));
    if (outside !== undefined) return external(outside);
    return candidates.some((id) => project.exists(id)) ? ignored : unresolved;
  };
}
