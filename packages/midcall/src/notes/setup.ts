/** `notes_setup`: the first-run page, where the person chooses directories and preferences. */

import { isDeepStrictEqual } from 'node:util';
import { isMidcallError } from '@midcall/core/errors';
import { notDone, whyNot } from '@midcall/server';
import { formKindOf } from '@midcall/server/connect';
import { z } from 'zod';
import type { Registry } from './registry.ts';
import { reply } from './reply.ts';
import { sdkVersion, tooOld } from './sdk-guard.ts';
import { judgeDirectory, readSettings, type Settings, writeSettings } from './settings.ts';

/** What the tool works on. */
export interface Setup {
  /** The directories of the command line, as real paths; empty if it named none. */
  readonly ceiling: readonly string[];
  readonly path: string;
  readonly settings: () => Settings | undefined;
  /** Puts new settings in force. */
  readonly changed: (settings: Settings) => Promise<void>;
  /** The SDK's version; that of this process if absent. */
  readonly sdk?: string;
}

const meanwhile = 'This was set up in the meantime, and is not changed from here. Decline this page.';

/** How the person mends a setup that does not fit. */
export const chooseAgain = 'Call notes_setup: the person then chooses again.';

/**
 * The setup page. If several are open, in this process or another, the first to be finished counts.
 * @returns `open`: called before a page is shown; what is stored then is what the page may replace
 */
export function setupPage(setup: Setup) {
  let saving = false;
  let replaced: Settings | undefined;
  const isUntouched = async (): Promise<boolean> => isDeepStrictEqual(await readSettings(setup.path), replaced);
  const form = formKindOf({
    name: 'notes-setup',
    title: 'Set up your notes',
    send: 'Save',
    assurance: 'out-of-band',
    items: {
      directories: {
        kind: 'list',
        label: 'Directory',
        help: 'Only notes in these directories can be read and changed.',
        min: 1,
        max: 20,
        items: { path: { kind: 'text', label: 'Path', help: 'Such as /home/ada/notes or ~/notes', maxLength: 4096 } },
      },
      order: {
        kind: 'select',
        label: 'Order of lists',
        choices: [
          { value: 'newest', title: 'Newest first' },
          { value: 'title', title: 'By title' },
        ],
        default: 'newest',
      },
      listed: {
        kind: 'number',
        label: 'Notes in one list',
        help: 'At most 200.',
        integer: true,
        minimum: 10,
        maximum: 200,
        default: 200,
      },
    },
    async check({ directories }) {
      if (!(await isUntouched())) return new Map([['directories', meanwhile]]);
      const issues = new Map<string, string>();
      for (const [index, { path }] of directories.entries()) {
        const judged = await judgeDirectory(path, setup.ceiling);
        if ('problem' in judged) issues.set(`directories.${index}.path`, judged.problem);
      }
      return issues;
    },
    async save({ directories, order, listed }) {
      if (saving) throw new Error(meanwhile);
      saving = true;
      try {
        if (!(await isUntouched())) throw new Error(meanwhile);
        const judged = await Promise.all(directories.map(({ path }) => judgeDirectory(path, setup.ceiling)));
        const real = judged.map(each => {
          if ('real' in each) return each.real;
          throw new Error(each.problem);
        });
        const settings: Settings = { directories: real, order: order as Settings['order'], listed };
        await writeSettings(setup.path, settings);
        await setup.changed(settings);
      } finally {
        saving = false;
      }
    },
  });
  const open = async (): Promise<void> => {
    replaced = await readSettings(setup.path);
  };
  return { ...form, open };
}

/** Registers the tool. */
export function registerSetup(
  { mid, server, files }: Registry,
  setup: Setup,
  { page, open }: ReturnType<typeof setupPage>,
): void {
  mid.tool(
    server,
    'notes_setup',
    {
      title: 'Set up the notes server',
      description:
        'Opens a page where the person chooses directories and preferences. Needed once, and again if that does not fit any more.',
      inputSchema: z.strictObject({
        again: z.boolean().optional().describe('Choose again, although everything is set up.'),
      }),
      outputSchema: z.object({ outcome: z.string(), directories: z.array(z.string()).optional() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async ({ again = false }, call) => {
      const already = await call.step('look', () => setup.settings() ?? null);
      const problem = already ? await problemOf(files(call)) : undefined;
      // What the person is told stays so when they have chosen, and the problem is gone.
      const misfit = await call.step('judge', () => problem ?? null);
      if (already && !misfit && !again) {
        const text = `Already configured: ${already.directories.join(', ')}. To choose again, call this with again: true.`;
        return reply(text, { outcome: 'already-configured', directories: already.directories });
      }
      const instead = 'Start the server with directories instead: midcall notes <dir>.';
      const old = tooOld(setup.sdk ?? sdkVersion());
      if (old) return reply(`${old} ${instead}`, { outcome: 'unsupported' });
      await call.step('open', async () => {
        await open();
        return null;
      });
      const answer = await call.elicitUrl({
        message: `${misfit ? `${misfit} ` : ''}Choose which directories this server may use, and how it lists notes.`,
        page,
        channels: ['native', 'page'],
      });
      if (answer.action === 'accept') {
        const { directories } = setup.settings() ?? { directories: [] };
        return reply(`Configured: ${directories.join(', ')}.`, { outcome: 'configured', directories });
      }
      const outcome = notDone(answer);
      const help = outcome === 'unavailable' ? ` ${instead}` : '';
      return reply(`Nothing was configured: ${whyNot(answer)}${help}`, { outcome });
    },
  );
}

/** Why there are no files to work on; undefined if there are. */
async function problemOf(files: Promise<unknown>): Promise<string | undefined> {
  try {
    await files;
    return undefined;
  } catch (error) {
    if (isMidcallError(error, 'roots/none')) return error.message.replace(` ${chooseAgain}`, '');
    throw error;
  }
}
