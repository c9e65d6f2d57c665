import { z } from 'zod';
import { about, httpUrl } from './traits.ts';

const severityLevels = ['critical', 'major', 'minor', 'info'] as const;

/** A downloaded project must not hide findings about itself or take tools away. */
const needsTrust = true;

const codeGeneration = z
  .strictObject({
    max_new_tokens: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(2048)
      .meta(
        about('Maximum number of tokens a model may write for one piece of code with its tests.'),
      ),
    stop_sequences: z
      .array(z.string().min(1))
      .default([])
      .meta(
        about(
          'Sequences at which a model stops writing. Answers are JSON, so a sequence that occurs in it truncates the answer.',
        ),
      ),
    max_repairs: z
      .int()
      .min(0)
      .max(20)
      .default(3)
      .meta(about('How often findings of the checks are sent back to the model for repair.')),
    test_seconds: z
      .int()
      .min(1)
      .max(600)
      .default(30)
      .meta(about('Time limit for one run of generated tests in the sandbox.')),
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
      .meta(about('Severities that a review lists; others are omitted.', { needsTrust })),
    max_issues: z
      .int()
      .min(1)
      .max(10_000)
      .default(50)
      .meta(
        about(
          'Maximum number of issues in a review, most severe first; the rest is only counted.',
          { needsTrust },
        ),
      ),
  })
  .meta(about('`code.review_code`.'));

const format = z
  .strictObject({
    line_length: z
      .int()
      .min(20)
      .max(500)
      .default(100)
      .meta(about('Default line length, used if a call does not set `line_length`.')),
  })
  .meta(about('`code.format_code`.'));

const dependencies = z
  .strictObject({
    osv_url: httpUrl.default('https://api.osv.dev').meta(
      about('Base URL of the OSV vulnerability service.', {
        isUserOnly: true,
      }),
    ),
    osv_dir: z
      .string()
      .min(1)
      .optional()
      .meta(
        about('Folder of OSV records to search instead of the service, for offline use.', {
          isPath: true,
          isUserOnly: true,
        }),
      ),
  })
  .meta(about('`code.scan_dependencies`.'));

export const toolsSettings = z
  .strictObject({
    enabled: z.array(z.string().min(1)).default([]).meta(
      about('Offer only these tools (`format_code` or `code.format_code`); empty means all.', {
        needsTrust,
      }),
    ),
    exclude: z
      .array(z.string().min(1))
      .max(1000)
      .default([])
      .meta(
        about(
          'Paths that the tools of `code` leave out of a folder, as patterns of `.gitignore` relative to the root; each answer says how many.',
          { needsTrust },
        ),
      ),
    code_generation: codeGeneration,
    code_review: codeReview,
    format,
    dependencies,
  })
  .meta(about('Which tools are offered, and how each works.'));
