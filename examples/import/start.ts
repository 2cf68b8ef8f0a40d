/**
 * A service with notes behind OAuth, on this machine, and the file that tells the notes server about it:
 *
 *   npm run --silent example -- import [folder]
 *   npx midcall call notes_import -- midcall notes <dir> --import <folder>/quill.json
 *
 * Sign in there as `ada`. It runs until it is stopped.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAuthorizationServer } from './authorization-server.ts';
import { startNotesApi } from './notes-api.ts';

/** @param directory - where the file is written; a temporary one if absent */
export async function startImport(directory?: string): Promise<void> {
  const folder = directory ?? (await mkdtemp(join(tmpdir(), 'midcall-import-')));
  const clientSecret = randomBytes(24).toString('base64url');
  const client = { client_secret: clientSecret, application_type: 'native' };
  const service = await startAuthorizationServer({
    clients: [
      {
        ...client,
        client_id: 'midcall-notes',
        redirect_uris: ['http://127.0.0.1/connect/callback/quill'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
      { ...client, client_id: 'notes-api', redirect_uris: [], response_types: [], grant_types: [] },
    ],
    scopes: ['notes.read'],
    // Short, so that a second import shows the token being renewed.
    accessTokenSeconds: 60,
  });
  const api = await startNotesApi({
    issuer: service.issuer,
    clientId: 'notes-api',
    clientSecret,
    notes: {
      ada: [
        { id: 'q1', title: 'Analytical engine', text: 'It might act upon other things besides number.' },
        { id: 'q2', title: 'Reading list', text: '- Menabrea\n- Babbage\n' },
      ],
    },
  });
  const file = join(folder, 'quill.json');
  const config = {
    id: 'quill',
    name: 'Quill',
    address: api.address.href,
    issuer: service.issuer,
    clientId: 'midcall-notes',
    clientSecret,
    scopes: ['notes.read'],
  };
  await writeFile(file, JSON.stringify(config, null, 2), { mode: 0o600 });
  console.log(file);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void Promise.all([service.close(), api.close()]).then(() => process.exit()));
  }
}
