import type { Surroundings } from './classify-piece.ts';
import type { PieceView } from './piece-view.ts';
import type { Term } from '../words/read-terms.ts';
import type { Capability, Reading, Wish } from './wish.ts';

/** Pieces that move things: read, save, run, send, post, file, search, sum up. Undefined for all others. */
export function classifyDelivery(view: PieceView, around: Surroundings): Reading | undefined {
  const found =
    readMail(view) ??
    readMessage(view) ??
    readPullRequest(view) ??
    readIssue(view) ??
    readRun(view, around) ??
    readSearch(view) ??
    readSummary(view, around) ??
    readSave(view, around) ??
    readRead(view);
  if (!found) return undefined;
  return { kind: 'wishes', wishes: [...implied(view, found, around), ...found] };
}

export function wish(capability: Capability, view: PieceView, more: Partial<Wish> = {}): Wish {
  return { capability, target: view.refers ? 'given' : 'open', terms: view.piece.terms, ...more };
}

function readMail(view: PieceView): readonly Wish[] | undefined {
  const hasAddress = view.words.some(({ kind }) => kind === 'email');
  const isMade = view.headIs('n.soft') && !hasAddress;
  if (isMade) return undefined;
  const sends =
    view.leads('v.send') || (hasAddress && !view.leads('v.change', 'v.review', 'v.test'));
  const byMail =
    view.leads('v.deliver') && view.has('n.mail') && !view.says('form', 'validation', 'validator');
  return sends || byMail ? [wish('email', view)] : undefined;
}

const told = new Set([
  'tell',
  'notify',
  'inform',
  'alert',
  'ping',
  'announce',
  'informiere',
  'benachrichtige',
  'avisa',
  'avise',
  'avvisa',
  'previens',
  'message',
  'let',
]);

function readMessage(view: PieceView): readonly Wish[] | undefined {
  const hasChannel = view.words.some(({ kind }) => kind === 'channel');
  const isMade =
    !view.leads('v.deliver', 'v.send') && view.headIs('n.soft') && !view.headIs('n.slack');
  if (isMade && !hasChannel) return undefined;
  const onSlack = view.words.some(
    (term, at) =>
      term.tags.has('n.slack') &&
      (view.words[at - 1]?.tags.has('f.prep') ||
        view.words[at - 1]?.tags.has('f.det') ||
        view.leads('v.deliver')),
  );
  const tellsTeam =
    told.has(view.lead?.word ?? '') &&
    view.says(
      'team',
      'everyone',
      'everybody',
      'colleagues',
      'devs',
      'developers',
      'qa',
      'people',
      'channel',
      'folks',
      'equipe',
    );
  if (hasChannel || tellsTeam) return [wish('message', view)];
  return onSlack && !view.leads('v.create', 'v.want', 'v.change', 'v.review')
    ? [wish('message', view)]
    : undefined;
}

function readPullRequest(view: PieceView): readonly Wish[] | undefined {
  const at = view.words.findIndex((term) => term.tags.has('n.pr'));
  if (
    at < 0 ||
    view.leads('v.review', 'v.test', 'v.summarize', 'v.list') ||
    view.headIs('n.review', 'n.test', 'n.code')
  )
    return undefined;
  const isObject =
    view.headIs('n.pr') ||
    view.object.some((term) => term.tags.has('n.pr')) ||
    view.words[at - 1]?.tags.has('f.det');
  if (!isObject && at > 2) return undefined;
  // What the request is to hold has to be made first.
  const isFix =
    view.paths.length > 0 && view.says('fix', 'change', 'patch', 'correction', 'refactoring');
  const change = wish('code', view, { target: 'given', isImplied: true });
  return [...(isFix ? [change] : []), wish('pullRequest', view)];
}

const opened = new Set([
  'open',
  'opened',
  'labelled',
  'labeled',
  'tagged',
  'backlog',
  'tracker',
  'assigned',
  'unresolved',
  'pending',
  'outstanding',
  'offene',
  'offenen',
  'ouverts',
  'ouvertes',
  'abiertos',
  'abiertas',
  'aperti',
  'label',
  'tickets',
  'ticket',
  'jira',
  'github',
  'current',
  'reported',
  'existing',
]);

function readIssue(view: PieceView): readonly Wish[] | undefined {
  const at = view.words.findIndex((term) => term.tags.has('n.issue'));
  const noun = view.words[at];
  if (!noun) return undefined;
  const isTracker = !/^(?:bugs?|defects?|issues?)$/u.test(noun.word);
  const isSingular =
    /^(?:issue|bug|ticket|github issue|jira ticket|bug report|bug ticket|incident|defect|fehlerbericht|incidencia|segnalazione)$/u.test(
      noun.word,
    );
  const hasArticle = view.words
    .slice(Math.max(0, at - 3), at)
    .some(({ word }) =>
      [
        'a',
        'an',
        'another',
        'new',
        'ein',
        'einen',
        'un',
        'une',
        'una',
        'um',
        'uma',
        'one',
        'een',
        'eine',
        'separate',
      ].includes(word),
    );
  const isFiled =
    view.leads('v.file') &&
    isSingular &&
    (hasArticle || isTracker) &&
    !view.headIs('n.soft') &&
    isNearLead(view, at);
  if (isFiled && !view.leads('v.list')) return [wish('createIssue', view)];
  if (isFiled && hasArticle) return [wish('createIssue', view)];
  if (!view.hasOwnVerb && view.leads('v.file') && isSingular && hasArticle)
    return [wish('createIssue', view)];
  // "a parking ticket machine" is something else.
  const isNamed = view.hasOwnVerb || view.headIs('n.issue');
  const isObject = (view.object.includes(noun) && isNamed) || view.isQuestion;
  const isListed =
    view.leads('v.list', 'v.read', 'v.summarize', 'v.search') ||
    view.isQuestion ||
    !view.hasOwnVerb;
  const isOpen =
    isTracker ||
    view.words.some(({ word }) => opened.has(word)) ||
    /^(?:list|enumerate|liste|lista)$/u.test(view.lead?.word ?? '');
  if (!isListed || !isOpen || !isObject || view.refers) return undefined;
  const lists = [wish('listIssues', view)];
  return view.leads('v.summarize') || view.headIs('n.summary')
    ? [...lists, wish('summary', view)]
    : lists;
}

function isNearLead(view: PieceView, at: number): boolean {
  const lead = view.lead ? view.words.indexOf(view.lead) : -1;
  return at - lead <= 5;
}

const passes = /^(?:pass|passing|fail|failing|green|red|succeed|grun|passent|pasan|passano)$/u;

function readRun(view: PieceView, around: Surroundings): readonly Wish[] | undefined {
  const isPassed =
    view.isQuestion && view.has('n.test') && view.words.some(({ word }) => passes.test(word));
  if (isPassed) return [wish('runTests', view, { target: 'open' })];
  if (!view.leads('v.run')) return undefined;
  if (view.has('n.review') && !view.has('n.test')) return [wish('review', view)];
  const runsThem = /run|execut|fuhre|lass|lance|ejecuta|esegui|rode/u.test(view.lead?.word ?? '')
    ? view.has('n.test')
    : view.headIs('n.test');
  if (runsThem || view.says('suite')) return [wish('runTests', view)];
  const isTests = around.wished.includes('tests') && view.has('f.pron');
  if (isTests || (around.hasTests && view.has('f.pron') && !around.wished.includes('code')))
    return [wish('runTests', view)];
  const isProgram = view.has('f.pron', 'n.code', 'n.soft', 'f.attached') || view.paths.length > 0;
  return isProgram ? [wish('runCode', view)] : undefined;
}

function readSearch(view: PieceView): readonly Wish[] | undefined {
  const isOnline =
    view.has('n.web') && !(view.leads('v.create', 'v.want') && !view.says('online', 'internet'));
  const isGoogled = [
    'google',
    'research',
    'look up',
    'lookup',
    'web search',
    'search the web',
    'look online',
    'search online',
    'browse',
    'recherchiere',
    'find out',
    'read up on',
    'finde heraus',
  ].includes(view.lead?.word ?? '');
  if (view.has('n.docs') && !view.has('n.web')) return undefined;
  if (view.has('n.fixthing') && view.refers) return undefined;
  const isWebSearch = view.object.some(({ word }) => word.endsWith('search') && word.includes(' '));
  if (isWebSearch && !view.headIs('n.soft')) return [wish('search', view, { target: 'open' })];
  const searches = view.leads('v.search') && !view.has('n.code') && !(view.refers && !isOnline);
  const isMade = view.leads('v.create', 'v.want', 'v.change') && !view.leads('v.search');
  if (isMade) return undefined;
  return searches ||
    (isGoogled && !view.refers) ||
    (isOnline && view.leads('v.review', 'v.read', 'v.list', 'v.search'))
    ? [wish('search', view, { target: 'open' })]
    : undefined;
}

function readSummary(view: PieceView, around: Surroundings): readonly Wish[] | undefined {
  const isSummed =
    view.leads('v.summarize') ||
    (view.headIs('n.summary') &&
      view.leads('v.create', 'v.want', 'v.list', 'v.deliver', 'v.read', 'v.send')) ||
    (!view.hasOwnVerb && view.headIs('n.summary'));
  if (!isSummed || (view.lead?.word === 'resume' && view.has('n.off'))) return undefined;
  const isOfFaults =
    view.has('n.fixthing') &&
    !around.wished.includes('review') &&
    (around.wished.includes('code') || view.refers);
  if (isOfFaults) return [wish('review', view)];
  const reviews =
    view.has('n.review') && !around.wished.includes('review') && view.leads('v.summarize');
  return reviews
    ? [wish('review', view, { target: 'given', isImplied: true }), wish('summary', view)]
    : [wish('summary', view)];
}

const into = new Set([
  'to',
  'into',
  'as',
  'in',
  'under',
  'als',
  'unter',
  'nach',
  'dans',
  'sous',
  'en',
  'como',
  'em',
  'su',
  'at',
  'inside',
  'onto',
  'file',
  'folder',
  'directory',
  'datei',
  'fichier',
  'archivo',
  'named',
  'called',
]);

/** The path something is to be written to, as opposed to one it is to be read from. */
export function outputPath(view: PieceView): Term | undefined {
  // The lexicon reads "put it in" as one verb.
  if (/ in(?:to)?$/u.test(view.lead?.word ?? '') && view.object[0]?.kind === 'path')
    return view.object[0];
  const isKept = view.leads('v.save') || view.leads('v.create') || view.leads('v.deliver');
  if (!isKept) return undefined;
  return view.paths.find((path) => {
    const before = view.words[view.words.indexOf(path) - 1];
    if (before?.word === 'in' && !view.leads('v.save'))
      return view.isIndefinite && !view.has('n.spec', 'n.fixthing');
    return before !== undefined && into.has(before.word);
  });
}

function readSave(view: PieceView, around: Surroundings): readonly Wish[] | undefined {
  const path = outputPath(view);
  const named = view.says(
    'file',
    'disk',
    'disc',
    'folder',
    'directory',
    'datei',
    'fichier',
    'archivo',
  );
  const isSaved =
    view.leads('v.save') &&
    (path !== undefined ||
      ((view.refers ||
        /^(?:save|store|put|dump|keep|persist|stash) (?:it|them|that|this)$/u.test(
          view.lead?.word ?? '',
        )) &&
        (around.wished.length > 0 || (around.hasContext && !view.lead?.word.startsWith('put')))) ||
      named ||
      view.says('both', 'everything') ||
      /\b(?:both|everything)\b/u.test(view.lead?.word ?? ''));
  if (isSaved && !view.says('database', 'cache', 'memory'))
    return [wish('write', view, { target: 'given' })];
  if (path === undefined || (view.has('n.spec') && !view.headIs('n.spec'))) return undefined;
  if (
    view.lead?.word !== undefined &&
    /^(?:implement|build|code|program|develop)$/u.test(view.lead.word) &&
    view.headIs('n.spec')
  )
    return undefined;
  const isMade = view.leads('v.create') && !view.refers && view.object.length > 0;
  if (!isMade) return [wish('write', view, { target: 'given' })];
  const made: Capability = view.headIs('n.test')
    ? 'tests'
    : view.headIs('n.spec')
      ? 'spec'
      : view.headIs('n.review')
        ? 'review'
        : 'code';
  return [
    wish(made, view, { target: made === 'code' || made === 'spec' ? 'new' : 'open' }),
    wish('write', view, { target: 'given' }),
  ];
}

function readRead(view: PieceView): readonly Wish[] | undefined {
  if (!view.leads('v.read') || view.leads('v.create')) return undefined;
  const isLook = view.lead?.word === 'take' || view.lead?.word === 'get';
  const files = view.paths.length > 0 || (view.headIs('n.spec') && view.says('from'));
  if (files) return [wish('read', view, { target: 'given' })];
  return !isLook &&
    view.says('file', 'files', 'datei', 'fichier', 'archivo') &&
    !view.has('f.attached')
    ? [wish('read', view, { target: 'given' })]
    : undefined;
}

/** What has to be there first because it is spoken of as if it were: "the result of the test run". */
function implied(view: PieceView, found: readonly Wish[], around: Surroundings): readonly Wish[] {
  const done = [...around.wished, ...found.map(({ capability }) => capability)];
  const first: Wish[] = [];
  const sends = found.some(({ capability }) =>
    ['email', 'message', 'createIssue', 'write'].includes(capability),
  );
  const speaksOfRun =
    (view.says('test run', 'run', 'results') && view.has('n.test')) ||
    view.words.some(
      ({ word }, at) =>
        (word === 'test' || word === 'tests') &&
        /^(?:run|results?|pass|report|fail)$/u.test(view.words[at + 1]?.word ?? ''),
    );
  if (sends && speaksOfRun && !done.includes('runTests'))
    first.push(wish('runTests', view, { target: 'open', isImplied: true }));
  if (sends && (view.has('n.summary') || view.leads('v.summarize')) && !done.includes('summary'))
    first.push(wish('summary', view, { target: 'given', isImplied: true }));
  if (
    sends &&
    view.has('n.review') &&
    view.refers &&
    !done.includes('review') &&
    !around.hasContext
  )
    first.push(wish('review', view, { target: 'given', isImplied: true }));
  return first;
}
