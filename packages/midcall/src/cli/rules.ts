/** `midcall rules`: proposes rules about calls, and says which rule decides about one. No tool is called. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { visible } from '@midcall/core/text';
import { Connection, Inbox, proposeRules, Rules, rulesFile, type ServerEntry } from '@midcall/host';
import type { Command } from 'commander';
import { configPath, ownVersion } from '../install/index.ts';
import { chooseEra, chooseServer } from './server-choice.ts';
import { addServerFlags, onlyAfterDashes, type ServerFlags, wordsAfterDashes } from './server-flags.ts';
import { readToolArguments } from './tool-arguments.ts';
import { usage } from './usage.ts';

/** Adds the subcommand. */
export function register(command: Command): void {
  addServerFlags(
    command
      .command('init')
      .description('print rules to begin with, from what a server says of its tools')
      .argument('[server...]', 'after --: the command that starts the server')
      .usage('[options] [-- <command that starts the server…>]'),
  ).action(async (words: readonly string[], flags: ServerFlags) => {
    const entry = chooseServer(flags, onlyAfterDashes(words, process.argv));
    const tools = await toolsOf(entry, flags);
    process.stdout.write(`${JSON.stringify(proposeRules(entry.id, tools), null, 2)}\n`);
    process.stderr.write(
      `midcall: These rules let ${tools.length === 1 ? 'the tool' : 'the tools'} pass that '${visible(entry.id, { max: 100 })}' ` +
        `calls read-only. Read them, and keep them in ${configPath('rules.json')}.\n`,
    );
  });
  addServerFlags(
    command
      .command('test')
      .description('say which rule decides about a call, and why')
      .argument('[words...]', 'the tool, its arguments, and after --: the command that starts the server')
      .usage('[options] <tool> [json | key=value…] -- <command that starts the server…>'),
  )
    .option('--rules <file>', 'the rules', configPath('rules.json'))
    .action(async (words: readonly string[], flags: ServerFlags & { readonly rules: string }) => {
      const after = wordsAfterDashes(process.argv);
      const [name, ...args] = words.slice(0, words.length - after.length);
      if (name === undefined) throw usage('Name the tool: midcall rules test <tool> [json | key=value…] -- <server…>');
      const entry = chooseServer(flags, after);
      const path = resolve(flags.rules);
      if (!existsSync(path))
        throw usage(`There are no rules in ${path}. To see some to begin with: midcall rules init -- <command>`);
      const rules = new Rules({ rules: rulesFile(path), approvers: true });
      const tool = (await toolsOf(entry, flags)).find(each => each.name === name);
      const call = {
        server: entry.id,
        tool: name,
        arguments: readToolArguments(args, tool?.inputSchema),
        annotations: tool && { ...tool.annotations },
      };
      const line = (text: string): void => void process.stdout.write(`${visible(text, { max: 1_000 })}\n`);
      const verdict = rules.judge(call, (at, says) => line(`rule ${at} ${says}`));
      line(`${verdict.effect}: because ${verdict.why}`);
    });
}

async function toolsOf(entry: ServerEntry, flags: ServerFlags) {
  const client = { name: 'midcall', title: 'Midcall', version: ownVersion() };
  const connection = new Connection(entry, {
    client,
    inbox: new Inbox(),
    era: chooseEra(flags),
    onSilent: why => void process.stderr.write(`midcall: ${why}\n`),
  });
  try {
    await connection.start();
    const { tools, problems } = await connection.catalogue();
    const [problem] = problems.filter(({ list }) => list === 'tools');
    if (problem) throw usage(problem.why);
    return tools;
  } finally {
    await connection.stop();
  }
}
