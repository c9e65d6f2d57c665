import { z } from 'zod';
import { httpUrl } from './scalars.ts';
import { about } from './traits.ts';

const severityLevels = ['critical', 'major', 'minor', 'info'] as const;

const codeGeneration = z
  .strictObject({
    max_new_tokens: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(2048)
      .meta(about('The most tokens a model may write for one piece of code and its tests.')),
    stop_sequences: z
      .array(z.string().min(1))
      .default([])
      .meta(
        about(
          'A model stops writing where one of these would come next. Answers are JSON: what occurs in it cuts them off.',
        ),
      ),
    max_repairs: z
      .int()
      .min(0)
      .max(20)
      .default(3)
      .meta(about('How often what the checks found goes back to the model.')),
    test_seconds: z
      .int()
      .min(1)
      .max(600)
      .default(30)
      .meta(about('How long one run of generated tests may take in the sandbox.')),
  })
  .meta(
    about('`code.generate_code`, `code.generate_tests` and others that write code with a model.'),
  );

const codeReview = z
  .strictObject({
    severity_levels: z
      .array(z.enum(severityLevels))
      .min(1)
      .default([...severityLevels])
      .meta(about('Issues of these severities are listed; others are left out.')),
    max_issues: z
      .int()
      .min(1)
      .max(10_000)
      .default(50)
      .meta(about('A review lists this many issues, most severe first, and counts the rest.')),
  })
  .meta(about('`code.review_code`.'));

const format = z
  .strictObject({
    line_length: z
      .int()
      .min(20)
      .max(500)
      .default(100)
      .meta(about('Lines are broken after this many columns when a call names no `line_length`.')),
  })
  .meta(about('`code.format_code`.'));

const dependencies = z
  .strictObject({
    osv_url: httpUrl.default('https://api.osv.dev').meta(
      about('Base address of the OSV service that knows vulnerable versions.', {
        isUserOnly: true,
      }),
    ),
    osv_dir: z
      .string()
      .min(1)
      .optional()
      .meta(
        about('A folder of OSV records to search in place of the service, for work offline.', {
          isPath: true,
          isUserOnly: true,
        }),
      ),
  })
  .meta(about('`code.scan_dependencies`.'));

export const toolsSettings = z
  .strictObject({
    enabled: z
      .array(z.string().min(1))
      .default([])
      .meta(
        about(
          'Only these tools are offered (`format_code` or `code.format_code`); empty means all.',
        ),
      ),
    code_generation: codeGeneration,
    code_review: codeReview,
    format,
    dependencies,
  })
  .meta(about('Which tools are offered, and how each works.'));
