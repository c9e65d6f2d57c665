const maxRequirements = 20;
const maxChars = 20_000;

/** A request split into requirements and steps by its punctuation. */
export interface RuleFormalization {
  readonly formalized_description: string;
  readonly requirements: string[];
  readonly steps: string[];
  readonly estimated_complexity: 'low' | 'medium' | 'high';
}

const boundaries = /[.;!?\n]+\s?|,?\s(?:and then|then|afterwards|after that)\s|,\s(?:and\s)?/iu;
const wantsTests = /\btests?\b|\bcoverage\b/iu;
const wantsReview = /\breview|\bcheck\b/iu;

export function formalizeByRules(request: string, context: string): RuleFormalization {
  const text = collapseSpace(request.slice(0, maxChars)).trim();
  const clauses = text
    .split(boundaries)
    .map((clause) => clause.replace(/^(?:and|or|but|also|please)\s+/iu, '').trim())
    .filter((clause) => clause.length > 2);
  const requirements = [...new Set(clauses)].slice(0, maxRequirements).map(capitalize);
  const steps = [
    'Write down inputs, outputs and what counts as done',
    ...requirements.map((requirement) => `Do: ${requirement}`),
    ...(wantsTests.test(text) ? [] : ['Write tests for typical, boundary and bad input']),
    ...(wantsReview.test(text) ? [] : ['Review the result']),
  ];
  const about = context.trim() === '' ? '' : ` Context: ${context.trim().slice(0, maxChars)}`;
  return {
    formalized_description: `${capitalize(text)}${about}`,
    requirements,
    steps,
    estimated_complexity: complexityOf(requirements.length, text.length),
  };
}

/** Collapses runs of white space, so that the patterns stay linear. */
function collapseSpace(text: string): string {
  return text.replaceAll(/\s+/gu, (space) => (space.includes('\n') ? '\n' : ' '));
}

function complexityOf(requirements: number, length: number): 'low' | 'medium' | 'high' {
  if (requirements > 6 || length > 1_500) return 'high';
  return requirements > 2 || length > 300 ? 'medium' : 'low';
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
