import data from './recipes.json' with { type: 'json' };

/** Plans for requests that always take the same steps, as data; the agent has their schema. */
export const recipes: unknown = data;
