import type { z } from 'zod';
import type { Secret } from '../../kernel/index.ts';

/** A value with every branded text sealed. */
export type Sealed<Value> =
  Value extends z.core.$brand<'secret'>
    ? Secret
    : Value extends readonly (infer Item)[]
      ? readonly Sealed<Item>[]
      : Value extends object
        ? { readonly [Key in keyof Value]: Sealed<Value[Key]> }
        : Value;
