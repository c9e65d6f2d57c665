import type { Suspicion } from './suspicion.ts';

/** Signs in languages whose trees are not searched. Each is looked for line by line. */
const signs = {
  rust: [
    /\bstd::(?:process|env|panic|ptr|fs|os|net|arch|thread::current)\b/,
    /\buse\s+std::\{[^}]*\b(?:process|env|panic|ptr|os)\b/,
    /\bunsafe\b|\bextern\b|\btransmute\b|\bcatch_unwind\b|\bset_hook\b/,
    /\bcfg!?\s*\(|#!?\[\s*(?:cfg|path|no_mangle|ignore|global_allocator)/,
    /\b(?:include|include_str|include_bytes|env|option_env|file|asm)!/,
    /test result|running \d|\.\.\. ok/,
  ],
  java: [
    /\bSystem\s*\.\s*(?:exit|setOut|setErr|setSecurityManager|getProperty|getenv|setProperty)\b/,
    /\bRuntime\b|\bProcessBuilder\b|\bClassLoader\b|\bStackWalker\b|\bUnsafe\b/,
    /\bgetStackTrace\b|\bsetAccessible\b|\bforName\b|\bgetDeclared\w+\b|\bhalt\b/,
    /\bjava\.lang\.(?:reflect|invoke|instrument)\b|\bsun\.|\bjdk\.internal\b/,
    /@(?:Disabled|Ignore)\b|\bassume\w*\(/,
  ],
} as const;

const ofCode = {
  rust: /#\[\s*test\b/,
  java: /\borg\.junit\b|\bjunit\./,
} as const;

/** What Rust or Java text could do to its own test run. */
export function guardText(
  language: 'rust' | 'java',
  { text, role }: { readonly text: string; readonly role: 'code' | 'tests' },
): Suspicion[] {
  const found: Suspicion[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const patterns: readonly RegExp[] = [
      ...signs[language],
      ...(role === 'code' ? [ofCode[language]] : []),
    ];
    for (const pattern of patterns) {
      const match = pattern.exec(line);
      if (match) found.push({ line: index + 1, what: match[0].trim() });
    }
  }
  return found;
}
