/** `midcall lint`: finds problems with a server's questions, by making it ask them. */

import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMidcallError } from '@midcall/core/errors';
import { visibleJson } from '@midcall/core/text';
import { serverOpener } from '@midcall/host';
import type { Command } from 'commander';
import { type LintReport, type LintSelection, lint, lintJson, lintSarif, lintText } from '../design/index.ts';
import { ownVersion } from '../install/index.ts';
import { exitCodes } from './exit-codes.ts';
import { readSeconds, repeatable } from './flag-values.ts';
import { chooseEra, chooseServer } from './server-choice.ts';
import { addServerFlags, onlyAfterDashes, type ServerFlags } from './server-flags.ts';
import { readObject } from './tool-arguments.ts';
import { usage } from './usage.ts';

interface LintFlags extends ServerFlags {
  readonly tool?: readonly string[];
  readonly args?: readonly string[];
  readonly all?: boolean;
  readonly root?: readonly string[];
  readonly wait: string;
  readonly format?: string;
  readonly output?: string;
}

/** Adds `lint` to the program. */
export function register(command: Command): void {
  command
    .argument('[server...]', 'after --: the command that starts the server')
    .usage('[options] -- <command that starts the server…>');
  addServerFlags(command)
    .option('--tool <name>', 'call this tool, whatever it does; repeatable', repeatable)
    .option('--args <json>', 'its arguments, one JSON object per --tool, in order', repeatable)
    .option('--all', 'call every tool, with arguments made from its schema, at your own risk')
    .option('--root <dir>', 'offer this directory to the server; repeatable', repeatable)
    .option('--wait <seconds>', 'how long to wait for a silent server', '10')
    .option('--format <format>', 'text, json or sarif', 'text')
    .option('--output <file>', 'write the report there')
    .addHelpText(
      'after',
      '\nBy default, only tools that declare readOnlyHint are called. Calls are real, and each tool is called several times.',
    )
    .action(async (words: readonly string[], flags: LintFlags) => {
      const entry = chooseServer(flags, onlyAfterDashes(words, process.argv));
      const era = chooseEra(flags);
      const write = writerFor(flags);
      const server = serverOpener(entry.target);
      const live = process.stderr.isTTY;
      const report = await lint(() => server.open(), {
        select: selectionFrom(flags),
        ...(era !== 'auto' && { eras: [era] }),
        roots: (flags.root ?? []).map(rootUri),
        client: { name: 'midcall-lint', version: ownVersion() },
        waitMs: readSeconds('--wait', flags.wait),
        // A longer line would go on in the next, where it is not overwritten.
        onProgress: line => live && process.stderr.write(`\r\u001b[K${line.slice(0, process.stderr.columns - 1)}`),
      }).catch(async (error: unknown) => {
        if (!isMidcallError(error) || !(error.code === 'host/refused' || error.code === 'host/not-found')) throw error;
        const isReached = error.code === 'host/refused';
        process.exitCode = exitCodes[isReached ? 'found' : 'noServer'].code;
        return isReached ? error.message : server.reasonFor(error.cause, error.message);
      });
      if (live) process.stderr.write('\r\u001b[K');
      if (typeof report === 'string') {
        process.stderr.write(`midcall: ${report}\n`);
        return;
      }
      write(report);
      const wrong = report.findings.some(each => each.severity === 'error');
      process.exitCode = wrong ? exitCodes.found.code : exitCodes.ok.code;
    });
}

function rootUri(directory: string): string {
  const path = resolve(directory);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw usage(`--root ${directory}: There is no directory at ${path}.`);
  return pathToFileURL(path).href;
}

function selectionFrom({ tool, args = [], all }: LintFlags): LintSelection {
  if (all && tool) throw usage('Give --tool or --all, not both.');
  if (all) return { which: 'all' };
  if (!tool) {
    if (args.length > 0) throw usage('--args goes with --tool.');
    return { which: 'read-only' };
  }
  if (args.length > tool.length) throw usage('There are more --args than --tool.');
  const read = args.map(text => readObject('--args is', text));
  return { which: 'named', tools: new Map(tool.map((name, index) => [name, read[index]])) };
}

function writerFor({ format = 'text', output }: LintFlags): (report: LintReport) => void {
  if (!['text', 'json', 'sarif'].includes(format)) throw usage('The format must be text, json or sarif.');
  if (output !== undefined && !existsSync(dirname(resolve(output))))
    throw usage(`There is no folder ${dirname(resolve(output))} to write the report to.`);
  return report => {
    const colour = output === undefined && process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
    const json = format === 'sarif' ? lintSarif(report, { version: ownVersion() }) : lintJson(report);
    const text = format === 'text' ? lintText(report, { colour }).join('\n') : visibleJson(json, 2);
    if (output === undefined) process.stdout.write(`${text}\n`);
    else writeReport(output, `${text}\n`);
  };
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw usage(`The report cannot be written to ${file} (${code}).`, { cause });
  }
}
