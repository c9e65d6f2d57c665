import { z } from 'zod';
import { about, flag, httpUrl, optionalText, wholeNumber } from './traits.ts';

const severityLevels = ['critical', 'major', 'minor', 'info'] as const;

/** A downloaded project must not hide findings about itself or take tools away. */
const needsTrust = true;

const codeGeneration = z
  .strictObject({
    max_new_tokens: wholeNumber(
      [1, 1_000_000],
      2048,
      'Maximum number of tokens a model may write for one piece of code with its tests.',
    ),
    stop_sequences: z
      .array(z.string().min(1))
      .default([])
      .meta(
        about(
          'Sequences at which a model stops writing. Answers are JSON, so a sequence that occurs in it truncates the answer.',
        ),
      ),
    max_repairs: wholeNumber(
      [0, 20],
      3,
      'How often findings of the checks are sent back to the model for repair.',
    ),
    test_seconds: wholeNumber(
      [1, 600],
      30,
      'Time limit for one run of generated tests in the sandbox.',
    ),
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
    max_issues: wholeNumber(
      [1, 10_000],
      50,
      'Maximum number of issues in a review, most severe first; the rest is only counted.',
      { needsTrust },
    ),
  })
  .meta(about('`code.review_code`.'));

const format = z
  .strictObject({
    line_length: wholeNumber(
      [20, 500],
      100,
      'Default line length, used if a call does not set `line_length`.',
    ),
  })
  .meta(about('`code.format_code`.'));

const dependencies = z
  .strictObject({
    osv_url: httpUrl.default('https://api.osv.dev').meta(
      about('Base URL of the OSV vulnerability service.', {
        isUserOnly: true,
      }),
    ),
    osv_dir: optionalText(
      'Folder of OSV records to search instead of the service, for offline use.',
      {
        isPath: true,
        isUserOnly: true,
      },
    ),
  })
  .meta(about('`code.scan_dependencies`.'));

const training = z
  .strictObject({
    network: flag(
      true,
      'Whether the tools of `ml` may fetch: packages for an environment (each build is approved first) and datasets of the hub.',
    ),
    package_index: httpUrl.default('https://pypi.org/simple').meta(
      about('Package index from which `ml.create_env` installs.', {
        isAddress: true,
        env: ['PIP_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_INDEX_URL'],
      }),
    ),
    wheel_dir: optionalText(
      'Folder of wheels from which `ml.create_env` installs instead of the index, without network.',
      { isPath: true },
    ),
    source_builds: flag(
      false,
      'Whether `ml.create_env` may install packages that run build scripts on this machine; otherwise wheels only.',
    ),
  })
  .meta(about('Environments and data for training (`ml`).', { isUserOnly: true }));

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
    training,
  })
  .meta(about('Which tools are offered, and how each works.'));
