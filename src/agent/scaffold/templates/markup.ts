import type { ScaffoldNames } from '../scaffold-names.ts';
import type { TemplateSet } from './template-set.ts';

const table = ({ title, snake }: ScaffoldNames): string => `-- ${title}
CREATE TABLE ${snake}_items (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
);
`;

const query = (names: ScaffoldNames): string => `${table(names)}
-- All, newest first.
SELECT id, name, created_at FROM ${names.snake}_items ORDER BY created_at DESC, id DESC;
`;

const statements = (names: ScaffoldNames): string => `${table(names)}
CREATE INDEX ${names.snake}_items_by_name ON ${names.snake}_items (name);

-- Create
INSERT INTO ${names.snake}_items (id, name) VALUES (1, 'example');

-- Read
SELECT id, name, created_at FROM ${names.snake}_items WHERE id = 1;

-- Update
UPDATE ${names.snake}_items SET name = 'another' WHERE id = 1;

-- Delete
DELETE FROM ${names.snake}_items WHERE id = 1;
`;

/** Databases have neither programs nor tests of their own here: a table and its statements. */
export const sqlTemplates: TemplateSet = {
  code: { function: query, class: table, cli: query, rest: statements },
  testFramework: 'none',
  tests: null,
};

const page = ({ title }: ScaffoldNames, main: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
  </head>
  <body>
    <header>
      <h1>${title}</h1>
    </header>
    <main>
${main}
    </main>
  </body>
</html>
`;

const section = (names: ScaffoldNames): string =>
  page(
    names,
    `      <section aria-labelledby="content-heading">
        <h2 id="content-heading">Content</h2>
        <p>The content of this page goes here.</p>
      </section>`,
  );

const form = (names: ScaffoldNames): string =>
  page(
    names,
    `      <form method="post" action="/${names.kebab}">
        <p>
          <label for="name">Name</label>
          <input id="name" name="name" type="text" autocomplete="name" required />
        </p>
        <button type="submit">Send</button>
      </form>`,
  );

export const htmlTemplates: TemplateSet = {
  code: { function: section, class: section, cli: section, rest: form },
  testFramework: 'none',
  tests: null,
};

const component = ({ title, kebab }: ScaffoldNames): string => `/* ${title} */
.${kebab} {
  display: grid;
  gap: 1rem;
  padding: 1rem;
  color: #1f2328;
  background: #ffffff;
}

.${kebab}__title {
  margin: 0;
  font-size: 1.25rem;
}

.${kebab}__action:focus-visible {
  outline: 2px solid currentcolor;
  outline-offset: 2px;
}

@media (prefers-color-scheme: dark) {
  .${kebab} {
    color: #e6edf3;
    background: #0d1117;
  }
}
`;

export const cssTemplates: TemplateSet = {
  code: { function: component, class: component, cli: component, rest: component },
  testFramework: 'none',
  tests: null,
};
