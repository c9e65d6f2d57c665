import { expect, it } from 'vitest';
import { describeLack } from './describe-lack.ts';
import { DockerRequestError } from './errors.ts';

it.each([
  ['connect EACCES /var/run/docker.sock', 'usermod -aG docker'],
  ['connect ECONNREFUSED /var/run/docker.sock', 'systemctl start docker'],
])('says what helps when the engine cannot be reached: %s', (reason, fix) => {
  const lack = describeLack(new DockerRequestError('GET /info', null, reason));
  expect(lack.message).toContain(reason);
  expect(lack.fix).toContain(fix);
});

it('says no more than it knows of another failure', () => {
  expect(describeLack(new Error('odd'))).toEqual({ message: 'odd' });
});
