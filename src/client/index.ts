export { Connection } from './connection.ts';
export {
  entryOf,
  notRemote,
  remoteAgent,
  remoteAudit,
  remoteCatalogue,
  remoteExperience,
  remoteFleet,
  remoteInstances,
  remoteKeys,
  remoteMemory,
  remoteMemoryItems,
  remoteModels,
  remotePolicy,
  remoteServerSwitch,
  remoteTenants,
} from './remote-rooms.ts';
export { remoteAgents } from './remote-rooms.ts';
export { remoteContexts, remoteFeedback } from './remote-contexts.ts';
export { remoteWorkflows } from './remote-workflows.ts';
