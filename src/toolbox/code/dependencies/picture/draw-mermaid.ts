import type { Picture } from './picture-graph.ts';

/** The picture as a Mermaid flowchart; imports that are part of a cycle are red. */
export function drawMermaid(picture: Picture): string {
  const names = new Map(picture.nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = ['flowchart LR'];
  if (picture.note !== '') lines.push(`  %% ${picture.note}`);
  for (const { id, label } of picture.nodes)
    lines.push(`  ${names.get(id)}["${escapeLabel(label)}"]`);
  const red: number[] = [];
  picture.edges.forEach((edge, index) => {
    const arrow = edge.isWeak ? '-.->' : '-->';
    lines.push(`  ${names.get(edge.from)} ${arrow} ${names.get(edge.to)}`);
    if (edge.isInCycle) red.push(index);
  });
  if (red.length > 0) lines.push(`  linkStyle ${red.join(',')} stroke:#d22,stroke-width:2px`);
  return `${lines.join('\n')}\n`;
}

/** Mermaid reads `#name;` as an entity; everything that could end or format the label becomes one. */
function escapeLabel(text: string): string {
  return text.replaceAll(/[^\w ./()@+,=$~-]/gu, (character) => `#${character.codePointAt(0)};`);
}
