#!/usr/bin/env node
// Kept to syntax that old Node versions parse, so that a wrong Node gets one clear sentence.
var major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    'tutti needs Node 24 or newer, and this is Node ' +
      process.versions.node +
      '. Install Node 24 (https://nodejs.org), or in a checkout run "make install".\n',
  );
  process.exit(2);
}
import('../dist/cli/start.js').catch(function (error) {
  if (error && error.code === 'ERR_MODULE_NOT_FOUND' && /dist.cli.start/.test(error.message)) {
    process.stderr.write(
      'tutti is not built yet. Run "make install" (or "npm run build") first.\n',
    );
    process.exit(2);
  }
  process.stderr.write(String((error && error.stack) || error) + '\n');
  process.exit(1);
});
