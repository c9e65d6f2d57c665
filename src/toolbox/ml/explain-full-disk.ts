import type { DefinedTool } from '../define-tool.ts';
import { MlDiskFullError } from './errors.ts';

const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/** Whatever a tool was writing when the disk became full, the error says so. */
export function explainFullDisk(tool: DefinedTool, home: string): DefinedTool {
  const call: DefinedTool['call'] = async (...given) => {
    try {
      return await tool.call(...given);
    } catch (error) {
      throw isFull(error) || (error instanceof Error && isFull(error.cause))
        ? new MlDiskFullError(home, error)
        : error;
    }
  };
  return { ...tool, call };
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && fullCodes.has(error.code);
