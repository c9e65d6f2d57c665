import type { FleetEntry, ServerLaunch } from '../contract/fleet/index.ts';
import { isSecretName, redactText } from '../observe/index.ts';

const hidden = '[hidden]';
/** As long as a line of standard error is kept. */
const maxLineLength = 16_384;
/** A shorter value is a word that lines are full of. */
const minSecretLength = 6;
/** Lines of a private key, the largest there are. */
const maxKeyLines = 200;
const keyStart = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/;

/**
 * Hides what a server must not show of what it was given, in its standard error and in the bodies it answers with:
 * the values of its entry that are secret by name or by looks, and whatever looks like a secret. Takes lines in order,
 * because a private key is spread over many.
 */
export function redactServerText(
  entry: FleetEntry,
  launch: ServerLaunch,
): (text: string) => string {
  const secrets = secretsOf(entry, launch);
  let keyLines = 0;
  return (text) => {
    if (keyStart.test(text)) keyLines = maxKeyLines;
    const isInKey = keyLines > 0;
    keyLines = isInKey && !keyEnd.test(text) ? keyLines - 1 : 0;
    if (isInKey) return hidden;
    let shown = text;
    for (const secret of secrets) shown = shown.replaceAll(secret, hidden);
    return redactText(shown, maxLineLength);
  };
}

/** The longest first: one may be part of another. */
function secretsOf({ settings }: FleetEntry, launch: ServerLaunch): readonly string[] {
  const found = new Set<string>();
  const add = (value: string): void => {
    for (const form of [value, encodeURIComponent(value.toWellFormed())]) {
      if (form.length >= minSecretLength) found.add(form);
    }
  };
  const addNamed = (name: string, value: string, written: string): void => {
    if (isNamedSecret(name) || looksSecret(value) || isKeptElsewhere(written, value)) add(value);
  };
  if (launch.transport === 'stdio') {
    for (const [name, written] of Object.entries(settings.env)) {
      addNamed(name, launch.env[name] ?? '', written.reveal());
    }
    for (const [index, argument] of launch.args.entries()) {
      const [, name = launch.args[index - 1] ?? '', value = argument] =
        /^-{1,2}([\w-]+)=(.*)$/s.exec(argument) ?? [];
      addNamed(name, value, settings.args[index] ?? '');
    }
  } else {
    for (const [name, written] of Object.entries(settings.headers)) {
      const value = launch.headers[name] ?? '';
      addNamed(name, value.replace(/^\w+ +/, ''), written.reveal());
    }
    const { password, searchParams } = new URL(launch.url);
    add(password);
    for (const [name, value] of searchParams) addNamed(name, value, '');
  }
  return [...found].toSorted((a, b) => b.length - a.length);
}

function isNamedSecret(name: string): boolean {
  return isSecretName(name) || /(?:key|auth|credentials?)$/i.test(name);
}

/** Letters and digits mixed, as in generated keys; no path, no address, no file name, and no words with a version such as names of packages. */
function looksSecret(value: string): boolean {
  if (/^[a-z]{1,14}(?:[-_](?:[a-z]{1,14}|\d{1,4}))+$/.test(value)) return false;
  return /^(?=.*[A-Za-z])(?=(?:\D*\d){2})[\w+=~-]{16,}$/.test(value);
}

/** `${env:NAME}` most likely stands there for a reason, unless it names a place or is a plain word. */
function isKeptElsewhere(written: string, value: string): boolean {
  return /^\$\{[^{}]+\}$/.test(written) && !/^[/~.]|:\/\/|^[A-Za-z]+$/.test(value);
}
