/**
 * For a process that ends after one command, before it loads the system. Zod turns the schema of an object into code when it
 * first parses with it; that takes longer than parsing a few hundred objects without, so it pays for servers only.
 */
export async function compileNothing(): Promise<void> {
  const { config } = await import('zod');
  config({ jitless: true });
}
