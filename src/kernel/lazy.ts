/** A value that is opened on first use, once. */
export interface Lazy<Value> {
  (): Promise<Value>;
  /** The value if it has been asked for; undefined otherwise. Never opens it. */
  opened(): Promise<Value> | undefined;
}

export function lazy<Value>(open: () => Promise<Value>): Lazy<Value> {
  let opening: Promise<Value> | undefined;
  return Object.assign((): Promise<Value> => (opening ??= open()), { opened: () => opening });
}

type SyncMember<Member> = Member extends (...args: never[]) => Promise<unknown> ? never : Member;
type SyncKey<Target> = {
  [Key in keyof Target]-?: [SyncMember<NonNullable<Target[Key]>>] extends [never] ? never : Key;
}[keyof Target];

/**
 * Stands in for an object that is opened by the first call of one of its methods; `close` does not open it. `own` has
 * every member that does not return a promise, and may replace others.
 */
export function lazyObject<Target extends object>(
  open: Lazy<Target>,
  own: Pick<Target, SyncKey<Target>> & Partial<Target>,
): Target {
  const call =
    (name: string) =>
    async (...args: unknown[]): Promise<unknown> => {
      const target = await (name === 'close' ? open.opened() : open());
      const method: unknown = target && Reflect.get(target, name);
      return typeof method === 'function' ? Reflect.apply(method, target, args) : undefined;
    };
  const proxy: object = new Proxy(own, {
    // Without a `then`, so that it can be the result of an async function.
    get: (_own, name) =>
      Object.hasOwn(own, name) || typeof name === 'symbol' || name === 'then'
        ? Reflect.get(own, name)
        : call(name),
  });
  // All members are there: those of `own`, and a method for every other name.
  return proxy as Target;
}
