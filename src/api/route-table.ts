import type { ApiRoute } from './define-route.ts';
import { accessRoutes } from './routes/access.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { contextRoutes } from './routes/contexts.ts';
import { agentRoutes } from './routes/agents.ts';
import { feedbackRoutes } from './routes/feedback.ts';
import { instanceRoutes } from './routes/instances.ts';
import { memoryRoutes } from './routes/memory.ts';
import { experienceRoutes } from './routes/experience.ts';
import { preferenceRoutes } from './routes/preferences.ts';
import { planRoutes } from './routes/plans.ts';
import { resourceRoutes } from './routes/resources.ts';
import { runControlRoutes } from './routes/run-control.ts';
import { runRoutes } from './routes/runs.ts';
import { serverRoutes } from './routes/servers.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { systemRoutes } from './routes/system.ts';
import { taskRoutes } from './routes/tasks.ts';
import { toolRoutes } from './routes/tools.ts';
import { turnRoutes } from './routes/turns.ts';

/** Every route of the API. Fixed paths stand before those with parameters that they would match. */
export const apiRoutes: readonly ApiRoute[] = [
  ...taskRoutes,
  ...turnRoutes,
  ...planRoutes,
  ...experienceRoutes,
  ...runRoutes,
  ...runControlRoutes,
  ...sessionRoutes,
  ...contextRoutes,
  ...agentRoutes,
  ...feedbackRoutes,
  ...memoryRoutes,
  ...preferenceRoutes,
  ...toolRoutes,
  ...resourceRoutes,
  ...serverRoutes,
  ...artifactRoutes,
  ...instanceRoutes,
  ...systemRoutes,
  ...accessRoutes,
];
