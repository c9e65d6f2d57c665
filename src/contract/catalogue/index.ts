import type { Caller } from '../caller/index.ts';
import type { McpServer } from '../server/index.ts';
import type { Tool, ToolAnnotations } from '../tool/index.ts';

/** Above this many tools a list costs a model more than looking for the one it needs. */
export const shortListAbove = 60;

/**
 * All servers seen as one. It is itself an MCP server: names in it are wire names (`server__tool`,
 * or bare when one server is served), in an order that does not change between listings.
 */
export interface Catalogue extends McpServer {
  /** Every tool this caller may see, all without one, with the server it lives in and its dotted name (`server.tool`). */
  entries(caller?: Caller): Promise<readonly CatalogueEntry[]>;
  /** The servers missing from the latest listing because they could not be opened or listed. */
  failures?(): readonly ListingFailure[];
  /** The servers of which nothing is known: they are starting, or could not be listed. */
  unlisted?(): readonly string[];
}

export interface ListingFailure {
  readonly server: string;
  readonly message: string;
}

export interface CatalogueEntry {
  /** `server.tool`, as people write it in the terminal, in plans and in docs. */
  readonly name: string;
  /** The name of this tool on MCP faces and in model requests. */
  readonly wireName: string;
  readonly server: string;
  /**
   * As it counts here: what a server outside says about its tool counts only where it asks for more care, unless
   * its entry says `trustAnnotations`. Lists for clients have what the server says.
   */
  readonly tool: Tool;
  /** What its server says about it, where not all of that counts. */
  readonly declared?: ToolAnnotations;
  /** Whether all counts that its server says about it. */
  readonly isTrusted?: boolean;
  /** Whether it is one of this program. */
  readonly isOwn?: boolean;
  /** Whether its server ends with the process that called it, so that no call outlives that for long. */
  readonly endsWithCaller?: boolean;
  /** How long a call may go without progress, where its server has a limit of its own. */
  readonly timeoutMs?: number;
}
