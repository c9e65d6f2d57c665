import { join } from 'node:path';
import { openArtifacts } from '../artifacts/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import { createFaultPoints, systemClock } from '../kernel/index.ts';
import type { WorkflowParts } from './workflow.ts';

/** The artifacts of this data directory; no file is touched before one is kept or read. */
export function artifactsHere({ settings, store, log, request }: WorkflowParts): Artifacts {
  return openArtifacts({
    directory: join(settings.home, 'artifacts'),
    index: store.artifactIndex,
    clock: systemClock,
    log: log.child({ room: 'artifacts' }),
    faultPoint: createFaultPoints(request.env['TUTTI_FAULT']),
  });
}
