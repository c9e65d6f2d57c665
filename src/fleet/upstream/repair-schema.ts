import {
  asObjectSchema,
  isRecord,
  namedTypes,
  withObjectProperties,
  type Params,
} from '../../protocol/index.ts';
import {
  flag,
  listOf,
  repairMembers,
  number,
  text,
  type Repair,
  type Shape,
} from './repair-members.ts';
import { schemaHazard } from './schema-hazard.ts';

/** The schema of a tool's arguments; undefined where it is of another type than `object`. */
export function repairInputSchema(value: unknown): Params | undefined {
  // A tool without a schema accepts any arguments.
  if (value === undefined || value === null || value === true) return { type: 'object' };
  const object = isRecord(value) ? asObjectSchema(value) : undefined;
  return object && withObjectProperties(new SchemaRepairer('input').repair(object));
}

/**
 * The schema of a tool's structured results; undefined where clients cannot compile it or should not. They compile it when they
 * list, and some reject the whole list on a failure.
 */
export function repairOutputSchema(value: unknown): Params | undefined {
  if (!isRecord(value) || schemaHazard(value) !== undefined) return undefined;
  const repairer = new SchemaRepairer('output');
  const root = repairer.repair(value);
  return repairer.isClosed(root) ? withObjectProperties(root) : undefined;
}

/**
 * Removes invalid parts of a JSON Schema: keywords with values of the wrong type, invalid patterns. Results are
 * then checked less strictly; the server itself still checks arguments.
 *
 * 1. A valid schema is returned as the same object.
 * 2. An output schema, which clients compile, contains no `$id` or anchors, because two servers might use the
 *    same one, and refers only to its own parts.
 */
class SchemaRepairer {
  readonly #keywords: Shape;
  /** All subschemas after repair. */
  readonly #schemas = new Set<unknown>();
  readonly #references: string[] = [];

  constructor(use: 'input' | 'output') {
    this.#keywords = use === 'output' ? this.#compiledKeywords() : this.#plainKeywords();
  }

  repair(schema: Params): Params {
    const repaired = withUsableNull(repairMembers(schema, this.#keywords));
    this.#schemas.add(repaired);
    return repaired;
  }

  /** Whether every reference resolves within `root`, and no part has an `$id` or anchor. */
  isClosed(root: Params): boolean {
    if (innerName.test(JSON.stringify(root))) return false;
    return this.#references.every((reference) => this.#ends(reference, root));
  }

  /** Follows chains of references; a cycle does not resolve. */
  #ends(reference: string, root: Params): boolean {
    const passed = new Set<unknown>();
    for (let next: unknown = reference; typeof next === 'string';) {
      const target = follow(next, root);
      if (passed.has(target) || !this.#schemas.has(target)) return typeof target === 'boolean';
      passed.add(target);
      next = isRecord(target) ? target['$ref'] : undefined;
    }
    return true;
  }

  #plainKeywords(): Shape {
    const schema: Repair = (value) => {
      if (typeof value === 'boolean') return value;
      return isRecord(value) ? this.repair(value) : undefined;
    };
    const orAny: Repair = (value) => schema(value) ?? {};
    const schemas: Repair = (value) => (isFilled(value) ? listOf(orAny)(value) : undefined);
    const named = byName(orAny);
    const shape: Record<string, Repair> = {
      type: repairType,
      items: (value) => (Array.isArray(value) ? schemas(value) : schema(value)),
      enum: (value) => (isFilled(value) ? value : undefined),
      examples: (value) => (Array.isArray(value) ? value : undefined),
      required: names,
      dependentRequired: byName((value) => names(value) ?? []),
      dependencies: byName((value) => (Array.isArray(value) ? names(value) : orAny(value))),
      pattern: (value) => (isPattern(value, '') || isPattern(value, 'u') ? value : undefined),
      patternProperties: (value) => named(withoutKeys(value, (key) => isPattern(key, ''))),
    };
    for (const [keywords, repair] of [
      [['properties', '$defs', 'definitions', 'dependentSchemas'], named],
      [['allOf', 'anyOf', 'oneOf', 'prefixItems'], schemas],
      [schemaKeywords, schema],
      [numberKeywords, number],
      [textKeywords, text],
      [flagKeywords, flag],
    ] as const) {
      for (const keyword of keywords) shape[keyword] = repair;
    }
    return shape;
  }

  #compiledKeywords(): Shape {
    const plain = this.#plainKeywords();
    const { items, patternProperties } = plain;
    const reference: Repair = (value) => {
      if (typeof value !== 'string') return undefined;
      this.#references.push(value);
      return value;
    };
    return {
      ...plain,
      ...Object.fromEntries(uncompiledKeywords.map((keyword) => [keyword, () => undefined])),
      $schema: (value) => (typeof value === 'string' && dialect.test(value) ? value : undefined),
      $ref: reference,
      $dynamicRef: reference,
      $recursiveRef: reference,
      // Newer compilers accept only a single schema here.
      items: (value) => (Array.isArray(value) ? undefined : items?.(value)),
      pattern: (value) => (isPattern(value, 'u') ? value : undefined),
      patternProperties: (value) =>
        patternProperties?.(withoutKeys(value, (key) => isPattern(key, 'u'))),
    };
  }
}

const schemaKeywords = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const numberKeywords = [
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
];
const textKeywords = [
  '$anchor',
  '$comment',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$ref',
  '$schema',
  'contentEncoding',
  'contentMediaType',
  'description',
  'format',
  'title',
];
const flagKeywords = ['deprecated', 'nullable', 'readOnly', 'uniqueItems', 'writeOnly'];
/** Keywords that compilers reject or register globally. */
const uncompiledKeywords = [
  '$anchor',
  '$async',
  '$dynamicAnchor',
  '$id',
  '$recursiveAnchor',
  '$vocabulary',
  'formatExclusiveMaximum',
  'formatExclusiveMinimum',
  'formatMaximum',
  'formatMinimum',
  'id',
];
/** Compilers also find ids in data and unknown keywords. */
const innerName = /"\$(?:anchor|dynamicAnchor|id)":"/;
/** Supported JSON Schema dialects. */
const dialect = /^https?:\/\/json-schema\.org\/draft(?:-0[67]|\/2019-09|\/2020-12)\/schema#?$/;
/** A JSON pointer without escapes, which all implementations resolve alike. */
const plainPointer = /^#(?:\/[\w$.-]+)*$/;

const names = listOf(text);

const repairType: Repair = (value) => {
  const known = namedTypes(value);
  if (known.length === 0) return undefined;
  if (!Array.isArray(value)) return known[0];
  return value.length === known.length && known.every((it, at) => it === value[at]) ? value : known;
};

/** Compilers reject `nullable` without a type. */
function withUsableNull(schema: Params): Params {
  const { nullable, ...rest } = schema;
  if (nullable === undefined) return schema;
  const types = namedTypes(rest['type']);
  return types.length === 0 || (nullable === false && types.includes('null')) ? rest : schema;
}

function byName(repair: Repair): Repair {
  return (value) => {
    if (!isRecord(value)) return undefined;
    const entries = Object.entries(value);
    const repaired = entries.map(([name, member]): [string, unknown] => [name, repair(member)]);
    const isSame = repaired.every(([, member], at) => member === entries[at]?.[1]);
    return isSame ? value : Object.fromEntries(repaired);
  };
}

function withoutKeys(value: unknown, isGood: (key: string) => boolean): unknown {
  if (!isRecord(value) || Object.keys(value).every(isGood)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => isGood(key)));
}

function isFilled(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isPattern(value: unknown, flags: string): boolean {
  if (typeof value !== 'string') return false;
  try {
    return new RegExp(value, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** The target of a reference; undefined where it is outside `root` or missing. */
function follow(reference: string, root: unknown): unknown {
  if (!plainPointer.test(reference)) return undefined;
  let at = root;
  for (const step of reference.split('/').slice(1)) {
    const isThere = typeof at === 'object' && at !== null && Object.hasOwn(at, step);
    at = isThere ? Object(at)[step] : undefined;
  }
  return at;
}
