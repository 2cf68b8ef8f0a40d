/** A small notes service behind OAuth: `GET /notes` gives the notes of the person whose token is sent. */
import { createServer } from 'node:http';

/** Starts it; see notes-api.d.mts. */
export async function startNotesApi({ issuer, clientId, clientSecret, notes, port = 0 }) {
  const requests = [];
  const server = createServer(async (req, res) => {
    const send = (status, body, headers = {}) => {
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
      const { active, scope = '', sub } = await answer.json();
      if (!active) return send(401, {}, { 'www-authenticate': 'Bearer error="invalid_token"' });
      if (!scope.split(' ').includes('notes.read')) return send(403, {});
      return send(200, { notes: notes[sub] ?? [] });
    } catch {
      return send(500, {});
    }
  });
  await new Promise(resolve => server.listen(port, '127.0.0.1', resolve));
  return {
    address: new URL(`http://127.0.0.1:${server.address().port}/notes`),
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
