import type { Tool } from '../../contract/tool/index.ts';

/** The live catalogue as a plan sees it: tools by their dotted names (`server.tool`). */
export interface ToolLookup {
  find(name: string): Tool | undefined;
  names(): readonly string[];
  /** As long as this is the same object, so is all that is found: what was checked with it need not be again. */
  readonly state?: object;
  /** Why a server's tools are not among the names, where they could not be listed. */
  failureOf?(server: string): string | undefined;
}
