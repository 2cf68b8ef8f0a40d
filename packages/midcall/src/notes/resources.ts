/** Notes as resources: every note under its own `file:` URI, and an index of all. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMidcallError } from '@midcall/core/errors';
import type { Clock } from '@midcall/core/time';
import type { Files } from '@midcall/server/roots';
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { label } from './note.ts';
import { notebook } from './notebook.ts';
import type { Registry } from './registry.ts';
import { count } from './reply.ts';

const mimeType = 'text/markdown';

async function listed(files: Files, clock: Pick<Clock, 'now'>) {
  const { notes } = await notebook(files, clock).list();
  const [only] = files.roots;
  return notes.map(note => {
    const path = files.roots.length === 1 ? join(only!.path, note.path) : note.path;
    return { uri: pathToFileURL(path).href, name: note.path, title: note.title, description: label(note), mimeType };
  });
}

export function registerResources({ mid, server, clock, files, isBlocked }: Registry): void {
  mid.resource(
    server,
    'index',
    'notes:///index',
    { title: 'All notes', description: 'Every note with its title, folder, date and URI, newest first.', mimeType },
    async (uri, call) => {
      const notes = await listed(await files(call), clock);
      const lines = notes.map(note => `- [${note.description}](<${note.uri}>)`);
      const text = `# ${count(notes.length)}\n\n${lines.join('\n')}\n`;
      return { contents: [{ uri: uri.href, mimeType, text }] };
    },
  );

  mid.resource(
    server,
    'note',
    new ResourceTemplate('file:///{+path}', {
      async list(ctx) {
        const granted = isBlocked() ? undefined : await mid.files(server, ctx).catch(() => undefined);
        // Either no roots are granted, or the client cannot be asked here: the index reports the first and asks in the second
        // case.
        if (!granted) return { resources: [] };
        try {
          return { resources: await listed(granted, clock) };
        } finally {
          await granted.close();
        }
      },
    }),
    { title: 'A note', description: 'The text of one note, by its file: URI.', mimeType },
    async (uri, call) => {
      try {
        const { text } = await notebook(await files(call), clock).read({ path: uri.href });
        return { contents: [{ uri: uri.href, mimeType, text }] };
      } catch (error) {
        if (isMidcallError(error, 'roots/not-found')) throw new ResourceNotFoundError(uri.href);
        if (isMidcallError(error)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
        throw error;
      }
    },
  );
}
