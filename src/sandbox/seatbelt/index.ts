export { createSeatbeltDriver } from './seatbelt-driver.ts';
