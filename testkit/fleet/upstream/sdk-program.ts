import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createSdkServer } from './sdk-fixture.ts';

/** Serves the fixture on standard input and output, in both eras or in the one the argument names. */
const era = process.argv[2];
if (era === 'handshake') await createSdkServer().connect(new StdioServerTransport());
else serveStdio(createSdkServer, era === 'stateless' ? { legacy: 'reject' } : {});
