import type { Language } from '../../contract/language/index.ts';
import { goTemplates } from './templates/go.ts';
import { javaTemplates } from './templates/java.ts';
import { javascriptTemplates } from './templates/javascript.ts';
import { cssTemplates, htmlTemplates, sqlTemplates } from './templates/markup.ts';
import { pythonTemplates } from './templates/python.ts';
import { rustTemplates } from './templates/rust.ts';
import type { TemplateSet } from './templates/template-set.ts';
import { typescriptTemplates } from './templates/typescript.ts';

export const templatesOf: Readonly<Record<Language, TemplateSet>> = {
  python: pythonTemplates,
  javascript: javascriptTemplates,
  typescript: typescriptTemplates,
  java: javaTemplates,
  go: goTemplates,
  rust: rustTemplates,
  sql: sqlTemplates,
  html: htmlTemplates,
  css: cssTemplates,
};
