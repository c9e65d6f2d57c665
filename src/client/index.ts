export { Connection } from './connection.ts';
export {
  entryOf,
  notRemote,
  remoteAgent,
  remoteCatalogue,
  remoteExperience,
  remoteFleet,
  remoteInstances,
  remoteMemory,
  remoteMemoryItems,
  remoteModels,
} from './remote-rooms.ts';
export { remoteAgents } from './remote-rooms.ts';
export { remoteContexts, remoteFeedback } from './remote-contexts.ts';
export { remoteWorkflows } from './remote-workflows.ts';
export {
  remoteAudit,
  remoteKeys,
  remotePolicy,
  remoteServerSwitch,
  remoteTenants,
} from './remote-access.ts';
