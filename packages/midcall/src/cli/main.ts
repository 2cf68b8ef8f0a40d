#!/usr/bin/env node
/** Where the command begins: the server of a bridge is started before anything else is loaded. */
import { earlyServerWords } from './early-server-words.ts';

async function begin(): Promise<void> {
  const words = earlyServerWords(process.argv);
  if (words) (await import('./early-server.ts')).startEarlyServer(words);
  const { runProgram } = await import('./program.ts');
  await runProgram();
}

void begin();
