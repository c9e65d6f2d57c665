import { z } from 'zod';
import data from './phrases.json' with { type: 'json' };

/**
 * How people ask for the tools we ship, by tool name; `TOOL#change` asks it to change what is there. The planner that needs
 * no model learns from them. They are kept out of the tool listings, where every client would have to load them.
 */
export const examplePhrases = z.record(z.string(), z.array(z.string().min(1))).parse(data);
