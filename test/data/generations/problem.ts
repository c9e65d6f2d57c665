/** One small task in several languages: what solves it, what looks as if it did, and what it must give. */
export interface Problem {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: 'int' | 'string' }[];
  readonly returns: 'int' | 'string';
  readonly imports: { readonly go: readonly string[] };
  readonly right: Bodies;
  readonly wrong: Bodies;
  /** Arguments and results, written as all of these languages write them. */
  readonly examples: readonly { readonly args: string; readonly result: string }[];
}

export interface Bodies {
  readonly python: readonly string[];
  readonly script: readonly string[];
  readonly go: readonly string[];
}

/** What a model would answer. */
export interface Generated {
  readonly code: string;
  readonly tests: string;
}

const int = (name: string): Problem['parameters'][number] => ({ name, type: 'int' });
const text = (name: string): Problem['parameters'][number] => ({ name, type: 'string' });

/** The same tasks with other numbers for each seed. */
export function problems(seed: number): readonly Problem[] {
  const k = 2 + (seed % 7);
  return [
    {
      name: 'scale',
      parameters: [int('a'), int('b')],
      returns: 'int',
      imports: { go: [] },
      right: same([`return a * ${k} + b`]),
      wrong: same(['return a + b']),
      examples: [
        { args: '3, 1', result: String(3 * k + 1) },
        { args: '10, 4', result: String(10 * k + 4) },
      ],
    },
    {
      name: 'clamp',
      parameters: [int('x'), int('low'), int('high')],
      returns: 'int',
      imports: { go: [] },
      right: {
        python: ['if x < low:', '    return low', 'if x > high:', '    return high', 'return x'],
        script: ['if (x < low) return low;', 'if (x > high) return high;', 'return x;'],
        go: ['if x < low {', '\treturn low', '}', 'if x > high {', '\treturn high', '}', 'return x'],
      },
      wrong: same(['return low']),
      examples: [
        { args: `0, ${k}, 50`, result: String(k) },
        { args: `99, ${k}, 50`, result: '50' },
        { args: `30, ${k}, 50`, result: '30' },
      ],
    },
    {
      name: 'triangle',
      parameters: [int('n')],
      returns: 'int',
      imports: { go: [] },
      right: {
        python: ['total = 0', 'for i in range(1, n + 1):', `    total += i * ${k}`, 'return total'],
        script: ['let total = 0;', `for (let i = 1; i <= n; i++) total += i * ${k};`, 'return total;'],
        go: ['total := 0', 'for i := 1; i <= n; i++ {', `\ttotal += i * ${k}`, '}', 'return total'],
      },
      wrong: same([`return n * ${k}`]),
      examples: [
        { args: '4', result: String(10 * k) },
        { args: '10', result: String(55 * k) },
      ],
    },
    {
      name: 'season',
      parameters: [int('month')],
      returns: 'string',
      imports: { go: [] },
      right: {
        python: [`if month > ${k} and month < ${k + 5}:`, '    return "warm"', 'return "cold"'],
        script: [`if (month > ${k} && month < ${k + 5}) return "warm";`, 'return "cold";'],
        go: [`if month > ${k} && month < ${k + 5} {`, '\treturn "warm"', '}', 'return "cold"'],
      },
      wrong: same(['return "cold"']),
      examples: [
        { args: String(k + 2), result: '"warm"' },
        { args: String(k + 5), result: '"cold"' },
        { args: String(k), result: '"cold"' },
      ],
    },
    {
      name: 'repeat',
      parameters: [text('word'), int('count')],
      returns: 'string',
      imports: { go: ['strings'] },
      right: {
        python: ['return "-".join([word] * count)'],
        script: ['return Array(count).fill(word).join("-");'],
        go: ['return strings.TrimSuffix(strings.Repeat(word+"-", count), "-")'],
      },
      wrong: {
        python: ['return word * count'],
        script: ['return word.repeat(count);'],
        go: ['return strings.Repeat(word, count)'],
      },
      examples: [
        { args: `"ab", ${k}`, result: JSON.stringify(Array.from({ length: k }, () => 'ab').join('-')) },
        { args: '"x", 2', result: '"x-x"' },
      ],
    },
  ];
}

function same(lines: readonly string[]): Bodies {
  return { python: lines, script: lines.map((line) => `${line};`), go: lines };
}
