import { UsageError } from './errors.ts';

/** The settings that global flags give, by dotted key. */
export function flagsOf(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const assignment of textsOf(options['set'])) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new UsageError(`--set wants key=value, and got "${assignment}"`);
    flags[assignment.slice(0, at)] = assignment.slice(at + 1);
  }
  const roots = textsOf(options['root']);
  if (options['debug'] === true) flags['logging.level'] = 'debug';
  if (options['home'] !== undefined) flags['home'] = options['home'];
  if (roots.length > 0) flags['roots'] = roots;
  if (options['logLevel'] !== undefined) flags['logging.level'] = options['logLevel'];
  return flags;
}

/** The values of an option that may be given several times. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
