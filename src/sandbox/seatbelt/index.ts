export { openSeatbelt } from './open-seatbelt.ts';
