/**
 * Serves one of the examples over standard input and output: `npm run --silent example -- <name> [--data DIR]`; or the fleet,
 * and the payments that others agree to, over HTTP. Runs an agent at the terminal, and the service that the notes server imports from.
 */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { midcall } from '@midcall/server';
import { serveStdio } from '@midcall/server/node';
import { badDay } from './booking/bad-day.ts';
import { bookingServer } from './booking/server.ts';
import { samples as itemSamples } from './canonical/items.ts';
import { canonicalServer } from './canonical/server.ts';
import { fill } from './data-file.ts';
import { freePort } from './free-port.ts';
import { samples as ledgerSamples } from './payments/ledger.ts';
import { paymentsServer } from './payments/server.ts';
import { tasksServer } from './tasks/server.ts';
import { samples as taskSamples } from './tasks/tasks.ts';

const usage = `Usage:
  npm run --silent example -- <tasks|payments|canonical|booking> [--data DIR]
  npm run --silent example -- tasks [--data DIR] run <tool> [arguments as JSON]
  npm run --silent example -- agents <ai-sdk|langgraph|openai-agents|mastra|claude-agent> --data DIR [--era 2025-11-25]
  npm run --silent example -- fleet --ledger FILE [--replicas N] [--port PORT]
  npm run --silent example -- import [DIR]
  npm run --silent example -- approvals [--data DIR] [--port PORT]
Options:
  --data DIR                where the data is; a missing or empty directory gets samples
  --preference-timeout MS   tasks: how long a person has to answer 'session' (5000)
  --confirm-timeout MS      tasks, payments: how long a person has to confirm (15000, 120000)
  --ledger FILE             fleet: where the tool 'charge' writes what was charged
  --replicas N              fleet: how many processes serve it (4)
  --port PORT               fleet: where it is served, 0 for any free one (fleet: 0, approvals: 4100)`;

try {
  await main();
} catch (error) {
  // What has begun to serve before it failed would go on.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, () => process.exit(1));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      'preference-timeout': { type: 'string' },
      'confirm-timeout': { type: 'string' },
      ledger: { type: 'string' },
      replicas: { type: 'string', default: '4' },
      port: { type: 'string' },
      era: { type: 'string' },
    },
  });
  const [name, run, tool, given] = positionals;
  if (name === 'fleet' && run === undefined && values.ledger !== undefined) {
    const { runFleet } = await import('./fleet/fleet.ts');
    const replicas = whole('--replicas', values.replicas, 1, 64);
    return runFleet({ replicas, port: whole('--port', values.port ?? '0', 0, 65_535), ledger: resolve(values.ledger) });
  }
  if (name === 'import') {
    const { startImport } = await import('./import/start.ts');
    return startImport(run);
  }
  if (name === 'booking' && run === undefined) {
    const mid = midcall();
    const world = badDay();
    return serve(() => bookingServer(mid, world), 'memory');
  }
  const directory = values.data ? resolve(values.data) : await mkdtemp(join(tmpdir(), 'midcall-example-'));
  if (name === 'agents') {
    const { runAgent } = await import('./agents/main.ts');
    return runAgent(run, directory, values.era === '2025-11-25' ? values.era : 'auto');
  }
  if (name === 'approvals' && run === undefined) {
    const { startApprovals } = await import('./approvals/start.ts');
    await mkdir(directory, { recursive: true });
    return startApprovals(directory, await freePort(whole('--port', values.port ?? '4100', 0, 65_535)));
  }
  const timeouts = {
    ...milliseconds('preferenceTimeoutMs', values['preference-timeout']),
    ...milliseconds('confirmTimeoutMs', values['confirm-timeout']),
  };

  if (name === 'tasks') {
    await fill(directory, taskSamples);
    const tasks = tasksServer(directory, timeouts);
    if (run === undefined) return serve(tasks.factory, directory);
    if (run === 'run' && tool !== undefined) {
      const result = await tasks.run(tool, JSON.parse(given ?? '{}'));
      return void process.stdout.write(`${JSON.stringify(result.structuredContent, null, 2)}\n`);
    }
  }
  if (name === 'payments' && run === undefined) {
    await fill(directory, ledgerSamples);
    return serve(paymentsServer(directory, timeouts).factory, directory);
  }
  if (name === 'canonical' && run === undefined) {
    await fill(directory, itemSamples);
    return serve(canonicalServer(directory).factory, directory);
  }
  throw new Error(usage);
}

function serve(factory: Parameters<typeof serveStdio>[0], place: string): void {
  serveStdio(factory);
  process.stderr.write(`serving on standard input and output; the data is in ${place}\n`);
}

function whole(option: string, text: string, least: number, most: number): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Error(`${option} must be a whole number from ${least} to ${most}; got '${text}'.`);
}

function milliseconds(name: string, text: string | undefined): Record<string, number> {
  if (text === undefined) return {};
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`A timeout is a whole number of milliseconds, not '${text}'.`);
  return { [name]: Number(text) };
}
