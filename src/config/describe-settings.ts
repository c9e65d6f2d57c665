import { z } from 'zod';
import { aboutOf, type SettingRow } from '../contract/settings/index.ts';
import {
  asSchema,
  isRecord,
  type Setting,
  transformValue,
  unwrap,
  valueSchema,
} from './setting.ts';
import { type SettingSource, sourceText } from './settings.ts';

interface DescribedParts {
  readonly settings: readonly Setting[];
  /** The effective values as a tree, secrets still readable. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly sources: ReadonlyMap<string, SettingSource>;
}

/** Every setting as `tutti config` shows it; a map gets a row per entry. */
export function describeSettings({ settings, given, sources }: DescribedParts): SettingRow[] {
  const rowOf = (setting: Setting, value: unknown, entry?: string): SettingRow => {
    const key = entry === undefined ? setting.key : `${setting.key}.${entry}`;
    const source = sources.get(key) ?? ({ kind: 'default' } as const);
    const schema = valueSchema(entry === undefined ? { setting } : { setting, entry });
    return {
      key,
      value: hideSecrets(schema, value),
      source: sourceText(source),
      description: setting.description,
    };
  };
  return settings.flatMap((setting) => {
    const value = valueAt(given, setting.path);
    if (!setting.isMap || !isRecord(value) || Object.keys(value).length === 0) {
      return [rowOf(setting, value)];
    }
    return Object.entries(value).map(([entry, inner]) => rowOf(setting, inner, entry));
  });
}

function valueAt(tree: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  let current: unknown = tree;
  for (const name of path) current = isRecord(current) ? current[name] : undefined;
  return current;
}

const hidden = '[hidden]';

const secretWord = /(?:key|token|secret|passw|pwd|auth|credential|signature|\bsig\b)/i;
/** `--token=abc`, `password: abc` */
const namesSecret = new RegExp(`${secretWord.source}[\\w-]{0,64}[=: ]`, 'i');
const maxAddressLength = 8192;

/** A setting's value as it may be shown: secrets, passwords in addresses and unknown extras hidden. */
function hideSecrets(schema: z.ZodType, value: unknown): unknown {
  const shown = transformValue(schema, value, {
    text: (text, traits) => {
      if (isReference(text)) return text;
      if (traits.isAddress === true) return hideInAddress(text);
      return traits.isSecret === true ? hidden : text;
    },
    extra: () => hidden,
  });
  return hideInArguments(shown);
}

/** Whether something of a value would be hidden: a secret, or a password in an address. */
export function showsSecret(schema: z.ZodType, value: unknown): boolean {
  return JSON.stringify(hideSecrets(schema, value)) !== JSON.stringify(value);
}

/** A text that only says where its value comes from: `${env:NAME}`, `${NAME}`, `${file:/path}`. */
function isReference(text: string): boolean {
  return /^\$\{(?:(?:env:)?[A-Za-z_]\w{0,255}|file:[^${}]{1,1024})\}$/.test(text);
}

/** An address without its password, without a name that stands alone as one, and without the query values whose names sound secret. */
function hideInAddress(text: string): string {
  if (text.length > maxAddressLength || !URL.canParse(text)) return hidden;
  const url = new URL(text);
  const isNameSecret = url.password === '' && url.username !== '';
  const parts: string[] = [url.password, isNameSecret ? url.username : ''];
  for (const [name, value] of url.searchParams) if (secretWord.test(name)) parts.push(value);
  if (parts.every((part) => part === '')) return text;
  if (url.password !== '') url.password = hidden;
  if (isNameSecret) url.username = hidden;
  for (const name of new Set(url.searchParams.keys())) {
    if (secretWord.test(name)) url.searchParams.set(name, hidden);
  }
  return url.href.replaceAll('%5Bhidden%5D', hidden);
}

/** True when a wrong value may be quoted in an error: it is not where a secret belongs. */
export function mayQuote(schema: z.ZodType, value: unknown): boolean {
  const { isSecret, isAddress } = aboutOf(unwrap(schema));
  if (typeof value === 'string' && namesSecret.test(value)) return false;
  if (isAddress === true && isSecret !== true) return !/[@?]/.test(String(value));
  return !holdsSecret(schema);
}

function holdsSecret(schema: z.ZodType): boolean {
  const value = unwrap(schema);
  if (aboutOf(value).isSecret === true) return true;
  if (value instanceof z.ZodArray) return holdsSecret(asSchema(value.element));
  if (value instanceof z.ZodRecord) return holdsSecret(asSchema(value.valueType));
  if (value instanceof z.ZodObject) {
    return Object.values(value.shape).some((inner) => holdsSecret(asSchema(inner)));
  }
  return false;
}

/** `postgres://user:password@host/db`, alone or behind `--db=`. */
function hideAddressesIn(text: string): string {
  if (!text.includes('://')) return text;
  if (URL.canParse(text)) return hideInAddress(text);
  return text.replaceAll(/:\/\/[^\s/?#@]{1,1024}@/g, `://${hidden}@`);
}

/** `--token=abc` and `--token abc` in the arguments of an MCP server's program. */
function hideInArguments(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('args' in value)) return value;
  if (!Array.isArray(value.args)) return value;
  const args: readonly unknown[] = value.args;
  const shown = args.map((argument, index) => {
    if (typeof argument !== 'string') return argument;
    const previous = args[index - 1];
    const isNamedBefore =
      typeof previous === 'string' && /^--?[\w-]+$/.test(previous) && secretWord.test(previous);
    if (isNamedBefore && !argument.startsWith('-')) return hidden;
    const [, name] = /^(-{0,2}[\w-]+)[=:]/.exec(argument) ?? [];
    return name !== undefined && secretWord.test(name)
      ? `${argument.slice(0, name.length + 1)}${hidden}`
      : hideAddressesIn(argument);
  });
  return { ...value, args: shown };
}
