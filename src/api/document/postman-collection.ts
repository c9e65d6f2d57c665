import type { OpenApiDocument, Operation } from './openapi-document.ts';

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** The document as a Postman collection (v2.1): a folder for each group, a request for each route with its example. */
export function postmanCollection({ paths }: OpenApiDocument): object {
  const requests = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      group: operation.tags[0] ?? '',
      item: requestItem(path, method, operation),
    })),
  );
  const groups = Map.groupBy(requests, ({ group }) => group);
  return {
    info: { name: 'Tutti REST API', schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:8004' },
      { key: 'token', value: '' },
    ],
    item: [...groups].map(([name, members]) => ({ name, item: members.map(({ item }) => item) })),
  };
}

function requestItem(path: string, method: string, operation: Operation): object {
  const { summary, description, parameters, requestBody } = operation;
  const inPlace = (place: string) => parameters.filter((one) => one.in === place);
  const segments = path
    .split('/')
    .slice(1)
    .map((part) => part.replace(/^\{(\w+)\}$/, ':$1'));
  const example = requestBody?.content['application/json']?.example;
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      ...(description !== undefined && { description }),
      header: inPlace('header').map(({ name, description: about }) => ({
        key: name,
        value: '',
        description: about,
        disabled: true,
      })),
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}`,
        host: ['{{baseUrl}}'],
        path: segments,
        variable: inPlace('path').map((one) => ({ key: one.name, value: one.example ?? '' })),
        query: inPlace('query').map((one) => ({
          key: one.name,
          value: one.example ?? '',
          disabled: !one.required,
        })),
      },
      ...(example !== undefined && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(example, null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
  };
}
