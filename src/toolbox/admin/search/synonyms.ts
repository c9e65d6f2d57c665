import { splitWords } from './split-words.ts';

/** Words that people use for one another when they say what they want done; each line is one meaning. */
const lines = `
file document
folder directory dir subfolder
delete remove erase wipe drop forget clear destroy
create add make new insert store save put write
change update edit modify replace set alter append
show list display view see get read print fetch open
find search locate look where
run execute start launch invoke call trigger
stop end disable off toggle
turn switch toggle enable
picture photo image screenshot logo
audio sound recording music
picture audio video media binary base64
move rename
copy duplicate
size large big space
sum plus addition total number
database db sql sqlite
table sql database
join sql query select statement
record row entry
column field schema type
describe schema information info detail
information info metadata property attribute detail
modified created old age date time info
shell terminal bash command console process machine linux
script program command
install npm pip git docker command
kernel computer linux machine
docs documentation
library framework sdk package
package dependency module
api documentation example
vulnerability cve weakness
security attack injection malicious dangerous unsafe audit
password secret token credential key leak
format pretty beautify indent tidy layout
lint review check style quality
refactor clean modernize improve fix
unused dead refactor
bug issue problem error
complex complexity simplify maintain maintainable
cycle circular import dependency
import dependency
standard convention rule guideline naming team
override custom own
remember memory knowledge graph fact
note fact observation
entity person company node
relation link connection connect
think reason thought problem puzzle plan
compress zip gzip
environment variable env
permission access allowed may
tree nested recursive structure hierarchy overview
multiple several many together
whole entire complete everything
repeat echo
log logging message
notification update subscription subscriber
example demo demonstrate sample test try
simulate fake demo
long slow progress
server service
status state health running crash restart
tool function capability
`;

/** How much a word counts that stands for one the user said. */
const synonymWeight = 0.6;

/** The words of a query with the weight of each: 1 for its own, less for those that mean the same. */
export function withSynonyms(
  words: readonly string[],
  synonyms: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const word of words) weights.set(word, 1);
  for (const word of words) {
    for (const other of synonyms.get(word) ?? []) {
      if (!weights.has(other)) weights.set(other, synonymWeight);
    }
  }
  return weights;
}

/** By word, those that mean the same. */
export function readSynonyms(): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const line of lines.split('\n')) {
    const words = splitWords(line);
    for (const word of words) groups.set(word, [...(groups.get(word) ?? []), ...words]);
  }
  return groups;
}
