/** The server, over standard input and output. */
import { midcall } from '@midcall/server';
import { serveStdio } from '@midcall/server/node';
import { tablesServer } from './tables.mjs';

const mid = midcall(); // once per process
const free = ['18:00', '19:30', '21:00'];

serveStdio(() => tablesServer(mid, free));
