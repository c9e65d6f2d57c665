import type { Context7Engine } from './context7-engine.ts';
import type { InstalledLibraries } from './find/installed-libraries.ts';
import type { IndexCache } from './index-cache.ts';

/** What the tools of this server share: built once, passed to each. */
export interface DocsContext {
  readonly installed: InstalledLibraries;
  readonly indexes: IndexCache;
  readonly context7: Context7Engine;
}
