import { expect, it } from 'vitest';
import { createRouter, type Route } from './route.ts';

function aRoute(path: string): Route {
  return { path, methods: ['GET'], access: 'open', handle: () => undefined };
}

const find = createRouter(
  ['/health', '/runs/:id', '/runs/latest', '/runs/:id/steps/:step', '/files/*'].map(aRoute),
);

it.each([
  ['/health', '/health', {}],
  ['/runs/latest', '/runs/latest', {}],
  ['/runs/r%2F1', '/runs/:id', { id: 'r/1' }],
  ['/runs/r1/steps/a', '/runs/:id/steps/:step', { id: 'r1', step: 'a' }],
  ['/files/a/b', '/files/*', {}],
  ['/runs/__proto__', '/runs/:id', { id: '__proto__' }],
])('%s is served by %s', (path, route, params) => {
  const match = find(path);
  expect(match?.route.path).toBe(route);
  expect({ ...match?.params }).toEqual(params);
});

it.each(['/', '/runs', '/runs/', '/runs/r1/', '/runs/r1/steps', '/health/', '/runs/%E0%A4%A'])(
  'nothing is served at %s',
  (path) => {
    expect(find(path)).toBeUndefined();
  },
);

it('refuses a path that is declared twice', () => {
  expect(() => createRouter([aRoute('/a'), aRoute('/a')])).toThrow('/a is declared twice');
});
