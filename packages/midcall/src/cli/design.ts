/** `midcall design`: which questions one tool of a real server should ask, if any. */

import { noSuchTool } from '@midcall/core/errors';
import { visibleJson } from '@midcall/core/text';
import { Connection, Inbox } from '@midcall/host';
import type { Command } from 'commander';
import { designText, proposalCode, propose, toolFacts } from '../design/index.ts';
import { ownVersion } from '../install/index.ts';
import { exitCodes } from './exit-codes.ts';
import { chooseEra, chooseServer } from './server-choice.ts';
import { addServerFlags, onlyAfterDashes, type ServerFlags, wordsAfterDashes } from './server-flags.ts';
import { usage } from './usage.ts';

interface DesignFlags extends ServerFlags {
  readonly json?: boolean;
  readonly code?: boolean;
}

/** Adds `design` to the program. */
export function register(command: Command): void {
  command
    .argument('<tool>', 'name of the tool')
    .argument('[server...]', 'after --: the command that starts the server')
    .usage('[options] <tool> -- <command that starts the server…>');
  addServerFlags(command)
    .option('--json', 'print the proposal as JSON')
    .option('--code', 'print the TypeScript only')
    .addHelpText('after', '\nThe server is started and its tools are listed; none is called.')
    .action(async (name: string, words: readonly string[], flags: DesignFlags) => {
      if (flags.json && flags.code) throw usage('Give --json or --code, not both.');
      const after = wordsAfterDashes(process.argv);
      // With no word before the dashes, the first one after them is taken for the tool.
      if (words.length < after.length) throw usage('Name the tool before the --.');
      const connection = new Connection(chooseServer(flags, onlyAfterDashes(words, process.argv)), {
        client: { name: 'midcall', title: 'Midcall', version: ownVersion() },
        era: chooseEra(flags),
        inbox: new Inbox(),
        onSilent: why => void process.stderr.write(`midcall: ${why}\n`),
      });
      try {
        await connection.start();
        const { tools, problems } = await connection.catalogue();
        const unlisted = problems.find(({ list }) => list === 'tools');
        if (unlisted) {
          process.stderr.write(`midcall: The tools could not be listed: ${unlisted.why}\n`);
          process.exitCode = exitCodes[connection.state === 'ready' ? 'toolError' : 'noServer'].code;
          return;
        }
        const tool = tools.find(each => each.name === name);
        if (!tool) throw noSuchTool(name, tools);
        const facts = toolFacts(tool);
        const proposal = propose(facts);
        const code = proposalCode(proposal, facts);
        if (flags.json) print(visibleJson({ ...proposal, ...(code !== undefined && { code }) }, 2));
        else if (flags.code) print(code?.trimEnd() ?? `// ${proposal.advice}`);
        else print(designText(proposal, code !== undefined).join('\n'));
      } finally {
        await connection.stop();
      }
    });
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
