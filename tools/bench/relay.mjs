/** The least that can sit between a host and a server: it starts the server and passes bytes on. `node tools/bench/relay.mjs COMMAND…`. */
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(server.stdin);
server.stdout.pipe(process.stdout);
