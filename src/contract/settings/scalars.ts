import { z } from 'zod';
import { parseSize } from './size.ts';
import { about } from './traits.ts';

const sealed = about('A secret.', { isSecret: true });

/** A string that the loader seals into a `Secret`: the brand is how types tell it apart. */
export const secretText = z.string().min(1).brand<'secret'>().meta(sealed);

/** The same where the empty string means something, as in a program's environment. */
export const secretOrEmptyText = z.string().brand<'secret'>().meta(sealed);

/** An http or https address. */
export const httpUrl = z
  .url({ protocol: /^https?$/ })
  .meta(about('An address.', { isAddress: true, expected: 'an http or https address' }));

/** A size such as `100MB` or `64KiB`; `parseSize` gives its bytes. */
export const sizeText = z
  .string()
  .refine((text) => parseSize(text) !== undefined)
  .meta(about('A size.', { expected: 'a size such as "100MB" or "64KiB"' }));

export const seconds = z.number().positive().max(86_400);
