import type { Options } from 'prettier';
import type { CodeContext } from '../code-context.ts';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import type { FormatEngine } from './engine.ts';
import { findJavaMistake, firstJavaError } from './java-errors.ts';
import { packageVersion } from './package-version.ts';
import { prettierVersion, runPrettier } from './prettier.ts';

/** Passes after which a result that still changes is given up; nearly all settle in the second. */
const maxPasses = 4;

/**
 * Where the plugin's result may change when it is formatted again: at a comment inside a statement,
 * and around parentheses it found redundant. Of 1059 real files a fifth had such a place, and all 20
 * that did change were among them or were refused.
 */
const mayChangeAgain =
  /[^;{},\s*] \/[/*]|(?:&&|\|\|) \(|(?:if|while|switch|return) \(\(|^\s*\/\/[^\n]*\n[^\n]*(?:\|\||&&)$/m;

/** Java by Prettier and its Java plugin, until the result stays the same. */
export const formatJava: FormatEngine = async ({ file, lineLength }, context) => {
  const mistake = await findJavaMistake(file.text, context.trees);
  // The plugin knows newer syntax than this tree's grammar.
  if (mistake && mistake !== 'not parsed') throw syntaxError(file, mistake.place, mistake.message);
  const { default: java } = await import('prettier-plugin-java');
  const options: Options = { parser: 'java', plugins: [java], printWidth: lineLength };
  const engine = `prettier ${prettierVersion()} with prettier-plugin-java ${packageVersion('prettier-plugin-java')}`;
  let text = await runOnce(file, options, context);
  for (let pass = 2; mayChangeAgain.test(text); pass += 1) {
    const again = await runOnce({ ...file, text }, options, context);
    if (again === text) break;
    if (pass === maxPasses) throw new Error('its result changes again whenever it is formatted');
    text = again;
  }
  return { text, engine, guard: 'java' };
};

/** The plugin refuses what it cannot parse but does not say where: tree-sitter does. */
async function runOnce(file: SourceFile, options: Options, context: CodeContext): Promise<string> {
  try {
    return await runPrettier(file, options);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('Failed to parse')) throw error;
    const found = await firstJavaError(file.text, context.trees);
    if (!found) throw new Error('its parser does not know some construct in it', { cause: error });
    throw syntaxError(file, found.place, found.message);
  }
}
