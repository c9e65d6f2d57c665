import { describe, expect, it } from 'vitest';
import { readNote } from './read-note.ts';

describe('a message to the memory', () => {
  it.each([
    ['remember that the staging port is 5433', 'the staging port is 5433'],
    ['Please remember: the staging port is 5433.', 'the staging port is 5433'],
    ['remember the deploy key is rotated in May', 'the deploy key is rotated in May'],
    ['remember my name is Anna', 'my name is Anna'],
    ["don't forget that Maria owns auth", 'Maria owns auth'],
    ['keep in mind that we ship on Tuesdays', 'we ship on Tuesdays'],
    ['save in memory: our region is eu-central-1', 'our region is eu-central-1'],
    ['Save this to memory: the CEO is Lee Wong', 'the CEO is Lee Wong'],
    ['store in your memory that builds take 9 minutes', 'builds take 9 minutes'],
    ['add to memory: invoices are in francs', 'invoices are in francs'],
    ['note: the demo is on Friday', 'the demo is on Friday'],
    ['make a note that backups run at 3', 'backups run at 3'],
    ['could you memorize that Tom is on leave', 'Tom is on leave'],
    ['for the record, we use trunk based development', 'we use trunk based development'],
    ['merk dir, dass der Port 5433 ist', 'der Port 5433 ist'],
    ['our region is eu-central-1, remember that', 'our region is eu-central-1'],
    ['the demo is on Friday; please note that', 'the demo is on Friday'],
  ])('asks to remember: %s', (words, text) => {
    expect(readNote(words)).toEqual({ kind: 'remember', text, of: 'fact' });
  });

  it.each([
    ['note that we decided to use Stripe', 'we decided to use Stripe'],
    ['remember that we agreed on two reviews', 'we agreed on two reviews'],
    ['we decided to use ruff, remember that', 'we decided to use ruff'],
  ])('tells a decision: %s', (words, text) => {
    expect(readNote(words)).toEqual({ kind: 'remember', text, of: 'decision' });
  });

  it.each([
    ['forget that the staging port is 5433', 'the staging port is 5433'],
    ['please forget about the demo', 'the demo'],
    ['forget what I said about Maria', 'Maria'],
    ['forget everything about the port', 'the port'],
    ['forget tabs', 'tabs'],
    ['forget that I prefer tabs.', 'I prefer tabs'],
    ['remove the port from your memory', 'the port'],
    ['vergiss, dass der Port 5433 ist', 'der Port 5433 ist'],
  ])('asks to forget: %s', (words, text) => {
    expect(readNote(words)).toEqual({ kind: 'forget', text });
  });

  it.each<[words: string, about?: string]>([
    ['what do you know about me?'],
    ['What do you remember?'],
    ['what have you learned about me'],
    ['show me what you remember'],
    ['list my preferences'],
    ['what are my preferences?'],
    ['was weißt du über mich?'],
    ['what do you know about the staging port?', 'the staging port'],
    ['what did we decide about linting?', 'linting'],
    ['what have I told you about Maria', 'Maria'],
  ])('asks what is known: %s', (words, about) => {
    expect(readNote(words)).toEqual({ kind: 'recall', about });
  });

  it.each([
    ['no, the staging port is 7000', 'the staging port is 7000'],
    ['No - the staging port is 7000.', 'the staging port is 7000'],
    ['actually the staging port is 7000 now', 'the staging port is 7000'],
    ['no, actually, Cleo works on billing', 'Cleo works on billing'],
    ['sorry, the demo is on Friday', 'the demo is on Friday'],
  ])('corrects: %s', (words, text) => {
    expect(readNote(words)).toEqual({ kind: 'correct', text });
  });

  it.each([
    ['no, the staging port is 7000, remember that', 'the staging port is 7000'],
    ['no, remember that the staging port is 7000', 'the staging port is 7000'],
    ['remember that actually the staging port is 7000 now', 'the staging port is 7000'],
  ])('asks to remember a correction: %s', (words, text) => {
    expect(readNote(words)).toEqual({ kind: 'remember', text, of: 'fact', isCorrection: true });
  });

  it.each([
    'why do you know that?',
    'how do you know that?',
    'How do you know?',
    'where did you get that from?',
    'where do you know that from',
    'who told you that?',
    'how come you know this',
  ])('asks from where it is known: %s', (words) => {
    expect(readNote(words)).toEqual({ kind: 'source' });
  });

  it.each([
    'no one likes the port',
    'no',
    'no, why?',
    'actually, what is the port?',
    'nobody knows it',
  ])('corrects nothing: %s', (words) => {
    expect(readNote(words)).toBeUndefined();
  });

  it.each([
    ['why do you use tabs?', 'tabs'],
    ['Why did you use pytest', 'pytest'],
    ['why do you think I prefer tabs?', 'tabs'],
  ])('asks why: %s', (words, text) => {
    expect(readNote(words)).toEqual({ kind: 'why', text });
  });

  it.each([
    'forget it',
    'forget that',
    'forget about it',
    'never mind, forget this',
    'remember the thing?',
    'remember what I said?',
    'do you remember what I told you last time',
    'remember me checkbox',
    'did I forget to commit something',
    'I forgot the password of my own zip file',
    'delete the file notes.txt',
    'delete the entity Anna from memory',
    'forget the observations of Anna in the knowledge graph',
    'delete entities from the memory server',
    'create a note app in Python',
    'note the errors of the log in errors.txt',
    'add a comment to app.py',
    'save it to memory.py',
    'save it',
    'write the result to notes.md',
    'the memory leak in cache.cpp',
    'find the memory leak and fix it',
    'why is the build slow?',
    'what does this function do',
    'what do you think about tabs',
    'add memory limits to the compose file',
    '',
  ])('is another message: %s', (words) => {
    expect(readNote(words)).toBeUndefined();
  });

  it('"forget that" means what was told right before', () => {
    const told = 'remember that prices are in cents';
    expect(readNote('forget that', told)).toEqual({ kind: 'forget', text: 'prices are in cents' });
    expect(readNote('please forget this', 'review a.py')).toBeUndefined();
    expect(readNote('forget that')).toBeUndefined();
  });

  it('is read in bounded time', () => {
    for (const part of ['please ', 'remember ', 'forget about ', 'a note that ', 'memory ']) {
      expect(readNote(part.repeat(280))?.kind).not.toBe('why');
      expect(readNote(part.repeat(20_000))).toBeUndefined();
    }
  });
});
