import { pluralize } from '../../../kernel/index.ts';
import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CodeContext } from '../code-context.ts';
import texts from '../tools.json' with { type: 'json' };

const inputSchema = z.object({
  path: z
    .string()
    .min(1)
    .max(4096)
    .describe('The folder whose files are analysed, or a glob, inside the allowed roots.'),
  group_by: z
    .enum(['file', 'folder'])
    .default('file')
    .describe('Modules are files (Go: packages), or the folders they lie in.'),
  pictures: z
    .array(z.enum(['mermaid', 'svg']))
    .default(['mermaid', 'svg'])
    .describe('Which pictures to draw.'),
  imported: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('A file, module or package: lists who imports it, and draws nothing.'),
});

const outputSchema = z.object({
  importers: z
    .array(z.object({ file: z.string(), line: z.int().optional() }))
    .optional()
    .describe('Who imports what `imported` names.'),
  nodes: z
    .array(
      z.object({
        id: z.string(),
        language: z.string(),
        files: z.int(),
        imports: z.int().describe('Fan-out: modules of the folder it imports.'),
        imported_by: z.int().describe('Fan-in: modules of the folder that import it.'),
        external: z.array(z.string()).describe('Packages outside that it imports.'),
        instability: z.number().describe('Fan-out ÷ (fan-in + fan-out).'),
        depth: z.int().describe('Longest chain of imports below it.'),
      }),
    )
    .describe('In the order of their ids.'),
  edges: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      line: z.int().describe('Where the import stands.'),
      count: z.int().describe('How many imports this edge stands for.'),
      kind: z
        .enum(['import', 'type', 'declaration'])
        .describe(
          'type: for the type checker only; declaration: Rust’s `mod x;`. Only `import` makes cycles.',
        ),
    }),
  ),
  cycles: z.array(
    z.object({
      members: z.array(z.string()).describe('All modules that hang together.'),
      shortest: z
        .array(z.string())
        .describe('One shortest circle among them; the last imports the first.'),
    }),
  ),
  external_dependencies: z.array(
    z.object({
      name: z.string(),
      language: z.string(),
      standard_library: z.boolean(),
      imported_by: z.int(),
    }),
  ),
  unresolved: z.array(z.object({ file: z.string(), specifier: z.string(), line: z.int() })),
  unreadable: z.array(z.object({ file: z.string(), reason: z.string() })),
  metrics: z.object({
    files: z.int(),
    modules: z.int(),
    edges: z.int(),
    cycles: z.int(),
    external_dependencies: z.int(),
    unresolved: z.int(),
    max_depth: z.int(),
    average_fan_out: z.number(),
    most_imported: z.array(z.object({ id: z.string(), imported_by: z.int() })),
    most_importing: z.array(z.object({ id: z.string(), imports: z.int() })),
  }),
  mermaid: z.string().optional(),
  svg: z.string().optional(),
  picture_note: z.string().optional().describe('How the pictures were simplified, if they were.'),
  recommendations: z.array(z.string()),
});

export type DependencyRequest = z.output<typeof inputSchema>;
export type DependencyReport = z.infer<typeof outputSchema>;

/** The tool `analyze_dependencies`. */
export function analyzeDependenciesTool(context: CodeContext): DefinedTool {
  return defineTool({
    ...texts.analyze_dependencies,
    input: inputSchema,
    output: outputSchema,
    run: async (input, call: CallContext) => {
      const { reportDependencies } = await import('./report-dependencies.ts');
      return reportDependencies(context, input, call);
    },
    summarize,
  });
}

function summarize(report: DependencyReport): string {
  const { metrics, importers } = report;
  if (importers) {
    const lines = importers.map(({ file, line }) => [file, ...(line ? [line] : [])].join(':'));
    return [
      ...lines,
      `${pluralize(lines.length, 'importer')} in ${pluralize(metrics.files, 'file')}`,
    ].join('\n');
  }
  const head =
    `${pluralize(metrics.modules, 'module')}, ${pluralize(metrics.edges, 'import')} between them, ${pluralize(metrics.cycles, 'cycle')}, ` +
    `${pluralize(metrics.external_dependencies, 'outside package')}, ${metrics.unresolved} unresolved`;
  return [head, ...report.recommendations, ...(report.mermaid ? ['', report.mermaid] : [])].join(
    '\n',
  );
}
