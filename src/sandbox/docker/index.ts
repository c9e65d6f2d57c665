export { createDockerDriver, type DockerOptions } from './docker-driver.ts';
