/** Notes as resources: every note under its own `file:` URI, and an index of all. */
import { pathToFileURL } from 'node:url';
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { isMidcallError } from '../errors.ts';
import { label } from './note.ts';
import { notebook } from './notebook.ts';
import type { Registry } from './registry.ts';
import { count } from './reply.ts';

const mimeType = 'text/markdown';

export function registerResources({ mid, server, now }: Registry): void {
  mid.resource(
    server,
    'index',
    'notes:///index',
    { title: 'All notes', description: 'Every note with its title, folder, date and URI, newest first.', mimeType },
    async (uri, call) => {
      const files = await call.files();
      const { notes } = await notebook(files, now).list();
      const lines = await Promise.all(
        notes.map(async note => `- [${label(note)}](<${pathToFileURL(await files.absolute(note.path)).href}>)`),
      );
      const text = `# ${count(notes.length)}\n\n${lines.join('\n')}\n`;
      return { contents: [{ uri: uri.href, mimeType, text }] };
    },
  );

  mid.resource(
    server,
    'note',
    new ResourceTemplate('file:///{+path}', { list: undefined }),
    { title: 'A note', description: 'The text of one note, by its file: URI.', mimeType },
    async (uri, call) => {
      try {
        const { text } = await notebook(await call.files(), now).read({ path: uri.href });
        return { contents: [{ uri: uri.href, mimeType, text }] };
      } catch (error) {
        if (isMidcallError(error, 'roots/not-found')) throw new ResourceNotFoundError(uri.href);
        if (isMidcallError(error)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
        throw error;
      }
    },
  );
}
