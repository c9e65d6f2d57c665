export { openKubernetes } from './open-kubernetes.ts';
