/** `midcall doctor`: a server to add to a host; it finds out what the host does with questions. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { writeWhole } from '@midcall/core/node';
import { serveHttp, serveStdio } from '@midcall/server/node';
import type { Command } from 'commander';
import { doctorServer, type Report } from '../doctor/index.ts';
import { HostStdio } from '../host-stdio/index.ts';
import { ownCommand } from '../install/index.ts';
import { portNumber, readSeconds, repeatable } from './flag-values.ts';
import { stopOnSignal } from './on-signal.ts';
import { servingLog } from './serving-log.ts';
import { usage } from './usage.ts';

interface DoctorFlags {
  readonly wait: string;
  readonly report?: string;
  readonly http?: number;
  readonly allowHost?: readonly string[];
}

/** Adds `doctor` to the program. */
export function register(command: Command): void {
  command
    .option('--wait <seconds>', 'time for each question; at most 90 for the page', '120')
    .option('--report <file>', 'write the report to this file, as JSON, after every finding')
    .option(
      '--http <port>',
      'serve Streamable HTTP at /mcp on this port (0: any free one) instead of standard input',
      portNumber,
    )
    .option('--allow-host <name>', 'with --http: host name, besides localhost, under which hosts reach it', repeatable)
    .addHelpText('after', () => `\n${howTo()}`)
    .action(doctor);
}

async function doctor({ wait, report, http, allowHost = [] }: DoctorFlags): Promise<void> {
  if (allowHost.length > 0 && http === undefined) throw usage('--allow-host goes with --http.');
  const { log, complain: onError, notServed } = servingLog('doctor');
  const { factory } = doctorServer({
    waitMs: readSeconds('--wait', wait),
    ...(report !== undefined && { onFound: reportFile(report, log) }),
  });
  if (http === undefined) {
    const serving = serveStdio(factory, { transport: new HostStdio(), onError });
    log('serving on standard input and output');
    if (process.stdin.isTTY) process.stderr.write(`\n${howTo()}\n`);
    stopOnSignal(() => serving.stop());
    return;
  }
  try {
    const { url, stop } = await serveHttp(factory, { port: http, allowedHosts: allowHost, onError });
    log(`serving at ${url.href}`);
    stopOnSignal(() => stop());
  } catch (error) {
    notServed(error);
  }
}

/** Writes one report after the other; a file that cannot be written does not keep the report from the person. */
function reportFile(file: string, log: (message: string) => void): (reports: readonly Report[]) => Promise<void> {
  const path = resolve(file);
  if (!existsSync(dirname(path))) throw usage(`There is no folder ${dirname(path)} to write the report to.`);
  let last = Promise.resolve();
  return reports => {
    last = last
      .then(() => writeWhole(path, `${JSON.stringify({ hosts: reports }, null, 2)}\n`))
      .catch((error: NodeJS.ErrnoException) => log(`The report cannot be written to ${path} (${error.code}).`));
    return last;
  };
}

/** How this installation is added to a host. */
function howTo(): string {
  const entry = { command: process.execPath, args: [ownCommand, 'doctor'] };
  return [
    'Add it to your host, and tell the model there: "Run doctor, and show me its report."',
    'Most hosts take this, in their mcp.json or settings:',
    '',
    `  { "mcpServers": { "doctor": ${JSON.stringify(entry)} } }`,
    '',
    "To see it once here, with Midcall's own host:",
    '  npx midcall call doctor -- npx midcall doctor',
  ].join('\n');
}
