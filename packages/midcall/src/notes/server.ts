/**
 * The notes server: Midcall's reference, and useful in its own right. One library instance per process, one SDK server per
 * connection or request; the tools are the same for both protocol revisions and depend on neither.
 */

import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { systemClock } from '@midcall/core/time';
import { type Midcall, type MidcallOptions, midcall } from '@midcall/server';
import { type Connect, type ConnectOptions, connect, oauthPages } from '@midcall/server/connect';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { ownVersion } from '../install/index.ts';
import { type Importing, registerImport } from './import.ts';
import { registerLookUp } from './look-up.ts';
import { registerSummarize, registerTidy } from './model-tools.ts';
import { registerArchive, registerDelete, registerRestore } from './put-away.ts';
import type { Preferences, Registry } from './registry.ts';
import { registerResources } from './resources.ts';
import { directoriesInForce, misfitText, type Settings } from './settings.ts';
import { chooseAgain, registerSetup, type Setup, setupPage } from './setup.ts';
import { registerWrite } from './write.ts';

/** Options of a notes server. */
export interface NotesOptions extends Omit<MidcallOptions, 'roots' | 'pages'> {
  /** The directories that the operator allows; the client's roots narrow them, and stand alone if it is empty. */
  readonly directories: readonly string[];
  /** Offers `notes_setup`, which stores what the person chooses in this file. */
  readonly setup?: {
    readonly path: string;
    /** What was chosen before; `readSettings(path)`. */
    readonly settings?: Settings | undefined;
    /** Why nothing that was chosen can be used; `directoriesInForce(settings, directories)`. */
    readonly misfit?: string | undefined;
    /** The SDK's version; that of this process if absent. */
    readonly sdk?: string;
  };
  /** Offers `notes_import` and `notes_disconnect`. */
  readonly importing?: Importing;
  /** Where and how the pages of `setup` and `importing` are served. */
  readonly pages?: Partial<ConnectOptions>;
}

/** Longer lists fill a model's context without helping it. */
const defaults: Preferences = { order: 'newest', listed: 200 };

const instructions =
  'Notes are Markdown files. Name one by its path or note_id. Deleting moves to the trash and can be undone; where it is ' +
  'unclear which note is meant the server asks the person itself, so do not ask them in text first.';

/**
 * A notes server.
 * @returns `factory`: for `serveStdio`, `serveHttp` or any other way of serving
 * @throws MidcallError `roots/invalid` for a directory that cannot be used
 */
export function notesServer({ directories, setup: offered, importing, pages: served, ...options }: NotesOptions): {
  readonly factory: McpServerFactory;
  /** To be mounted where people reach them, unless they are on loopback; absent if no tool needs a page. */
  readonly pages?: Connect;
  /** For those who connect its servers themselves: whatever serves them stops it otherwise. */
  readonly stop: Midcall['stop'];
} {
  let settings = offered?.settings;
  let misfit = offered?.misfit;
  const setup: Setup | undefined = offered && {
    ceiling: directories,
    path: offered.path,
    settings: () => settings,
    changed: async chosen => {
      mid.allow((await directoriesInForce(chosen, directories)).directories);
      settings = chosen;
      misfit = undefined;
    },
    ...(offered.sdk === undefined ? {} : { sdk: offered.sdk }),
  };
  const page = setup && setupPage(setup);
  const kinds = [
    ...(page ? [page.kind] : []),
    ...(importing ? [oauthPages(importing.vault, [importing.provider])] : []),
    ...(served?.kinds ?? []),
  ];
  const pages = kinds.length === 0 ? undefined : connect({ name: 'Notes', ...served, kinds });
  const mid = midcall({
    channels: ['native'],
    ...options,
    ...(pages && { pages }),
    roots: {
      ceiling: misfit === undefined ? (settings?.directories ?? directories) : directories,
      askWhereDeprecated: true,
    },
    sampling: { askWhereDeprecated: true, ...options.sampling },
  });
  const clock = options.clock ?? systemClock;
  const files: Registry['files'] = async call => {
    if (misfit !== undefined) throw new MidcallError('roots/none', `${misfit} ${chooseAgain}`);
    try {
      return await call.files();
    } catch (error) {
      if (!settings || !isMidcallError(error, 'roots/none')) throw error;
      throw new MidcallError('roots/none', `${misfitText(settings, error.message)} ${chooseAgain}`, { cause: error });
    }
  };
  return {
    factory() {
      const server = new McpServer({ name: 'midcall-notes', title: 'Notes', version: ownVersion() }, { instructions });
      // The directories are not watched, so the server does not promise to announce changes.
      server.server.registerCapabilities({ tools: { listChanged: false }, resources: { listChanged: false } });
      const registry: Registry = {
        mid,
        server,
        clock,
        files,
        isBlocked: () => misfit !== undefined,
        preferences: () => settings ?? defaults,
      };
      for (const register of [
        registerLookUp,
        registerWrite,
        registerDelete,
        registerRestore,
        registerArchive,
        registerSummarize,
        registerTidy,
        registerResources,
      ]) {
        register(registry);
      }
      if (setup && page) registerSetup(registry, setup, page);
      if (importing) registerImport(registry, importing);
      return server;
    },
    ...(pages && { pages }),
    stop: mid.stop,
  };
}
