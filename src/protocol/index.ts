export { bareWireName, dottedName, wireName } from './names.ts';
