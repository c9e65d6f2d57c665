/** A `## Section` of a standard. */
export interface Section {
  readonly topic: string;
  readonly text: string;
}

/** The second-level sections of a Markdown text; headings inside code fences are no headings. */
export function sectionsOf(markdown: string): Section[] {
  const sections: { topic: string; lines: string[] }[] = [];
  let isFenced = false;
  for (const line of markdown.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) isFenced = !isFenced;
    const heading = isFenced ? undefined : /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ topic: heading.trim(), lines: [line] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ topic, lines }) => ({ topic, text: `${lines.join('\n').trim()}\n` }));
}

/** The section whose heading says the topic, in whatever case, or begins with or contains it. */
export function findSection(sections: readonly Section[], topic: string): Section | undefined {
  const wanted = topic.trim().toLowerCase();
  const tests = [
    (heading: string) => heading === wanted,
    (heading: string) => heading.startsWith(wanted),
    (heading: string) => heading.includes(wanted),
  ];
  for (const test of tests) {
    const found = sections.find((section) => test(section.topic.toLowerCase()));
    if (found) return found;
  }
  return undefined;
}
