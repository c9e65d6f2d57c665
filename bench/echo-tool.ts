import { z } from 'zod';

/** The trivial tool both servers of the call benchmark offer. */
export const echoInput = z.object({ text: z.string() });
export const echoOutput = z.object({ text: z.string() });
