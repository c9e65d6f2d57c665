import type { DelegateRequest, TaskClass } from '../../contract/agents/index.ts';
import { languages } from '../../contract/language/index.ts';

/** Words by which a task asks for a kind of work; the first one in it counts. */
const kinds = new Map(
  [
    ['fix', 'fix repair debug solve correct'],
    ['write', 'write add create implement build generate make propose'],
    ['change', 'change refactor rename clean simplify format move remove'],
    ['look', 'review scan check find explain measure run test read show'],
  ].flatMap(([kind = '', words = '']) => words.split(' ').map((word) => [word, kind] as const)),
);

/** What is known of a task before it is done: success is learned for each class by itself. */
export function classOf(
  { task, inputs = {} }: Pick<DelegateRequest, 'task' | 'inputs'>,
  { capability, project }: { readonly capability: string; readonly project: string | undefined },
): TaskClass {
  const words: readonly string[] = task.toLowerCase().match(/[a-z]+/g) ?? [];
  const wanted = inputs['language'];
  const named = languages.find((one) => typeof wanted === 'string' && one === wanted);
  const language = named ?? languages.find((one) => words.includes(one));
  const kind = words.map((word) => kinds.get(word)).find((one) => one !== undefined);
  const size = sizeOf(inputs['path']);
  return {
    capability,
    ...(language !== undefined && { language }),
    ...(kind !== undefined && { kind }),
    ...(size !== undefined && { size }),
    ...(project !== undefined && { project }),
  };
}

/** By what the task is about: a file, a folder or all there is. */
function sizeOf(path: unknown): string | undefined {
  if (typeof path !== 'string') return undefined;
  if (path === '' || path === '.' || path === './') return 'project';
  return /\.\w{1,8}$/.test(path) ? 'file' : 'folder';
}
