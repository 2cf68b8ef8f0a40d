/** A small notes service behind OAuth: `GET /notes` gives the notes of the person whose token is sent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface NotesApiOptions {
  /** The authorization server, and this service's client there: it may introspect tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By person. */
  readonly notes: Readonly<
    Record<string, readonly { readonly id: string; readonly title: string; readonly text: string }[]>
  >;
  /** A free one where absent. */
  readonly port?: number;
}

export interface NotesApi {
  readonly address: URL;
  /** The status of every answer so far. */
  readonly requests: readonly number[];
  close(): Promise<void>;
}

/** What introspection says of a token (RFC 7662). */
interface Introspection {
  readonly active: boolean;
  readonly scope?: string;
  readonly sub?: string;
}

export async function startNotesApi(options: NotesApiOptions): Promise<NotesApi> {
  const { issuer, clientId, clientSecret, notes, port = 0 } = options;
  const requests: number[] = [];
  const server = createServer(async (req, res) => {
    const send = (status: number, body: object, headers: Record<string, string> = {}): void => {
      requests.push(status);
      res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    };
    try {
      if (req.method !== 'GET' || req.url !== '/notes') return send(404, {});
      const token = /^Bearer (\S+)$/u.exec(req.headers.authorization ?? '')?.[1] ?? '';
      const answer = await fetch(`${issuer}/token/introspection`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
        body: new URLSearchParams({ token }),
      });
      const { active, scope = '', sub = '' } = (await answer.json()) as Introspection;
      if (!active) return send(401, {}, { 'www-authenticate': 'Bearer error="invalid_token"' });
      if (!scope.split(' ').includes('notes.read')) return send(403, {});
      return send(200, { notes: notes[sub] ?? [] });
    } catch {
      return send(500, {});
    }
  });
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  return {
    address: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`),
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
