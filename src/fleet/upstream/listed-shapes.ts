import type { ServerExtensions } from '../../contract/server/index.ts';
import { isRecord } from '../../protocol/index.ts';
import type { Negotiated } from './negotiate.ts';
import type { ListName } from './read-list.ts';
import {
  flag,
  listOf,
  objectOf,
  oneOf,
  record,
  text,
  type Repair,
  type Shape,
} from './repair-members.ts';
import { repairInputSchema, repairOutputSchema } from './repair-schema.ts';

const datePattern =
  /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An ISO 8601 timestamp; checks the day, because `Date` accepts the 31st of February. */
const moment: Repair = (value) => {
  if (typeof value !== 'string' || !datePattern.test(value)) return undefined;
  const day = value.slice(0, 10);
  const parsed = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
  return isDay ? value : undefined;
};

const whole: Repair = (value) => (Number.isInteger(value) ? value : undefined);

const share: Repair = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined;

const icon = objectOf(
  { src: text, mimeType: text, sizes: listOf(text), theme: oneOf('light', 'dark') },
  ['src'],
);

const described: Shape = {
  name: text,
  title: text,
  description: text,
  icons: listOf(icon),
  _meta: record,
};

const addressed: Shape = {
  ...described,
  mimeType: text,
  annotations: objectOf({
    audience: listOf(oneOf('user', 'assistant')),
    priority: share,
    lastModified: moment,
  }),
};

const argument = objectOf({ name: text, title: text, description: text, required: flag }, ['name']);

/** What strict clients require: they reject the whole list for one invalid entry. */
export const listedShapes: Readonly<Record<ListName, Shape>> = {
  tools: {
    ...described,
    inputSchema: repairInputSchema,
    outputSchema: repairOutputSchema,
    annotations: objectOf({
      title: text,
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
    }),
    execution: objectOf({ taskSupport: oneOf('required', 'optional', 'forbidden') }),
  },
  resources: { ...addressed, size: whole },
  resourceTemplates: addressed,
  prompts: { ...described, arguments: listOf(argument) },
};

const tasksCapability = objectOf({
  list: record,
  cancel: record,
  requests: objectOf({ tools: objectOf({ call: record }) }),
});

/** Extensions that a server declares and Tutti passes on to clients. */
export function extensionsOf({ era, capabilities }: Negotiated): ServerExtensions {
  const { tasks, extensions } = capabilities;
  if (era === 'handshake') {
    const repaired = tasksCapability(tasks);
    return isRecord(repaired) ? { tasks: repaired } : {};
  }
  if (!isRecord(extensions)) return {};
  const usable = Object.entries(extensions).filter(([, extension]) => isRecord(extension));
  return { extensions: Object.fromEntries(usable) };
}
