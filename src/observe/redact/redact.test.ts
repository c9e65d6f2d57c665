import { describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/index.ts';
import {
  plainSecret,
  plantedNames,
  plantedShapes,
  tellTale,
} from '../../../testkit/observe/planted-secrets.ts';
import { isSecretName, redactText } from './redact-text.ts';
import { redactValue, type ValueLimits } from './redact-value.ts';

const limits: ValueLimits = {
  maxDepth: 8,
  maxEntries: 50,
  maxValues: 500,
  maxStringLength: 2_000,
};

const shown = (value: unknown): string => JSON.stringify(redactValue(value, limits));

describe('a secret with a telling name', () => {
  it.each(plantedNames)('is hidden under %s at every depth and in lists', (name) => {
    const secret = { [name]: plainSecret };
    const value = {
      ...secret,
      deep: { deeper: [[secret], { map: new Map([[name, plainSecret]]) }] },
      headers: [
        { name, value: plainSecret },
        { key: name, value: plainSecret },
      ],
      nested: { [name]: { inner: plainSecret, list: [plainSecret] } },
      error: Object.assign(new Error('failed'), secret, { details: secret }),
    };
    expect(shown(value)).not.toContain(plainSecret);
  });

  it.each(['password', 'API_KEY', 'token', 'client_secret', 'aws_secret_access_key', 'passphrase'])(
    'is hidden beside %s in text, however it is written',
    (name) => {
      const forms = [
        `${name}=${plainSecret}`,
        `${name} = ${plainSecret}`,
        `${name}: ${plainSecret}`,
        `${name}: "${plainSecret} and more ${plainSecret}"`,
        `{"${name}":"${plainSecret}"}`,
        `{\\"${name}\\":\\"${plainSecret}\\"}`,
        `{'${name}': '${plainSecret}'}`,
        `--${name} ${plainSecret}1`,
        `--${name}=${plainSecret}`,
        `https://x.example/?a=1&${name}=${plainSecret}&b=2`,
        `{ ${name} => '${plainSecret}' }`,
      ];
      for (const text of forms) expect(redactText(text, 500)).not.toContain(plainSecret);
    },
  );

  it('is hidden in the lines of headers, to their end', () => {
    const text = `Cookie: a=${plainSecret}; b=${plainSecret}\nAuthorization: Custom ${plainSecret} x\nHost: visible`;
    expect(redactText(text, 500)).toBe('Cookie: [hidden]\nAuthorization: [hidden]\nHost: visible');
  });

  it('is hidden in lists of arguments and raw headers', () => {
    expect(redactValue(['run', '--token', plainSecret, '-v'], limits)).toEqual([
      'run',
      '--token',
      '[hidden]',
      '-v',
    ]);
    expect(redactValue(['Authorization', plainSecret, 'Host', 'a'], limits)).toEqual([
      'Authorization',
      '[hidden]',
      'Host',
      'a',
    ]);
  });

  it('is hidden whatever its type, but whether there is one may be seen', () => {
    const value = { pin: 1, password: 1234, token: { a: 1 }, secret: [1], apiKey: 12n };
    expect(redactValue(value, limits)).toEqual({
      pin: 1,
      password: '[hidden]',
      token: '[hidden]',
      secret: '[hidden]',
      apiKey: '[hidden]',
    });
    expect(redactValue({ password: null, token: true, secret: '' }, limits)).toEqual({
      password: null,
      token: true,
      secret: '',
    });
  });

  it.each([
    'maxTokens',
    'input_tokens',
    'gen_ai.usage.output_tokens',
    'progressToken',
    'author',
    'keyword',
    'passed',
    'tokenizer',
    'x'.repeat(500),
  ])('does not make %s a secret', (name) => expect(isSecretName(name)).toBe(false));
});

describe('a secret known by its looks', () => {
  it('is planted in at least twenty kinds', () => {
    expect(Object.keys(plantedShapes).length).toBeGreaterThanOrEqual(20);
  });

  it.each(Object.entries(plantedShapes))('is hidden everywhere: %s', (_kind, secret) => {
    const cause = new Error(`cause ${secret}`);
    const value = {
      plain: secret,
      inText: `before ${secret} after`,
      quoted: JSON.stringify({ x: secret }),
      list: [secret, [`(${secret})`]],
      [`key ${secret}`]: 1,
      map: new Map([[secret, secret]]),
      set: new Set([secret]),
      error: new Error(`failed with ${secret}`, { cause }),
      many: new AggregateError([new Error(secret)], secret),
      json: { toJSON: () => ({ secret: [secret] }) },
    };
    expect(shown(value)).not.toContain(tellTale(secret));
    expect(redactText(`x ${secret}`, 4_000)).not.toContain(tellTale(secret));
  });

  it('leaves the text around it readable', () => {
    expect(redactText(`GET ${plantedShapes['urlPassword']!} failed`, 500)).toBe(
      'GET postgres://app:[hidden]@db.example:5432/x failed',
    );
    expect(redactText(`Authorization ${plantedShapes['bearer']!}, retrying`, 500)).toBe(
      'Authorization Bearer [hidden], retrying',
    );
  });

  it.each([
    'Formatted 12 files in 30 ms with prettier 3.9.10',
    'The basic idea: a bearer of news',
    'http://127.0.0.1:8004/mcp answered 200',
    'at file:///home/user/app/src/token-parser.ts:12:5',
    'used 512 tokens: fine',
    '0af7651916cd43dd8448eb211c80319c',
    'task-runner-with-a-long-name sketch-of-something-long',
  ])('is not seen in ordinary text: %s', (text) => expect(redactText(text, 500)).toBe(text));

  it('is hidden when the text is cut in the middle of it', () => {
    for (const secret of Object.values(plantedShapes)) {
      for (const kept of [1, 8, 12, 24]) {
        const text = `${'.'.repeat(100)} ${secret}`;
        expect(redactText(text, 101 + kept)).not.toContain(tellTale(secret));
      }
    }
  });

  it('is looked for in linear time, whatever the text', () => {
    const hostile = [
      'sk-'.repeat(30_000),
      '://'.repeat(30_000),
      '://a:'.repeat(20_000),
      'password'.repeat(10_000),
      `password${' '.repeat(90_000)}`,
      'token="'.repeat(12_000),
      'bearer '.repeat(12_000),
      '-----BEGIN PRIVATE KEY-----'.repeat(3_000),
      'eyJ.'.repeat(25_000),
      `eyJ${'a'.repeat(90_000)}`,
      '\\"'.repeat(45_000),
      'authorization:'.repeat(7_000),
    ];
    const startedAt = performance.now();
    for (const text of hostile) redactText(text, 200_000);
    // A quadratic pattern takes minutes for these.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('a copy without secrets', () => {
  it('keeps plain data as it is', () => {
    const value = { a: 1, b: 'x', c: [true, null, { d: 0.5 }], e: undefined };
    expect(redactValue(value, limits)).toEqual(value);
  });

  it('turns what JSON does not know into something readable', () => {
    const value = {
      big: 12n,
      date: new Date(0),
      badDate: new Date(Number.NaN),
      bytes: Buffer.from('abc'),
      buffer: new ArrayBuffer(4),
      url: new URL('http://a.example/'),
      nan: Number.NaN,
      call: () => 1,
      symbol: Symbol('x'),
      wrapped: new Secret(plainSecret),
      set: new Set([1]),
    };
    expect(redactValue(value, limits)).toEqual({
      big: '12',
      date: '1970-01-01T00:00:00.000Z',
      badDate: null,
      bytes: '[3 bytes]',
      buffer: '[4 bytes]',
      url: 'http://a.example/',
      nan: 'NaN',
      call: '[function]',
      symbol: '[symbol]',
      wrapped: '[hidden]',
      set: [1],
    });
  });

  it('shows an error with its code, details, stack and causes', () => {
    const error = Object.assign(new Error('outer', { cause: new TypeError('inner') }), {
      code: 'a.b',
    });
    expect(redactValue(error, limits)).toMatchObject({
      name: 'Error',
      message: 'outer',
      code: 'a.b',
      stack: expect.stringContaining('redact.test'),
      cause: { name: 'TypeError', message: 'inner' },
    });
  });

  it('cuts circles, depth, length and number, and says so', () => {
    const circle: Record<string, unknown> = { again: 1 };
    circle['self'] = circle;
    expect(redactValue(circle, limits)).toEqual({ again: 1, self: '[circular]' });
    const twice = { a: 1 };
    expect(redactValue([twice, twice], limits)).toEqual([twice, twice]);
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level += 1) deep = { deep };
    expect(shown(deep)).toContain('[too deep]');
    expect(redactValue('x'.repeat(5_000), limits)).toBe(`${'x'.repeat(2_000)}… (5000 characters)`);
    expect(
      redactValue(
        Array.from({ length: 52 }, () => 0),
        limits,
      ),
    ).toHaveLength(51);
    const wide = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k${n}`, n]));
    expect(redactValue(wide, limits)).toMatchObject({ '…': '[10 more]' });
    const rows = Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => ({ a: 1 })));
    expect(shown(rows)).toContain('[too much]');
  });

  it('survives objects that throw when they are read', () => {
    const hostile = {
      get bad(): never {
        throw new Error('no');
      },
      good: 1,
    };
    expect(redactValue(hostile, limits)).toEqual({ bad: '[unreadable]', good: 1 });
    const worse = {
      toJSON: () => {
        throw new Error('no');
      },
    };
    expect(redactValue(worse, limits)).toBe('[unreadable]');
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    expect(redactValue({ revoked: revoked.proxy }, limits)).toEqual({ revoked: '[unreadable]' });
  });

  it('keeps a key named __proto__ a plain key', () => {
    const copy = redactValue(JSON.parse('{"__proto__": {"polluted": 1}}'), limits);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":1}}');
  });
});
