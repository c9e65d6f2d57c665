// C (+)= A·B on row-major float32 matrices, in WebAssembly with SIMD. The module is assembled here, so that no
// binary has to be trusted. Every element is summed in the order of k: the same inputs give the same bits.
const code = {
  block: 0x02,
  loop: 0x03,
  br: 0x0c,
  brIf: 0x0d,
  end: 0x0b,
  get: 0x20,
  set: 0x21,
  i32: 0x41,
  add: 0x6a,
  mul: 0x6c,
  gt: 0x4a,
  f32Load: 0x2a,
  f32Store: 0x38,
  f32Add: 0x92,
  f32Mul: 0x94,
};
const simd = {
  load: 0x00,
  splatLoad: 0x09,
  store: 0x0b,
  zero: 0x0c,
  add: 0xe4,
  mul: 0xe6,
  madd: 0x105,
};
const [i32, v128, f32, none] = [0x7f, 0x7b, 0x7d, 0x40];
const parameters = ['a', 'lda', 'b', 'ldb', 'c', 'ldc', 'm', 'n', 'k', 'accumulate', 'scratch'];
const integers = ['i', 'j', 'p', 'pa', 'pb', 'pc', 'at', 'stride'];
const [rows, vectors] = [4, 2];

const unsigned = (value) => {
  const bytes = [];
  do {
    bytes.push((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>>= 7;
  } while (value !== 0);
  return bytes;
};
const signed = (value) => {
  const bytes = [];
  for (;;) {
    const byte = value & 0x7f;
    value >>= 7;
    if ((value === 0 && !(byte & 0x40)) || (value === -1 && byte & 0x40)) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
};
const locals = new Map(
  [
    ...parameters,
    ...integers,
    'b0',
    'b1',
    ...Array.from({ length: rows * vectors }, (_, at) => `v${at}`),
    'bs',
    ...Array.from({ length: rows }, (_, at) => `s${at}`),
  ].map((name, at) => [name, at]),
);
const get = (name) => [code.get, ...unsigned(locals.get(name))];
const set = (name, ...value) => [...value.flat(), code.set, ...unsigned(locals.get(name))];
const number = (value) => [code.i32, ...signed(value)];
const vector = (operation) => [0xfd, ...unsigned(operation)];
const sum = (...terms) => terms.flatMap((term, at) => (at === 0 ? term : [...term, code.add]));
const product = (one, other) => [...one, ...other, code.mul];
const memory = (offset = 0) => [0, ...unsigned(offset)];
const repeat = (body) => [
  code.block,
  none,
  code.loop,
  none,
  ...body,
  code.br,
  0,
  code.end,
  code.end,
];
const leaveIf = (one, other) => [...one, ...other, code.gt, code.brIf, 1];
const increase = (name, by) => set(name, sum(get(name), by));

/** One tile of `height` rows; `wide` vectors of four columns, or one column when 0. */
function tile(height, wide, hasRelaxed) {
  const count = Math.max(1, wide);
  const name = (row, column) => (wide === 0 ? `s${row}` : `v${row * vectors + column}`);
  const each = (make) =>
    Array.from({ length: height }, (_, row) =>
      Array.from({ length: count }, (_, column) => make(row, column)),
    ).flat(2);
  const zero = wide === 0 ? [0x43, 0, 0, 0, 0] : [...vector(simd.zero), ...Array(16).fill(0)];
  const load = wide === 0 ? [code.f32Load, 2] : [...vector(simd.load), 2];
  const store = wide === 0 ? [code.f32Store, 2] : [...vector(simd.store), 2];
  const plus = wide === 0 ? [code.f32Add] : vector(simd.add);
  const rowOf = (base, ld, row) => sum(base, product(get(ld), number(row)));
  const term = (row, column) => {
    const a = [
      ...rowOf(get('pa'), 'lda', row),
      ...(wide === 0 ? [code.f32Load, 2] : [...vector(simd.splatLoad), 2]),
      ...memory().slice(1),
    ];
    const b = get(wide === 0 ? 'bs' : `b${column}`);
    if (wide > 0 && hasRelaxed)
      return set(name(row, column), a, b, get(name(row, column)), vector(simd.madd));
    return set(
      name(row, column),
      get(name(row, column)),
      a,
      b,
      wide === 0 ? [code.f32Mul] : vector(simd.mul),
      plus,
    );
  };
  const loadB =
    wide === 0
      ? set('bs', get('pb'), load, [0])
      : Array.from({ length: wide }, (_, column) =>
          set(`b${column}`, get('pb'), load, unsigned(column * 16)),
        ).flat();
  return [
    ...each((row, column) => set(name(row, column), zero)),
    ...set('pa', sum(get('a'), product(get('i'), get('lda')))),
    ...set('pb', get('at')),
    ...set('p', number(0)),
    ...repeat([
      ...leaveIf(sum(get('p'), number(1)), get('k')),
      ...loadB,
      ...each(term),
      ...increase('pa', number(4)),
      ...increase('pb', get('stride')),
      ...increase('p', number(1)),
    ]),
    ...set('pc', sum(get('c'), product(get('i'), get('ldc')), product(get('j'), number(4)))),
    code.block,
    none,
    ...get('accumulate'),
    0x45,
    code.brIf,
    0,
    ...each((row, column) =>
      set(
        name(row, column),
        get(name(row, column)),
        rowOf(get('pc'), 'ldc', row),
        load,
        unsigned(column * 16),
        plus,
      ),
    ),
    code.end,
    ...each((row, column) => [
      ...rowOf(get('pc'), 'ldc', row),
      ...get(name(row, column)),
      ...store,
      ...unsigned(column * 16),
    ]),
  ];
}

/** All rows of a panel of columns. */
function panel(wide, hasRelaxed) {
  const width = Math.max(1, wide * 4);
  const source = sum(get('b'), product(get('j'), number(4)));
  const pack = [
    ...set('pb', source),
    ...set('at', get('scratch')),
    ...set('p', number(0)),
    ...repeat([
      ...leaveIf(sum(get('p'), number(1)), get('k')),
      ...Array.from({ length: wide }, (_, column) => [
        ...get('at'),
        ...get('pb'),
        ...vector(simd.load),
        2,
        ...unsigned(column * 16),
        ...vector(simd.store),
        2,
        ...unsigned(column * 16),
      ]).flat(),
      ...increase('pb', get('ldb')),
      ...increase('at', number(width * 4)),
      ...increase('p', number(1)),
    ]),
    ...set('at', get('scratch')),
    ...set('stride', number(width * 4)),
  ];
  const direct = [...set('at', source), ...set('stride', get('ldb'))];
  const down = (height) =>
    repeat([
      ...leaveIf(sum(get('i'), number(height)), get('m')),
      ...tile(height, wide, hasRelaxed),
      ...increase('i', number(height)),
    ]);
  return repeat([
    ...leaveIf(sum(get('j'), number(width)), get('n')),
    ...(wide === 0 ? direct : pack),
    ...set('i', number(0)),
    ...down(rows),
    ...down(1),
    ...increase('j', number(width)),
  ]);
}

const section = (id, content) => [id, ...unsigned(content.length), ...content];
const text = (value) => [value.length, ...Buffer.from(value)];

function assemble(hasRelaxed) {
  const groups = [
    [integers.length, i32],
    [2 + rows * vectors, v128],
    [1 + rows, f32],
  ];
  const body = [
    groups.length,
    ...groups.flat(),
    ...set('j', number(0)),
    ...panel(2, hasRelaxed),
    ...panel(1, hasRelaxed),
    ...panel(0, hasRelaxed),
    code.end,
  ];
  return new Uint8Array([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, [1, 0x60, parameters.length, ...parameters.map(() => i32), 0]),
    ...section(2, [1, ...text('e'), ...text('m'), 2, 0, ...unsigned(1)]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text('gemm'), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

/** Fused multiply-add where this Node has it: about twice as fast, and its last digits differ. */
export const hasFusedMultiplyAdd = WebAssembly.validate(assemble(true));

/** `bytes` of memory and the product of matrices in it. `multiply(c, a, b, {m, n, k})` works on views of that memory. */
export function createKernel(bytes) {
  const maxScratch = 8 * 65_536 * 4;
  const pages = Math.ceil((bytes + maxScratch) / 65_536) + 1;
  const wasm = new WebAssembly.Memory({ initial: pages });
  const module = new WebAssembly.Module(assemble(hasFusedMultiplyAdd));
  const { gemm } = new WebAssembly.Instance(module, { e: { m: wasm } }).exports;
  let used = maxScratch;
  const take = (length) => {
    const view = new Float32Array(wasm.buffer, used, length);
    used += Math.ceil(length / 16) * 64;
    return view;
  };
  const multiply = (c, a, b, { m, n, k, lda = k, ldb = n, ldc = n, add = false, at = [0, 0, 0] }) =>
    gemm(
      a.byteOffset + at[1] * 4,
      lda * 4,
      b.byteOffset + at[2] * 4,
      ldb * 4,
      c.byteOffset + at[0] * 4,
      ldc * 4,
      m,
      n,
      k,
      add ? 1 : 0,
      0,
    );
  return { take, multiply };
}
