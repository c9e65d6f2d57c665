export { openKubernetes } from './kubernetes-driver.ts';
