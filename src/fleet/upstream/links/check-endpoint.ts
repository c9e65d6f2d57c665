import { validateHeaderName, validateHeaderValue } from 'node:http';
import { InvalidEndpointError } from '../../errors.ts';

export function checkedUrl(server: string, text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidEndpointError(server, 'its url must begin with http: or https:');
}

/** Lower-cased, so that later ones replace them. The value of a bad one is not shown. */
export function checkedHeaders(
  server: string,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new InvalidEndpointError(
        server,
        `its header ${JSON.stringify(name)} holds characters that HTTP does not allow`,
      );
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}
