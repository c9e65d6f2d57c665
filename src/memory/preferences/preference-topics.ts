import { z } from 'zod';
import { lookupTable } from '../../kernel/index.ts';
import data from './preference-topics.json' with { type: 'json' };

const namesSchema = z.record(z.string(), z.string());

/** Something of which one is chosen, and how the choice is said. */
const topicSchema = z
  .strictObject({
    name: z.string(),
    /** `$` stands for the choice. */
    liked: z.string().includes('$'),
    disliked: z.string().includes('$'),
    /** How a person writes it → how we do. Choices of different groups do not exclude one another. */
    choices: namesSchema.optional(),
    /** Instead of choices: each value behind each of the verbs, "answer in german". */
    verbs: z.array(z.string()).default([]),
    values: z.array(z.string()).default([]),
    /** Values that are numbers, by the group `value`; matched against words between single blanks. */
    pattern: z
      .string()
      .transform((source) => new RegExp(source))
      .optional(),
    groups: namesSchema.optional(),
    /** A matter of manner, never of one task: "tabs please" and "no, use tabs" are meant for good. */
    isManner: z.literal(true).optional(),
  })
  .transform(({ verbs, values, choices, ...topic }) => {
    const said = values.flatMap((name) =>
      verbs.map((verb): [string, string] => [`${verb} ${name.toLowerCase()}`, name]),
    );
    return { ...topic, choices: choices ?? Object.fromEntries(said) };
  });

export type PreferenceTopic = Readonly<z.output<typeof topicSchema>>;

export const preferenceTopics: readonly PreferenceTopic[] = z.array(topicSchema).parse(data.topics);

/** What a preference may be limited to: "in Python", "for TypeScript files". Languages that tools name. */
export const codeLanguages = lookupTable<string>(data.codeLanguages);
