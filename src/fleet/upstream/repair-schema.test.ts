import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, vi } from 'vitest';
import { isProof, seededRandom } from '../../../testkit/sample.ts';
import { repairInputSchema, repairOutputSchema } from './repair-schema.ts';

const random = seededRandom(18);
const pick = <Item>(items: readonly Item[]): Item | undefined =>
  items[Math.floor(random() * items.length)];

const keywords =
  `$anchor $async $comment $defs $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema
  additionalItems additionalProperties allOf anyOf const contains contentEncoding contentMediaType contentSchema
  default definitions dependencies dependentRequired dependentSchemas deprecated description else enum examples
  exclusiveMaximum exclusiveMinimum format formatMaximum formatMinimum id if items maxContains maxItems maxLength
  maxProperties maximum minContains minItems minLength minProperties minimum multipleOf not nullable oneOf pattern
  patternProperties prefixItems properties propertyNames readOnly required then title type unevaluatedItems
  unevaluatedProperties uniqueItems writeOnly x-mine constructor toString __proto__`.split(/\s+/);
/** JSON knows no number without end; `JSON.parse('1e999')` gives one. */
const junk: readonly unknown[] = [
  Number.POSITIVE_INFINITY,
  ...(JSON.parse(`[null, true, false, 0, -1, 1.5, "", "x", "string", "OBJECT", "([", "#", "#/properties/a",
    "#/$defs/a", "#/definitions/toString", "#a", "http://[", "other.json", "%E0%A4%A", "^a\\\\-b$", "date-time",
    "http://json-schema.org/draft-04/schema#", [], {}, [1, null], ["a", "a"], ["string", "nope"], [[]], {"a": 1},
    {"([": {}}, {"$ref": 5}]`) as unknown[]),
];

function aSchema(depth: number): Record<string, unknown> {
  const schema: Record<string, unknown> = {};
  for (let count = Math.floor(random() * 5); count >= 0; count -= 1) {
    Object.defineProperty(schema, pick(keywords) ?? '', {
      value: aValue(depth),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return schema;
}

function aValue(depth: number): unknown {
  if (depth === 0 || random() < 0.4) return pick(junk);
  const shape = random();
  if (shape < 0.4) return aSchema(depth - 1);
  if (shape < 0.6) return [aSchema(depth - 1), pick(junk), aSchema(depth - 1)];
  return { a: aSchema(depth - 1), b: pick(junk), toString: aSchema(depth - 1) };
}

/** As a client gets it. */
function sent(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

describe('schemas of tools', () => {
  it('that are right stay the very same objects', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, v: true } };
    const right = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        name: { type: ['string', 'null'], pattern: '^\\p{L}+$', minLength: 1, examples: ['x'] },
        list: { type: 'array', items: { anyOf: [{ const: 1 }, { enum: [null, 'a'] }] } },
        old: { type: 'string', nullable: true },
      },
      required: ['name'],
      additionalProperties: false,
      patternProperties: { '^x-': {} },
      dependentRequired: { name: ['list'] },
      $defs: { node },
      'x-mine': 'anything',
    };
    expect(repairInputSchema(right)).toBe(right);
    expect(repairOutputSchema(right)).toBe(right);
  });

  it('of which any part is wrong are accepted by clients that check and compile them', () => {
    // Compilers warn of formats they do not know.
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    let compiled = 0;
    for (let round = 0; round < (isProof ? 20_000 : 2_000); round += 1) {
      const schema = aSchema(3);
      const inputSchema = repairInputSchema({ ...schema, type: 'object' });
      const outputSchema = repairOutputSchema({ ...schema, type: 'object' });
      if (outputSchema) compiled += 1;
      const tool = { name: 'x', inputSchema, ...(outputSchema && { outputSchema }) };
      const shown = JSON.stringify(outputSchema);
      expect(() => ListToolsResultSchema.parse(sent({ tools: [tool] })), shown).not.toThrow();
      const compile = (): unknown =>
        outputSchema && new AjvJsonSchemaValidator().getValidator(sent(outputSchema));
      expect(compile, shown).not.toThrow();
    }
    warn.mockRestore();
    expect(compiled).toBeGreaterThan(1_000);
  });

  it('for output that lead elsewhere, nowhere or in a circle are left out', () => {
    for (const $ref of ['other.json', '#/$defs/c', '#/$defs/a', '#named', '#/default', '#/a%']) {
      const $defs = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } };
      expect(
        repairOutputSchema({ properties: { x: { $ref } }, default: {}, $defs }),
      ).toBeUndefined();
    }
    const tree = { type: 'object', properties: { child: { $ref: '#' } } };
    expect(repairOutputSchema(tree)).toBe(tree);
  });

  it('for input of another type are refused, and so are those that are none', () => {
    for (const wrong of [{ type: 'array' }, { type: ['string'] }, 'object', [], 5, false]) {
      expect(repairInputSchema(wrong)).toBeUndefined();
    }
  });
});
