import { describe, expect, it } from 'vitest';
import { metaKey } from './envelope.ts';
import type { Request } from './message.ts';
import {
  checkMirroredHeaders,
  checkParamHeaders,
  decodeHeaderValue,
  findParamHeaders,
  paramHeaders,
} from './mirrored-headers.ts';

function aCall(name: unknown = 'größe'): Request {
  const _meta = { [metaKey.protocolVersion]: '2026-07-28' };
  return { kind: 'request', id: 1, method: 'tools/call', params: { name, _meta } };
}

const encoded = `=?base64?${Buffer.from('größe').toString('base64')}?=`;
const fitting = {
  'mcp-protocol-version': ' 2026-07-28 ',
  'mcp-method': 'tools/call',
  'mcp-name': encoded,
};

describe('headers that repeat the body', () => {
  it('are accepted when they say the same', () => {
    expect(checkMirroredHeaders(aCall(), fitting)).toBeUndefined();
    expect(checkMirroredHeaders(aCall('a'), { ...fitting, 'mcp-name': 'a' })).toBeUndefined();
  });

  it('are not needed for a name the body does not have', () => {
    const { 'mcp-name': _name, ...rest } = fitting;
    expect(checkMirroredHeaders(aCall(5), rest)).toBeUndefined();
  });

  it.each([
    ['the version is missing', { 'mcp-protocol-version': undefined }],
    ['the version differs', { 'mcp-protocol-version': '2025-11-25' }],
    ['the method is missing', { 'mcp-method': undefined }],
    ['the method differs in case', { 'mcp-method': 'TOOLS/CALL' }],
    ['the method is encoded', { 'mcp-method': '=?base64?dG9vbHMvY2FsbA==?=' }],
    ['the name is missing', { 'mcp-name': undefined }],
    ['the name differs', { 'mcp-name': 'other' }],
    ['the name is not Base64 though it says so', { 'mcp-name': '=?base64?gr!!?=' }],
    ['the name came twice', { 'mcp-name': ['a', 'b'] }],
  ])('are refused when %s', (_name, change) => {
    expect(checkMirroredHeaders(aCall(), { ...fitting, ...change })).toMatchObject({
      code: -32_020,
    });
  });
});

it('decodes only what carries both marks', () => {
  expect(decodeHeaderValue(encoded)).toBe('größe');
  expect(decodeHeaderValue('=?base64?YQ==')).toBe('=?base64?YQ==');
  expect(decodeHeaderValue('=?base64?YQ?=')).toBeUndefined();
});

describe('headers a tool asks for', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      deep: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
      list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Not' } },
      odd: true,
    },
  };
  const declared = findParamHeaders(schema);

  it('are found along properties and nowhere else', () => {
    expect(declared.map(({ header }) => header).sort()).toEqual([
      'Mcp-Param-N',
      'Mcp-Param-Region',
    ]);
    expect(findParamHeaders({})).toEqual([]);
  });

  it('must repeat the argument, numbers by value', () => {
    const headers = { 'mcp-param-region': 'eu', 'mcp-param-n': '42.0' };
    expect(checkParamHeaders(declared, { region: 'eu', deep: { n: 42 } }, headers)).toBeUndefined();
    expect(checkParamHeaders(declared, { region: 'us', deep: { n: 42 } }, headers)).toMatchObject({
      code: -32_020,
    });
  });

  it('are not expected for an argument that is absent or null, and refused if they come', () => {
    expect(checkParamHeaders(declared, { region: null }, {})).toBeUndefined();
    expect(checkParamHeaders(declared, undefined, {})).toBeUndefined();
    expect(checkParamHeaders(declared, {}, { 'mcp-param-region': 'eu' })).toBeDefined();
    expect(checkParamHeaders(declared, { region: 'eu' }, {})).toBeDefined();
  });

  it('are written so that they pass the check, whatever the argument is', () => {
    const paths = ['plain', 'umlaut', 'blank', 'encoded', 'number', 'flag', 'list', 'absent'];
    const all = paths.map((name) => ({ path: [name], header: `Mcp-Param-${name}` }));
    const args = {
      plain: 'eu west',
      umlaut: 'größe\n',
      blank: ' x ',
      encoded: '=?base64?eA==?=',
      number: 42,
      flag: false,
      list: null,
    };
    const written = paramHeaders(all, args);
    expect(written).toMatchObject({ 'Mcp-Param-plain': 'eu west', 'Mcp-Param-number': '42' });
    for (const value of Object.values(written)) expect(value).toMatch(/^[!-~](?:[ -~]*[!-~])?$/);
    const received = Object.entries(written).map(([name, value]) => [name.toLowerCase(), value]);
    expect(checkParamHeaders(all, args, Object.fromEntries(received))).toBeUndefined();
  });

  it('compare true and false as words', () => {
    const flag = [{ path: ['on'], header: 'Mcp-Param-On' }];
    expect(checkParamHeaders(flag, { on: true }, { 'mcp-param-on': 'true' })).toBeUndefined();
    expect(checkParamHeaders(flag, { on: false }, { 'mcp-param-on': 'true' })).toBeDefined();
  });

  it('end even for a schema that refers to itself', () => {
    const loop: Record<string, unknown> = {};
    loop['properties'] = { again: loop };
    expect(findParamHeaders(loop)).toEqual([]);
  });
});
