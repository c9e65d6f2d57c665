import { expect, it } from 'vitest';
import { tellsPassword } from './tells-password.ts';

it.each([
  'the db password is hunter2-Xk9$pQ',
  'Our staging password is swordfish.',
  'password: s3cr3t-value',
  'the API key for maps is "abcd efgh"',
  'my pin is 4711',
  'the access token of the bot = ab12cd34ef',
])('takes %j for a secret', (text) => {
  expect(tellsPassword(text)).toBe(true);
});

it.each([
  'the password is required',
  'The token is valid for 30 days',
  'the db password is in 1Password',
  'the password is stored in $DB_PASSWORD',
  'api_key: $API_KEY',
  'passwords are at least 12 characters long',
  'we deploy on Tuesdays only',
  'the secret of good code is that it is short',
  'tokens are rotated monthly',
])('remembers %j', (text) => {
  expect(tellsPassword(text)).toBe(false);
});
