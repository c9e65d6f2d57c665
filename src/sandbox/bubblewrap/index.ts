export { createBubblewrapDriver } from './bubblewrap-driver.ts';
