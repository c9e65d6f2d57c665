/** Makes the constructor of a subclass work on an object that exists already. */
// oxlint-disable-next-line typescript/no-extraneous-class -- only a base class can do this
class Existing {
  constructor(value: object) {
    // oxlint-disable-next-line no-constructor-return -- what a subclass adds, it adds to this object
    return value;
  }
}

/**
 * Carries the text in a private field of the value itself: many times cheaper than a property that is
 * not enumerable or a weak map, and visible nowhere else.
 */
class WireMark extends Existing {
  #text: string;

  private constructor(value: object, text: string) {
    super(value);
    this.#text = text;
  }

  static put(value: object, text: string): void {
    if (#text in value) value.#text = text;
    else void new WireMark(value, text);
  }

  static read(value: object): string | undefined {
    return #text in value ? value.#text : undefined;
  }
}

/**
 * Remembers the exact JSON text a value came as, so that it is passed on with those bytes:
 * numbers beyond 2^53, `1.0` and escapes survive. The mark is not copied by spreading, so a changed
 * copy never claims to be the original.
 */
export function withWireText<Value extends object>(value: Value, text: string): Value {
  WireMark.put(value, text);
  return value;
}

/** The exact JSON text of a value that came over a wire; undefined for one made here. */
export function wireTextOf(value: object): string | undefined {
  return WireMark.read(value);
}
