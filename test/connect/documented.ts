/** The server that docs/connect.md shows. */

import { midcall, whyNot } from '@midcall/server';
import { confirm, connect, formPage, type Keeper, secret } from '@midcall/server/connect';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** @param vault - where secrets are kept */
export function documented(vault: Keeper, reach?: Parameters<typeof connect>[0]['reach']) {
  // #region setup
  const pages = connect({ name: 'Weather', vault });
  const mid = midcall({ pages });
  // #endregion
  // A page server of the test's own surroundings.
  const own = connect({ name: 'Weather', vault, ...(reach ? { reach } : {}) });
  const tested = midcall({ pages: own, warn: () => {}, suspectBelowMs: 0 });
  const factory = () => {
    const server = new McpServer({ name: 'weather', version: '1.0.0' });
    register(server, tested, vault);
    return server;
  };
  return { factory, mid, pages, own };
}

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
const forecast = async (place: string, key: string) => `${place}: fine (${key.length} characters of key)`;

function register(server: McpServer, mid: ReturnType<typeof midcall>, vault: Keeper): void {
  // #region secret
  mid.tool(server, 'forecast', { inputSchema: z.object({ place: z.string() }) }, async ({ place }, call) => {
    const owner = call.principal!;
    if (!(await call.step('look', async () => (await vault.get(owner, 'weather')) !== undefined))) {
      const answer = await call.elicitUrl({
        message: 'The forecast needs your key of weather.example.',
        page: secret({ name: 'weather', label: 'API key' }),
      });
      if (answer.action !== 'accept') return text(`No forecast: ${whyNot(answer)}`);
    }
    return text(await forecast(place, (await vault.get(owner, 'weather'))!));
  });
  // #endregion

  // #region confirm
  mid.tool(server, 'wipe', { inputSchema: z.object({ folder: z.string() }) }, async ({ folder }, call) => {
    const answer = await call.elicitUrl({ message: 'This cannot be undone.', page: confirm() });
    const yes = answer.action === 'accept' && answer.by.assurance !== 'in-band';
    return text(yes ? `Wiped ${folder}.` : 'Nothing was wiped.');
  });
  // #endregion

  // #region form
  const trip = formPage({
    title: 'Plan the trip',
    items: {
      kind: { kind: 'select', label: 'Kind of trip', choices: ['private', 'business'] },
      cost: { kind: 'text', label: 'Cost centre', when: { field: 'kind', is: 'business' } },
      people: { kind: 'list', label: 'Traveller', min: 1, items: { name: { kind: 'text', label: 'Name' } } },
      notes: { kind: 'text', label: 'Notes', long: true, required: false },
    },
  });
  mid.tool(server, 'plan', {}, async (_, call) => {
    const answer = await call.elicitUrl({ message: 'A few things about the trip.', page: trip });
    if (answer.action !== 'accept') return text('Nothing was planned.');
    return text(`Planned for ${answer.content.people.map(each => each.name).join(' and ')}.`);
  });
  // #endregion
}
