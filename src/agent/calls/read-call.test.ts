import { describe, expect, it } from 'vitest';
import { foreignTools } from '../../../test/support/planning/planning-tools.ts';
import { tools as ours } from '../../../testkit/agent/ask-planner.ts';
import { readCall } from './read-call.ts';

const own = ours.filter(({ server }) => server !== 'office');
const isOwn = (server: string): boolean => own.some((entry) => entry.server === server);
const others = foreignTools().map((entry) =>
  entry.server === 'memory'
    ? {
        ...entry,
        server: 'memory-graph',
        name: `memory-graph.${entry.tool.name}`,
      }
    : entry,
);
const tools = [...own, ...others];
const ask = (message: string) => readCall({ message, tools, isOwn });

describe('a request that names a server or its tool', () => {
  it.each([
    ['everything.get-sum a=3 b=4', 'everything.get-sum', { a: 3, b: 4 }],
    ['what is 7 plus 12, use everything.get-sum', 'everything.get-sum', { a: 7, b: 12 }],
    ['use the everything server to add 3 and 4', 'everything.get-sum', { a: 3, b: 4 }],
    ['add 2.5 and -3 with get-sum', 'everything.get-sum', { a: 2.5, b: -3 }],
    ['echo hello with the everything server', 'everything.echo', { message: 'hello' }],
    ['call echo with message hello', 'everything.echo', { message: 'hello' }],
    ['everything.echo message="good day"', 'everything.echo', { message: 'good day' }],
    ['list allowed directories', 'filesystem.list_allowed_directories', {}],
    ['read a.txt with the filesystem server', 'filesystem.read_text_file', { path: 'a.txt' }],
    ['read a.png with the filesystem server', 'filesystem.read_media_file', { path: 'a.png' }],
    [
      'create an entity Dana of type person on the memory-graph server',
      'memory-graph.create_entities',
      { entities: [{ name: 'Dana', entityType: 'person', observations: [] }] },
    ],
    ['list the tables with sqlite', 'sqlite.list_tables', {}],
    ['sqlite.query {"sql": "select 1"}', 'sqlite.query', { sql: 'select 1' }],
    ['run select * from users with sqlite', 'sqlite.query', { sql: 'select * from users' }],
    [
      'write hello world to /tmp/n/x.txt with the filesystem server',
      'filesystem.write_file',
      { path: '/tmp/n/x.txt', content: 'hello world' },
    ],
    [
      'get structured content for chicago from the everything server',
      'everything.get-structured-content',
      { location: 'Chicago' },
    ],
  ])('is that call: "%s"', (message, tool, args) => {
    const answer = ask(message);
    expect(answer).toMatchObject({
      kind: 'plan',
      candidates: [{ plan: { steps: [{ tool }] } }],
    });
    expect(answer).toMatchObject({
      candidates: [{ plan: { steps: [{ args }] } }],
    });
    expect(answer).not.toHaveProperty('notUnderstood');
  });

  it('asks for what the text does not say', () => {
    expect(ask('use get-sum')).toMatchObject({
      candidates: [
        {
          plan: {
            input: { a: { type: 'number' } },
            steps: [{ args: { a: '${input.a}' } }],
          },
        },
      ],
    });
    expect(ask('use the everything server')).toMatchObject({
      kind: 'question',
    });
  });

  it('says which words it did not use', () => {
    expect(ask('list the tables of Dana with sqlite')).toMatchObject({
      notUnderstood: ['Dana'],
    });
  });

  it.each(['is the everything server up?', 'what tools does the sqlite server have'])(
    'is about the server itself: "%s"',
    (message) => {
      expect(ask(message)).toEqual({ kind: 'about', topic: 'servers' });
    },
  );

  it.each([
    'format everything',
    'how do I use sqlite in python',
    'write a python script with sqlite',
    'review src/server.ts of the everything server',
    'add 3 and 4',
    'explain everything.get-sum',
    'read src/cart.ts',
    'echo hello with the everything server, then run the tests',
  ])('is not: "%s"', (message) => {
    expect(ask(message)).toBeUndefined();
  });
});
