/** An account at another service, and settings on a page, for docs/connect.md. */

import { midcall } from '@midcall/server';
import { connect, formKindOf, oauth, oauthPages, provider, type Reach, vault } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer } from '@modelcontextprotocol/server';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

export interface Surroundings {
  readonly key: string;
  readonly issuer: string;
  readonly clientSecret: string;
  /** Where the notes are. */
  readonly api: URL;
  readonly reach: Reach;
}

export function librarian({ key, issuer, clientSecret, api, reach }: Surroundings) {
  const store = memoryStore();
  const saved = new Map<string, unknown>();

  // #region account
  const keeper = vault({ store, key });
  const quill = provider({
    id: 'quill',
    name: 'Quill',
    issuer,
    clientId: 'library',
    clientSecret,
    scopes: ['notes.read', 'labels.read'],
  });
  // #endregion

  // #region settings
  const settings = formKindOf({
    name: 'settings',
    title: 'Settings of the library',
    items: {
      folder: { kind: 'text', label: 'Folder' },
      daily: { kind: 'boolean', label: 'Import every day?' },
    },
    check: async ({ folder }) =>
      new Map(folder.includes('..') ? [['folder', 'Name a folder inside the library.']] : []),
    save: async (value, { principal }) => void saved.set(principal!.subject, value),
  });
  // #endregion

  // #region kinds
  const kinds = [oauthPages(keeper, [quill]), settings.kind];
  // #endregion
  const pages = connect({ name: 'Library', vault: keeper, kinds, reach });
  const mid = midcall({ pages, store, key });

  const factory = () => {
    const server = new McpServer({ name: 'library', version: '1.0.0' });
    // #region import
    mid.tool(server, 'import', {}, async (_args, call) => {
      const owner = call.principal;
      const connected = async () => (await keeper.token(owner, quill)) !== undefined;
      if (!(await call.step('look', connected))) {
        const answer = await call.elicitUrl({ message: 'Connect your notes at Quill.', page: oauth(quill) });
        if (answer.action !== 'accept') return text('Nothing was imported: not connected.');
      }
      const titles = await call.step('fetch', async () => {
        const token = await keeper.token(owner, quill); // renewed where it has expired
        if (!token) throw new Error('The sign-in at Quill has ended. Call again to sign in anew.');
        const found = await fetch(api, { headers: { authorization: `Bearer ${token.value}` } });
        const { notes } = (await found.json()) as { notes: { title: string }[] };
        return notes.map(({ title }) => title);
      });
      return text(`Imported ${titles.join(', ')}.`);
    });
    mid.tool(server, 'disconnect', {}, async (_args, call) =>
      text(await call.step('forget', () => keeper.forget(call.principal, quill), { idempotent: true })),
    );
    // #endregion
    mid.tool(server, 'set_up', {}, async (_args, call) => {
      const answer = await call.elicitUrl({ message: 'A few settings.', page: settings.page });
      return text(answer.action === 'accept' ? `In ${answer.content.folder}.` : 'As it was.');
    });
    return server;
  };
  return { factory, pages, saved };
}
