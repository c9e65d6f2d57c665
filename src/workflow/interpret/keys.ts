/**
 * What a run's coroutine asks for has a key: the path of a step (`build`, `build[3]`, `outer[2]/inner`)
 * and a suffix that begins with one of `# ~ ! ? + =`, none of which a path can hold.
 */
export const attemptKey = (path: string, attempt: number): string => `${path}#${attempt}`;
export const backoffKey = (path: string, attempt: number): string => `${path}~${attempt}`;
export const whenKey = (path: string): string => `${path}=`;
export const itemsKey = (path: string): string => `${path}=items`;
export const resolveKey = (path: string, attempt: number): string => `${path}?${attempt}`;
export const repairKey = (path: string, round: number): string => `${path}+${round}`;
/** Corrected arguments need an approval of their own: one per round of repair, 0 before the first. */
export const askKey = (path: string, round: number): string =>
  round === 0 ? `${path}!ask` : `${path}!ask+${round}`;
export const verdictKey = (path: string, round: number): string =>
  round === 0 ? `${path}!` : `${path}!+${round}`;

export const approvalSignal = (approvalId: string): string => `approval:${approvalId}`;
export const repairSignal = (path: string, round: number): string => `repair:${path}:${round}`;
/** `unknowns`: how often the outcome of this step was unknown, from 1. An answer counts for one time only. */
export const resolveSignal = (path: string, unknowns: number): string =>
  unknowns === 1 ? `resolve:${path}` : `resolve:${path}:${unknowns}`;

export function pathOfKey(key: string): string {
  for (let at = 0; at < key.length; at += 1) {
    if (suffixStarts.includes(key.charAt(at))) return key.slice(0, at);
  }
  return key;
}

const suffixStarts = '#~!?+=';

/** Whether a path is one of these, or an element of one, or within one. */
export function isWithin(path: string, paths: ReadonlySet<string>): boolean {
  if (paths.has(path)) return true;
  for (let at = path.length - 1; at > 0; at -= 1) {
    const character = path.charAt(at);
    if ((character === '/' || character === '[') && paths.has(path.slice(0, at))) return true;
  }
  return false;
}

/** The path of what a path is an element of or within: `outer[2]` for `outer[2]/inner`, `outer` for that. */
export function aroundOf(path: string): string | undefined {
  const at = path.lastIndexOf(path.endsWith(']') ? '[' : '/');
  return at < 0 ? undefined : path.slice(0, at);
}

/** The key of the asking whose answer is waited for under this key. */
export function askKeyOfVerdict(key: string): string {
  return key.replace('!', '!ask');
}
