import { z } from 'zod';
import { permissions } from '../../contract/access/index.ts';
import { planSchema } from '../../contract/plan/index.ts';
import { basePath } from '../app.ts';
import type { ApiRoute } from '../define-route.ts';
import { apiRoutes } from '../route-table.ts';
import examples from './examples.json' with { type: 'json' };

export type JsonObject = Readonly<Record<string, unknown>>;

export interface OpenApiDocument extends JsonObject {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Operation extends JsonObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly 'x-tutti-permission': string;
}

export interface Parameter extends JsonObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonObject;
  readonly example?: string;
}

interface Answer extends JsonObject {
  readonly content?: Readonly<Record<string, Media>>;
}

interface Media {
  readonly schema: JsonObject;
  readonly example?: unknown;
}

const problemSchema = z.object({
  type: z.string(),
  title: z.string().describe('What the code means.'),
  status: z.int(),
  code: z.string().describe('Stable; docs/errors.md lists all.'),
  detail: z.string().describe('What happened to this request.'),
  hint: z.string().describe('What to do about it.'),
  details: z.record(z.string(), z.unknown()).optional(),
});

/** The OpenAPI 3.1 document, made of the very schemas that check requests. */
export function openApiDocument(version: string): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of apiRoutes) {
    const path = (paths[`${basePath}${route.path}`] ??= {});
    path[route.method] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tutti',
      version,
      description:
        'Tasks, plans, durable runs, sessions, servers, tools and artifacts of a Tutti server. Errors are RFC 9457 problems with stable codes.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(apiRoutes.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of the server, or an API key.',
        },
      },
      responses: {
        Problem: {
          description: 'The request was refused or failed.',
          content: {
            'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
          },
        },
      },
      schemas: { Plan: convertSchema(planSchema), Problem: convertSchema(problemSchema) },
    },
  };
}

interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answer: unknown;
}

const allExamples = new Map<string, Example>(Object.entries(examples));

/** Every route has one that fits its schemas; a test checks that. */
export function exampleOf({ method, path }: Pick<ApiRoute, 'method' | 'path'>): Example {
  return allExamples.get(`${method.toUpperCase()} ${path}`) ?? { answer: null };
}

function operationOf(route: ApiRoute): Operation {
  const { description, permission } = route;
  const example = exampleOf(route);
  const hasBody = route.method === 'post' && !isEmpty(route.body);
  return {
    operationId: operationId(route),
    tags: [route.group],
    summary: route.summary,
    ...(description !== undefined && { description }),
    parameters: [
      ...parametersIn('path', route.params, example.params),
      ...parametersIn('query', route.query, example.query),
      ...headersOf(route),
    ],
    ...(hasBody && {
      requestBody: {
        required: !isOptional(route.body, {}),
        content: {
          'application/json': { schema: convertSchema(route.body), example: example.body ?? {} },
        },
      },
    }),
    responses: {
      [String(route.status ?? 200)]: answerOf(route),
      default: { $ref: '#/components/responses/Problem' },
    },
    'x-tutti-permission': permission,
    'x-tutti-role': permissions[permission].from,
  };
}

function answerOf(route: ApiRoute): Answer {
  const { status, mediaType = 'application/json', answer, summary } = route;
  if (status === 204) return { description: 'Done.' };
  const media = { schema: convertSchema(answer), example: exampleOf(route).answer };
  return { description: `${summary}.`, content: { [mediaType]: media } };
}

/** `getRunsByIdSteps`. */
function operationId({ method, path }: ApiRoute): string {
  const words = path.split('/').flatMap((part) => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    return name === undefined ? part.split('-') : ['by', name];
  });
  return [method, ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
}

function parametersIn(
  place: 'path' | 'query',
  { shape }: ApiRoute['params'],
  example: Example['query'] = {},
): Parameter[] {
  const examples = new Map(Object.entries(example));
  return Object.entries(shape).map(([name, schema]) => {
    // Every member of a zod object is a schema of the full API here: routes are made with no other.
    const { description, ...converted } = convertSchema(schema as z.ZodType, 'output');
    const value = examples.get(name);
    return {
      name,
      in: place,
      required: place === 'path' || !isOptional(schema as z.ZodType, undefined),
      ...(typeof description === 'string' && { description }),
      ...(converted['type'] === 'array' && { style: 'form', explode: false }),
      schema: converted,
      ...(value !== undefined && { example: value }),
    };
  });
}

function headersOf({ method, path, mediaType }: ApiRoute): Parameter[] {
  const header = (name: string, description: string): Parameter => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  if (method === 'post') {
    return [
      header(
        'Idempotency-Key',
        'A key of the client’s choice: the same request with the same key is carried out once and gets the same answer, for a day.',
      ),
    ];
  }
  if (path.endsWith('/events')) {
    return [header('Last-Event-ID', 'The last event id the client got.')];
  }
  return mediaType === undefined ? [] : [header('Range', 'One range of bytes: `bytes=0-99`.')];
}

function isEmpty(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).length === 0;
}

/** Schemas that the document has once, under `components`. */
const named = z.registry<{ id: string }>();
named.add(planSchema, { id: 'Plan' });

/** A zod schema as JSON Schema (2020-12, as OpenAPI 3.1 takes it), with references into `components`. */
function convertSchema(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonObject {
  const converted = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    metadata: named,
    override: ({ zodSchema, jsonSchema }) => {
      const { description } = z.globalRegistry.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description ??= description;
    },
  });
  // A recursive schema with a name is a reference to its definition.
  const whole = (schema === planSchema && converted.$defs?.['Plan']) || converted;
  const { $schema: _dialect, $defs: _hoisted, id: _id, ...rest } = whole;
  return rewrite(rest, schema === planSchema ? 'Plan' : undefined) as JsonObject;
}

const definition = '#/$defs/';

/** Where references lead from within `components`. Recursive schemas without a name are those of any JSON value. */
function rewrite(value: unknown, self: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => rewrite(one, self));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: target, ...members } = value as { $ref?: unknown };
  const rewritten = Object.fromEntries(
    Object.entries(members)
      .filter(([key]) => key !== 'id' || typeof Reflect.get(value, 'id') !== 'string')
      .map(([key, member]) => [key, rewrite(member, self)]),
  );
  if (typeof target !== 'string') return rewritten;
  if (target === '#') return { ...rewritten, $ref: `#/components/schemas/${self ?? 'Plan'}` };
  const name = target.slice(definition.length);
  return name.startsWith('__') ? rewritten : { ...rewritten, $ref: `#/components/schemas/${name}` };
}

/** Whether the schema takes an absent value, given as `absent`. */
function isOptional(schema: z.ZodType, absent: unknown): boolean {
  return schema.safeParse(absent).success;
}
