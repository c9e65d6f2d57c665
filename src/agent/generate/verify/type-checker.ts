/** Checks types that running code erases. */
export interface TypeChecker {
  /** What is wrong with the types of a TypeScript module; `unavailable` where there is no compiler. */
  check(text: string, signal: AbortSignal): Promise<TypeCheck>;
}

export type TypeCheck =
  | { readonly kind: 'checked'; readonly errors: readonly string[] }
  | { readonly kind: 'unavailable'; readonly why: string };
