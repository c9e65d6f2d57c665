import type { Member } from './member.ts';

/**
 * What stands in front of each member's tools. Own names come before prefixes, so that an entry
 * cannot take the name of another by its prefix; a label that is taken gets a number.
 */
export function chooseLabels(
  members: readonly Member[],
  collisions: string[],
): ReadonlyMap<Member, string> {
  const labels = new Map<Member, string>();
  const taken = new Map<string, Member>();
  const choose = (member: Member, wanted: string): void => {
    let label = wanted;
    for (let number = 2; taken.has(label); number += 1) label = `${member.name}-${number}`;
    const holder = taken.get(wanted);
    if (holder) {
      collisions.push(
        `Servers "${holder.name}" and "${member.name}" both put "${wanted}" in front of their ` +
          `tools; those of "${member.name}" have "${label}" instead`,
      );
    }
    taken.set(label, member);
    labels.set(member, label);
  };
  for (const member of members) {
    if (member.options.prefix === undefined) choose(member, member.name);
  }
  for (const member of members) {
    const { prefix } = member.options;
    if (prefix !== undefined) choose(member, prefix);
  }
  return labels;
}
