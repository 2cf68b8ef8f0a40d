/** The quick start's server on standard input and output. */
// #region serve
import { serveStdio } from '@midcall/server/node';
import { tablesServer } from './tables.mjs';

const free = ['18:00', '19:30', '21:00'];

serveStdio(() => tablesServer(free));
// #endregion
