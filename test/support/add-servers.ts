import { editServers } from '../../src/config/index.ts';

/** Adds servers one after the other to a settings file and says each name once it is written. */
const [path = '', writer = '', count = ''] = process.argv.slice(2);
for (let number = 1; number <= Number(count); number += 1) {
  const name = `${writer}-${number}`;
  const file = { path, kind: 'user', userPath: path } as const;
  await editServers(file, [{ kind: 'add', name, entry: { command: 'x' } }]);
  process.stdout.write(`${name}\n`);
}
