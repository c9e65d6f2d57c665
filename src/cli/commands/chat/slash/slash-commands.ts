import type { Chat } from '../chat.ts';
import type { Slash } from './parse-slash.ts';

export type RunSlash = (chat: Chat, slash: Slash) => Promise<number | 'exit'>;

/** A chat command as completion and `/help` know it. The work is loaded when it runs. */
export interface SlashCommand {
  readonly name: string;
  readonly otherNames?: readonly string[];
  readonly operands: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly run: RunSlash }>;
}

const about = () => import('./about-chat.ts');
const plans = () => import('./plans-and-runs.ts');
const sessions = () => import('./sessions.ts');
const giving = () => import('./give-along.ts');
const likings = () => import('./preferences.ts');
const commandLine = () => import('./command-line.ts');

export const slashCommands: readonly SlashCommand[] = [
  {
    name: 'help',
    otherNames: ['?'],
    operands: '',
    summary: 'this list, and how messages are written',
    load: async () => ({ run: (await about()).help }),
  },
  {
    name: 'tools',
    operands: '[query]',
    summary: 'the tools there are, those that fit, or one of them',
    load: async () => ({ run: (await commandLine()).tools }),
  },
  {
    name: 'servers',
    operands: '[action…]',
    summary: 'the MCP servers and how they are doing',
    load: async () => ({ run: (await commandLine()).servers }),
  },
  {
    name: 'models',
    operands: '[use|refuse name]',
    summary: 'the language models, and how to connect one',
    load: async () => ({ run: (await commandLine()).models }),
  },
  {
    name: 'plan',
    operands: '[yes|no|number]',
    summary: 'the last plan; run it, drop it, or run another that was proposed',
    load: async () => ({ run: (await plans()).plan }),
  },
  {
    name: 'runs',
    operands: '[action…]',
    summary: 'the latest runs, and everything "tutti runs" does',
    load: async () => ({ run: (await commandLine()).runs }),
  },
  {
    name: 'approve',
    operands: '[run] [step]',
    summary: 'agree to what a step asks for, and go on',
    load: async () => ({ run: (await plans()).approve }),
  },
  {
    name: 'deny',
    operands: '[run] [step]',
    summary: 'refuse it',
    load: async () => ({ run: (await plans()).deny }),
  },
  {
    name: 'session',
    operands: '',
    summary: 'the conversation you are in',
    load: async () => ({ run: (await sessions()).session }),
  },
  {
    name: 'sessions',
    operands: '[action…]',
    summary: 'the latest conversations, and everything "tutti sessions" does',
    load: async () => ({ run: (await commandLine()).sessions }),
  },
  {
    name: 'history',
    operands: '[count]',
    summary: 'what was said in this conversation',
    load: async () => ({ run: (await sessions()).history }),
  },
  {
    name: 'clear',
    otherNames: ['new'],
    operands: '',
    summary: 'begin a new conversation; this one is kept',
    load: async () => ({ run: (await sessions()).clear }),
  },
  {
    name: 'save',
    operands: '[file]',
    summary: 'write the conversation to a file as JSON',
    load: async () => ({ run: (await sessions()).save }),
  },
  {
    name: 'load',
    operands: '<id|file>',
    summary: 'go on with another conversation, or one from a file',
    load: async () => ({ run: (await sessions()).load }),
  },
  {
    name: 'fork',
    operands: '[turn]',
    summary: 'go on with a copy of this conversation, up to a turn',
    load: async () => ({ run: (await sessions()).fork }),
  },
  {
    name: 'attach',
    operands: '<file>…',
    summary: 'give files along with the next message',
    load: async () => ({ run: (await giving()).attach }),
  },
  {
    name: 'paste',
    operands: '[language]',
    summary: 'give all lines up to /end along with the next message',
    load: async () => ({ run: (await giving()).paste }),
  },
  {
    name: 'preferences',
    operands: '',
    summary: 'what Tutti has noted about your likings',
    load: async () => ({ run: (await likings()).preferences }),
  },
  {
    name: 'forget',
    operands: '<preference>',
    summary: 'forget one of them',
    load: async () => ({ run: (await likings()).forget }),
  },
  {
    name: 'exit',
    otherNames: ['quit', 'bye'],
    operands: '',
    summary: 'leave; the conversation is kept',
    load: async () => ({ run: async () => 'exit' }),
  },
];
