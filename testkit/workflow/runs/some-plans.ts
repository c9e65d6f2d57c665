export const chain = {
  name: 'Chain',
  goal: 'say it twice',
  input: { word: { type: 'string', default: 'hello' } },
  steps: [
    { id: 'first', tool: 'test.echo', args: { said: '${input.word}' } },
    { id: 'second', tool: 'test.echo', args: { said: '${first.said} ${first.said}' } },
  ],
  output: { twice: '${second.said}' },
};

export const gated = {
  steps: [
    { id: 'before', tool: 'test.echo', args: { n: 1 } },
    { id: 'change', tool: 'test.effect', args: { n: '${before.n}' }, approval: { message: 'Go?' } },
  ],
};
