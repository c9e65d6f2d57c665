/** A JSON schema as OpenAPI 3.1 documents hold it, as far as types are made of it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses?: Readonly<Record<string, Content>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** The types of `tutti/client`, made from the OpenAPI document. */
export function renderOperations({ paths, components }: ApiDocument): string {
  const named = Object.entries(components?.schemas ?? {})
    .filter(([name]) => name !== 'Problem')
    .map(([name, schema]) => `type ${name} = ${renderType(schema)};\n`);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation?.operationId === undefined ? [] : [{ path, method, operation }];
    }),
  );
  const types = operations.map(({ operation }) => renderOperation(operation));
  const table = operations.map(
    ({ path, method, operation }) =>
      `  ${operation.operationId}: [${quote(method.toUpperCase())}, ${quote(path)}],`,
  );
  return `${header}\n${named.join('\n')}
export interface Operations {\n${types.join('\n')}\n}

/** Method and path of every operation. */
export const operations = {\n${table.join('\n')}\n} as const;\n`;
}

const header = '// Made from docs/openapi.json by "npm run docs".\n';

function renderOperation(operation: Operation): string {
  const { operationId, summary = '', parameters = [], requestBody, responses = {} } = operation;
  const group = (where: string): string | undefined => {
    const fields = parameters.filter((parameter) => parameter.in === where);
    if (fields.length === 0) return undefined;
    const isNeeded = fields.some(({ required }) => required === true);
    const members = fields.map(
      ({ name, required, schema }) =>
        `${quoteKey(name)}${required === true ? '' : '?'}: ${renderType(schema ?? {})}`,
    );
    return `${where}${isNeeded ? '' : '?'}: { ${members.join('; ')} }`;
  };
  const body = jsonSchema(requestBody);
  const input = [
    group('path'),
    group('query'),
    body && `body${requestBody?.required === true ? '' : '?'}: ${renderType(body)}`,
  ].filter((part) => part !== undefined);
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
  const output = success ? jsonSchema(success[1]) : undefined;
  return [
    `  /** ${summary.replaceAll('*/', '* /')} */`,
    `  ${operationId}: { input: { ${input.join('; ')} }; output: ${output ? renderType(output) : 'unknown'} };`,
  ].join('\n');
}

function jsonSchema(part: Content | undefined): Schema | undefined {
  return part?.content?.['application/json']?.schema;
}

/** A schema as a TypeScript type. What no type can say (formats, limits) is left to the server. */
function renderType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return `(${either.map(renderType).join(' | ')})`;
  if (schema.allOf) return `(${schema.allOf.map(renderType).join(' & ')})`;
  const { type } = schema;
  if (Array.isArray(type)) {
    return `(${type.map((one: string) => renderType({ ...schema, type: one })).join(' | ')})`;
  }
  switch (String(type)) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return String(type);
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${withBrackets(renderType(schema.items ?? {}))}[]`;
    case 'object':
      return renderObject(schema);
    default:
      return 'unknown';
  }
}

function withBrackets(type: string): string {
  return /^[\w]+$|^\(.*\)$|^\{.*\}$/.test(type) ? type : `(${type})`;
}

function renderObject({ properties, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties ?? {}).map(
    ([name, schema]) =>
      `readonly ${quoteKey(name)}${required.includes(name) ? '' : '?'}: ${renderType(schema)}`,
  );
  const rest =
    typeof additionalProperties === 'object' ? renderType(additionalProperties) : 'unknown';
  const isOpen = properties === undefined || typeof additionalProperties === 'object';
  if (isOpen && members.length === 0) return `{ readonly [key: string]: ${rest} }`;
  return `{ ${members.join('; ')} }`;
}

function quoteKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
