import { z } from 'zod';
import { ModelCallError, ModelNotFoundError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { WireRequest } from './wire/send-request.ts';

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) });
const maxShown = 5;

/** The models a server lists; null where it has no such list. */
export async function listModels(
  url: string,
  request: Omit<WireRequest, 'method'>,
  endpoint: Endpoint,
): Promise<readonly string[] | null> {
  try {
    const response = await guardedFetch(url, { ...request, method: 'GET' }, endpoint);
    const parsed = listSchema.safeParse(await response.json());
    return parsed.success ? parsed.data.data.map(({ id }) => id) : null;
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof ModelNotFoundError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What keeps the model from being asked; null when nothing is known to. */
export async function problemOf(
  listing: Promise<readonly string[] | null>,
  id: string | null,
): Promise<string | null> {
  try {
    const listed = await listing;
    if (listed === null || id === null) return listed?.length === 0 ? noModel : null;
    if (listed.includes(id) || listed.includes(`${id}:latest`)) return null;
    const others = listed.slice(0, maxShown).join(', ');
    return `the server has no model "${id}"${others === '' ? '' : `; it has ${others}`}`;
  } catch (error) {
    // Its name stands beside what is said of it.
    if (error instanceof ModelCallError)
      return error.message.replace(`Model ${error.model} `, 'it ');
    throw error;
  }
}

const noModel = 'the server has no model yet; load one';
