export { errorCodes, type ErrorCode, type ErrorCodeEntry } from './error-codes.ts';
