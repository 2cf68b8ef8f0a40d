#!/usr/bin/env node
/** Where the command begins: the server of a bridge is started before anything else is loaded. */
import { startEarlyServer, takeEarlyServer } from './early-server.ts';

startEarlyServer(process.argv);
void import('./program.ts').then(({ runProgram }) => runProgram()).finally(() => takeEarlyServer()?.stop());
