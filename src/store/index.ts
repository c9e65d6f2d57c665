export { moveStore, type MoveReport } from './move/move-store.ts';
export { openStore, type Store } from './open-store.ts';
