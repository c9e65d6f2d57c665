export { readCall } from './read-call.ts';
